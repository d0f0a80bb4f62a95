"""The clone wizard with the real maker and a tiny random model: what it makes speaks, also before it is saved."""

import threading

import numpy as np
import pytest
import soundfile

from desktop_tts.engines.qwen import QwenEngine, QwenOptions, describe
from desktop_tts.speech import SpeechRequest
from desktop_tts.voices.engine import MyVoices
from desktop_tts.voices.making import VoiceMaker
from support import golden
from support.cloning import Wizard
from support.microphone import RATE, speech_like


@pytest.fixture
def engine(monkeypatch, home):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # tiny tensors
    tiny = describe("tiny-base", golden.checkpoint("base"))
    made = QwenEngine(lambda: QwenOptions("cpu", "float32"), lambda progress: None, lambda: (tiny,))
    yield made
    made.unload()


def speak(wizard, engine, voice_id):
    """Half a second or so of what the voice says: random models don't end by themselves."""
    cancel, pieces = threading.Event(), []
    voices = MyVoices(wizard.store, (engine,))
    for chunk in voices.stream(SpeechRequest("Hello.", "en", voice_id, seed=1), cancel):
        pieces.append(chunk.pcm)
        if sum(map(len, pieces)) > RATE // 2:
            cancel.set()
    return np.concatenate(pieces)


@pytest.mark.parametrize("way", ["closest", "voice_only"])
def test_a_recording_becomes_a_voice_that_speaks(qtbot, engine, tmp_path, way):
    soundfile.write(tmp_path / "Ann.wav", speech_like(3.4), RATE)
    wizard = Wizard(qtbot, tmp_path / "voices", lambda store: VoiceMaker(store, engine))
    window = wizard.window
    wizard.go_to("words", tmp_path / "Ann.wav")
    wizard.press(getattr(window.words, way).button)
    window.words.words.setPlainText("These are the words.")
    wizard.next(window.model)
    qtbot.waitUntil(lambda: window.model.model() == "tiny-base", timeout=10_000)
    assert not window.model.choices["0.6b-base"].isEnabled()
    wizard.press(window.model.consent.box)
    wizard.press(window.next)
    qtbot.waitUntil(lambda: window.step is window.audition or window.progress.problem.text() != "", timeout=90_000)
    assert window.progress.problem.text() == ""
    wizard.press(window.audition.play)
    ((draft, _, _),) = wizard.heard
    tried = speak(wizard, engine, draft)
    assert np.abs(tried).max() > 0
    wizard.press(window.next)
    qtbot.waitUntil(lambda: bool(wizard.saved), timeout=10_000)
    (voice,) = wizard.store.profiles()
    assert voice.transcript == ("These are the words." if way == "closest" else "")
    assert voice.base == "qwen:tiny-base"
    folder = wizard.store.folder(voice.id)
    assert {file.name for file in folder.iterdir()} == {"voice.json", "reference.flac", "prompt.safetensors"}
    np.testing.assert_array_equal(speak(wizard, engine, voice.voice_id), tried)


def test_leaving_while_the_model_works_leaves_nothing(qtbot, engine, tmp_path):
    soundfile.write(tmp_path / "Ann.wav", speech_like(3.4), RATE)
    wizard = Wizard(qtbot, tmp_path / "voices", lambda store: VoiceMaker(store, engine))
    wizard.go_to("progress", tmp_path / "Ann.wav")
    qtbot.wait(200)
    wizard.window.reject()
    wizard.nothing_is_left()
