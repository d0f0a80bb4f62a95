"""The first step: pieces of a text as they come, made of nothing but characters that can be read or that part words.

Terminal escapes, control and format characters, and halves of surrogate pairs go. The result doesn't depend on where
the input was cut: an ending that may be the start of something longer waits for the next piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from desktop_tts.text.offsets import EMPTY, Mapped

PIECE = 8192
"""Characters looked at together; bounds the memory that a long text takes."""

_FORMAT = (
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffd"
    "\U000110bd\U000110cd\U00013430-\U00013438\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_NO_CHARACTER = "\ufdd0-\ufdef" + "".join(chr(plane * 0x10000 + low) for plane in range(17) for low in (0xFFFE, 0xFFFF))
_BLANK = "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ue000-\uf8ff\ufffc\ud800-\udfff\U000f0000-\U0010fffd" + _NO_CHARACTER

_ODD = re.compile(
    "(?P<nothing>"
    r"\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]"  # terminal: colours, cursor
    r"|\x1b\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)"  # terminal: titles, links
    r"|\x1b[ -/]{0,8}[0-~]"
    r")"
    r"|(?P<hyphen>\u00ad[ \t]{0,8}(?=[\r\n]))"
    r"|(?P<line>\r\n|[\r\x0b\x0c\x85\u2028])"
    r"|(?P<paragraph>\u2029)"
    r"|(?P<pair>[\ud800-\udbff][\udc00-\udfff])"
    f"|(?P<format>[{_FORMAT}])"
    f"|(?P<blank>[{_BLANK}])"
)
_UNFINISHED = re.compile(
    r"(?:\x1b(?:\[[0-?]{0,64}[ -/]{0,8}|\][^\x07\x1b]{0,2000}\x1b?|[ -/]{0,8})?"
    r"|\r|[\ud800-\udbff]|\u00ad[ \t]{0,8}\r?)\Z"
)
_SPARE = {"nothing": "", "format": "", "hyphen": "-", "line": "\n", "paragraph": "\n\n", "blank": " "}


def located(pieces: Iterable[str]) -> Iterator[Mapped]:
    """The pieces with their places in the whole text, cut into short ones."""
    at = 0
    for piece in pieces:
        for start in range(0, len(piece), PIECE):
            part = piece[start : start + PIECE]
            yield Mapped.at(part, at)
            at += len(part)


def readable(pieces: Iterable[Mapped]) -> Iterator[Mapped]:
    """The pieces without anything but text, spaces, tabs and newlines."""
    held = EMPTY
    for piece in pieces:
        text = held + piece
        tail = _UNFINISHED.search(text.text, max(0, len(text) - 2100))
        cut = tail.start() if tail else len(text)
        held = text[cut:]
        # The hyphen that stands for a soft one is told by what follows it, so both stay in one piece.
        if cut:
            yield text[:cut].sub(_ODD, _replaced)
    if held.text:
        yield held.sub(_ODD, _replaced)


def _replaced(match: re.Match[str]) -> str:
    kind = match.lastgroup or "blank"
    if kind == "pair":
        return match.group().encode("utf-16", "surrogatepass").decode("utf-16")
    return _SPARE[kind]
