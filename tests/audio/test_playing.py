"""The player on a real sound server: what comes out is recorded and compared, sample by sample where that can be."""

import itertools
import sys
import threading
import time

import numpy as np
import pytest
from listening import in_background, noise, steadily, tone, wait_until

from desktop_tts.audio import devices
from desktop_tts.audio.player import PlayerEventKind
from support.sound import RATE, alignment, gaps, sounding

pytestmark = pytest.mark.desktop

STARTED, DRAINED = PlayerEventKind.STARTED, PlayerEventKind.DRAINED


def heard_whole(sound, player, pcm, **how):
    """What is recorded while all of ``pcm`` is played."""
    with sound.record() as recording:
        player.play_all(pcm, **how)
        assert player.wait_drained(30)
        return recording.stop()


@steadily
def test_it_plays_every_sample_exactly_and_without_a_gap(sound, play):
    pcm = noise(1.4)
    player = play()
    heard = heard_whole(sound, player, pcm, piece=200)
    assert player.kinds == [STARTED, DRAINED]
    assert player.position() is None
    assert not player.active
    assert player.underruns == 0
    first, last = sounding(heard)
    assert last - first == len(pcm)
    assert (heard[first:last] == pcm).mean() > 0.999
    assert (heard[first:last] == pcm)[2400:].all()


@steadily
def test_the_end_is_told_when_the_last_sample_is_heard(sound, play):
    player = play()
    with sound.record() as recording:
        player.play_all(noise(0.5))
        assert player.wait_drained(10)
        drained_at = time.monotonic()
        heard = recording.stop()
    assert -0.03 < drained_at - recording.time_of(sounding(heard)[1]) < 0.3


@steadily
def test_rates_are_mixed_without_a_seam_and_keep_their_length(sound, play):
    player = play()
    with sound.record() as recording:
        for rate, piece in ((RATE, 1000), (22_050, 441), (16_000, 5000), (48_000, 1111)):
            assert player.write_all(tone(0.3, rate=rate), piece=piece, rate=rate)
        player.finish()
        assert player.wait_drained(15)
        heard = recording.stop()
    first, last = sounding(heard, 0.05)
    assert (last - first) / RATE == pytest.approx(1.2, abs=0.005)
    assert np.abs(np.diff(heard[first + 100 : last - 100])).max() < 0.03  # a tone of this height moves by 0.017


def test_marks_keep_their_place_at_another_rate(play, sound):
    player = play(run_ahead_s=10)
    player.pause()
    for second in range(3):
        player.write(tone(1.0, rate=22_050), 22_050, second)
    player.finish()
    for second in (1, 2):
        assert player.skip_until(lambda mark, wanted=second: mark == wanted)
        assert player.position().mark == second
        assert player.position().offset_s == 0
        assert player.buffered_s == pytest.approx(3 - second, abs=0.001)


@steadily
def test_pause_is_silent_at_once_and_going_on_loses_and_repeats_nothing(sound, play):
    pcm = noise(2.4)
    player = play(run_ahead_s=10)
    silent_after, lost = [], []
    with sound.record() as recording:
        player.play_all(pcm)
        recording.wait_for_sound()
        for _ in range(3):
            recording.wait_for(0.4)
            paused_at = time.monotonic()
            player.pause()
            assert player.paused
            recording.wait_for(0.3)
            before = recording.so_far()
            end = sounding(before)[1]
            silent_after.append(recording.time_of(end) - paused_at)
            left = alignment(pcm, before[end - 2400 : end])[0] + 2400
            assert abs(player.place() - left) < 0.06 * RATE
            player.toggle()
            recording.wait_for(0.25)
            after = recording.so_far()
            begin = end + sounding(after[end:])[0]
            lost.append(alignment(pcm, after[begin : begin + 2400])[0] - left)
        assert player.wait_drained(15)
        heard = recording.stop()
    assert sorted(silent_after)[1] < 0.06
    assert max(silent_after) < 0.2
    assert np.median(np.abs(lost)) < 0.02 * RATE
    assert np.abs(lost).max() < 0.05 * RATE
    assert len(gaps(heard, 0.15)) == 3
    assert alignment(heard, pcm[-12_000:])[1] > 0.999
    assert player.kinds == [STARTED, DRAINED]


