"""A language for each sentence, with the sentences around it taken into account."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from desktop_tts.text.language import family_of, guess
from desktop_tts.text.sentences import Sentence

_WAITING = 2
_WAITING_LENGTH = 200


def with_languages(sentences: Iterable[Sentence], default: str) -> Iterator[tuple[Sentence, str]]:
    """The sentences with their languages. One whose language is open waits until the next one tells, or is open too."""
    before = {"": default, family_of(default): default}
    waiting: list[Sentence] = []
    for sentence in sentences:
        found = guess(sentence.text.text, before)
        if found.open and len(waiting) < _WAITING and sum(len(held.text) for held in waiting) < _WAITING_LENGTH:
            waiting.append(sentence)
            continue
        if found.sure:
            before[family_of(found.language)] = before[""] = found.language
        yield from _released(waiting, before)
        waiting = []
        yield sentence, found.language
    yield from _released(waiting, before)


def _released(waiting: Iterable[Sentence], before: Mapping[str, str]) -> Iterator[tuple[Sentence, str]]:
    for sentence in waiting:
        yield sentence, guess(sentence.text.text, before).language
