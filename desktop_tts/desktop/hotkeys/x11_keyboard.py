"""Where keys and modifiers are on the keyboard that an X server has just now."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from Xlib import XK, X
from Xlib.keysymdef import cyrillic, greek, latin2, latin3, latin4, xf86

_NAMED = {
    "Space": "space", "Return": "Return", "Enter": "KP_Enter", "Tab": "Tab", "Backspace": "BackSpace",
    "Escape": "Escape", "Esc": "Escape", "Ins": "Insert", "Del": "Delete", "PgUp": "Prior", "PgDown": "Next",
}  # fmt: skip
_MEDIA = {
    "Media Play": xf86.XK_XF86_AudioPlay, "Media Pause": xf86.XK_XF86_AudioPause, "Media Stop": xf86.XK_XF86_AudioStop,
    "Media Next": xf86.XK_XF86_AudioNext, "Media Previous": xf86.XK_XF86_AudioPrev,
}  # fmt: skip
_LETTER = re.compile(r"(CYRILLIC|GREEK|LATIN) SMALL LETTER (.+)")

Display = Any


class Keyboard:
    """Read once; to be read anew when the server says that the mapping changed."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._rows = [set(row) - {0} for row in display.get_modifier_mapping()]
        # The keysym Meta is often a second meaning of the Alt key, so Super comes first.
        meta = self._bit("Super_L", "Super_R") or self._bit("Meta_L", "Meta_R") or X.Mod4Mask
        alt = self._bit("Alt_L", "Alt_R") or X.Mod1Mask
        self.modifiers = {"Ctrl": X.ControlMask, "Shift": X.ShiftMask, "Alt": alt, "Meta": meta}
        """Bits by name."""
        locks = {X.LockMask, self._bit("Num_Lock"), self._bit("Scroll_Lock")} - {0, *self.modifiers.values()}
        sets = [0]
        for lock in sorted(locks):
            sets += [others | lock for others in sets]
        self.lock_sets = tuple(sets)
        """Every combination of Caps, Num and Scroll Lock: a grab counts for one exact state."""

    @property
    def meant(self) -> int:
        """The modifier bits that count: not the locks, nor those of pointer buttons and layout group."""
        meant = 0
        for bit in self.modifiers.values():
            meant |= bit
        return meant

    def keycode(self, key: str) -> int:
        """The key with this name or symbol in any of the keyboard's layouts, the first layout first; or 0."""
        return next((code for symbol in symbols(key) if (code := self._code(symbol))), 0)

    def _code(self, symbol: int) -> int:
        return int(self._display.keysym_to_keycode(symbol))

    def _bit(self, *names: str) -> int:
        codes = {self._code(XK.string_to_keysym(name)) for name in names} - {0}
        return next((1 << number for number, row in enumerate(self._rows) if codes & row), 0)


def symbols(key: str) -> Iterator[int]:
    """The keysyms that a key's name may stand for: Latin-1 and Unicode have rules, older scripts have names."""
    if key in _MEDIA:
        yield _MEDIA[key]
    elif len(key) > 1:
        yield XK.string_to_keysym(_NAMED.get(key, key))
    else:
        letter = key.lower()
        if ord(letter) < 256:
            yield ord(letter)
        yield 0x01000000 | ord(letter)
        if name := _old_name(letter):
            yield from (
                found for group in (cyrillic, greek, latin2, latin3, latin4) if (found := vars(group).get(name))
            )


def _old_name(letter: str) -> str:
    """``XK_Cyrillic_ka``, ``XK_rcaron``."""
    match = _LETTER.fullmatch(unicodedata.name(letter, ""))
    if not match:
        return ""
    script, name = match.groups()
    if script != "LATIN":
        return f"XK_{script.capitalize()}_{name.lower().replace(' ', '')}"
    base, _, accent = name.lower().partition(" with ")
    return f"XK_{base}{' '.join(reversed(accent.split())) if accent == 'dot above' else accent}".replace(" ", "")
