"""Recording from a virtual microphone: what was fed to it is what was recorded, and what goes wrong is one sentence."""

import threading
import time

import numpy as np
import pytest
from listening import wait_until

from desktop_tts.audio import devices, recorder
from desktop_tts.audio.recorder import Level, NoMicrophone, Recorder, input_devices
from support.microphone import RATE, Microphone, speech_like
from support.sound import alignment

pytestmark = pytest.mark.desktop


@pytest.fixture
def record():
    """Makes recorders and closes them."""
    made = []

    def make(*arguments, **options):
        made.append(Recorder(*arguments, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()
    assert devices.restart(), "a recorder left its stream open"


def test_what_was_fed_is_what_was_recorded(microphone, sound_here, record):
    pcm = speech_like(3.0)
    mic = record()
    mic.open()
    mic.start()
    microphone.feed(pcm).wait(timeout=20)
    wait_until(lambda: mic.seconds > 3.2)
    mic.stop()
    kept = mic.seconds
    mic.close()
    clip = mic.clip()
    assert clip.duration_s == pytest.approx(kept, abs=0.01)
    assert sound_here.pactl("list", "short", "source-outputs").stdout == ""
    assert alignment(clip.pcm, pcm[: 2 * RATE])[1] > 0.99


def test_a_device_of_another_rate_is_brought_to_ours(sound_here, record):
    """PulseAudio's bridge takes 44,100 as its own rate."""
    mic = Microphone(sound_here, rate=44_100)
    heard = record()
    heard.open()
    assert heard._rate != RATE
    heard.start()
    pcm = speech_like(2.5, seed=2)
    mic.feed(pcm).wait(timeout=20)
    wait_until(lambda: heard.seconds > 2.6)
    clip = heard.clip()
    assert alignment(clip.pcm, pcm[: 2 * RATE])[1] > 0.99
    mic.close()


def test_level_follows_the_sound_and_is_silent_without(microphone, record):
    mic = record()
    assert mic.level() == Level()
    mic.open()
    wait_until(lambda: mic.ready)
    time.sleep(0.3)
    assert mic.level().peak_db < -60
    rng = np.random.default_rng(1)
    microphone.feed(rng.uniform(-0.5, 0.5, 2 * RATE).astype(np.float32))
    wait_until(lambda: mic.level().peak_db > -8)
    wait_until(lambda: -13 < mic.level().rms_db < -9)
    mic.close()
    assert mic.level() == Level()


def test_memory_is_bounded(microphone, record):
    mic = record(limit_s=0.5)
    mic.open()
    mic.start()
    wait_until(lambda: not mic.recording)
    assert mic.seconds == pytest.approx(0.5, abs=0.001)
    assert mic.problem() == ""
    assert Recorder(limit_s=3600)._limit_s == 60


def test_a_second_take_forgets_the_first(microphone, record):
    mic = record()
    mic.open()
    mic.start()
    wait_until(lambda: mic.seconds > 0.5)
    mic.stop()
    mic.start()
    assert mic.seconds < 0.4
    mic.stop()


def test_a_microphone_that_goes_is_told_and_the_take_is_kept(microphone, sound_here, record):
    pcm = speech_like(6.0)
    mic = record()
    mic.open()
    mic.start()
    microphone.feed(pcm)
    wait_until(lambda: mic.seconds > 2.5)
    sound_here.kill()
    wait_until(lambda: mic.problem())
    assert mic.problem() == "The microphone has gone. Connect it again, or choose another."
    assert not mic.recording
    assert alignment(mic.clip().pcm, pcm[RATE // 2 : RATE * 3 // 2])[1] > 0.99


def test_a_microphone_that_hangs_is_told(microphone, sound_here, record, monkeypatch):
    monkeypatch.setattr(recorder, "STALL_S", 0.6)
    mic = record()
    mic.open()
    mic.start()
    wait_until(lambda: mic.seconds > 0.3)
    sound_here.hang(True)
    try:
        wait_until(lambda: "doesn't respond" in mic.problem())
        assert not mic.recording
        assert mic.seconds > 0.3
    finally:
        sound_here.hang(False)


def test_no_microphone_is_one_sentence(monkeypatch, tmp_path, record):
    for name in ("XDG_RUNTIME_DIR", "PULSE_RUNTIME_PATH"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("PULSE_SERVER", f"unix:{tmp_path}/nothing.sock")
    devices.restart()
    with pytest.raises(NoMicrophone) as caught:
        record().open()
    assert str(caught.value).count(".") <= 2
    assert "microphone" in caught.value.message.lower()
    monkeypatch.undo()
    devices.restart()


def test_a_name_that_isnt_there_is_told(microphone, record):
    with pytest.raises(NoMicrophone, match="'Telephone' isn't there"):
        record("Telephone").open()


def test_devices_are_listed_with_unique_names(microphone):
    found = input_devices()
    assert found
    assert len({device.name for device in found}) == len(found)
    assert any(device.is_default for device in found)


def test_a_named_device_records(microphone, record):
    mic = record(next(device.name for device in input_devices() if "pulse" in device.name))
    mic.open()
    mic.start()
    wait_until(lambda: mic.seconds > 0.2)


def test_close_while_it_opens_leaves_nothing_open(microphone, record):
    mic = record()
    opening = threading.Thread(target=mic.open)
    opening.start()
    mic.close()
    opening.join()
    assert not mic.ready
    mic.open()
    assert not mic.ready
