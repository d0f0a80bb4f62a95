"""What a day brings: quitting in mid-sentence, two starts at once, a damaged or full home, hundreds of readings."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from desktop_tts.control.client import ask
from support.app import rss_mb
from support.display import wait_until

pytestmark = pytest.mark.desktop

TEXT = "Marmalade skies over Trondheim, and the postman whistles. " * 8


def cpu_s(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("how", ["quit", "SIGTERM", "SIGINT"])
def test_it_ends_in_mid_sentence_at_once_and_cleanly(app, how):
    ask({"command": "speak", "text": TEXT})
    app.wait_for("speaking")
    process = app._process
    begun = time.monotonic()
    if how == "quit":
        assert app.run("quit").returncode == 0
    else:
        process.send_signal(getattr(signal, how))
    assert process.wait(10) == 0
    assert time.monotonic() - begun < 6
    assert process.stdout.read().decode() == ""


def test_two_starts_at_the_same_moment_give_one_app(desktop_app, x_display):
    command = [sys.executable, "-m", "desktop_tts"]
    both = [subprocess.Popen(command, env=desktop_app.env, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        wait_until(lambda: any(one.poll() is not None for one in both), 30, "the end of one of them")
        time.sleep(1)
        running = [one for one in both if one.poll() is None]
        assert len(running) == 1
        assert desktop_app.status()["state"] == "idle"
    finally:
        for one in both:
            one.terminate()
            one.wait()


def test_a_damaged_settings_file_is_kept_and_the_app_works(desktop_app, home):
    (home / "config").mkdir(parents=True)
    (home / "config" / "settings.json").write_text('{"reading": {"speed": ')
    desktop_app.start()
    assert "kept as" in desktop_app.status()["problems"][0]
    assert len(list((home / "config").glob("settings.damaged-*.json"))) == 1
    assert desktop_app.run("settings", "set", "reading.speed", "1.5").returncode == 0


def test_a_home_that_can_not_be_written_to_is_no_obstacle_to_reading(desktop_app, home, sound_server):
    """Files in the way of every folder: root may write anywhere else."""
    home.mkdir()
    for name in ("config", "data", "cache", "log"):
        (home / name).write_text("in the way")
    desktop_app.start()
    with sound_server.record() as recording:
        assert desktop_app.run("speak", "It still speaks.").returncode == 0
        recording.wait_for_sound(20)
    done = desktop_app.run("settings", "set", "reading.speed", "1.5")
    assert done.returncode == 1
    assert "can't be saved" in done.stderr


def test_many_short_readings_leave_memory_and_processor_as_they_were(app):
    for _ in range(10):
        ask({"command": "speak", "text": "Short."})
        app.wait_for("idle")
    before = rss_mb(app.pid)
    for number in range(150):
        ask({"command": "speak", "text": f"Short one, number {number}."})
        time.sleep(0.03)
    app.wait_for("idle", 30)
    assert rss_mb(app.pid) - before < 25
    time.sleep(1)
    used = cpu_s(app.pid)
    time.sleep(3)
    assert cpu_s(app.pid) - used < 0.15


def test_commands_are_answered_while_a_long_text_is_read(app):
    ask({"command": "speak", "text": TEXT * 200})
    app.wait_for("speaking")
    slowest = 0.0
    for _ in range(100):
        begun = time.perf_counter()
        ask({"command": "status"})
        slowest = max(slowest, time.perf_counter() - begun)
        time.sleep(0.01)
    assert slowest < 0.5  # a hang guard; about 5 ms where nothing else runs


def test_logs_hold_no_text_and_folders_are_private(app, home):
    ask({"command": "speak", "text": TEXT})
    app.wait_for("speaking")
    app.run("speak", "Das Wort Quittenmarmelade steht in keinem Protokoll, niemals.", "--wait")
    app.run("stop")
    app.stop()
    logs = "".join(file.read_text() for file in (home / "log").iterdir())
    assert "version" in logs
    assert not any(word in logs for word in ("Trondheim", "Marmalade", "Quittenmarmelade"))
    assert stat.S_IMODE((home / "run").stat().st_mode) == 0o700
    assert stat.S_IMODE((home / "log").stat().st_mode) == 0o700


def test_every_kind_of_text_is_survived(app):
    for text in (
        "a" * 100_000,
        "🎉" * 500,
        "\x00\x01\x02",
        "word " * 5000,
        "<p>x</p>" * 300,
        "١٢٣ 北京 Привет",
        "a-" * 3000,
    ):
        ask({"command": "speak", "text": text})
        time.sleep(0.4)
        assert app.is_up()
    app.run("stop")
    app.wait_for("idle")
    done = app.run("speak", "Still here.", "--wait")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(app.run("status", "--json").stdout)["state"] == "idle"