@steadily
def test_clear_is_silent_at_once_and_the_next_text_starts_clean(sound, play):
    player = play()
    first, second = noise(10.0), noise(0.5, seed=2)
    with sound.record() as recording:
        writing = in_background(lambda: player.write_all(first))
        recording.wait_for_sound()
        recording.wait_for(0.5)
        cleared_at = time.monotonic()
        player.clear()
        assert player.position() is None
        assert not player.active
        recording.wait_for(0.4)
        assert recording.time_of(sounding(recording.so_far())[1]) - cleared_at < 0.15
        writing.join(2)
        assert not writing.is_alive()
        player.play_all(second)
        assert player.wait_drained(15)
        heard = recording.stop()
    at, correlation = alignment(heard, second)
    assert correlation > 0.999
    assert sounding(heard)[1] == at + len(second)
    assert gaps(heard, 0.2)[-1][1] == at  # nothing of the old text comes before it
    assert player.kinds == [STARTED, STARTED, DRAINED]


def test_a_new_text_right_after_clear_never_shows_the_old_place(sound, play):
    player = play(run_ahead_s=10)
    for number in range(18):
        player.clear()
        assert player.position() is None
        player.write(noise(1.0), RATE, number)
        assert player.position().mark == number
        assert player.position().offset_s < 0.5
        time.sleep(0.02 if number % 3 else 0.15)


def test_a_write_waits_while_enough_is_queued(sound, play):
    player = play(run_ahead_s=1.0)
    done = threading.Event()
    in_background(lambda: (player.write_all(noise(6.0)), done.set()))
    for _ in range(10):
        time.sleep(0.05)
        assert player.buffered_s < 1.0 + 0.2 + 0.3  # the run-ahead, one write, and what is with the device
    assert player.buffered_s > 0.5
    assert not done.is_set()
    player.clear()
    assert done.wait(2)


@pytest.mark.parametrize("way", ["cancel", "clear", "close"])
def test_a_waiting_write_gives_up(sound, play, way):
    player = play(run_ahead_s=0.5)
    player.pause()
    player.write(noise(1.0), RATE, "queued")
    cancel = threading.Event()
    result = []
    waiting = in_background(lambda: result.append(player.write(noise(1.0), RATE, "x", cancel)))
    time.sleep(0.1)
    assert result == []
    {"cancel": cancel.set, "clear": player.clear, "close": player.close}[way]()
    waiting.join(2)
    assert result == [False]


@steadily
def test_speed_changes_inside_a_sound_soon_and_the_pitch_stays(sound, play):
    pcm = tone(4.0)
    player = play(run_ahead_s=10)
    with sound.record() as recording:
        player.play_all(pcm)
        recording.wait_for_sound()
        recording.wait_for(0.6)
        fast_from = time.monotonic()
        player.set_speed(2.0)
        recording.wait_for(1.0)
        fast_s = time.monotonic() - fast_from
        player.set_speed(1.0)
        assert player.wait_drained(15)
        heard = recording.stop()
    first, last = sounding(heard, 0.05)
    assert (last - first) / RATE == pytest.approx(4.0 - fast_s, abs=0.15)
    pitch = np.argmax(np.abs(np.fft.rfft(heard[first:last] * np.hanning(last - first)))) * RATE / (last - first)
    assert pitch == pytest.approx(220, abs=3)
    assert gaps(heard, 0.005, 0.1) == []
    assert np.abs(np.diff(heard[first + 10 : last - 10])).max() < 0.03  # no click


@steadily
def test_a_new_speed_is_heard_soon(sound, play):
    """Bursts of 20 ms every 40 ms: the first interval that is shorter."""
    pcm = tone(3.0, 600) * (np.arange(3 * RATE) % 960 < 480)
    player = play(run_ahead_s=10)
    with sound.record() as recording:
        player.play_all(pcm)
        recording.wait_for_sound()
        recording.wait_for(0.5)
        asked = time.monotonic()
        player.set_speed(2.0)
        recording.wait_for(0.5)
        player.clear()
        heard = recording.stop()
    loud = np.flatnonzero(np.convolve(np.abs(heard), np.ones(120) / 120, "same") > 0.1)
    begins = loud[np.flatnonzero(np.diff(loud, prepend=-960) > 120)]
    changed = next(a for a, b in itertools.pairwise(begins) if 300 < b - a < 800)
    assert recording.time_of(changed) - asked < 0.25


@steadily
def test_after_a_change_of_speed_and_back_every_sample_is_exact(sound, play):
    pcm = noise(3.0)
    player = play(run_ahead_s=10, speed=1.5)
    with sound.record() as recording:
        player.play_all(pcm)
        recording.wait_for_sound()
        recording.wait_for(0.5)
        player.set_speed(1.0)
        assert player.wait_drained(15)
        heard = recording.stop()
    end = sounding(heard)[1]
    assert (heard[end - RATE : end] == pcm[-RATE:]).mean() > 0.99


@pytest.mark.parametrize("speed", [0.5, 1.5, 3.0])
@steadily
def test_speed_from_the_start(sound, play, speed):
    player, pcm_s = play(speed=speed), 0.8 * speed
    heard = heard_whole(sound, player, tone(pcm_s))
    first, last = sounding(heard, 0.05)
    assert (last - first) / RATE == pytest.approx(pcm_s / speed, rel=0.1)


