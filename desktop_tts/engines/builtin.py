"""The built-in English voice: neural, inside a package, no download. Around hibari-tts."""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections.abc import Iterator
from threading import Event

from desktop_tts.engines import builtin_model
from desktop_tts.engines.base import LoadProgress, Progress
from desktop_tts.engines.builtin_model import RATE, Model, Sound, Token, groups
from desktop_tts.engines.builtin_sound import finish, trim
from desktop_tts.engines.builtin_text import Prepared, other_script, pieces, prepare
from desktop_tts.engines.builtin_words import match_words, words_of
from desktop_tts.errors import EngineError, EngineFault, NotInstalled, Unsupported
from desktop_tts.memory import give_back_freed
from desktop_tts.speech import AudioChunk, Capabilities, Span, SpeechRequest, Voice, WordTime

log = logging.getLogger(__name__)

HEART = Voice("builtin:heart", "Heart", "builtin", ("en",), "Built in, works offline. American English.")


class BuiltinEngine:
    """Speaks English with one voice. A piece of text is one run of the model, about 0.1 s for 180 characters."""

    id = "builtin"
    name = "Built-in voice"

    def __init__(self) -> None:
        self._model: Model | None = None

    def available(self) -> str:
        if builtin_model.installed():
            return ""
        return "The built-in voice is missing from this installation; install Desktop TTS again."

    def capabilities(self) -> Capabilities:
        return Capabilities(frozenset(HEART.languages), RATE, word_times=True, seeds=True)

    def voices(self) -> tuple[Voice, ...]:
        return (HEART,)

    def load(self, progress: Progress | None = None, voice: str = "") -> None:
        self._loaded(progress)

    def _loaded(self, progress: Progress | None = None) -> Model:
        if self._model is None:
            tell = progress or (lambda news: None)
            try:
                self._model = builtin_model.load_model(
                    lambda fraction: tell(LoadProgress("Loading the built-in voice", fraction))
                )
            except ImportError as error:
                raise NotInstalled(self.available() or "A part of the built-in voice can't be loaded.") from error
            except Exception as error:
                raise EngineFault("The built-in voice can't be loaded.", "Install Desktop TTS again.") from error
            give_back_freed()
        return self._model

    def stream(self, request: SpeechRequest, cancel: Event) -> Iterator[AudioChunk]:
        text = request.text if isinstance(request.text, str) else "".join(request.text)
        if request.language not in HEART.languages or other_script(text):
            raise Unsupported(
                "The built-in voice speaks English only.", "Choose another voice for this text in the settings."
            )
        model = self._loaded()
        try:
            yield from _speak(model, text, request.seed, cancel)
        except EngineError:
            raise
        except Exception as error:
            log.warning("the built-in voice failed: %s", type(error).__name__)
            raise EngineFault("The built-in voice failed on a piece of the text.") from error
        finally:
            give_back_freed()

    def unload(self) -> None:
        self._model = None
        give_back_freed()


def _speak(model: Model, text: str, seed: int, cancel: Event) -> Iterator[AudioChunk]:
    prepared = prepare(text, model.knows)
    source = words_of(text)
    for start, end in pieces(prepared.text):
        tokens = model.tokens(prepared.text[start:end])
        spans = _spans(tokens, prepared, start, end, source)
        for first, last in groups(tokens):
            if not any(token.speaks for token in tokens[first:last]):
                continue
            if cancel.is_set():
                return
            sound = model.speak(tokens[first:last], seed)
            if cancel.is_set():
                return
            yield _chunk(sound, spans[first:last])


def _spans(tokens: list[Token], prepared: Prepared, start: int, end: int, source: list[Span]) -> list[Span | None]:
    """For each token the word of the request's text that it stands for."""
    spans: list[Span | None] = [None] * len(tokens)
    piece = prepared.text[start:end]
    words = words_of(piece)
    if not words or not source:
        return spans
    spoken = _spoken_words(tokens)
    owners = match_words(
        [piece[word.start : word.end] for word in words],
        ["".join(tokens[at].text for at in members) for members in spoken],
    )
    starts = [word.start for word in source]
    for owner, members in zip(owners, spoken, strict=True):
        place = bisect_right(starts, prepared.origin[start + words[owner].start]) - 1
        for at in members:
            spans[at] = source[max(place, 0)]
    return spans


def _spoken_words(tokens: list[Token]) -> list[list[int]]:
    """Tokens that stand together without a space or dash, as "$" and "5"."""
    words: list[list[int]] = [[]]
    for at, token in enumerate(tokens):
        if "—" in token.text:
            words.append([])
            continue
        words[-1].append(at)
        if token.space:
            words.append([])
    return [word for word in words if any(tokens[at].speaks for at in word)]


def _chunk(sound: Sound, spans: list[Span | None]) -> AudioChunk:
    start, end = trim(sound.pcm, RATE)
    pcm = finish(sound.pcm[start:end], RATE)
    cut, length = start / RATE, len(pcm) / RATE
    words: list[WordTime] = []
    for time, span in zip(sound.times, spans, strict=True):
        if not time or not span:
            continue
        begin, stop = (min(max(edge - cut, 0.0), length) for edge in time)
        if words and words[-1].start == span.start:  # one word read as several
            words[-1] = WordTime(words[-1].start_s, stop, span.start, span.end)
        else:
            words.append(WordTime(begin, stop, span.start, span.end))
    return AudioChunk(pcm, RATE, tuple(words))
