"""Text that knows where each of its characters came from, through any number of edits.

Nothing here knows what the edits are for. Texts are short (a sentence, a block of input), so one integer a character
is compact enough; ``Mapped.offsets`` is the form that lasts.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass

Part = str | tuple[int, int]
"""What an edit puts in place of a match: new text, or a range of the edited text that stays as it is."""


@dataclass(frozen=True, slots=True, eq=False)
class Mapped:
    """``text`` and, for each of its characters, the index in the source that it stands for. Indices never fall."""

    text: str
    index: array[int]

    @staticmethod
    def at(text: str, start: int) -> Mapped:
        """Source text itself, whose first character has index ``start``."""
        return Mapped(text, array("q", range(start, start + len(text))))

    @staticmethod
    def joined(parts: Iterable[Mapped]) -> Mapped:
        """The parts one after the other."""
        texts, index = [], array("q")
        for part in parts:
            texts.append(part.text)
            index.extend(part.index)
        return Mapped("".join(texts), index)

    def __len__(self) -> int:
        return len(self.text)

    def __getitem__(self, where: slice) -> Mapped:
        return Mapped(self.text[where], self.index[where])

    def __add__(self, other: Mapped) -> Mapped:
        if not self.text:
            return other
        return Mapped(self.text + other.text, self.index + other.index)

    def said(self, text: str, at: int = 0) -> Mapped:
        """New text that stands for character ``at`` of this one, or for the place after its end."""
        return Mapped(text, array("q", [self._source(at)]) * len(text))

    @property
    def end(self) -> int:
        """One past the source index of the last character; 0 when empty."""
        return self.index[-1] + 1 if self.index else 0

    def stripped(self) -> Mapped:
        """Without white space at both ends."""
        start = len(self.text) - len(self.text.lstrip())
        stop = len(self.text.rstrip())
        return self if start == 0 and stop == len(self.text) else self[start : max(stop, start)]

    def sub(self, pattern: re.Pattern[str], edit: str | Callable[[re.Match[str]], str | Iterable[Part]]) -> Mapped:
        """Replace each match. New text stands for what follows the kept part before it, or for the match's start."""
        found = pattern.search(self.text)
        if found is None:
            return self
        texts: list[str] = []
        index: array[int] = array("q")
        done = 0
        for match in pattern.finditer(self.text, found.start()):
            place = match.start()
            texts.append(self.text[done:place])
            index.extend(self.index[done:place])
            parts = edit if isinstance(edit, str) else edit(match)
            for part in (parts,) if isinstance(parts, str) else parts:
                if isinstance(part, str):
                    texts.append(part)
                    index.extend([self._source(place)] * len(part))
                else:
                    texts.append(self.text[part[0] : part[1]])
                    index.extend(self.index[part[0] : part[1]])
                    place = part[1]
            done = match.end()
        texts.append(self.text[done:])
        index.extend(self.index[done:])
        return Mapped("".join(texts), index)

    def _source(self, at: int) -> int:
        return self.index[at] if at < len(self.index) else self.end

    def offsets(self) -> tuple[tuple[int, int], ...]:
        """The map in the form of ``Utterance.offsets``: a pair wherever it doesn't just advance by one."""
        pairs = []
        expected = -1
        for spoken, source in enumerate(self.index):
            if source != expected:
                pairs.append((spoken, source))
            expected = source + 1
        return tuple(pairs) or ((0, 0),)


EMPTY = Mapped("", array("q"))
