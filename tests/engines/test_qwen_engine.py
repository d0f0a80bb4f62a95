"""Qwen3-TTS as an engine: tiny random models in a real process of its own."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from desktop_tts.engines.catalog import Catalog, all_engines
from desktop_tts.engines.qwen import QwenEngine, QwenOptions, describe
from desktop_tts.engines.speeds import Speeds
from desktop_tts.errors import EngineError, EngineFault, NotInstalled, Unsupported
from desktop_tts.settings import Settings
from desktop_tts.speech import SpeechRequest, Voice
from support import golden

VOICE = "qwen:tiny/ryan"


@pytest.fixture(autouse=True)
def small_and_private(monkeypatch, tmp_path):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # tiny tensors
    monkeypatch.setenv("DESKTOP_TTS_HOME", str(tmp_path / "home"))


@pytest.fixture
def engine():
    tiny = describe("tiny", golden.checkpoint("custom_voice"))
    messages = []
    made = QwenEngine(lambda: QwenOptions("cpu", "float32"), messages.append, lambda: (tiny,))
    made.messages = messages
    yield made
    made.unload()


def speak(engine, text="Hello there.", cancel=None, **options):
    request = SpeechRequest(text, "en", VOICE, **({"seed": 3} | options))
    return list(engine.stream(request, cancel or threading.Event()))


def joined(chunks):
    return np.concatenate([chunk.pcm for chunk in chunks])


def test_it_says_what_there_is(engine):
    assert engine.available() == ""
    ids = [voice.id for voice in engine.voices()]
    assert VOICE in ids
    assert len(ids) == 9
    ryan = next(voice for voice in engine.voices() if voice.id == VOICE)
    assert isinstance(ryan, Voice)
    assert ryan.languages[0] == "en"
    assert engine._process is None  # asking starts nothing


def test_without_a_model_it_says_how_to_get_one():
    bare = QwenEngine(find_models=lambda: ())
    assert "desktop-tts models download" in bare.available()
    with pytest.raises(NotInstalled, match="models download"):
        bare.load()


def test_it_speaks_in_frames_and_a_seed_repeats(engine):
    first = speak(engine)
    assert all(len(chunk.pcm) == 1920 and chunk.sample_rate == 24_000 for chunk in first)
    assert np.isfinite(joined(first)).all()
    assert np.array_equal(joined(first), joined(speak(engine)))
    assert not np.array_equal(joined(first)[:1920], joined(speak(engine, seed=4))[:1920])
    assert [m.message for m in engine.messages][-1] == "Qwen3-TTS is ready."
    assert engine.where == "cpu, float32"


def test_a_streamed_text_sounds_as_the_same_text_in_the_fed_layout(engine):
    pieces = ["Hel", "lo th", "ere, how are", " you?"]
    one, two = speak(engine, iter(pieces)), speak(engine, iter(["Hello there, how are you?"]))
    assert np.array_equal(joined(one), joined(two))


def test_cancel_ends_within_a_frame_and_the_next_is_unharmed(engine):
    whole = joined(speak(engine))
    for stop_after in (1, 2, 5):
        cancel = threading.Event()
        chunks = []
        for chunk in engine.stream(SpeechRequest("Hello there.", "en", VOICE, seed=9), cancel):
            chunks.append(chunk)
            if len(chunks) == stop_after:
                cancel.set()
        assert len(chunks) <= stop_after + 1
        assert np.array_equal(joined(speak(engine)), whole)


def test_a_dropped_stream_is_unharmful(engine):
    whole = joined(speak(engine))
    stream = engine.stream(SpeechRequest("Hello there.", "en", VOICE, seed=9), threading.Event())
    next(stream)
    stream.close()
    assert np.array_equal(joined(speak(engine)), whole)


def test_cancel_while_loading_comes_back_at_once(engine):
    cancel = threading.Event()
    threading.Timer(0.3, cancel.set).start()
    begun = time.monotonic()
    assert speak(engine, cancel=cancel) == []
    assert time.monotonic() - begun < 1.5
    assert len(speak(engine)) > 0  # the loading went on meanwhile


def test_a_process_that_is_killed_is_told_and_started_again(engine):
    whole = joined(speak(engine))
    stream = engine.stream(SpeechRequest("Hello there, how are you today?", "en", VOICE, seed=3), threading.Event())
    next(stream)
    os.kill(engine._process.pid, signal.SIGKILL)
    with pytest.raises(EngineFault, match="ended unexpectedly"):
        for _ in stream:
            pass
    assert np.array_equal(joined(speak(engine)), whole)


def test_damaged_files_are_one_sentence_and_are_not_tried_again_at_once(tmp_path):
    import shutil

    folder = tmp_path / "model"
    shutil.copytree(golden.checkpoint("custom_voice"), folder)
    with (folder / "model.safetensors").open("r+b") as file:
        file.truncate(1000)
    tiny = describe("tiny", folder)
    engine = QwenEngine(lambda: QwenOptions("cpu", "float32"), find_models=lambda: (tiny,))
    with pytest.raises(EngineError) as first:
        speak(engine)
    assert "Traceback" not in str(first.value)
    begun = time.monotonic()
    with pytest.raises(EngineError):
        speak(engine)
    assert time.monotonic() - begun < 0.5
    engine.unload()


def test_memory_that_runs_out_leads_to_the_next_way(engine, monkeypatch):
    """The process answers a first load with 'no memory', as a full GPU does."""
    from desktop_tts.engines import qwen

    monkeypatch.setattr(qwen, "_attempts", lambda device, dtype: [("cuda:9", "float32"), ("cpu", "float32")])
    told = []
    real = qwen.QwenProcess.receive

    def receive(self, timeout):
        message = real(self, timeout)
        if message and message[0].get("failed"):
            message[0]["failed"] = "memory"
        return message

    monkeypatch.setattr(qwen.QwenProcess, "receive", receive)
    engine._on_progress = told.append
    assert len(speak(engine)) > 0
    assert any("not enough memory" in progress.message for progress in told)
    assert engine.where == "cpu, float32"


def test_a_language_it_does_not_speak_is_refused(engine):
    with pytest.raises(Unsupported, match="doesn't speak"):
        list(engine.stream(SpeechRequest("Hei", "fi", VOICE), threading.Event()))


def test_idle_gives_the_memory_back():
    tiny = describe("tiny", golden.checkpoint("custom_voice"))
    engine = QwenEngine(lambda: QwenOptions("cpu", "float32", unload_after_min=0.02), find_models=lambda: (tiny,))
    speak(engine)
    process = engine._process
    deadline = time.monotonic() + 10
    while process.alive and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not process.alive
    assert len(speak(engine)) > 0
    engine.unload()


def test_the_app_s_process_never_imports_torch(engine):
    import subprocess
    import sys

    code = """
