"""Hotkeys on Windows and macOS through pynput. It hasn't been run there yet; the translation of names is tested.

The focused program also sees the key; pynput can't keep it from it. On macOS the system asks for a permission once.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from desktop_tts.desktop.hotkeys.base import Hotkey, OnPressed
from desktop_tts.errors import HotkeyError

_MODIFIERS = {"Ctrl": "<ctrl>", "Alt": "<alt>", "Shift": "<shift>", "Meta": "<cmd>"}
_KEYS = {
    "Space": "<space>", "Return": "<enter>", "Enter": "<enter>", "Tab": "<tab>", "Backspace": "<backspace>",
    "Escape": "<esc>", "Esc": "<esc>", "Ins": "<insert>", "Del": "<delete>", "PgUp": "<page_up>",
    "PgDown": "<page_down>", "Print": "<print_screen>", "Media Play": "<media_play_pause>",
    "Media Pause": "<media_play_pause>", "Media Stop": "<media_stop>", "Media Next": "<media_next>",
    "Media Previous": "<media_previous>",
}  # fmt: skip


def pynput_name(hotkey: Hotkey, *, mac: bool = False) -> str:
    """``Ctrl+Alt+R`` as pynput writes it: ``<ctrl>+<alt>+r``. On a Mac Qt's Ctrl is Command and its Meta is Control."""
    modifiers = _MODIFIERS | ({"Ctrl": "<cmd>", "Meta": "<ctrl>"} if mac else {})
    key = hotkey.key
    name = _KEYS.get(key) or (f"<{key.lower()}>" if len(key) > 1 else key.lower())
    return "+".join([modifiers[m] for m in ("Ctrl", "Alt", "Shift", "Meta") if m in hotkey.modifiers] + [name])


class PynputHotkeys:
    """Listens to all keys while hotkeys are set."""

    def __init__(self, on_pressed: OnPressed, *, mac: bool) -> None:
        self._on_pressed, self._mac = on_pressed, mac
        self._names: dict[str, str] = {}
        self._listener: Any = None

    def start(self) -> None:
        try:
            import pynput.keyboard  # noqa: F401
        except ImportError as error:
            raise HotkeyError("Hotkeys need the package pynput.", "Install it with: pip install pynput") from error

    def set_hotkeys(self, hotkeys: Mapping[str, str]) -> dict[str, str]:
        problems: dict[str, str] = {}
        self._names = {}
        for name, text in hotkeys.items():
            try:
                self._add(name, Hotkey.parse(text))
            except HotkeyError as error:
                problems[name] = str(error)
        self.resume()
        return problems

    def _add(self, name: str, hotkey: Hotkey) -> None:
        from pynput.keyboard import HotKey

        key = pynput_name(hotkey, mac=self._mac)
        if key in self._names:
            other = self._names[key].replace("_", " ")
            raise HotkeyError(f"{hotkey} is the hotkey of {other} already; choose another.")
        try:
            HotKey.parse(key)
        except ValueError as error:
            raise HotkeyError(f"This system has no key {hotkey.key}; choose another hotkey.") from error
        self._names[key] = name

    def suspend(self) -> None:
        if self._listener is not None:
            self._listener.stop()
            self._listener = None

    def resume(self) -> None:
        from pynput.keyboard import GlobalHotKeys

        self.suspend()
        if self._names:
            self._listener = GlobalHotKeys({key: partial(self._on_pressed, name) for key, name in self._names.items()})
            self._listener.start()

    def stop(self) -> None:
        self.suspend()
