"""What a hotkey is, and what every backend offers. Hotkeys are written as Qt writes them: ``Meta+Alt+R``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from desktop_tts.errors import HotkeyError

MODIFIERS = ("Meta", "Ctrl", "Alt", "Shift")
"""Meta is the key with the window on it; on a Mac, Qt calls Command "Ctrl" and Control "Meta"."""
_EDITING = ("Space", "Return", "Enter", "Tab", "Backspace", "Escape", "Esc", "Ins", "Del")
_MOVING = ("Home", "End", "PgUp", "PgDown", "Left", "Right", "Up", "Down")
_MEDIA = ("Media Play", "Media Pause", "Media Stop", "Media Next", "Media Previous")
ALONE = frozenset(["Pause", "Print", "Menu", *_MEDIA] + [f"F{number}" for number in range(1, 36)])
"""Keys that may be a hotkey without a modifier: nobody types with them."""
NAMED_KEYS = ALONE | frozenset(_EDITING + _MOVING)

OnPressed = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Hotkey:
    """A key with its modifiers."""

    modifiers: frozenset[str]
    key: str
    """A name of ``NAMED_KEYS`` or one character, in upper case."""

    @classmethod
    def parse(cls, text: str) -> Hotkey:
        """Raises HotkeyError with one sentence that says what is wrong."""
        parts = text.strip().split("+")
        if text.strip().endswith("++"):  # the plus key itself
            parts = [*parts[:-2], "+"]
        *modifiers, key = (part.strip() for part in parts)
        names = {name.lower(): name for name in MODIFIERS}
        unknown = [name for name in modifiers if name.lower() not in names]
        if unknown or not key:
            raise HotkeyError(f"{text!r} isn't a hotkey.", "Write it like Meta+Alt+R.")
        named = next((name for name in NAMED_KEYS if name.lower() == key.lower()), None)
        if named is None and len(key) != 1:
            raise HotkeyError(f"{text!r} names no key that is known.", "Write it like Meta+Alt+R or Ctrl+Shift+F9.")
        found = frozenset(names[name.lower()] for name in modifiers)
        result = cls(found, named or key.upper())
        if not (found - {"Shift"}) and result.key not in ALONE:
            raise HotkeyError(f"{text} alone would be typed.", "Add Ctrl, Alt or Meta.")
        return result

    def __str__(self) -> str:
        return "+".join([name for name in MODIFIERS if name in self.modifiers] + [self.key])


class HotkeyBackend(Protocol):
    """One way of being told about keys in any program. Presses are told from its own thread, by name."""

    def start(self) -> None:
        """Raises HotkeyError when hotkeys can't be had here."""

    def set_hotkeys(self, hotkeys: Mapping[str, str]) -> dict[str, str]:
        """Replace all hotkeys. The problems by name, as sentences; the others work."""

    def suspend(self) -> None:
        """Let all keys through, as while one is being recorded in the settings."""

    def resume(self) -> None:
        """End ``suspend``."""

    def stop(self) -> None:
        """Give all keys back and end the thread."""
