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

from Xlib import X, display, error

from desktop_tts.desktop.hotkeys.base import Hotkey, OnPressed
from desktop_tts.desktop.hotkeys.x11_keyboard import Keyboard
from desktop_tts.errors import HotkeyError

log = logging.getLogger(__name__)

REPEAT_MS = 3
"""A release and a press of the same key within so much, by the server's clock, are one long press."""
ANSWER_S = 2.0


class X11Hotkeys:
    """See the module's docstring."""

    def __init__(self, on_pressed: OnPressed) -> None:
        self._on_pressed = on_pressed
        self._calls: queue.SimpleQueue[tuple[Callable[[], Any], queue.SimpleQueue[Any]]] = queue.SimpleQueue()
        self._wake_read, self._wake_write = os.pipe()
        self._display: Any = None
        self._grabs: dict[tuple[int, int], str] = {}
        self._wanted: dict[str, Hotkey] = {}
        self._found: tuple[Any, ...] = ()
        self._keyboard: Any = None
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
            # Comes in numbers, also when another device was typed on: giving the keys back for a moment would let
            # one through to the focused program, so that happens only when something is elsewhere now.
            self._display.refresh_keyboard_mapping(event)
            if self._places(self._wanted) != self._found:
                self._grab_all(self._wanted)
        elif event.type == X.KeyRelease:
            self._released[event.detail] = event.time
        elif event.type == X.KeyPress:
            # A held key repeats as release and press at the same moment.
            repeated = event.time - self._released.pop(event.detail, -1000) < REPEAT_MS
            name = self._grabs.get((event.detail, event.state & self._keyboard.meant))
            if name and not repeated:
                self._tell(name)

    def _tell(self, name: str) -> None:
        try:
            self._on_pressed(name)
        except Exception:  # one press may fail, not all that follow
            log.exception("the hotkey %s failed", name)

    # ------------------------------------------------------------ grabs

    def _grab_all(self, wanted: Mapping[str, Hotkey]) -> dict[str, str]:
        self._ungrab()
        self._wanted, self._found = dict(wanted), self._places(wanted)
        problems: dict[str, str] = {}
        if self._suspended:
            return problems
        for name, hotkey in wanted.items():
            if problem := self._grab(name, hotkey):
                problems[name] = problem
        return problems

    def _places(self, wanted: Mapping[str, Hotkey]) -> tuple[Any, ...]:
        """All of the keyboard that decides what has to be grabbed."""
        self._keyboard = Keyboard(self._display)
        codes = tuple(self._keyboard.keycode(hotkey.key) for hotkey in wanted.values())
        return codes, self._keyboard.modifiers, self._keyboard.lock_sets

    def _grab(self, name: str, hotkey: Hotkey) -> str:
        code = self._keyboard.keycode(hotkey.key)
        if not code:
            return f"The keyboard has no key {hotkey.key}; choose another hotkey."
        modifiers = 0
        for modifier in hotkey.modifiers:
            modifiers |= self._keyboard.modifiers[modifier]
        if other := self._grabs.get((code, modifiers)):
            return f"{hotkey} is the hotkey of {other.replace('_', ' ')} already; choose another."
        root = self._display.screen().root
        catch = error.CatchError(error.BadAccess)
        for locks in self._keyboard.lock_sets:
            root.grab_key(code, modifiers | locks, False, X.GrabModeAsync, X.GrabModeAsync, onerror=catch)
        self._display.sync()
        if catch.get_error():
            for locks in self._keyboard.lock_sets:
                root.ungrab_key(code, modifiers | locks, onerror=error.CatchError())
            self._display.sync()
            return f"{hotkey} is taken by another program; choose another hotkey."
        self._grabs[code, modifiers] = name
        return ""

    def _ungrab(self) -> None:
        root = self._display.screen().root
        for code in {code for code, _ in self._grabs}:
            root.ungrab_key(code, X.AnyModifier, onerror=error.CatchError())
        self._grabs.clear()
        self._display.sync()
