"""Select text, press a key, hear it: everything real, recorded from the sound server and heard by a recogniser."""

import time

import numpy as np
import pytest

from support.app import engine_pcm
from support.display import wait_until
from support.sound import RATE, alignment, gaps, hear, sounding, word_error_rate

pytestmark = pytest.mark.desktop

READ, CLIPBOARD, PAUSE, STOP = "super+alt+r", "super+alt+c", "super+alt+p", "super+alt+x"
SHORT = "The committee will publish its findings next month. Everyone may send a comment until the end of the year."
LONG = (
    "The first train leaves the old station at seven in the morning. It crosses a wide river and climbs into hills. "
    "Many people take it to work every day. Some of them read a newspaper, and others look out of the window. "
    "In winter the hills are white and the river is frozen. The last train comes back late in the evening."
)


def record_whole(sound_server, app, begin, timeout=60):
    """What is heard from ``begin()`` until the app is idle again."""
    with sound_server.record() as recording:
        begin()
        recording.wait_for_sound(20)
        app.wait_for("idle", timeout)
        return recording.stop()


def test_selected_text_is_read_and_the_program_does_not_see_the_key(app, x_display, sound_server):
    window = x_display.window_with_selection(SHORT)
    heard = record_whole(sound_server, app, lambda: x_display.press(READ))
    expected = engine_pcm(SHORT)
    _, correlation = alignment(heard, expected[1200:-1200])
    assert correlation > 0.99
    first, last = sounding(heard)
    begin, end = sounding(expected)
    assert abs((last - first) - (end - begin)) / (end - begin) < 0.01
    assert word_error_rate(SHORT, hear(heard)) <= 0.10
    assert np.abs(heard).max() < 0.99
    assert not {"r", "R"} & set(window.received())
    assert app.status()["underruns"] == 0


def test_a_terminal_s_selection_is_read(app, x_display, sound_server, tmp_path):
    text = "Seven brown horses are standing in the rain."
    _, window = x_display.terminal(text, tmp_path / "log")
    x_display.xdotool("mousemove", "--window", window, "8", "10", "click", "--repeat", "3", "--delay", "60", "1")
    wait_until(lambda: text in x_display.selection("primary"), what="a selection in the terminal")
    heard = record_whole(sound_server, app, lambda: x_display.press(READ))
    assert word_error_rate(text, hear(heard)) <= 0.15
    assert not (tmp_path / "log").exists()


def test_copied_text_is_read(app, x_display, sound_server):
    text = "Nine blue boats are waiting in the harbour. The captain has gone home."
    x_display.own("clipboard", text)
    heard = record_whole(sound_server, app, lambda: x_display.press(CLIPBOARD))
    assert alignment(heard, engine_pcm(text)[1200:-1200])[1] > 0.99
    assert word_error_rate(text, hear(heard)) <= 0.10


def test_nothing_selected_is_told_and_nothing_is_heard(app, x_display, sound_server):
    with sound_server.record() as recording:
        done = app.run("read-selection")
        recording.wait_for(0.5)
        assert np.abs(recording.stop()).max() < 0.003
    assert done.returncode == 4
    assert done.stderr.startswith("Nothing is selected")
    assert app.status()["state"] == "idle"


def test_pause_is_silent_and_going_on_repeats_and_loses_nothing(app, x_display, sound_server):
    x_display.window_with_selection(LONG)
    with sound_server.record() as recording:
        x_display.press(READ)
        recording.wait_for_sound()
        recording.wait_for(1.6)
        x_display.press(PAUSE)
        app.wait_for("paused")
        recording.wait_for(1.5)
        x_display.press(PAUSE)
        app.wait_for("idle", 60)
        heard = recording.stop()
    pause_start, pause_end = max(gaps(heard, 0.3), key=lambda gap: gap[1] - gap[0])
    assert (pause_end - pause_start) / RATE > 1.0
    expected = engine_pcm(LONG)
    first, last = sounding(heard)
    begin, end = sounding(expected)
    length = (pause_start - first) + (last - pause_end)
    # The pause may have fallen into a silence between words, which then counts for the pause.
    assert abs(length - (end - begin)) < 0.35 * RATE
    assert word_error_rate(LONG, hear(np.concatenate([heard[first:pause_start], heard[pause_end:last]]))) <= 0.10


def test_stop_is_silent_at_once(app, x_display, sound_server):
    x_display.window_with_selection(LONG)
    with sound_server.record() as recording:
        x_display.press(READ)
        recording.wait_for_sound()
        recording.wait_for(1.0)
        before = recording.seconds
        x_display.press(STOP)
        app.wait_for("idle", 5)
        recording.wait_for(1.0)
        heard = recording.stop()
    _, last = sounding(heard)
    assert last / RATE - before < 0.5  # generous: xdotool's start is in it; the benchmark measures it


