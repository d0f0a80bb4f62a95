"""Devices that go, come, hang, sleep or were never there: the player says so once and goes on where the ear was."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest
from listening import noise, tone, wait_until

from desktop_tts.audio import devices, outlet
from desktop_tts.audio.player import PlayerEventKind as Kind
from support.sound import RATE, alignment, gaps, sounding

pytestmark = pytest.mark.desktop


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Shorter waits, so that the tests don't take long."""
    monkeypatch.setattr(outlet, "RETRY_S", (0.0, 0.2, 0.3))
    monkeypatch.setattr(outlet, "WAKE_UP_S", 1.0)
    monkeypatch.setattr(outlet, "STALL_S", 0.6)


def heard_samples(recorded, pcm):
    """First and one past the last sample of ``pcm`` that was heard, by the beginning and end of the recording."""
    first, last = sounding(recorded)
    begin, _ = alignment(pcm, recorded[first + 1200 : first + 3600])
    end, _ = alignment(pcm, recorded[last - 2400 : last])
    return begin - 1200, end + 2400


def test_a_lost_device_is_told_once_and_reading_goes_on_where_it_was(sound_here, play):
    pcm = noise(2.0)
    player = play(run_ahead_s=10)
    with sound_here.record() as recording:
        player.play_all(pcm)
        recording.wait_for_sound()
        recording.wait_for(0.5)
        sound_here.unload_sink("main")
        before = recording.so_far()
    wait_until(lambda: Kind.DEVICE_LOST in player.kinds)
    time.sleep(0.4)
    kept = player.place()
    time.sleep(0.2)
    assert player.place() == kept
    sound_here.load_sink("other")
    with sound_here.record("other") as recording:
        assert player.wait_drained(20)
        after = recording.stop()
    assert player.kinds == [Kind.STARTED, Kind.DEVICE_LOST, Kind.DEVICE_BACK, Kind.DRAINED]
    assert "device has gone" in player.events[1].message
    left, found = heard_samples(before, pcm)[1], heard_samples(after, pcm)[0]
    assert abs(found - left) < 0.15 * RATE  # the recorder lost its tail with the sink
    assert alignment(after, pcm[-RATE // 2 :])[1] > 0.999


def test_a_killed_server_comes_back(sound_here, play):
    pcm = noise(1.5)
    player = play(run_ahead_s=10)
    player.play_all(pcm)
    wait_until(lambda: Kind.STARTED in player.kinds)
    time.sleep(0.4)
    sound_here.kill()
    wait_until(lambda: Kind.DEVICE_LOST in player.kinds)
    sound_here.start()
    with sound_here.record() as recording:
        assert player.wait_drained(20)
        after = recording.stop()
    assert player.kinds == [Kind.STARTED, Kind.DEVICE_LOST, Kind.DEVICE_BACK, Kind.DRAINED]
    assert alignment(after, pcm[-RATE // 2 :])[1] > 0.999


@pytest.mark.parametrize("idle", ["paused", "drained"])
def test_a_server_that_was_started_anew_meanwhile_is_no_trouble(sound_here, play, idle):
    pcm = noise(0.9)
    player = play(run_ahead_s=10)
    player.play_all(pcm)
    wait_until(lambda: Kind.STARTED in player.kinds)
    time.sleep(0.3)
    if idle == "paused":
        player.pause()
    else:
        assert player.wait_drained(10)
        time.sleep(0.5)
    sound_here.restart()
    with sound_here.record() as recording:
        if idle == "paused":
            player.resume()
        else:
            player.play_all(pcm)
        assert player.wait_drained(10)
        heard = recording.stop()
    assert alignment(heard, pcm[-RATE // 2 :])[1] > 0.999
    assert set(player.kinds) == {Kind.STARTED, Kind.DRAINED}


def test_a_suspended_device_is_told_and_goes_on(sound_here, play):
    pcm = noise(1.6)
    player = play(run_ahead_s=10)
    player.play_all(pcm)
    wait_until(lambda: Kind.STARTED in player.kinds)
    time.sleep(0.3)
    sound_here.suspend(True)
    wait_until(lambda: Kind.STALLED in player.kinds)
    time.sleep(0.5)
    sound_here.suspend(False)
    with sound_here.record() as recording:
        assert player.wait_drained(20)
        after = recording.stop()
    assert player.kinds == [Kind.STARTED, Kind.STALLED, Kind.DEVICE_BACK, Kind.DRAINED]
    assert alignment(after, pcm[-RATE // 2 :])[1] > 0.99
    assert gaps(after, 0.05) == []


def test_a_device_that_sleeps_long_is_opened_anew_and_one_can_pause_meanwhile(sound_here, play, monkeypatch):
    monkeypatch.setattr(outlet, "REOPEN_S", 1.2)
    opened, open_one = [], outlet.Output
    monkeypatch.setattr(outlet, "Output", lambda *arguments: opened.append(1) or open_one(*arguments))
    pcm = noise(1.4)
    player = play(run_ahead_s=10)
    player.play_all(pcm)
    wait_until(lambda: Kind.STARTED in player.kinds)
    time.sleep(0.3)
    sound_here.suspend(True)
    wait_until(lambda: len(opened) == 2)
    player.pause()
    time.sleep(0.3)
    player.resume()
    sound_here.suspend(False)
    with sound_here.record() as recording:
        assert player.wait_drained(20)
        after = recording.stop()
    assert player.kinds == [Kind.STARTED, Kind.STALLED, Kind.DEVICE_BACK, Kind.DRAINED]
    assert alignment(after, pcm[-RATE // 2 :])[1] > 0.99


def test_a_hanging_sound_server_is_told_and_controls_do_not_wait(sound_here, play):
    pcm = noise(1.0)
    player = play(run_ahead_s=10)
    sound_here.hang(True)
    player.play_all(pcm)
    wait_until(lambda: Kind.STALLED in player.kinds)
    took = []
    for control in (player.pause, player.position, player.resume, lambda: player.set_speed(1.0), player.toggle):
        begun = time.perf_counter()
        control()
        took.append(time.perf_counter() - begun)
    player.resume()
    assert max(took) < 0.1
    sound_here.hang(False)
    with sound_here.record() as recording:
        assert player.wait_drained(20)
        heard = recording.stop()
    assert player.kinds == [Kind.STALLED, Kind.DEVICE_BACK, Kind.STARTED, Kind.DRAINED]
    assert alignment(heard, pcm[-RATE // 2 :])[1] > 0.999


def test_the_default_device_may_change_while_playing(sound_here, play):
    pcm = noise(2.5)
    player = play(run_ahead_s=10)
    player.play_all(pcm)
    wait_until(lambda: Kind.STARTED in player.kinds)
    time.sleep(0.2)
    sound_here.load_sink("second")
    with sound_here.record("second") as recording:
        assert player.wait_drained(20)
        heard = recording.stop()
    assert alignment(heard, pcm[-RATE // 2 :])[1] > 0.999
    assert player.kinds == [Kind.STARTED, Kind.DRAINED]


def test_without_any_device_it_says_so_keeps_the_sound_and_plays_when_one_comes(sound_here, play):
    sound_here.kill()
    devices.restart()
    assert devices.output_devices() == ()
    player = play()
    pcm = noise(1.0)
    player.play_all(pcm)
    wait_until(lambda: Kind.NO_DEVICE in player.kinds)
    assert player.events[0].message.startswith("There is no device to play on. No sound server runs")
    time.sleep(1.0)
    assert player.kinds == [Kind.NO_DEVICE]
    player.clear()
    player.play_all(pcm)  # a person who tries again is told again
    wait_until(lambda: player.kinds == [Kind.NO_DEVICE] * 2)
    sound_here.start()
    with sound_here.record() as recording:
        assert player.wait_drained(20)
        heard = recording.stop()
    assert player.kinds[2:] == [Kind.DEVICE_BACK, Kind.STARTED, Kind.DRAINED]
    assert alignment(heard, pcm[-12_000:])[1] > 0.999


def test_controls_never_wait_while_there_is_no_device(sound_here, play):
    sound_here.kill()
    player = play(run_ahead_s=10)
    took = []
    for _ in range(30):
        player.write_all(noise(0.5))
        for control in (player.pause, player.resume, player.position, player.clear):
            begun = time.perf_counter()
            control()
            took.append(time.perf_counter() - begun)
            time.sleep(0.005)
    assert np.median(took) < 0.005
    assert max(took) < 0.25


# ---------------------------------------------------------------- more than one device


@pytest.fixture
def two_devices(sound_here, monkeypatch):
    """``first`` plays on the sink main, ``second`` on the sink other."""
    sound_here.load_sink("other")
    sound_here.set_default_sink("main")
    config = sound_here.folder / "alsa.conf"

    def name_devices(*names):
        sinks = {"first": "main", "second": "other"}
        lines = ["</usr/share/alsa/alsa.conf>"]
        lines += [
            f'pcm.{name} {{ type pulse device {sinks[name]} hint {{ show on description "{name}" }} }}'
            for name in names
        ]
        config.write_text("\n".join(lines) + "\n")

    name_devices("first", "second")
    monkeypatch.setenv("ALSA_CONFIG_PATH", str(config))
    devices.restart()
    sound_here.name_devices = name_devices
    yield sound_here
    devices.restart()


def test_the_devices_are_listed_by_their_names(two_devices):
    found = {device.name: device for device in devices.output_devices()}
    assert {"first", "second"} < set(found)
    assert len([device for device in found.values() if device.is_default]) == 1
    assert found["first"].host == "ALSA"


def test_another_device_takes_over_without_losing_the_place(two_devices, play):
    pcm = noise(2.0)
    player = play("first", run_ahead_s=10)
    with two_devices.record("main") as first, two_devices.record("other") as second:
        player.play_all(pcm)
        first.wait_for_sound()
        first.wait_for(0.6)
        player.set_device("second")
        assert player.wait_drained(15)
        before, after = first.stop(), second.stop()
    left, found = heard_samples(before, pcm)[1], heard_samples(after, pcm)[0]
    assert abs(found - left) < 0.03 * RATE
    assert alignment(after, pcm[-RATE // 2 :])[1] > 0.999
    assert player.kinds == [Kind.STARTED, Kind.DRAINED]


def test_a_chosen_device_that_is_not_there_gives_way_to_the_default_until_it_comes(two_devices, play):
    two_devices.name_devices("first")
    devices.restart()
    player = play("second")
    pcm = noise(0.6)
    with two_devices.record("main") as recording:
        for _ in range(2):
            player.play_all(pcm)
            assert player.wait_drained(10)
            time.sleep(0.8)
        assert alignment(recording.stop(), pcm)[1] > 0.999
    assert player.kinds == [Kind.OTHER_DEVICE, *[Kind.STARTED, Kind.DRAINED] * 2]
    assert "'second' isn't there" in player.events[0].message
    two_devices.name_devices("first", "second")
    with two_devices.record("other") as recording:
        player.play_all(pcm)
        assert player.wait_drained(10)
        assert alignment(recording.stop(), pcm)[1] > 0.999


def test_what_was_begun_on_a_chosen_device_does_not_go_on_from_another(two_devices, play):
    pcm = noise(2.0)
    player = play("second", run_ahead_s=10)
    player.play_all(pcm)
    wait_until(lambda: Kind.STARTED in player.kinds)
    time.sleep(0.5)
    two_devices.kill()
    wait_until(lambda: Kind.DEVICE_LOST in player.kinds)
    two_devices.name_devices("first")
    two_devices.start("main")
    with two_devices.record("main") as recording:
        recording.wait_for(1.2)
        assert np.abs(recording.stop()).max() < 0.001
    two_devices.load_sink("other")
    two_devices.name_devices("first", "second")
    with two_devices.record("other") as recording:
        assert player.wait_drained(15)
        assert alignment(recording.stop(), pcm[-RATE:])[1] > 0.999
    assert player.kinds == [Kind.STARTED, Kind.DEVICE_LOST, Kind.DEVICE_BACK, Kind.DRAINED]


def test_names_that_two_devices_share_are_told_apart():
    class Sounddevice:
        """As on Windows, where each device is in the list of every host API."""

        def query_hostapis(self):
            return [{"name": "MME"}, {"name": "WASAPI"}]

        def query_devices(self):
            return [
                {"name": "Speakers", "hostapi": 0, "max_output_channels": 2},
                {"name": "Microphone", "hostapi": 0, "max_output_channels": 0},
                {"name": "Speakers", "hostapi": 1, "max_output_channels": 2},
                {"name": "Headphones", "hostapi": 1, "max_output_channels": 2},
            ]

    assert devices.find_output(Sounddevice(), "Speakers, WASAPI") == 2
    assert devices.find_output(Sounddevice(), "Headphones") == 3
    assert devices.find_output(Sounddevice(), "") is None
    with pytest.raises(devices.DeviceMissing, match="isn't there"):
        devices.find_output(Sounddevice(), "Speakers")


@pytest.mark.parametrize("speed", [1.0, 1.5])
def test_a_device_with_a_rate_of_its_own_hears_all_of_it(sound_here, play, monkeypatch, speed):
    import sounddevice

    class Fixed(sounddevice.OutputStream):
        def __init__(self, samplerate, **options):
            if samplerate != 44_100:
                raise sounddevice.PortAudioError("Invalid sample rate", -9997)
            super().__init__(samplerate=samplerate, **options)

    monkeypatch.setattr(sounddevice, "OutputStream", Fixed)
    player = play(speed=speed)
    pcm = tone(1.5)
    pcm[-2400:] += tone(0.1, 2000)
    with sound_here.record() as recording:
        player.play_all(pcm)
        wait_until(lambda: Kind.STARTED in player.kinds)
        time.sleep(0.5)
        place = player.place()
        assert 0 < place < len(pcm)
        assert player.wait_drained(10)
        heard = recording.stop()
    first, last = sounding(heard)
    assert (last - first) / RATE == pytest.approx(1.5 / speed, abs=0.03 if speed != 1 else 0.005)
    assert gaps(heard, 0.01, 0.05) == []
    end = np.abs(np.fft.rfft(heard[last - 1200 : last] * np.hanning(1200)))
    assert end[2000 * 1200 // RATE] > 0.5 * end.max()


# ---------------------------------------------------------------- in a process of its own

PLAY = """
import sys, time
import numpy
from desktop_tts.audio.player import Player
player = Player(on_event=lambda event: print(event.kind, event.message, flush=True))
player.write(0.1 * numpy.ones(72000, numpy.float32), 24000, None)
"""


def run_python(code, env, timeout=60):
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=timeout)


def test_nothing_is_printed_when_the_device_can_t_be_opened(sound_server):
    sound_server.unload_sink("main")
    done = run_python(PLAY + "time.sleep(1.5); player.close(); print('said', file=sys.stderr)", sound_server.env)
    assert done.stdout.startswith("no device The output device can't be opened.")
    assert done.stderr == "said\n"


def test_nothing_is_printed_when_the_device_is_missing(tmp_path):
    env = os.environ | {
        "PULSE_SERVER": f"unix:{tmp_path}/none",
        "XDG_RUNTIME_DIR": str(tmp_path),
        "HOME": str(tmp_path),
    }
    done = run_python(PLAY + "time.sleep(1.5); player.close(); print('said', file=sys.stderr)", env)
    assert done.returncode == 0
    assert done.stdout.startswith("no device There is no device to play on. No sound server runs")
    assert done.stderr == "said\n"


def test_a_missing_bridge_to_the_sound_server_is_named(sound_server):
    env = sound_server.env | {"ALSA_PLUGIN_DIR": "/nonexistent"}
    done = run_python(PLAY + "time.sleep(0.7); player.close()", env)
    assert done.returncode == 0
    assert "install libasound2-plugins" in done.stdout


def test_a_process_that_forgets_to_close_ends_in_mid_sentence(sound_server):
    done = run_python(PLAY + "time.sleep(0.7)", sound_server.env)
    assert done.returncode == 0
    assert done.stdout == "started \n"
    assert done.stderr == ""


def test_a_process_ends_although_the_sound_server_hangs(sound_server):
    code = PLAY + "time.sleep(0.7); print('playing', flush=True); sys.stdin.read(1); player.clear(); player.close()"
    child = subprocess.Popen(
        [sys.executable, "-c", code], env=sound_server.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    while child.stdout.readline() != b"playing\n":
        pass
    sound_server.hang(True)
    child.stdin.close()
    try:
        assert child.wait(15) == 0
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
        sound_server.hang(False)
