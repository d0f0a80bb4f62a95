"""The second step: lines become paragraphs, headings, list items, table rows and code, without their marks.

Yields events as soon as the text seen so far decides them. ``Mapped`` events are parts of a block's text, with the
breaks of wrapped lines healed; how they are cut says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from desktop_tts.text.line_joins import HYPHENS, glue, goes_on
from desktop_tts.text.line_kinds import FENCE, LONGEST_FENCE, Line, Start, line_start
from desktop_tts.text.lookahead import Lookahead
from desktop_tts.text.offsets import EMPTY, Mapped


class Block(Enum):
    """A block of this kind begins."""

    PARAGRAPH = auto()
    HEADING = auto()
    ITEM = auto()
    ROW = auto()
    CODE = auto()
    """One line of code."""


class Edge(Enum):
    LINE_END = auto()
    """A line ended, which may or may not be the end of the block."""
    CLOSE = auto()
    """The block is whole."""


@dataclass(frozen=True, slots=True)
class Announced:
    """A block of code that isn't read; ``place`` is its first line."""

    place: Mapped


Event = Block | Edge | Mapped | Announced

_BLOCK_OF = {Line.PLAIN: Block.PARAGRAPH, Line.HEADING: Block.HEADING, Line.ITEM: Block.ITEM, Line.ROW: Block.ROW}
_HELD = re.compile(rf"[{HYPHENS}]?[ \t]{{0,20}}\Z")
_LONGEST_HELD = 21
_TAIL = 60
_SENTENCE_END = re.compile(r"[.!?…。！？｡؟۔।॥։።។။]")
_FENCE_LOOK = 16_000
"""Characters within which a bare fence must be closed, else it's taken for one that closes code before the text."""


def blocks(pieces: Iterator[Mapped], code: str) -> Iterator[Event]:
    """The events of a text of clean characters; ``code`` as in ``TextOptions``."""
    return _Blocks(pieces, code).events()


