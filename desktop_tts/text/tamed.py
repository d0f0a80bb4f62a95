"""What would stall an engine or drive a listener mad: endless repeats, tokens and numbers.

Something audible of them always stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from desktop_tts.text.offsets import Mapped, Part
from desktop_tts.text.scripts import UNSPACED

LONGEST_TOKEN = 40
_PART = 30
_LONGEST_NUMBER = 15
"""Digits; engines read a longer number wrong or fail."""

_ART = re.compile("[\u2500-\u259f\u23af\u2015\u2e3a\u2e3b]+")
_TABS = re.compile(r" ?\t[ \t]*")
_BARS = re.compile(r" ?[|¦](?: ?[|¦])* ?| [•·▪●‣] ")
_DOTS = re.compile(r"\.{2,}|…(?:[.…])+|(?:\. ){2,}\.")
_DASHES = re.compile(r"(?<=\s)-{2,3}(?=\s)|(?<=[^\W\d_]{2})--(?=[^\W\d_]{2})")
_MARKS = re.compile(r"([!?,;:])\1+|([^\w\s])\2{2,}|([^\w\s])(?: \3){3,}")
_MIXED = re.compile(r"(?:(?!\ue000|\ue001)[^\w\s\"'”’»)\]}]){5,}")
_UNITS = re.compile(r"(?<![^\W_])([^\W_]{1,4}[^\w\s]{1,2})\1{7,}")
_LETTERS = re.compile(r"([^\W\d_])\1{7,}")
_SYLLABLES = re.compile(r"([^\W\d_]{2,4})\1{9,}")
_DIGITS = re.compile(r"\d{16,}")
_LONG = re.compile(rf"(?:(?![{UNSPACED}])\S){{{LONGEST_TOKEN + 1},}}")
_BREAKABLE = re.compile(r"[^\w\s]+|_+")
_BLANKS = re.compile(r"\s{2,}|[^\S ]")
_SPACES = re.compile(r"[^\S\t]+")
_BEFORE_MARK = re.compile(r" +(?=[,.;:!?](?:\s|$))")


def tamed(text: Mapped) -> Mapped:
    """The text with repeats, tokens and numbers of a bearable length, table cells parted by commas."""
    text = text.sub(_SPACES, " ").sub(_TABS, _comma).sub(_BARS, _comma)
    text = text.sub(_ART, " ").sub(_DOTS, "…").sub(_DASHES, " — ")
    text = text.sub(_MARKS, lambda match: [(match.start(), match.start() + 1)])
    text = text.sub(_MIXED, lambda match: [(match.start(), match.start() + 2)])
    text = text.sub(_UNITS, lambda match: [match.span(1)])
    text = text.sub(_LETTERS, lambda match: [(match.start(), match.start() + 3)])
    text = text.sub(_SYLLABLES, lambda match: [(match.start(), match.start() + 3 * len(match[1]))])
    text = text.sub(_DIGITS, lambda match: _parted(match.start(), match.end(), 1))
    return text.sub(_LONG, _cut)


def without_blanks(text: Mapped) -> Mapped:
    """The text with single spaces, none at its ends and none before a comma."""
    return text.sub(_BLANKS, " ").sub(_BEFORE_MARK, "").stripped()


def _comma(match: re.Match[str]) -> str:
    return ", " if match.start() > 0 and match.end() < len(match.string) else " "


def _parted(start: int, end: int, size: int) -> Iterator[Part]:
    for at in range(start, end, size):
        if at > start:
            yield " "
        yield (at, min(at + size, end))


def _cut(match: re.Match[str]) -> Iterator[Part]:
    """A token at its punctuation, and where it has none after every so many characters."""
    start, text = match.start(), match.string
    for mark in _BREAKABLE.finditer(text, match.start(), match.end()):
        if mark.end() - start > _PART / 2:
            yield from _parted(start, mark.end(), _PART)
            if mark.end() < match.end():
                yield " "
            start = mark.end()
    yield from _parted(start, match.end(), _PART)