@steadily
def test_without_sonic_it_says_so_once_and_plays_at_the_usual_speed(sound, play, monkeypatch):
    monkeypatch.setitem(sys.modules, "libsonic", None)
    player = play(speed=1.5)
    player.set_speed(2.0)
    heard = heard_whole(sound, player, noise(0.6))
    assert alignment(heard, noise(0.6))[1] > 0.999
    assert player.kinds == [PlayerEventKind.CANT_STRETCH, STARTED, DRAINED]
    assert player.events[0].message.startswith("Other speeds need")


@steadily
def test_volume_is_heard_soon_and_loud_peaks_are_rounded(sound, play):
    player = play(run_ahead_s=10)
    with sound.record() as recording:
        player.play_all(tone(4.0, 230) * 3)  # peaks at 0.9
        recording.wait_for_sound()
        recording.wait_for(0.4)
        asked = time.monotonic()
        player.set_volume(0.25)
        recording.wait_for(0.5)
        player.set_volume(1.5)
        recording.wait_for(0.5)
        player.clear()
        heard = recording.stop()
    first, last = sounding(heard, 0.02)
    levels = np.array([np.abs(heard[at : at + 240]).max() for at in range(first, last - 240, 240)])
    assert levels[:20] == pytest.approx(0.9, abs=0.02)
    quieter = first + 240 * int(np.flatnonzero(levels < 0.85)[0])
    assert recording.time_of(quieter) - asked < 0.3
    assert levels.min() == pytest.approx(0.225, abs=0.01)
    assert 0.93 < levels.max() < 1.0
    assert np.abs(np.diff(heard[first:last])).max() < 0.1  # no click: the tone itself moves by 0.08


@pytest.mark.parametrize("speed", [1.0, 1.5])
@steadily
def test_the_position_is_what_the_ear_hears(sound, play, speed):
    player = play(speed=speed, run_ahead_s=10)
    asked = []
    with sound.record() as recording:
        player.play_all(noise(3.0), piece=2400)
        recording.wait_for_sound()
        for _ in range(18):
            asked.append((time.monotonic(), player.place()))
            time.sleep(0.05)
        player.clear()
        heard = recording.stop()
    began = recording.time_of(sounding(heard)[0])
    errors = [place / RATE - (at - began) * speed for at, place in asked]
    assert abs(np.median(errors)) < 0.06
    assert np.percentile(np.abs(errors), 90) < 0.12
    assert np.all(np.diff([place for _, place in asked]) >= 0)


@pytest.mark.parametrize("paused", [False, True])
@steadily
def test_skipping_goes_to_the_wanted_mark_at_once(sound, play, paused):
    first, second = noise(3.0), noise(0.5, seed=2)
    player = play(run_ahead_s=10)
    with sound.record() as recording:
        player.write(first, RATE, "first")
        player.write(second, RATE, "second")
        player.finish()
        recording.wait_for_sound()
        recording.wait_for(0.4)
        if paused:
            player.pause()
        assert not player.skip_until(lambda mark: mark == "third")
        assert player.position().mark == "first"
        assert player.skip_until(lambda mark: mark == "second")
        assert player.position().mark == "second"
        player.resume()
        assert player.wait_drained(15)
        heard = recording.stop()
    assert alignment(heard, second)[1] > 0.999
    start, end = sounding(heard)
    assert (end - start) / RATE < 2.3


@steadily
def test_silence_is_queued_with_its_mark(sound, play):
    player = play()
    with sound.record() as recording:
        player.write(noise(0.4), RATE, "before")
        assert player.silence(0.3, "pause")
        player.play_all(noise(0.4, seed=2))
        wait_until(lambda: player.position().mark == "pause")
        assert player.wait_drained(10)
        heard = recording.stop()
    ((begin, end),) = gaps(heard, 0.1)
    assert (end - begin) / RATE == pytest.approx(0.3, abs=0.005)


@steadily
def test_small_pieces_that_come_just_in_time_are_heard_as_one(sound, play):
    """As a streaming model gives them: 80 ms every 50 ms."""
    pcm = noise(1.2)
    player = play()
    with sound.record() as recording:
        for at in range(0, len(pcm), 1920):
            player.write(pcm[at : at + 1920], RATE, at)
            time.sleep(0.05)
        player.finish()
        assert player.wait_drained(10)
        heard = recording.stop()
    assert player.underruns == 0
    first, last = sounding(heard)
    assert last - first == len(pcm)


