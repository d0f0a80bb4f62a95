"""An engine for tests and demonstrations: a tone for every word, at a set pace."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from threading import Event

import numpy as np

from desktop_tts.engines.base import Progress
from desktop_tts.speech import AudioChunk, Capabilities, SpeechRequest, Voice, WordTime

WORD_S = 0.25
RATE = 24_000


class FakeEngine:
    """Speaks each word as 0.25 s of a tone whose pitch depends on the word's length."""

    id = "fake"
    name = "Test tones"

    def __init__(self, languages: tuple[str, ...] = ("en",), delay_s: float = 0.0, fail_at: int | None = None) -> None:
        self._languages = languages
        self._delay_s = delay_s
        self._fail_at = fail_at
        self.requests: list[SpeechRequest] = []
        self.loaded = False

    def available(self) -> str:
        return ""

    def capabilities(self) -> Capabilities:
        return Capabilities(frozenset(self._languages), RATE, streams_audio=True, word_times=True, seeds=True)

    def voices(self) -> tuple[Voice, ...]:
        return (Voice("fake:tone", "Tone", "fake", self._languages),)

    def load(self, progress: Progress | None = None, voice: str = "") -> None:
        self.loaded = True

    def stream(self, request: SpeechRequest, cancel: Event) -> Iterator[AudioChunk]:
        self.load()
        self.requests.append(request)
        text = request.text if isinstance(request.text, str) else "".join(request.text)
        for number, word in enumerate(re.finditer(r"\S+", text)):
            if self._fail_at is not None and number >= self._fail_at:
                from desktop_tts.errors import EngineFault

                raise EngineFault("The test engine failed as it was told to.")
            if self._delay_s:
                time.sleep(self._delay_s)
            if cancel.is_set():
                return
            t = np.arange(int(WORD_S * RATE), dtype=np.float32) / RATE
            fade = np.minimum(1, np.minimum(t, WORD_S - t) / 0.01)
            tone = 0.3 * fade * np.sin(2 * np.pi * (200 + 40 * len(word.group())) * t)
            yield AudioChunk(tone.astype(np.float32), RATE, (WordTime(0.0, WORD_S, word.start(), word.end()),))

    def unload(self) -> None:
        self.loaded = False
