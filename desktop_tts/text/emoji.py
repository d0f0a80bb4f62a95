"""Emoji and other pictures among the text: left out, or said by name."""

from __future__ import annotations

import re
import unicodedata

from desktop_tts.text.offsets import Mapped

_PICTURES = (
    "\U0001f000-\U0001faff\u2600-\u27bf\u2b05-\u2b07\u2b1b-\u2b1c\u2b50-\u2b55\u231a-\u231b\u23e9-\u23fa\u2328\u23cf"
    "\u20d0-\u20ff"
)
_SKIN = "\U0001f3fb-\U0001f3ff"
_FLAG = "\U0001f1e6-\U0001f1ff"
_SQUARED = "\U0001f100-\U0001f1e5\U0001f200-\U0001f2ff"
"""Letters and ideographs in circles and squares: text, which becomes plain when composed."""
_EMOJI = re.compile(f"(?:(?![{_SQUARED}])[{_PICTURES}])(?:[ ]?(?![{_SQUARED}])[{_PICTURES}])*")
_MOST = 3
"""Different ones named in a row."""


def without_emoji(text: Mapped, how: str) -> Mapped:
    """``how`` as in ``TextOptions.emoji``."""
    if text.text.isascii():
        return text
    return text.sub(_EMOJI, lambda match: f" {_names(match.group())} " if how == "name" else " ")


def starts_with_emoji(text: str) -> bool:
    """Whether the first character is one."""
    return _EMOJI.match(text) is not None


def _names(run: str) -> str:
    names: list[str] = []
    letters = "".join(chr(ord(char) - 0x1F1E6 + ord("A")) for char in run if "\U0001f1e6" <= char <= "\U0001f1ff")
    if letters:
        names.append(f"flag {letters[:2]}")
    for char in run:
        name = unicodedata.name(char, "").lower()
        if name and not re.match(f"[{_SKIN}{_FLAG}\u20d0-\u20ff ]", char) and name not in names:
            names.append(name.replace("-", " "))
    return ", ".join(names[:_MOST])