import sys
import desktop_tts.app
from desktop_tts.engines.catalog import Catalog, all_engines
from desktop_tts.settings import Settings
Catalog(all_engines(Settings)).voices()
print("torch" in sys.modules, "transformers" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False False"


def test_it_joins_the_catalogue_last():
    assert [engine.id for engine in Catalog(all_engines(Settings)).engines][-1] == "qwen"


def test_its_speed_is_known_after_loading_and_at_the_next_start(engine):
    assert engine.real_time_factor("tiny") is None
    engine.load()
    factor = engine.real_time_factor("tiny")
    assert 0 < factor < 20
    assert QwenEngine(find_models=lambda: ()).real_time_factor("tiny") == pytest.approx(factor, abs=0.001)


def test_a_model_slower_than_speech_says_so_before_it_is_heard(engine):
    engine.load()
    assert engine.messages[-1].warning == ""  # a tiny model is fast everywhere
    told = engine._measured("1.7b-custom-voice", 0.2)
    assert "needs 2.5 seconds for each second of speech" in told
    assert "0.6B" in told
    assert "0.6B" not in engine._measured("0.6b-custom-voice", 0.2)
    engine._measured("tiny", 0.2)
    assert "slower than speech on this computer" in engine.voices()[0].description


@pytest.mark.parametrize("content", ["", "[1, 2]", "{", '{"tiny": "fast"}'])
def test_a_damaged_note_of_speeds_is_forgotten(tmp_path, content):
    file = tmp_path / "speeds.json"
    file.write_text(content)
    speeds = Speeds(file)
    assert speeds.get("tiny") is None
    speeds.set("tiny", 0.5)
    assert Speeds(file).get("tiny") == 0.5


def test_int8_is_chosen_here_and_its_weights_are_kept(tmp_path):
    tiny = describe("tiny", golden.checkpoint("custom_voice"))
    made = QwenEngine(lambda: QwenOptions("cpu", "auto"), find_models=lambda: (tiny,))
    try:
        first = joined(speak(made))
        assert made.where == "cpu, int8"
        kept = list((tmp_path / "home" / "cache" / "weights").iterdir())
        assert len(kept) == 2
        made.unload()
        assert np.array_equal(joined(speak(made)), first)
        assert all(file.exists() for file in kept)
    finally:
        made.unload()


def test_a_base_model_is_warmed_up_too(tmp_path):
    base = describe("tiny", golden.checkpoint("base"))
    made = QwenEngine(lambda: QwenOptions("cpu", "float32"), find_models=lambda: (base,))
    try:
        made.load()
        assert made.real_time_factor("tiny") > 0
    finally:
        made.unload()
