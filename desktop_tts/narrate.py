"""From pieces of text to pieces of sound: picks the voice for each utterance, speaks it, tells what went wrong.

No Qt, no player, no threads: a generator that the reader's worker and the command line both consume.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from desktop_tts.engines.base import SpeechEngine
from desktop_tts.engines.catalog import Catalog, Choice
from desktop_tts.errors import EngineError, Unsupported
from desktop_tts.settings import Settings
from desktop_tts.speech import AudioChunk, Pcm, Span, SpeechRequest, Utterance, Voice, language_name
from desktop_tts.voices.profile import ENGINE as MY_VOICES

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SpokenWord:
    """When a word sounds, in seconds from the start of its sound, and where it stands in the source."""

    start_s: float
    end_s: float
    span: Span
    text_span: Span
    """Where it stands in the utterance's text."""


@dataclass(frozen=True, slots=True, eq=False)
class Spoken:
    """Some sound of a reading, and what it says."""

    pcm: Pcm
    sample_rate: int
    utterance: Utterance
    number: int
    """Which utterance of the reading, from 0."""
    voice: Voice
    words: tuple[SpokenWord, ...] = ()


class Script:
    """The utterances of one reading, made when first asked for and kept for going back.

    Any thread may ask; asking for one that isn't made yet makes it, and may wait for a text that still grows.
    """

    def __init__(self, utterances: Iterable[Utterance]) -> None:
        self._source = iter(utterances)
        self._made: list[Utterance] = []
        self._lock = threading.Lock()

    def get(self, number: int) -> Utterance | None:
        """The utterance, or None past the end."""
        while number >= len(self._made):
            with self._lock:
                if number < len(self._made):
                    break
                piece = next(self._source, None)
                if piece is None:
                    return None
                self._made.append(piece)
        return self._made[number]

    def first_of_sentence(self, sentence: int) -> int | None:
        """Number of the first utterance at or after ``sentence`` among those made so far."""
        return next((n for n, made in enumerate(self._made) if made.sentence >= sentence), None)

    @property
    def made(self) -> int:
        """How many are made so far."""
        return len(self._made)


@dataclass(frozen=True, slots=True)
class Manner:
    """How to speak a reading."""

    voice: str = "builtin:heart"
    by_language: tuple[tuple[str, str], ...] = ()
    instruct: str = ""
    seed: int = 0
    language: str = ""
    """ISO 639-1 code of the whole text; empty means each sentence's own."""

    @classmethod
    def from_settings(cls, settings: Settings) -> Manner:
        return cls(settings.voices.default, tuple(settings.voices.by_language.items()))


def in_voice(settings: Settings, voice: Voice) -> Settings:
    """``settings`` with ``voice`` for all that it speaks, other languages as ever."""
    others = {code: other for code, other in settings.voices.by_language.items() if code not in voice.languages}
    return replace(settings, voices=replace(settings.voices, default=voice.id, by_language=others))


Notice = Callable[[str], None]


def narrate(
    script: Script,
    catalog: Catalog,
    manner: Callable[[], Manner],
    cancel: threading.Event,
    notice: Notice,
    *,
    start: int = 0,
    sentence: int = 0,
    told_faults: set[str] | None = None,
) -> Iterator[Spoken]:
    """Speak ``script`` from utterance ``start`` on, leaving out what belongs to sentences before ``sentence``.

    ``manner`` is asked before each utterance, so a new voice is heard at the next. A language without a voice is told,
    once, by ``notice`` and by the default voice. An engine that fails is told once and left out for the rest of the
    reading, of the user's own voices only the one that fails; what is in ``told_faults``, which grows, isn't told again
    in later readings either. Raises the last ``EngineError`` when no engine is left. Ends early when ``cancel`` is set.
    """
    told: set[str] = set()
    faults = told if told_faults is None else told_faults
    failed = False

    def tell(sentence: str, known: set[str] = told) -> bool:
        if sentence in known:
            return False
        known.add(sentence)
        notice(sentence)
        return True

    number = start
    while not cancel.is_set() and (utterance := script.get(number)) is not None:
        if utterance.sentence < sentence:
            number += 1
            continue
        while True:
            how = manner()
            if how.language:
                utterance = replace(utterance, language=how.language)
            try:
                choice = catalog.choose(utterance.language, how.voice, dict(how.by_language))
            except Unsupported as missing:
                if not catalog.engines:
                    raise
                if tell(str(missing)):
                    yield from _announce(utterance, number, catalog, how, cancel)
                break
            if choice.note and not failed:
                tell(choice.note)
            try:
                yield from _speak(utterance, number, choice, how, cancel)
            except Unsupported as error:  # this text, not the engine: say so and go on with the next piece
                log.warning("engine %s does not support an utterance in %s", choice.engine.id, utterance.language)
                tell(str(error))
            except EngineError as error:
                log.warning("engine %s failed: %s", choice.engine.id, type(error).__name__)
                left = tuple(engine for engine in catalog.engines if engine.id != choice.engine.id)
                if not left:
                    raise
                failed = True
                if choice.engine.id == MY_VOICES:
                    catalog = catalog.without(choice.voice.id)
                else:
                    catalog = replace(catalog, engines=left)
                tell(f"{error} Reading goes on with another voice.", faults)
                continue
            break
        number += 1


def _speak(utterance: Utterance, number: int, choice: Choice, how: Manner, cancel: threading.Event) -> Iterator[Spoken]:
    request = SpeechRequest(utterance.text, utterance.language, choice.voice.id, instruct=how.instruct, seed=how.seed)
    rate = choice.engine.capabilities().sample_rate
    for chunk in choice.engine.stream(request, cancel):
        rate = chunk.sample_rate
        yield Spoken(chunk.pcm, rate, utterance, number, choice.voice, _words(chunk, utterance))
        if cancel.is_set():
            return
    pause = int(utterance.pause_s * rate)
    if pause and not cancel.is_set():
        yield Spoken(np.zeros(pause, np.float32), rate, utterance, number, choice.voice)


def _words(chunk: AudioChunk, utterance: Utterance) -> tuple[SpokenWord, ...]:
    return tuple(
        SpokenWord(w.start_s, w.end_s, utterance.source_span(w.start, w.end), Span(w.start, w.end)) for w in chunk.words
    )


def _announce(
    utterance: Utterance, number: int, catalog: Catalog, how: Manner, cancel: threading.Event
) -> Iterator[Spoken]:
    """Say aloud, in English, that a passage can't be read: many who listen don't look at the screen."""
    sentence = f"The next passage is in {language_name(utterance.language)}, and no installed voice speaks it."
    try:
        choice = catalog.choose("en", how.voice, dict(how.by_language))
        said = Utterance(sentence, utterance.span, "en", utterance.sentence, 0.25)
        for spoken in _speak(said, number, choice, how, cancel):
            yield Spoken(spoken.pcm, spoken.sample_rate, utterance, number, choice.voice)
    except EngineError:
        log.warning("no voice for the notice about a missing %s voice", utterance.language)


def load_quietly(engine: SpeechEngine, voice: str = "") -> bool:
    """Warm an engine up, with ``voice`` if given; False when it can't be. The reading itself tells the user why."""
    try:
        engine.load(voice=voice)
    except EngineError as error:
        log.warning("engine %s did not load: %s", engine.id, type(error).__name__)
        return False
    return True