class _Blocks:
    """The open block, and what is known of its last line."""

    def __init__(self, pieces: Iterator[Mapped], code: str) -> None:
        self._text = Lookahead(pieces)
        self._code = code
        self._open: Block | None = None
        self._fresh = True
        """Whether the last line begins a sentence."""
        self._quotes = 0
        self._wrapped = False
        """Whether a line of the open block ended within a sentence."""
        self._length = 0
        self._tail = ""
        self._tabs = False
        """Whether the last line has a tab within: a row of a spreadsheet."""
        self._held = EMPTY
        """What the last line ended with and isn't given out yet: a hyphen, blanks, the newline."""

    def events(self) -> Iterator[Event]:
        while True:
            start = line_start(self._text)
            if start.kind is Line.END:
                break
            if start.kind is Line.FENCE:
                yield from self._fence(start)
            elif start.kind in (Line.BLANK, Line.RULE):
                yield from self._close()
                self._drop_line()
                self._text.drop_blank_lines()
            else:
                yield from self._line(start)
        yield from self._close()

    def _close(self) -> Iterator[Event]:
        if self._open:
            yield Edge.CLOSE
        self._open = None
        self._held = EMPTY

    def _line(self, start: Start) -> Iterator[Event]:
        kind = start.kind
        if start.number and self._open not in (None, Block.ITEM) and start.number.strip("(.)") != "1":
            kind = Line.PLAIN  # a number that happens to begin a wrapped line
        if kind is Line.PLAIN and self._open and start.quotes == self._quotes and self._goes_on(start.marks):
            yield from self._join(start.marks)
        else:
            yield from self._close()
            yield from self._begin(_BLOCK_OF[kind], start)
        self._quotes = start.quotes
        yield from self._rest_of_line()
        if self._open in (Block.HEADING, Block.ROW) or self._tabs:
            yield from self._close()
        elif self._open and not self._wrapped and not self._ends_in_hyphen():
            yield Edge.LINE_END

    def _begin(self, block: Block, start: Start) -> Iterator[Event]:
        self._open, self._fresh, self._wrapped = block, True, False
        yield block
        self._text.take(start.marks)
        if start.number and block is Block.ITEM:
            # "1. First" would be two sentences.
            number = self._text.take(len(start.number))
            yield Mapped(number.text.strip("(.)"), number.index[1:-1] if number.text[0] == "(" else number.index[:-1])
            yield number.said(",", len(number) - 1)

    def _goes_on(self, at: int) -> bool:
        return goes_on(self._text, at, self._tail, self._length, self._fresh, self._ends_in_hyphen())

    def _join(self, at: int) -> Iterator[Event]:
        hyphen = self._held.text.strip()
        between = glue(self._text, at, self._tail, hyphen)
        self._fresh = _SENTENCE_END.search(self._tail, max(0, len(self._tail) - 3)) is not None
        self._wrapped = self._wrapped or not self._fresh
        if between:
            yield self._held.said(between)
        self._text.take(at)

    def _ends_in_hyphen(self) -> bool:
        return self._tail[-1:].isalnum() and bool(self._held.text.strip())

    def _rest_of_line(self) -> Iterator[Event]:
        """The text up to the newline, except a hyphen at its end, whose fate the next line decides."""
        self._tail, self._length, self._tabs = "", 0, False
        while True:
            newline = self._text.find("\n")
            end = newline if newline >= 0 else len(self._text)
            cut = end - _length_of_held(self._text.at_hand(max(0, end - _LONGEST_HELD), end))
            part = self._text.take(cut)
            self._length += cut
            self._tail = (self._tail + part.text)[-_TAIL:]
            self._tabs = self._tabs or "\t" in part.text
            if part.text:
                yield part
            if newline >= 0:
                self._held = self._text.take(end - cut + 1)
                break
            if not self._text.read_on():
                self._held = self._text.take(end - cut)
                break

    def _drop_line(self) -> None:
        while (newline := self._text.find("\n")) < 0:
            self._text.take(len(self._text))
            if not self._text.read_on():
                return
        self._text.take(newline + 1)

    # ------------------------------------------------------------ code

    def _fence(self, start: Start) -> Iterator[Event]:
        line = self._text.line(start.marks, LONGEST_FENCE)
        fence = FENCE.fullmatch(line)
        assert fence is not None
        yield from self._close()
        place = self._text.mapped(start.marks, start.marks + len(line))
        closing = re.compile(rf"[ \t>]*{fence[1][0]}{{{len(fence[1])},}}[ \t]*")
        if (
            not fence[2].strip()
            and self._code != "read"
            and not self._is_closed(start.marks + len(line), closing, fence[1])
        ):
            self._drop_line()
            return
        self._drop_line()
        if self._code == "announce":
            yield Announced(place)
        while self._text.char(0):
            if closing.fullmatch(self._text.line(0, LONGEST_FENCE)):
                self._drop_line()
                return
            if self._code == "read":
                yield Block.CODE
                yield from self._rest_of_line()
                yield Edge.CLOSE
            else:
                self._drop_line()

    def _is_closed(self, at: int, closing: re.Pattern[str], fence: str) -> bool:
        """Whether the bare fence before ``at`` begins code: its end comes before another beginning."""
        opening = re.compile(rf"[ \t>]*{fence[0]}{{{len(fence)},}}[ \t]*[^\s{fence[0]}]")
        while at < _FENCE_LOOK:
            if not self._text.char(at):
                return False
            line = self._text.line(at + 1, LONGEST_FENCE)
            if closing.fullmatch(line):
                return True
            if opening.match(line):
                return False
            at = self._end_of_line(at + 1)
        return False

    def _end_of_line(self, at: int) -> int:
        while (newline := self._text.find("\n", at)) < 0 and len(self._text) < _FENCE_LOOK:
            if not self._text.read_on():
                return len(self._text)
        return newline if newline >= 0 else _FENCE_LOOK


def _length_of_held(ending: str) -> int:
    held = _HELD.search(ending)
    return len(held.group()) if held else 0