def test_a_new_selection_replaces_what_is_read(app, x_display, sound_server):
    x_display.window_with_selection(LONG)
    second = "A completely different story begins here."
    with sound_server.record() as recording:
        x_display.press(READ)
        recording.wait_for_sound()
        recording.wait_for(1.0)
        x_display.window_with_selection(second)
        x_display.press(READ)
        wait_until(lambda: app.status()["text"] == second)
        app.wait_for("idle", 30)
        heard = recording.stop()
    at, correlation = alignment(heard, engine_pcm(second)[1200:-1200])
    assert correlation > 0.99
    assert len(heard) - at - len(engine_pcm(second)) < 2 * RATE


def test_skipping_by_sentences(app, x_display, sound_server):
    x_display.window_with_selection(LONG)
    with sound_server.record() as recording:
        x_display.press(READ)
        recording.wait_for_sound()
        recording.wait_for(0.5)
        for _ in range(4):
            assert app.run("next").returncode == 0
        wait_until(lambda: app.status()["text"].startswith("In winter"))
        assert app.run("next").returncode == 0
        assert app.run("previous").returncode == 0
        wait_until(lambda: app.status()["text"].startswith("In winter"))
        app.wait_for("idle", 30)
        heard = recording.stop()
    end = "In winter the hills are white and the river is frozen. The last train comes back late in the evening."
    expected = engine_pcm(end)
    assert alignment(heard, expected[-3 * RATE : -1200])[1] > 0.99


def test_speed_and_a_half_is_understood_and_shorter(app, x_display, sound_server):
    assert app.run("settings", "set", "reading.speed", "1.5").returncode == 0
    x_display.window_with_selection(SHORT)
    heard = record_whole(sound_server, app, lambda: x_display.press(READ))
    first, last = sounding(heard)
    begin, end = sounding(engine_pcm(SHORT))
    assert (end - begin) / (last - first) == pytest.approx(1.5, rel=0.03)
    assert word_error_rate(SHORT, hear(heard)) <= 0.10


def test_a_sink_that_goes_in_mid_sentence_and_another_that_comes(app, x_display, sound_server):
    x_display.window_with_selection(LONG)
    with sound_server.record() as recording:
        x_display.press(READ)
        recording.wait_for_sound()
        recording.wait_for(2.0)
        sound_server.unload_sink("main")
        before = recording.so_far()
    wait_until(lambda: "device has gone" in app.status()["message"])
    sound_server.load_sink("other")
    with sound_server.record("other") as recording:
        recording.wait_for_sound(20)
        app.wait_for("idle", 60)
        after = recording.stop()
    expected = engine_pcm(LONG)
    first, last = sounding(before)
    start, end = sounding(after)
    begin, finish = sounding(expected)
    assert abs((last - first) + (end - start) - (finish - begin)) < 0.6 * RATE
    assert alignment(after, expected[-3 * RATE : -1200])[1] > 0.99


def test_a_tray_that_comes_late_gets_the_icon(desktop_app, x_display, tmp_path):
    """Without a tray the small window shows itself; when a tray comes, the icon is drawn in it."""
    desktop_app.start()
    wait_until(lambda: x_display.window_titles().count("Desktop TTS") == 1, what="the control window")
    picture, where = tmp_path / "tray.png", "130x24+1150+0"
    assert x_display.colours(picture, where) < 5
    x_display.start_tray()  # by itself it is a plain strip
    wait_until(lambda: x_display.colours(picture, where) > 40, 20, "the icon in the tray")


def test_a_text_in_a_language_without_a_voice_is_told_aloud(desktop_app, x_display, sound_server):
    """Only the built-in voice: an empty PATH hides espeak-ng."""
    desktop_app.env["PATH"] = "/nonexistent"
    desktop_app.start()
    time.sleep(1.5)
    x_display.window_with_selection("Это предложение написано на русском языке, и его никто не прочитает.")
    heard = record_whole(sound_server, desktop_app, lambda: x_display.press(READ))
    assert "russian" in hear(heard).lower()


def test_pressing_keys_at_random_never_breaks_it(app, x_display):
    x_display.window_with_selection(LONG)
    generator = np.random.default_rng(7)
    for key in generator.choice([READ, PAUSE, STOP, CLIPBOARD], 40):
        x_display.press(str(key))
        time.sleep(float(generator.uniform(0, 0.15)))
    x_display.press(STOP)
    app.wait_for("idle", 10)
    x_display.press(READ)
    app.wait_for("speaking", 10)
    x_display.press(STOP)
    app.wait_for("idle", 10)
