"""How fast a model speaks here: a fixed sentence, timed as a reader would hear it. No widgets; blocks."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import numpy as np
from PySide6.QtCore import QCoreApplication

from desktop_tts.audio.files import write_audio
from desktop_tts.engines.qwen import Model, QwenEngine
from desktop_tts.speech import AudioChunk, Pcm, SpeechRequest

translate = QCoreApplication.translate
SENTENCE = "This sentence is spoken to find out how fast this model speaks on this computer."
FIRST = "Hello."
"""Loads the model and warms it up; isn't timed."""
DESCRIPTION = "A calm woman with a clear, friendly voice."
RATE = 24_000
SEED = 7


@dataclass(frozen=True, slots=True)
class Measured:
    """What the test found."""

    first_s: float
    """Until sound would have begun. A slow model holds it back so that it doesn't stop in the middle."""
    audio_s: float
    """Length of what was spoken."""
    total_s: float
    """Time that it took."""
    where: str
    """Device and type of the model, for people."""

    @property
    def real_time_factor(self) -> float:
        """Seconds for each second of speech; below 1 is faster than speech."""
        return self.total_s / self.audio_s


def measure(engine: QwenEngine, model: Model, cancel: Event) -> Measured | None:
    """Speak and time the sentence; None when cancelled first. Raises an ``EngineError``."""
    with tempfile.TemporaryDirectory(prefix="desktop-tts-") as folder:
        voice = f"{engine.id}:{model.key}/{model.speakers[0] if model.speakers else ''}"
        prompt = None
        if model.kind == "base":
            prompt = _prompt(engine, model, Path(folder), cancel)
            if prompt is None:
                return None
        instruct = DESCRIPTION if model.kind == "voice_design" else ""
        with engine.turn(cancel) as mine:
            if not mine:
                return None
            for _ in engine.stream(SpeechRequest(FIRST, "en", voice, instruct, SEED, prompt=prompt), cancel):
                pass
            return _timed(engine, SpeechRequest(SENTENCE, "en", voice, instruct, SEED, prompt=prompt), cancel)


def _timed(engine: QwenEngine, request: SpeechRequest, cancel: Event) -> Measured | None:
    begun, first_s, samples = time.perf_counter(), 0.0, 0
    for chunk in engine.stream(request, cancel):
        first_s = first_s or time.perf_counter() - begun
        samples += len(chunk.pcm)
    total_s = time.perf_counter() - begun
    if cancel.is_set() or not samples:
        return None
    return Measured(first_s, samples / RATE, total_s, engine.where)


def _prompt(engine: QwenEngine, model: Model, folder: Path, cancel: Event) -> Path | None:
    """A voice for a Base model, which has none of its own; that it's no person's makes no difference to the speed."""
    reference, target = folder / "reference.flac", folder / "prompt.safetensors"
    write_audio(reference, [AudioChunk(_hum(), RATE)])
    return target if engine.clone(model.key, reference, "", True, target, cancel) else None


def _hum() -> Pcm:
    """Three seconds of a sound with overtones that swells four times a second, as speech does."""
    seconds = np.arange(3 * RATE) / RATE
    tones = sum(np.sin(2 * np.pi * 140 * n * seconds) / n for n in range(1, 12))
    return np.asarray(0.1 * tones * (0.6 + 0.4 * np.sin(2 * np.pi * 4 * seconds)), np.float32)


def verdict(measured: Measured, *, smaller: bool) -> str:
    """The result as sentences. ``smaller``: there is a smaller model to advise."""
    speed = 1 / measured.real_time_factor
    if speed >= 1.05:
        text = translate("speed", "{speed} times as fast as speech: reads without waiting.")
    elif speed >= 0.95:
        text = translate("speed", "About as fast as speech: reads with a short wait before long sentences.")
    elif smaller:
        text = translate(
            "speed",
            "{speed} times as fast as speech: reads with pauses. Choose a 0.6B model or the built-in voice to hear "
            "text at once.",
        )
    else:
        text = translate(
            "speed",
            "{speed} times as fast as speech: reads with pauses. Choose the built-in voice to hear text at once.",
        )
    numbers = translate("speed", "The first sound comes after {first} s; real-time factor {factor}, on {where}.")
    return f"{text} {numbers}".format(
        speed=_number(speed),
        first=_number(measured.first_s),
        factor=f"{measured.real_time_factor:.2f}",
        where=measured.where,
    )


def _number(value: float) -> str:
    """Two digits that count, no more decimals than one for what is 1 or larger."""
    return f"{value:.1f}" if value >= 0.995 else f"{value:.2g}"
