"""A voice of the user's own in the app: warmed up at the start, heard by name, replaced while its model lacks."""

import json

import pytest

from desktop_tts.voices.profile import Kind, Profile
from desktop_tts.voices.store import VoiceStore
from support import golden
from support.app import model_processes
from support.display import wait_until

pytestmark = pytest.mark.desktop

TEXT = "The tide comes in twice a day."


def test_the_chosen_voice_is_warmed_up_listed_and_heard(desktop_app, x_display, sound_server):
    desktop_app.env["OMP_NUM_THREADS"] = "1"
    voice = VoiceStore().add(Profile("", "Evening", Kind.SPEAKER, "qwen:own/ryan", "en", speed=1.2))
    assert desktop_app.run("settings", "set", "models.folder", str(golden.checkpoint("custom_voice"))).returncode == 0
    assert desktop_app.run("settings", "set", "voices.default", voice.voice_id).returncode == 0
    listed = json.loads(desktop_app.run("voices", "--json").stdout)
    assert {"id": voice.voice_id, "name": "Evening", "needs_download": False}.items() <= listed[-1].items()
    x_display.start_tray()
    desktop_app.start()
    wait_until(lambda: model_processes(desktop_app.pid), 30, "the model's process")  # before anything is read
    with sound_server.record() as recording:
        assert desktop_app.run("speak", TEXT).returncode == 0
        recording.wait_for_sound(60)
        desktop_app.wait_for("speaking", 60)
        assert desktop_app.status()["voice"] == "Evening"


def test_a_command_reads_in_a_voice_by_its_name(app, x_display, home):
    """The voice was made by another program while the app was running."""
    VoiceStore().add(Profile("", "Slow Heart", Kind.SPEAKER, "builtin:heart", "en", speed=0.8))
    x_display.own("primary", TEXT)
    x_display.own("clipboard", TEXT)
    for command in ("read-selection", "read-clipboard"):
        done = app.run(command, "--voice", "slow heart")
        assert (done.returncode, done.stderr) == (0, "")
        wait_until(lambda: app.status()["voice"] == "Slow Heart", 30, "the voice")
        assert app.run("stop").returncode == 0
    done = app.run("read-selection", "--voice", "nobody")
    assert done.returncode == 1
    assert "nobody" in done.stderr
    assert app.status()["state"] == "idle"


def test_without_its_model_another_voice_reads(desktop_app, x_display, sound_server):
    voice = VoiceStore().add(Profile("", "Björn", Kind.CLONED, "qwen:0.6b-base", "en"))
    assert desktop_app.run("settings", "set", "voices.default", voice.voice_id).returncode == 0
    x_display.start_tray()
    desktop_app.start()
    with sound_server.record() as recording:
        assert desktop_app.run("speak", TEXT).returncode == 0
        recording.wait_for_sound(30)
        assert desktop_app.status()["voice"] == "Heart"
        desktop_app.wait_for("idle", 30)


def test_a_second_hotkey_reads_in_the_second_voice(desktop_app, x_display):
    """What the second voice doesn't speak stays with the others."""
    voice = VoiceStore().add(Profile("", "Slow Heart", Kind.SPEAKER, "builtin:heart", "en", speed=0.8))
    for key, value in (
        ("voices.second", voice.voice_id),
        ("hotkeys.read_in_second_voice", "Meta+Alt+F7"),
        ("voices.by_language", '{"en": "espeak:en", "de": "espeak:de"}'),
    ):
        assert desktop_app.run("settings", "set", key, value).returncode == 0
    x_display.start_tray()
    desktop_app.start()
    x_display.own("primary", TEXT)
    x_display.press("super+alt+F7")
    wait_until(lambda: desktop_app.status()["voice"] == "Slow Heart", 30, "the second voice")
    assert desktop_app.run("stop").returncode == 0
    x_display.press("super+alt+r")
    wait_until(lambda: "espeak" in desktop_app.status()["voice"], 30, "the voice for English")
    assert desktop_app.run("stop").returncode == 0
    x_display.own("primary", "Der Zug nach Hamburg fährt heute wegen des Sturms leider nicht.")
    x_display.press("super+alt+F7")
    wait_until(lambda: "German" in desktop_app.status()["voice"], 30, "the voice for German")
