"""The player on a real sound server: what comes out is recorded and compared, sample by sample where that can be."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from desktop_tts.audio.player import Player, PlayerEventKind
from support.sound import RATE, alignment, gaps, sounding

pytestmark = pytest.mark.desktop


def noise(seconds, seed=1):
    """Sound in which every place is unlike any other, and that is never silent for long."""
    pcm = np.random.default_rng(seed).uniform(-0.3, 0.3, int(seconds * RATE)).astype(np.float32)
    pcm[np.abs(pcm) < 0.004] = 0.004
    return pcm


def tone(seconds, hertz=220.0):
    return (0.3 * np.sin(2 * np.pi * hertz * np.arange(int(seconds * RATE)) / RATE)).astype(np.float32)


@pytest.fixture
def play(sound_here):
    players = []

    def make(**options):
        events = []
        player = Player(on_event=events.append, **options)
        player.events = events
        players.append(player)
        return player

    yield make
    for player in players:
        player.close()


def kinds(player):
    return [event.kind for event in player.events]


def wait_until(condition, timeout=15):
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.01)


def write_all(player, pcm, piece=4800, rate=RATE):
    return all(player.write(pcm[at : at + piece], rate, at) for at in range(0, len(pcm), piece))


def in_background(work):
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_it_plays_bit_exactly_and_without_a_gap(sound_here, play):
    sound = noise(3.0)
    player = play()
    with sound_here.record() as recording:
        for start in range(0, len(sound), 777):  # hundreds of small writes
            assert player.write(sound[start : start + 777], RATE, start)
        player.finish()
        assert player.wait_drained(15)
        heard = recording.stop()
    at, correlation = alignment(heard, sound[2400:])
    assert correlation > 0.9999
    exact = heard[at : at + len(sound) - 2400] == sound[2400:]
    assert exact.mean() > 0.999
    assert kinds(player) == [PlayerEventKind.STARTED, PlayerEventKind.DRAINED]
    assert player.underruns == 0
    assert player.position() is None


def test_rates_are_mixed_without_a_seam(sound_here, play):
    player = play()
    with sound_here.record() as recording:
        assert write_all(player, tone(1.0), 1000)
        t = np.arange(22_050) / 22_050
        assert write_all(player, (0.3 * np.sin(2 * np.pi * 220 * t)).astype(np.float32), 1111, 22_050)
        player.finish()
        assert player.wait_drained(15)
        heard = recording.stop()
    first, last = sounding(heard, 0.05)
    assert (last - first) / RATE == pytest.approx(2.0, abs=0.02)
    assert np.abs(np.diff(heard[first + 100 : last - 100])).max() < 0.05  # no click


def test_pause_is_silent_soon_and_going_on_loses_and_repeats_nothing(sound_here, play):
    sound = noise(4.0)
    player = play()
    with sound_here.record() as recording:
        write_all(player, sound)
        player.finish()
        recording.wait_for_sound()
        recording.wait_for(0.8)
        before = recording.seconds
        player.pause()
        recording.wait_for(1.0)
        player.resume()
        assert player.wait_drained(15)
        heard = recording.stop()
    ((pause_start, pause_end),) = gaps(heard, 0.3)
    assert pause_start / RATE - before < 0.25  # recorder's own delay included; measured tightly in the benchmark
    assert (pause_end - pause_start) / RATE > 0.7
    first, last = sounding(heard)
    played = np.concatenate([heard[first : pause_start + 1], heard[pause_end:last]])
    assert abs(len(played) - len(sound)) < 0.03 * RATE
    assert alignment(heard, sound[2400:12000])[1] > 0.999
    assert alignment(heard, sound[-24000:])[1] > 0.999


def test_clear_is_silent_soon_and_the_next_text_starts_clean(sound_here, play):
    player = play()
    first, second = noise(10.0), noise(1.0, seed=2)
    with sound_here.record() as recording:
        writing = in_background(lambda: write_all(player, first))
        recording.wait_for_sound()
        recording.wait_for(0.5)
        before = recording.seconds
        player.clear()
        recording.wait_for_silence(0.5)
        assert recording.seconds - before < 1.2
        writing.join(5)
        assert not writing.is_alive()
        write_all(player, second)
        player.finish()
        assert player.wait_drained(15)
        heard = recording.stop()
    at, correlation = alignment(heard, second[2400:])
    assert correlation > 0.999
    assert alignment(heard[at:], first[-24000:])[1] < 0.2


def test_a_write_waits_while_enough_is_queued(play):
    player = play(run_ahead_s=1.0)
    done = threading.Event()
    in_background(lambda: (write_all(player, noise(6.0)), done.set()))
    time.sleep(0.5)
    assert 0.5 < player.buffered_s < 1.7
    assert not done.is_set()
    player.clear()
    assert done.wait(2)


def test_a_cancelled_write_returns(play):
    player = play(run_ahead_s=0.5)
    write_all(player, noise(1.0))
    player.pause()
    cancel = threading.Event()
    result = []
    waiting = in_background(lambda: result.append(player.write(noise(1.0), RATE, "x", cancel)))
    time.sleep(0.2)
    cancel.set()
    waiting.join(2)
    assert result == [False]


def test_speed_changes_inside_a_sound_and_the_pitch_stays(sound_here, play):
    sound = tone(6.0)
    player = play(run_ahead_s=10)
    with sound_here.record() as recording:
        write_all(player, sound)
        player.finish()
        start = recording.wait_for_sound()
        recording.wait_for(1.0)
        player.set_speed(2.0)
        recording.wait_for(1.0)
        player.set_speed(1.0)
        assert player.wait_drained(15)
        heard = recording.stop()
    first, last = sounding(heard, 0.05)
    took = (last - first) / RATE
    assert start == pytest.approx(first / RATE, abs=0.1)
    assert 4.6 < took < 5.5  # one second at double speed saves one
    spectrum = np.abs(np.fft.rfft(heard[first:last] * np.hanning(last - first)))
    assert np.argmax(spectrum) * RATE / (last - first) == pytest.approx(220, abs=3)
    assert gaps(heard, 0.02) == []


def test_speed_one_and_a_half_from_the_start(sound_here, play):
    player = play(speed=1.5)
    with sound_here.record() as recording:
        write_all(player, tone(3.0))
        player.finish()
        assert player.wait_drained(15)
        heard = recording.stop()
    first, last = sounding(heard, 0.05)
    assert (last - first) / RATE == pytest.approx(2.0, abs=0.08)


def test_volume_is_heard_at_once_and_loud_peaks_are_rounded(sound_here, play):
    player = play()
    with sound_here.record() as recording:
        write_all(player, tone(4.0))
        player.finish()
        recording.wait_for_sound()
        recording.wait_for(0.6)
        player.set_volume(0.25)
        recording.wait_for(0.8)
        player.set_volume(1.5)
        recording.wait_for(0.6)
        player.clear()
        heard = recording.stop()
    first, last = sounding(heard, 0.02)
    levels = [np.abs(heard[at : at + 2400]).max() for at in range(first, last - 2400, 2400)]
    assert min(levels) == pytest.approx(0.075, abs=0.01)
    assert max(levels) == pytest.approx(0.45, abs=0.02)
    assert np.abs(np.diff(heard[first:last])).max() < 0.08  # no click


def test_the_position_is_what_the_ear_hears(sound_here, play):
    """A click every 250 ms; the position when one is recorded must be that click's."""
    sound = np.zeros(4 * RATE, np.float32)
    sound[RATE // 8 :: RATE // 4] = 0.8
    sound += 0.0005
    player = play()
    errors = []
    with sound_here.record() as recording:
        write_all(player, sound, 2400)
        player.finish()
        seen = 0
        deadline = time.monotonic() + 3.0
        while time.monotonic() < deadline:
            clicks = np.flatnonzero(recording.so_far() > 0.4)
            position = player.position()
            if len(clicks) > seen and position is not None:
                late = (len(recording.so_far()) - clicks[-1]) / RATE
                place = position.mark / RATE + position.offset_s
                errors.append(place - late - 0.25 * (len(clicks) - 1) - 0.125)
                seen = len(clicks)
            time.sleep(0.005)
    assert len(errors) > 6
    assert abs(np.median(errors)) < 0.08


def test_skipping_goes_to_the_wanted_mark_at_once(sound_here, play):
    first, second = noise(3.0), noise(1.0, seed=2)
    player = play(run_ahead_s=10)
    with sound_here.record() as recording:
        player.write(first, RATE, "first")
        player.write(second, RATE, "second")
        player.finish()
        recording.wait_for_sound()
        recording.wait_for(0.5)
        assert not player.skip_until(lambda mark: mark == "third")
        assert player.skip_until(lambda mark: mark == "second")
        assert player.position().mark == "second"
        assert player.wait_drained(15)
        heard = recording.stop()
    assert alignment(heard, second[1200:])[1] > 0.999
    start, end = sounding(heard)
    assert (end - start) / RATE < 2.3


def test_a_lost_device_is_told_once_and_reading_goes_on_where_it_was(sound_here, play):
    sound = noise(5.0)
    player = play(run_ahead_s=10)
    with sound_here.record() as recording:
        write_all(player, sound)
        player.finish()
        recording.wait_for_sound()
        recording.wait_for(1.0)
        sound_here.unload_sink("main")
        before = recording.so_far()
    wait_until(lambda: PlayerEventKind.DEVICE_LOST in kinds(player))
    time.sleep(1.0)
    sound_here.load_sink("other")
    with sound_here.record("other") as recording:
        assert player.wait_drained(20)
        after = recording.stop()
    assert kinds(player).count(PlayerEventKind.DEVICE_LOST) == 1
    assert PlayerEventKind.DEVICE_BACK in kinds(player)
    assert next(e for e in player.events if e.is_problem).message.endswith(".")
    first, last = sounding(before)
    heard_before = (last - first) / RATE
    start, end = sounding(after)
    assert heard_before + (end - start) / RATE == pytest.approx(5.0, abs=0.35)
    assert alignment(after, sound[-24000:])[1] > 0.999


def test_a_killed_server_comes_back(sound_here, play):
    sound = noise(4.0)
    player = play(run_ahead_s=10)
    write_all(player, sound)
    player.finish()
    wait_until(lambda: PlayerEventKind.STARTED in kinds(player))
    time.sleep(0.8)
    sound_here.kill()
    wait_until(lambda: PlayerEventKind.DEVICE_LOST in kinds(player))
    sound_here.start()
    with sound_here.record() as recording:
        assert player.wait_drained(20)
        after = recording.stop()
    assert alignment(after, sound[-24000:])[1] > 0.999


def test_a_suspended_device_is_told_and_goes_on(sound_here, play):
    sound = noise(4.0)
    player = play(run_ahead_s=10)
    write_all(player, sound)
    player.finish()
    wait_until(lambda: PlayerEventKind.STARTED in kinds(player))
    time.sleep(0.5)
    sound_here.suspend(True)
    wait_until(lambda: PlayerEventKind.STALLED in kinds(player))
    sound_here.suspend(False)
    with sound_here.record() as recording:
        assert player.wait_drained(20)
        after = recording.stop()
    assert PlayerEventKind.DEVICE_BACK in kinds(player)
    assert alignment(after, sound[-24000:])[1] > 0.999


def test_the_default_device_may_change_while_playing(sound_here, play):
    player = play(run_ahead_s=10)
    sound = noise(4.0)
    write_all(player, sound)
    player.finish()
    wait_until(lambda: PlayerEventKind.STARTED in kinds(player))
    sound_here.load_sink("second")
    with sound_here.record("second"):
        assert player.wait_drained(20)
    assert kinds(player)[-1] is PlayerEventKind.DRAINED


def test_without_any_device_it_says_so_keeps_the_sound_and_plays_when_one_comes(sound_here, play):
    sound_here.unload_sink("main")
    sound_here.kill()
    player = play()
    sound = noise(1.5)
    write_all(player, sound)
    player.finish()
    wait_until(lambda: PlayerEventKind.NO_DEVICE in kinds(player))
    assert "sound server" in player.events[0].message
    time.sleep(1.0)
    assert len(player.events) == 1
    sound_here.start()
    with sound_here.record() as recording:
        assert player.wait_drained(20)
        heard = recording.stop()
    assert alignment(heard, sound[-12000:])[1] > 0.999


def test_controls_never_wait(sound_here, play):
    """Also while the device can't be opened, which takes long."""
    sound_here.kill()
    player = play()
    write_all(player, noise(2.0))
    slowest = 0.0
    for _ in range(20):
        for control in (player.pause, player.resume, lambda: player.set_speed(1.3), player.position, player.clear):
            begun = time.perf_counter()
            control()
            slowest = max(slowest, time.perf_counter() - begun)
            time.sleep(0.01)
        write_all(player, noise(0.2))
    assert slowest < 0.25


def test_an_idle_player_uses_no_processor_and_starts_again(sound_here, play):
    player = play()
    for _ in range(3):
        with sound_here.record() as recording:
            write_all(player, noise(0.5))
            player.finish()
            assert player.wait_drained(15)
            heard = recording.stop()
        assert alignment(heard, noise(0.5)[1200:])[1] > 0.999
    before = time.process_time()
    time.sleep(2.0)
    assert time.process_time() - before < 0.1


def test_nothing_is_printed_when_the_device_is_missing(tmp_path):
    code = """
import numpy, time
from desktop_tts.audio.player import Player
player = Player()
player.write(numpy.ones(2400, numpy.float32), 24000, None)
time.sleep(1.5)
player.close()
"""
    env = os.environ | {
        "PULSE_SERVER": f"unix:{tmp_path}/none",
        "XDG_RUNTIME_DIR": str(tmp_path),
        "HOME": str(tmp_path),
    }
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert done.stderr == ""
