"""The third step: blocks become sentences of clean text, each as soon as no later text can change it.

Where a sentence ends is decided on the text up to a little after a full stop, never on more, even when more is at hand:
so the sentences are the same however the text came.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from desktop_tts.text.blocks import Announced, Block, Edge, Event
from desktop_tts.text.boundaries import Candidate, candidate, clause_end, ends_surely, sentence_starts
from desktop_tts.text.clean import clean, speakable
from desktop_tts.text.language import family_of, guess
from desktop_tts.text.offsets import EMPTY, Mapped
from desktop_tts.text.options import TextOptions
from desktop_tts.text.scripts import UNSPACED

CLAUSE_S, SENTENCE_S, BLOCK_S = 0.12, 0.25, 0.5
"""Pauses after a part of a sentence, a sentence or list item, a paragraph or heading."""

CODE_BLOCK = "\ue002"
"""Stands for the words "code block" until the language is known."""

LONGEST = 600
"""Characters of source after which a sentence without an end is cut."""
_FREE_TRIES = 8
_ENDLESS = re.compile(rf"(?:(?![{UNSPACED}])[\w+/=-])+")
_WHITE = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Sentence:
    """Clean text, and the silence after it."""

    text: Mapped
    pause_s: float


def sentences(events: Iterable[Event], options: TextOptions) -> Iterator[Sentence]:
    """The sentences of all blocks, also those in which there's nothing to say."""
    splitter = _Splitter(options)
    for event in events:
        if isinstance(event, Block):
            splitter.begin(event)
        elif isinstance(event, Mapped):
            yield from splitter.add(event)
        elif isinstance(event, Announced):
            yield Sentence(event.place.said(CODE_BLOCK), BLOCK_S)
        elif event is Edge.CLOSE or splitter.ends_surely():
            yield from splitter.finish()


class _Splitter:
    """The raw text of the open block that isn't given out yet, and how far it was looked at."""

    def __init__(self, options: TextOptions) -> None:
        self._options = options
        self._block = Block.PARAGRAPH
        self._raw = EMPTY
        self._from = 0
        self._tries = 0
        self._tried = 0
        self._in_endless_word = False
        self._before = {"": options.default_language, family_of(options.default_language): options.default_language}

    def begin(self, block: Block) -> None:
        self._block = block
        self._in_endless_word = False
        self._set(EMPTY)

    def add(self, text: Mapped) -> Iterator[Sentence]:
        if self._in_endless_word:
            text = self._after_endless_word(text)
        self._raw += text
        while True:
            found = candidate(self._raw.text, self._from, LONGEST)
            if found is Candidate.NONE and len(self._raw) >= LONGEST:
                yield from self._forced()
            elif isinstance(found, tuple):
                yield from self._tried_at(*found)
            else:
                return

    def ends_surely(self) -> bool:
        """Whether what is there is whole sentences, whatever the next line says."""
        if not ends_surely(self._raw.text):
            return False
        text = self._clean(self._raw).text
        probe = text + " Then"
        return len(text) + 1 in sentence_starts(probe, self._language(text))

    def finish(self) -> Iterator[Sentence]:
        """All that is there."""
        last_pause = BLOCK_S if self._block in (Block.PARAGRAPH, Block.HEADING) else SENTENCE_S
        parts = self._split(self._raw)
        for number, part in enumerate(parts):
            yield Sentence(part.stripped(), SENTENCE_S if number < len(parts) - 1 else last_pause)
        self._set(EMPTY)

    # ------------------------------------------------------------ within a block

    def _set(self, raw: Mapped) -> None:
        self._raw = raw
        self._from = self._tries = self._tried = 0

    def _clean(self, raw: Mapped) -> Mapped:
        return clean(raw, self._options, code=self._block is Block.CODE)

    def _language(self, text: str) -> str:
        found = guess(text, self._before)
        if found.sure:
            self._before[family_of(found.language)] = self._before[""] = found.language
        return found.language

    def _split(self, raw: Mapped) -> list[Mapped]:
        if raw.text.isascii() and not speakable(raw.text):
            return []
        text = self._clean(raw)
        if self._block is Block.CODE:
            return [text]
        starts = sentence_starts(text.text, self._language(text.text))
        return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]

    def _tried_at(self, stop: int, window: int) -> Iterator[Sentence]:
        """Give out the sentences that end at ``stop``, if any does; ``window`` is the end of what may be looked at."""
        self._from = stop
        # Text in which nothing ends, "a. b. c.", isn't tried at each of its full stops.
        if self._tries >= _FREE_TRIES and window < 1.2 * self._tried:
            return
        self._tries, self._tried = self._tries + 1, window
        parts = self._split(self._raw[:window])
        cut = self._cut(parts[:-1], parts[-1]) if len(parts) > 1 else 0
        if cut:
            for part in parts[:-1]:
                yield Sentence(part.stripped(), SENTENCE_S)
            self._set(self._raw[cut:])

    def _cut(self, done: list[Mapped], rest: Mapped) -> int:
        """Where the raw text of ``rest`` begins, its marks included."""
        said, left = Mapped.joined(done).stripped(), rest.stripped()
        if not said.text or not left.text:
            return 0
        end = bisect_right(self._raw.index, said.index[-1])
        start = bisect_left(self._raw.index, left.index[0])
        blank = _WHITE.search(self._raw.text, end, max(start, end))
        return blank.end() if blank else max(start, 0)

    def _forced(self) -> Iterator[Sentence]:
        """A text without an end is cut where a speaker would breathe."""
        parts = self._split(self._raw[:LONGEST])
        cut = self._cut(parts[:-1], parts[-1]) if len(parts) > 1 else 0
        if cut:
            for part in parts[:-1]:
                yield Sentence(part.stripped(), SENTENCE_S)
        else:
            cut, pause = clause_end(self._raw.text, LONGEST)
            if parts:
                yield Sentence(self._clean(self._raw[:cut]), CLAUSE_S if pause else 0.0)
        rest = self._raw[cut:]
        word = _ENDLESS.match(self._raw.text, max(0, cut - LONGEST // 2))
        self._set(EMPTY)
        if word and word.end() >= cut and cut == LONGEST:
            self._in_endless_word = True
            rest = self._after_endless_word(rest)
        self._set(rest)

    def _after_endless_word(self, text: Mapped) -> Mapped:
        """Without the rest of a word of hundreds of characters: of these nobody wants to hear more."""
        word = _ENDLESS.match(text.text)
        if word is None:
            self._in_endless_word = len(text) == 0
            return text
        self._in_endless_word = word.end() == len(text)
        return text[word.end() :]
