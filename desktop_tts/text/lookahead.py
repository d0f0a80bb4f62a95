"""A text that arrives in pieces, seen from its first unread character, reading on only as far as one asks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from desktop_tts.text.offsets import EMPTY, Mapped

_BLANK_LINES = re.compile(r"\s*\n")
_BLANKS = re.compile(r"[^\S\n]*")


class Lookahead:
    """What was read and not yet taken; places count from there.

    No answer depends on how the pieces were cut, but for that of ``at_hand`` and ``find``.
    """

    def __init__(self, pieces: Iterator[Mapped]) -> None:
        self._pieces = pieces
        self._read = EMPTY
        self._at = 0

    def __len__(self) -> int:
        return len(self._read) - self._at

    def read_on(self) -> bool:
        """Read one more piece; False at the end."""
        piece = next(self._pieces, None)
        if piece is None:
            return False
        self._read = self._read[self._at :] + piece
        self._at = 0
        return True

    def at_hand(self, start: int, end: int) -> str:
        """The characters there, as far as they were read."""
        return self._read.text[self._at + start : self._at + end]

    def find(self, char: str, start: int = 0) -> int:
        """Where the next ``char`` is among what was read, or -1."""
        return max(self._read.text.find(char, self._at + start) - self._at, -1)

    def char(self, at: int) -> str:
        """The character there; empty past the end."""
        while at >= len(self):
            if not self.read_on():
                return ""
        return self._read.text[self._at + at]

    def mapped(self, start: int, end: int) -> Mapped:
        """The characters there, which were read, with their places in the source."""
        return self._read[self._at + start : self._at + end]

    def take(self, count: int) -> Mapped:
        """The next ``count`` of the characters read, which are then gone."""
        taken = self._read[self._at : self._at + count]
        self._at = min(self._at + count, len(self._read))
        return taken

    def drop_blank_lines(self) -> None:
        """Those that were read; there may be more."""
        if lines := _BLANK_LINES.match(self._read.text, self._at):
            self._at = lines.end()

    def after_blanks(self, at: int, longest: int) -> int:
        """Where the next character that isn't a blank is, but at most ``longest`` further."""
        stop = at + longest
        while at < stop and self.char(at):
            run = _BLANKS.match(self._read.text, self._at + at, self._at + stop)
            at = run.end() - self._at if run else at
            if at < len(self):
                break
        return at

    def word(self, at: int, longest: int) -> str:
        """The characters from there to the next white space, at most ``longest``."""
        end = at
        while end < at + longest and (char := self.char(end)) and not char.isspace():
            end += 1
        return self.at_hand(at, end)

    def line(self, at: int, longest: int) -> str:
        """The characters from there to the end of the line, at most ``longest``."""
        while (end := self.find("\n", at)) < 0:
            if len(self) >= at + longest or not self.read_on():
                break
        return self.at_hand(at, min(end, at + longest) if end >= 0 else at + longest)
