"""The command line: by itself, without a display, and with a running app."""

import json
import os
import subprocess
import sys
import time

import pytest
import soundfile

from desktop_tts.control.client import ask
from support.app import engine_pcm, rss_mb
from support.display import wait_until
from support.sound import RATE, alignment, hear, word_error_rate

pytestmark = pytest.mark.desktop

SENTENCE = "The ferry to the island leaves at noon."


@pytest.fixture
def bare(home, tmp_path):
    """A terminal without display and sound."""
    env = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    env |= {"DESKTOP_TTS_HOME": str(home), "PULSE_SERVER": f"unix:{tmp_path}/none", "XDG_RUNTIME_DIR": str(tmp_path)}
    del env["QT_QPA_PLATFORM"]

    def run(*arguments, **options):
        command = [sys.executable, "-m", "desktop_tts", *arguments]
        return subprocess.run(command, **({"env": env, "capture_output": True, "text": True, "timeout": 60} | options))

    run.env = env
    return run


def silent_error(done, code, *words):
    assert done.returncode == code, done
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert all(word in done.stderr for word in words), done.stderr


@pytest.mark.parametrize("ending", ["wav", "flac", "mp3", "opus"])
def test_speech_goes_into_a_file(bare, tmp_path, ending):
    files = [tmp_path / f"{name}.{ending}" for name in "ab"]
    for file in files:
        done = bare("speak", SENTENCE, "--output", str(file))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert files[0].read_bytes() == files[1].read_bytes()
    pcm, rate = soundfile.read(files[0], dtype="float32")
    assert rate == RATE
    assert abs(len(pcm) - len(engine_pcm(SENTENCE))) <= RATE * 0.05
    assert word_error_rate(SENTENCE, hear(pcm)) <= 0.15
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(f.name for f in files)


def test_a_file_in_double_speed_is_half_as_long(bare, tmp_path):
    bare("speak", SENTENCE, "-o", str(tmp_path / "a.wav"), "--speed", "2")
    pcm, _ = soundfile.read(tmp_path / "a.wav")
    assert len(pcm) / len(engine_pcm(SENTENCE)) == pytest.approx(0.5, abs=0.03)


def test_a_long_text_streams_from_a_pipe_into_a_file_with_flat_memory(bare, tmp_path):
    """60,000 words would take minutes; 3,600 show that nothing piles up."""
    words = " ".join(f"Sentence number {n} tells of a small boat on a quiet lake." for n in range(300))
    command = [sys.executable, "-m", "desktop_tts", "speak", "-", "-o", str(tmp_path / "a.flac")]
    child = subprocess.Popen(command, env=bare.env, stdin=subprocess.PIPE)
    child.stdin.write(words.encode())
    child.stdin.close()
    highest, early = 0.0, None
    begun = time.monotonic()
    while child.poll() is None:
        try:
            highest = max(highest, rss_mb(child.pid))
        except (FileNotFoundError, StopIteration):
            break
        if early is None and time.monotonic() - begun > 5:
            early = highest
        time.sleep(0.2)
    assert child.wait(120) == 0
    assert early is None or highest - early < 60
    pcm, _ = soundfile.read(tmp_path / "a.flac", frames=4 * RATE, dtype="float32")
    assert "boat" in hear(pcm).lower()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("speak", ""), 4, ["nothing to read"]),
        (("speak", " \n\t "), 4, ["nothing to read"]),
        (("speak", "?!?!... --- ***"), 4, ["nothing to read"]),
        (("speak", SENTENCE, "-o", "x.xyz"), 1, [".wav", ".opus"]),
        (("speak", SENTENCE, "-o", "/nonexistent/x.wav"), 1, ["/nonexistent/x.wav", "No such file"]),
        (("speak", SENTENCE, "--voice", "nobody:x"), 1, ["nobody:x", "desktop-tts voices"]),
        (("speak", SENTENCE, "--speed", "9"), 1, ["0.5 to 3.0"]),
        (("pause",), 3, ["isn't running"]),
        (("status",), 3, ["isn't running"]),
        (("quit",), 3, ["isn't running"]),
        (("settings", "get", "no.such"), 1, ["reading.speed"]),
        (("settings", "set", "reading.speed", "fast"), 1, ["0.5 to 3.0"]),
        (("models", "path", "0.6b-base"), 1, ["models download"]),
        ((), 1, ["graphical session", "speak"]),
    ],
)
def test_what_is_wrong_is_one_sentence_with_its_exit_code(bare, tmp_path, arguments, code, words):
    silent_error(bare(*arguments, cwd=tmp_path), code, *words)


