"""What every engine keeps to."""

import threading

import numpy as np
import pytest

from desktop_tts.engines.builtin import BuiltinEngine
from desktop_tts.engines.espeak import EspeakEngine
from desktop_tts.engines.fake import FakeEngine
from desktop_tts.speech import SpeechRequest

TEXT = "One sentence, with twenty-three words; and it isn't long."


@pytest.fixture(scope="module", params=[FakeEngine, BuiltinEngine, EspeakEngine], ids=lambda engine: engine.id)
def engine(request):
    return request.param()


def test_it_is_here_and_describes_itself(engine):
    assert engine.available() == ""
    assert engine.name
    languages = engine.capabilities().languages
    for voice in engine.voices():
        assert voice.id.startswith(f"{engine.id}:")
        assert voice.engine == engine.id
        assert set(voice.languages) <= languages
        assert voice.name
    assert "en" in languages


def test_chunks_are_sound(engine, speak):
    chunks = speak(engine, TEXT)
    assert chunks
    for chunk in chunks:
        assert chunk.pcm.dtype == np.float32
        assert chunk.pcm.ndim == 1
        assert len(chunk.pcm)
        assert np.isfinite(chunk.pcm).all()
        assert np.abs(chunk.pcm).max() <= 1
        assert chunk.sample_rate == engine.capabilities().sample_rate
    assert max(np.abs(chunk.pcm).max() for chunk in chunks) > 0.1


def test_words_are_in_the_text_and_in_the_sound(engine, speak):
    words = []
    for chunk in speak(engine, TEXT):
        assert all(0 <= word.start_s <= word.end_s <= chunk.duration_s + 1e-6 for word in chunk.words)
        words += [TEXT[word.start : word.end].strip(".,;") for word in chunk.words]
    expected = [word.strip(".,;") for word in TEXT.split()]
    assert words == (expected if engine.capabilities().word_times else [])


def test_the_same_again_is_the_same(engine, speak):
    if engine.capabilities().seeds:
        one, two = (np.concatenate([chunk.pcm for chunk in speak(engine, TEXT)]) for _ in range(2))
        assert np.array_equal(one, two)


def test_each_voice_speaks_when_asked_by_id(engine, speak):
    for voice in engine.voices()[:3]:
        assert speak(engine, "Hallo 1 2 3.", voice.languages[0], voice=voice.id)


def test_cancel_stops_it(engine):
    cancel = threading.Event()
    stream = engine.stream(SpeechRequest(" ".join([TEXT] * 20)), cancel)
    next(stream)
    cancel.set()
    assert list(stream) == []
    assert list(engine.stream(SpeechRequest(TEXT), cancel)) == []


def test_a_stream_that_is_dropped_does_no_harm(engine, speak):
    stream = engine.stream(SpeechRequest(" ".join([TEXT] * 20)), threading.Event())
    next(stream)
    stream.close()
    assert speak(engine, TEXT)


def test_text_without_words_makes_no_sound_and_no_error(engine, speak):
    assert speak(engine, " \n ") == []


def test_after_unloading_it_speaks_again(engine, speak):
    engine.load()
    engine.unload()
    engine.unload()
    assert speak(engine, TEXT)
    engine.load()
    assert speak(engine, TEXT)
