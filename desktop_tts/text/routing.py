"""A language for each sentence, with the sentences around it taken into account."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from desktop_tts.text.language import Guess, family_of, guess
from desktop_tts.text.sentences import Sentence

_WAITING = 2
_WAITING_LENGTH = 200


def with_languages(sentences: Iterable[Sentence], default: str) -> Iterator[tuple[Sentence, str]]:
    """The sentences with their languages. One that may be in another language waits until the next one tells."""
    before = {"": default, family_of(default): default}
    known = False
    waiting: list[tuple[Sentence, Guess]] = []
    for sentence in sentences:
        found = guess(sentence.text.text, before)
        if found.maybe and len(waiting) < _WAITING and sum(len(held.text) for held, _ in waiting) < _WAITING_LENGTH:
            waiting.append((sentence, found))
            continue
        if found.sure:
            before[family_of(found.language)] = before[""] = found.language
        for held, guessed in waiting:
            # At the start of a text, what follows tells more than the default does.
            follows = found.sure and (guessed.maybe == found.language or not known)
            yield held, guess(held.text.text, before).language if follows else guessed.language
        waiting = []
        known = known or found.sure
        yield sentence, found.language
    for held, guessed in waiting:
        yield held, guessed.language
