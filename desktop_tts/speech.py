"""Values that every layer shares: what is to be spoken, and the sound of it.

All are frozen, so they cross threads freely. Numpy is the only import.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Pcm = NDArray[np.float32]
"""Mono samples in -1..1, shape [n]."""


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of characters, ``source[start:end]``, in the text that the user gave."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Utterance:
    """A piece of text that one engine run speaks: a sentence or a part of one.

    ``offsets`` maps spoken characters back to the source: sorted pairs (spoken index, source index);
    between two pairs both advance by one (clamped at the next pair).
    """

    text: str
    span: Span
    language: str
    """ISO 639-1 code, ``"en"``; ``"zh"`` covers Mandarin."""
    sentence: int
    """Number of the sentence within the reading, from 0; the parts of a long one share it."""
    pause_s: float = 0.0
    """Silence to leave after it."""
    offsets: tuple[tuple[int, int], ...] = ((0, 0),)

    def source_index(self, spoken: int) -> int:
        """The place in the source of character ``spoken`` of ``text``."""
        at = max(bisect_right(self.offsets, (spoken, 1 << 62)) - 1, 0)
        spoken_start, source_start = self.offsets[at]
        source = source_start + max(spoken - spoken_start, 0)
        limit = self.offsets[at + 1][1] if at + 1 < len(self.offsets) else self.span.end
        return min(source, max(limit, source_start))

    def source_span(self, start: int, end: int) -> Span:
        """The span in the source of ``text[start:end]``; not empty, though many words may stand for one character."""
        first = self.source_index(start)
        return Span(first, max(self.source_index(end), first + (start < end)))


@dataclass(frozen=True, slots=True)
class WordTime:
    """When a word sounds. Times in seconds from the start of the chunk, before any speed change."""

    start_s: float
    end_s: float
    start: int
    """First character in the text of the request."""
    end: int
    """One past the last character in the text of the request."""


@dataclass(frozen=True, slots=True, eq=False)
class AudioChunk:
    """Some samples of one utterance, in order."""

    pcm: Pcm
    sample_rate: int
    """Samples per second."""
    words: tuple[WordTime, ...] = ()
    """Word times, if the engine knows them."""

    @property
    def duration_s(self) -> float:
        return len(self.pcm) / self.sample_rate


@dataclass(frozen=True, slots=True)
class Voice:
    """What a user picks by name."""

    id: str
    """Stable, stored in settings: ``"<engine>:<name>"``, e.g. ``"builtin:heart"``."""
    name: str
    engine: str
    languages: tuple[str, ...]
    """ISO 639-1 codes it speaks well."""
    description: str = ""
    needs_download: bool = False
    needs: str = ""
    """What has to be downloaded for it, as ``"the model 0.6b-base"``; empty for the voice itself."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a generative engine draws. ``None`` means the model's own default."""

    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    repetition_penalty: float | None = None


@dataclass(frozen=True, slots=True)
class SpeechRequest:
    """One utterance for one engine."""

    text: str | Iterator[str]
    """An iterator yields more of the same text as it becomes known (a pipe, an LLM's answer)."""
    language: str = "en"
    voice: str = ""
    """A ``Voice.id``; empty means the engine's default voice."""
    instruct: str = ""
    seed: int = 0
    sampling: Sampling = field(default_factory=Sampling)
    prompt: Path | None = None
    """A saved voice, for engines that clone."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an engine can do."""

    languages: frozenset[str]
    """ISO 639-1 codes."""
    sample_rate: int
    streams_text: bool = False
    """Takes an iterator of text."""
    streams_audio: bool = False
    """Yields sound before the utterance is finished."""
    instruct: bool = False
    cloning: bool = False
    word_times: bool = False
    seeds: bool = False
    """Equal seeds give equal samples."""


LANGUAGE_NAMES: Mapping[str, str] = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German",
    "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish", "fr": "French",
    "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian", "it": "Italian",
    "ja": "Japanese", "ka": "Georgian", "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "nl": "Dutch",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak",
    "sl": "Slovenian", "sr": "Serbian", "sv": "Swedish", "ta": "Tamil", "te": "Telugu", "th": "Thai", "tr": "Turkish",
    "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


def language_name(code: str) -> str:
    """English name of a language code, or the code itself."""
    return LANGUAGE_NAMES.get(code, code)
