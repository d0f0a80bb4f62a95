"""Hotkeys on X11 by passive grabs: the program that has the focus doesn't see the key, and a conflict is told.

One thread with a connection of its own. The main thread's calls are handed to it and answered, in a bounded time.
"""

from __future__ import annotations

import logging
import os
import queue
import select
import threading
from collections.abc import Callable, Mapping
from typing import Any

from Xlib import XK, X, display, error

from desktop_tts.desktop.hotkeys.base import MODIFIERS, Hotkey, OnPressed
from desktop_tts.errors import HotkeyError

log = logging.getLogger(__name__)

REPEAT_MS = 3
"""A release and a press of the same key within so much, by the server's clock, are one long press."""
ANSWER_S = 2.0
KEYSYMS = {
    "Space": "space", "Return": "Return", "Enter": "KP_Enter", "Tab": "Tab", "Backspace": "BackSpace",
    "Escape": "Escape", "Esc": "Escape", "Ins": "Insert", "Del": "Delete", "PgUp": "Prior", "PgDown": "Next",
}  # fmt: skip


class X11Hotkeys:
    """See the module's docstring."""

    def __init__(self, on_pressed: OnPressed) -> None:
        self._on_pressed = on_pressed
        self._calls: queue.SimpleQueue[tuple[Callable[[], Any], queue.SimpleQueue[Any]]] = queue.SimpleQueue()
        self._wake_read, self._wake_write = os.pipe()
        self._display: Any = None
        self._grabs: dict[tuple[int, int], str] = {}
        self._wanted: dict[str, Hotkey] = {}
        self._masks: dict[str, int] = {}
        self._meant = 0
        """The modifier bits that count: not the locks, nor those of pointer buttons and layout group."""
        self._suspended = False
        self._stopping = False
        self._released: dict[int, int] = {}
        self._thread = threading.Thread(target=self._run, name="hotkeys", daemon=True)

    # ------------------------------------------------------------ any thread

    def start(self) -> None:
        try:
            self._display = display.Display()
        except (error.DisplayError, OSError) as problem:
            raise HotkeyError("Hotkeys need an X display, and there is none.", "See `desktop-tts doctor`.") from problem
        self._thread.start()

    def set_hotkeys(self, hotkeys: Mapping[str, str]) -> dict[str, str]:
        problems: dict[str, str] = {}
        wanted: dict[str, Hotkey] = {}
        for name, text in hotkeys.items():
            try:
                wanted[name] = Hotkey.parse(text)
            except HotkeyError as problem:
                problems[name] = str(problem)
        answer: dict[str, str] | None = self._call(lambda: self._grab_all(wanted))
        return problems | (answer if answer is not None else dict.fromkeys(wanted, "The X server doesn't answer."))

    def suspend(self) -> None:
        self._suspended = True
        self._call(lambda: self._grab_all(self._wanted))

    def resume(self) -> None:
        self._suspended = False
        self._call(lambda: self._grab_all(self._wanted))

    def stop(self) -> None:
        self._stopping = True
        if self._thread.is_alive():
            os.write(self._wake_write, b"x")
            self._thread.join(1.0)

    def _call(self, work: Callable[[], Any]) -> Any:
        """Have ``work`` done by the thread; its answer, or None when it doesn't come."""
        answer: queue.SimpleQueue[Any] = queue.SimpleQueue()
        if not self._thread.is_alive():
            return None
        self._calls.put((work, answer))
        os.write(self._wake_write, b"x")
        try:
            return answer.get(timeout=ANSWER_S)
        except queue.Empty:
            return None

    # ------------------------------------------------------------ the thread

    def _run(self) -> None:
        try:
            while not self._stopping:
                if not self._display.pending_events():
                    select.select([self._display.fileno(), self._wake_read], [], [])
                self._take_calls()
                while not self._stopping and self._display.pending_events():
                    self._on_event(self._display.next_event())
            self._ungrab()
            self._display.close()
        except (error.ConnectionClosedError, OSError):
            log.warning("the X server has gone; hotkeys end")

    def _take_calls(self) -> None:
        if select.select([self._wake_read], [], [], 0)[0]:
            os.read(self._wake_read, 64)
        while not self._calls.empty():
            work, answer = self._calls.get()
            answer.put(work())

    def _on_event(self, event: Any) -> None:
        if event.type == X.MappingNotify:
            if event.request != X.MappingPointer:
                self._display.refresh_keyboard_mapping(event)
                self._grab_all(self._wanted)
        elif event.type == X.KeyRelease:
            self._released[event.detail] = event.time
        elif event.type == X.KeyPress:
            # A held key repeats as release and press at the same moment.
            repeated = event.time - self._released.pop(event.detail, -1000) < REPEAT_MS
            name = self._grabs.get((event.detail, event.state & self._meant))
            if name and not repeated:
                self._on_pressed(name)

    def _read_masks(self) -> None:
        self._masks = {name: self._mask(name) for name in MODIFIERS}
        self._meant = 0
        for mask in self._masks.values():
            self._meant |= mask

    # ------------------------------------------------------------ grabs

    def _grab_all(self, wanted: Mapping[str, Hotkey]) -> dict[str, str]:
        self._wanted = dict(wanted)
        self._ungrab()
        self._read_masks()
        problems: dict[str, str] = {}
        if self._suspended:
            return problems
        for name, hotkey in wanted.items():
            if problem := self._grab(name, hotkey):
                problems[name] = problem
        return problems

    def _grab(self, name: str, hotkey: Hotkey) -> str:
        code = self._keycode(hotkey.key)
        if not code:
            return f"The keyboard has no key {hotkey.key}; choose another hotkey."
        modifiers = 0
        for modifier in hotkey.modifiers:
            mask = self._masks[modifier]
            if not mask:
                return f"The keyboard has no key {modifier}; choose another hotkey."
            modifiers |= mask
        if other := self._grabs.get((code, modifiers)):
            return f"{hotkey} is the hotkey of {other.replace('_', ' ')} already; choose another."
        root = self._display.screen().root
        catch = error.CatchError(error.BadAccess)
        for locks in self._lock_sets():
            root.grab_key(code, modifiers | locks, False, X.GrabModeAsync, X.GrabModeAsync, onerror=catch)
        self._display.sync()
        if catch.get_error():
            for locks in self._lock_sets():
                root.ungrab_key(code, modifiers | locks, onerror=error.CatchError())
            self._display.sync()
            return f"{hotkey} is taken by another program; choose another hotkey."
        self._grabs[code, modifiers] = name
        return ""

    def _ungrab(self) -> None:
        root = self._display.screen().root
        for code, modifiers in self._grabs:
            for locks in self._lock_sets():
                root.ungrab_key(code, modifiers | locks, onerror=error.CatchError())
        self._grabs.clear()
        self._display.sync()

    def _keycode(self, key: str) -> int:
        """The key with this symbol in any layout of the keyboard, the first layout first."""
        symbol = XK.string_to_keysym(KEYSYMS.get(key, key if len(key) > 1 else key.lower()))
        if symbol == 0 and len(key) == 1:
            symbol = ord(key.lower()) if ord(key) < 256 else 0x01000000 | ord(key.lower())
        return int(self._display.keysym_to_keycode(symbol))

    def _mask(self, modifier: str) -> int:
        """The bit of a modifier on this keyboard; 0 when there is none."""
        if modifier in ("Ctrl", "Shift"):
            return int(X.ControlMask) if modifier == "Ctrl" else int(X.ShiftMask)
        if modifier == "Alt":
            return self._mask_of(("Alt_L", "Alt_R")) or int(X.Mod1Mask)
        # The keysym Meta is often a second meaning of the Alt key, so Super comes first.
        return self._mask_of(("Super_L", "Super_R")) or self._mask_of(("Meta_L", "Meta_R")) or int(X.Mod4Mask)

    def _mask_of(self, names: tuple[str, ...]) -> int:
        codes = {self._display.keysym_to_keycode(XK.string_to_keysym(name)) for name in names} - {0}
        for number, row in enumerate(self._display.get_modifier_mapping()):
            if codes & set(row):
                return 1 << number
        return 0

    def _lock_sets(self) -> list[int]:
        """Every combination of Caps, Num and Scroll Lock: a grab counts for one exact state."""
        locks = [X.LockMask, *(mask for name in ("Num_Lock", "Scroll_Lock") if (mask := self._mask_of((name,))))]
        sets = [0]
        for lock in locks:
            sets += [combined | lock for combined in sets]
        return sorted(set(sets))