def test_without_sound_it_says_so_and_ends(bare):
    silent_error(bare("speak", SENTENCE), 6, "no device", "sound server")


def test_without_espeak_a_german_text_is_refused_with_the_remedy(bare, tmp_path):
    bare.env["PATH"] = "/nonexistent"
    done = bare("speak", "Das ist ein ganz normaler deutscher Satz, den jeder versteht.", "-o", str(tmp_path / "a.wav"))
    assert done.returncode in (0, 5)
    assert "German" in done.stderr
    assert "espeak-ng" in done.stderr


def test_a_mistyped_command_is_usage(bare):
    assert bare("speek").returncode == 2


def test_version_help_voices_and_status(bare):
    assert bare("--version").stdout.startswith("desktop-tts 0.")
    assert "exit codes" in bare("--help").stdout
    voices = json.loads(bare("voices", "--json").stdout)
    assert voices[0]["id"] == "builtin:heart"
    done = bare("status", "--json")
    assert json.loads(done.stdout) == {"running": False}
    assert done.returncode == 3


def test_a_closed_pipe_is_no_error(bare):
    command = [sys.executable, "-m", "desktop_tts", "voices"]
    child = subprocess.Popen(command, env=bare.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.close()
    assert child.stderr.read() == b""
    child.wait(30)


def test_settings_round_trip(bare):
    assert bare("settings", "set", "reading.speed", "1.25").returncode == 0
    assert bare("settings", "get", "reading.speed").stdout == "1.25\n"
    assert bare("settings", "set", "voices.by_language", '{"de": "espeak:de"}').returncode == 0
    assert json.loads(bare("settings", "get", "voices.by_language").stdout) == {"de": "espeak:de"}
    assert bare("settings", "path").stdout.strip().endswith("settings.json")
    assert "how fast" in bare("settings", "list").stdout


def test_doctor_finds_the_voice(bare):
    findings = {finding["name"]: finding for finding in json.loads(bare("doctor", "--json").stdout)}
    assert findings["engine builtin"]["ok"]
    assert findings["logs"]["detail"].endswith("/log")
    assert not findings["sound"]["ok"]
    assert not findings["desktop"]["ok"]


def test_it_speaks_by_itself_without_a_display(bare, sound_server):
    bare.env |= {name: sound_server.env[name] for name in ("PULSE_SERVER", "PULSE_COOKIE", "XDG_RUNTIME_DIR")}
    with sound_server.record() as recording:
        done = bare("speak", SENTENCE)
        heard = recording.stop()
    assert (done.returncode, done.stderr) == (0, "")
    assert alignment(heard, engine_pcm(SENTENCE)[1200:-1200])[1] > 0.99


def test_it_speaks_while_the_text_still_comes(bare, sound_server):
    bare.env |= {name: sound_server.env[name] for name in ("PULSE_SERVER", "PULSE_COOKIE", "XDG_RUNTIME_DIR")}
    command = [sys.executable, "-m", "desktop_tts", "speak", "-"]
    child = subprocess.Popen(command, env=bare.env, stdin=subprocess.PIPE)
    with sound_server.record() as recording:
        child.stdin.write(b"The first sentence is here. The second")
        child.stdin.flush()
        recording.wait_for_sound(30)
        recording.wait_for_silence(0.8)
        child.stdin.write(b" one comes later.\n")
        child.stdin.close()
        assert child.wait(30) == 0
        heard = recording.stop()
    assert word_error_rate("The first sentence is here. The second one comes later.", hear(heard)) <= 0.2


def test_ctrl_c_is_silent_at_once(bare, sound_server):
    import signal

    bare.env |= {name: sound_server.env[name] for name in ("PULSE_SERVER", "PULSE_COOKIE", "XDG_RUNTIME_DIR")}
    command = [sys.executable, "-m", "desktop_tts", "speak", SENTENCE * 10]
    child = subprocess.Popen(command, env=bare.env, stderr=subprocess.PIPE)
    with sound_server.record() as recording:
        recording.wait_for_sound(30)
        child.send_signal(signal.SIGINT)
        assert child.wait(10) == 130
        recording.wait_for_silence(0.5)
    assert child.stderr.read() == b""


# ---------------------------------------------------------------- with a running app


def test_a_running_app_is_told_and_answers(app, sound_server):
    with sound_server.record() as recording:
        done = app.run("speak", SENTENCE, "--wait")
        assert (done.returncode, done.stderr) == (0, "")
        assert app.status()["state"] == "idle"
        heard = recording.stop()
    assert alignment(heard, engine_pcm(SENTENCE)[1200:-1200])[1] > 0.99
    silent_error(app.run("speak", "... !", "--wait"), 4, "nothing to read")


def test_a_pipe_into_a_running_app(app, sound_server):
    with sound_server.record() as recording:
        done = app.run("speak", "-", input="One apple. Two pears.\n\nThree plums.")
        heard = recording.stop()
    assert (done.returncode, done.stderr) == (0, "")
    assert word_error_rate("One apple. Two pears. Three plums.", hear(heard)) <= 0.2


def test_text_is_appended_in_order(app, sound_server):
    with sound_server.record() as recording:
        assert app.run("speak", "The first one is red.").returncode == 0
        assert app.run("speak", "The second one is blue.", "--append", "--wait").returncode == 0
        heard = hear(recording.stop())
    assert word_error_rate("The first one is red. The second one is blue.", heard) <= 0.2


def test_whoever_waits_and_is_stopped_stops_the_reading(app, x_display):
    command = [sys.executable, "-m", "desktop_tts", "speak", SENTENCE * 10, "--wait"]
    child = subprocess.Popen(command, env=app.env, stderr=subprocess.DEVNULL)
    app.wait_for("speaking")
    child.kill()
    child.wait()
    app.wait_for("idle", 5)


def test_one_app_per_user(app, x_display):
    second = app.run()
    assert second.returncode == 0
    assert "already running" in second.stdout
    wait_until(lambda: "Desktop TTS" in x_display.window_titles())
    assert app.is_up()


def test_a_killed_app_leaves_nothing_in_the_way(desktop_app, x_display):
    desktop_app.start()
    os.kill(desktop_app.pid, 9)
    desktop_app._process.wait()
    desktop_app.start()
    assert desktop_app.status()["state"] == "idle"
    assert desktop_app.run("quit").returncode == 0
    wait_until(lambda: desktop_app._process.poll() == 0)


def test_a_setting_takes_effect_in_the_running_app(app, home):
    assert app.run("settings", "set", "hotkeys.read_selection", "Ctrl+Alt+F7").returncode == 0
    assert json.loads((home / "config" / "settings.json").read_text())["hotkeys"]["read_selection"] == "Ctrl+Alt+F7"
    silent_error(app.run("settings", "set", "reading.speed", "77"), 1, "0.5 to 3.0")


def test_sixty_thousand_words_are_read_to_the_end_with_flat_memory(app, sound_server):
    """The first and the last sentences are heard; what lies between is skipped sentence by sentence."""
    clause = "and the clouds went on over the hills towards the sea, "
    middle = " ".join(f"In year {n} it rained, {clause * 9}and nobody was surprised." for n in range(570))
    text = f"Here the long story begins. {middle} And here the long story ends."
    assert len(text.split()) > 60_000
    with sound_server.record() as recording:
        begun = time.monotonic()
        ask({"command": "speak", "text": text})
        recording.wait_for_sound(10)
        assert time.monotonic() - begun < 5
        recording.wait_for(2.5)
        before = rss_mb(app.pid)
        first = recording.so_far()
        place = -1.0
        while not app.status()["text"].startswith("And here"):
            ask({"command": "next"})
            wait_until(lambda: app.status()["progress"] > place, what="the next sentence")  # noqa: B023
            place = app.status()["progress"]
        app.wait_for("idle", 60)
        after = rss_mb(app.pid)
        last = recording.stop()[-4 * RATE :]
    assert "long story begins" in hear(first).lower()
    assert "long story ends" in hear(last).lower()
    assert after - before < 60
