"""From a text to the utterances that engines speak, one after the other and no sooner than asked for.

pieces → located → without_html → readable → blocks → sentences → with_languages → localised → pieces → utterances
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from desktop_tts.speech import Span, Utterance
from desktop_tts.text.blocks import blocks
from desktop_tts.text.characters import PIECE, located, readable
from desktop_tts.text.html_source import without_html
from desktop_tts.text.localise import localised
from desktop_tts.text.offsets import Mapped
from desktop_tts.text.options import TextOptions
from desktop_tts.text.pieces import limit_of, pieces
from desktop_tts.text.routing import with_languages
from desktop_tts.text.sentences import CLAUSE_S, sentences

_DEFAULTS = TextOptions()


def prepare(text: str, options: TextOptions = _DEFAULTS) -> Iterator[Utterance]:
    """What is to be spoken of ``text``. Looks at no more of it than the next utterance needs; never fails."""
    return prepare_stream((text[start : start + PIECE] for start in range(0, len(text), PIECE)), options)


def prepare_stream(parts: Iterable[str], options: TextOptions = _DEFAULTS) -> Iterator[Utterance]:
    """The same of a text that comes in parts and may still grow: each utterance as soon as nothing can change it.

    The utterances are those of ``prepare`` for the whole text, however it's cut. Errors of ``parts`` come through.
    """
    characters = readable(without_html(located(parts)))
    whole = sentences(blocks(characters, options.code), options)
    number, done = 0, 0
    for sentence, language in with_languages(whole, options.default_language):
        text = localised(sentence.text, language)
        limit = limit_of(options.limit, language)
        first = min(limit, limit_of(options.first_limit, language)) if number == 0 else limit
        said = list(pieces(text, first, limit))
        for at, (part, clause) in enumerate(said):
            pause = sentence.pause_s if at == len(said) - 1 else CLAUSE_S if clause else 0.0
            utterance = _utterance(part, language, number, pause, done)
            done = utterance.span.end
            yield utterance
        number += bool(said)


def _utterance(text: Mapped, language: str, sentence: int, pause_s: float, done: int) -> Utterance:
    # Two utterances may share a source character that stands for many spoken ones; it belongs to the first.
    start = max(text.index[0], done)
    return Utterance(text.text, Span(start, max(text.end, start)), language, sentence, pause_s, text.offsets())
