"""What the tests of the text pipeline share: shorthands, and what holds for every utterance of every text."""

import unicodedata
from collections.abc import Iterable

from desktop_tts.speech import Utterance
from desktop_tts.text import TextOptions, prepare


def spoken(text: str, **options: object) -> list[str]:
    return [utterance.text for utterance in prepare(text, TextOptions(**options))]


def sentences(text: str, **options: object) -> list[str]:
    """Spoken text a sentence, however it was cut."""
    found: dict[int, list[str]] = {}
    for utterance in prepare(text, TextOptions(**options)):
        found.setdefault(utterance.sentence, []).append(utterance.text)
    return [" ".join(parts) for parts in found.values()]


def languages(text: str, **options: object) -> list[str]:
    """The language of each sentence."""
    return list({u.sentence: u.language for u in prepare(text, TextOptions(**options))}.values())


def source_of(source: str, utterance: Utterance, words: str) -> str:
    """What stands in the source where ``words`` are spoken."""
    at = utterance.text.index(words)
    span = utterance.source_span(at, at + len(words))
    return source[span.start : span.end]


def check(source: str, utterances: Iterable[Utterance], options: TextOptions) -> None:
    """What must hold for any text at all."""
    done, number = 0, -1
    for count, utterance in enumerate(utterances):
        text, span = utterance.text, utterance.span
        assert text == text.strip()
        assert any(map(str.isalnum, text)), "nothing to say"
        assert len(text) <= (options.first_limit if count == 0 else options.limit)
        assert not [c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co")]
        assert done <= span.start <= span.end <= len(source)
        assert utterance.sentence in (number, number + 1)
        assert utterance.sentence >= 0
        assert 0 <= utterance.pause_s <= 0.5
        places = [utterance.source_index(at) for at in range(len(text) + 1)]
        assert places == sorted(places)
        assert all(0 <= place <= len(source) for place in places)
        assert utterance.offsets[0][0] == 0
        assert list(utterance.offsets) == sorted(set(utterance.offsets))
        done, number = span.end, utterance.sentence


def alphanumeric(text: str) -> str:
    """The letters and digits of a text in the form in which they're spoken."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text)))