@pytest.mark.parametrize("speed", [1.0, 1.5])
@steadily
def test_an_engine_that_comes_too_late_is_heard_whole_with_gaps(sound, play, speed):
    player = play(speed=speed)
    parts = [tone(0.4 * speed, hertz) for hertz in (220, 330, 440)]
    with sound.record() as recording:
        for number, part in enumerate(parts):
            player.write(part, RATE, number)
            time.sleep(1.0)
        player.finish()
        assert player.wait_drained(10)
        heard = recording.stop()
    assert player.kinds == [STARTED, DRAINED]
    assert player.underruns == 2
    holes = gaps(heard, 0.1)
    assert len(holes) == 2
    first, last = sounding(heard)
    sound_s = (last - first - sum(end - begin for begin, end in holes)) / RATE
    assert sound_s == pytest.approx(1.2, abs=0.04)


def test_the_end_is_told_whatever_comes_before_it(sound, play):
    player = play()
    player.write(np.zeros(0, np.float32), RATE, "nothing")
    player.finish()
    assert player.wait_drained(5)
    wait_until(lambda: player.kinds == [DRAINED])
    for _ in range(2):
        player.write(noise(0.3), RATE, "short")
        wait_until(lambda: player.buffered_s == 0)  # all is heard, and the reading isn't finished
        player.toggle()
        time.sleep(0.1)
        player.toggle()
        time.sleep(0.5)
        assert player.active
        player.finish()
        assert player.wait_drained(5)
    wait_until(lambda: player.kinds == [DRAINED, STARTED, DRAINED, STARTED, DRAINED])


@steadily
def test_readings_one_after_the_other_start_and_end_each(sound, play):
    player = play()
    for number in range(2):
        heard = heard_whole(sound, player, noise(0.4, number))
        assert alignment(heard, noise(0.4, number))[1] > 0.999
    assert player.kinds == [STARTED, DRAINED] * 2


@steadily
def test_a_listener_that_fails_does_not_end_the_sound(sound, play):
    player = play()
    player._feeder._on_event = lambda event: 1 / 0
    heard = heard_whole(sound, player, noise(0.4))
    assert alignment(heard, noise(0.4))[1] > 0.999


def test_an_idle_player_closes_its_stream_uses_no_processor_and_starts_fast(sound, play):
    player = play()
    player.play_all(noise(0.3))
    assert player.wait_drained(10)
    wait_until(lambda: not devices._open_streams, 5)
    before = time.process_time()
    time.sleep(1.0)
    assert time.process_time() - before < 0.05
    took = []
    for _ in range(3):
        begun = time.perf_counter()
        player.write_all(noise(0.3))
        wait_until(lambda: player.kinds[-1] is STARTED, 5)
        took.append(player.events[-1].at - begun)
        player.clear()
    assert min(took) < 0.1


@steadily
def test_whatever_is_pressed_in_whatever_order_the_next_text_is_heard_whole(sound, play):
    player = play(run_ahead_s=2)
    generator = np.random.default_rng(5)
    writing = True

    def write():
        number = 0
        while writing:
            number += 1
            player.write(noise(0.3, number), RATE, number)
            if number % 7 == 0:
                player.finish()

    writers = [in_background(write) for _ in range(2)]
    controls = [
        player.pause,
        player.resume,
        player.toggle,
        player.clear,
        player.finish,
        lambda: player.skip_until(lambda mark: mark % 3 == 0),
        lambda: player.set_speed(generator.choice([0.5, 1.0, 1.7, 3.0])),
        lambda: player.set_volume(generator.choice([0.0, 1.0, 1.5])),
        lambda: player.set_device(generator.choice(["", "default", "pulse"])),
    ]
    for _ in range(250):
        generator.choice(controls)()
        assert player.buffered_s >= 0
        player.position()
        time.sleep(generator.choice([0, 0, 0.01, 0.03]))
    writing = False
    player.clear()
    for writer in writers:
        writer.join(2)
        assert not writer.is_alive()
    player.clear()
    player.set_speed(1.0)
    player.set_volume(1.0)
    heard = heard_whole(sound, player, noise(0.6))
    assert alignment(heard, noise(0.6))[1] > 0.999
    assert not {PlayerEventKind.FAULT, PlayerEventKind.NO_DEVICE} & set(player.kinds)


def test_controls_never_wait(sound, play):
    player = play(run_ahead_s=10)
    took = []
    for _ in range(15):
        player.write_all(noise(0.5))
        controls = [
            player.pause,
            player.resume,
            lambda: player.set_speed(1.3),
            lambda: player.set_volume(0.5),
            player.position,
            lambda: player.skip_until(lambda mark: mark == 4800),
            player.finish,
            player.clear,
        ]
        for control in controls:
            begun = time.perf_counter()
            control()
            took.append(time.perf_counter() - begun)
            time.sleep(0.005)
    assert np.median(took) < 0.005
    assert max(took) < 0.25
