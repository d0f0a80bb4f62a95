"""Qwen3-TTS in the app: a tiny random model in a folder of the user's own. It says only noise, but it must be heard."""

import json
import os
import time

import numpy as np
import pytest

from support import golden
from support.app import engine_pcm, model_processes
from support.display import wait_until
from support.sound import RATE, alignment, hear

pytestmark = pytest.mark.desktop

TEXT = "The tide comes in twice a day."


@pytest.fixture
def tiny_app(app):
    app.env["OMP_NUM_THREADS"] = "1"
    folder = golden.checkpoint("custom_voice")
    assert app.run("settings", "set", "models.folder", str(folder)).returncode == 0
    return app


def test_its_voices_are_listed_and_heard_frame_by_frame(tiny_app, sound_server):
    ids = [voice["id"] for voice in json.loads(tiny_app.run("voices", "--json").stdout)]
    assert "qwen:own/ryan" in ids
    assert tiny_app.run("settings", "set", "voices.default", "qwen:own/ryan").returncode == 0
    with sound_server.record() as recording:
        assert tiny_app.run("speak", TEXT).returncode == 0
        wait_until(lambda: "Qwen3-TTS" in tiny_app.status()["message"], what="progress of loading")
        recording.wait_for_sound(60)
        tiny_app.wait_for("speaking", 60)
        assert tiny_app.status()["voice"].startswith("Ryan")
        assert len(model_processes(tiny_app.pid)) == 1
        assert tiny_app.run("stop").returncode == 0
        tiny_app.wait_for("idle")
        recording.wait_for_silence(0.5, 10)
    with sound_server.record() as recording:  # warm now
        begun = time.monotonic()
        assert tiny_app.run("speak", TEXT).returncode == 0
        recording.wait_for_sound(20)
        assert time.monotonic() - begun < 15


def test_a_killed_model_is_told_once_and_the_built_in_voice_goes_on(tiny_app, sound_server):
    assert tiny_app.run("settings", "set", "voices.default", "qwen:own/ryan").returncode == 0
    text = f"{TEXT} Seven sailors come home."
    with sound_server.record() as recording:
        assert tiny_app.run("speak", text).returncode == 0
        recording.wait_for_sound(60)
        (child,) = model_processes(tiny_app.pid)
        os.kill(child, 9)
        tiny_app.wait_for("idle", 60)
        heard = recording.stop()
    assert alignment(heard, engine_pcm("Seven sailors come home.")[1200:-1200])[1] > 0.99
    assert "sailors" in hear(heard[-3 * RATE :]).lower()


def test_playback_has_no_gap_while_the_model_loads(tiny_app, sound_server):
    """The built-in voice reads on undisturbed while another process imports PyTorch."""
    text = " ".join(f"Sentence number {n} goes on and on about the sea." for n in range(6))
    with sound_server.record() as recording:
        assert tiny_app.run("speak", text).returncode == 0
        recording.wait_for_sound(20)
        assert tiny_app.run("settings", "set", "voices.default", "qwen:own/ryan").returncode == 0
        time.sleep(3)
        assert tiny_app.run("stop").returncode == 0
        heard = recording.stop()
    expected = engine_pcm(text)[1200 : 2 * RATE]
    assert alignment(heard, expected)[1] > 0.99
    assert tiny_app.status()["underruns"] == 0
    assert np.isfinite(heard).all()


def test_quitting_leaves_no_process(tiny_app):
    assert tiny_app.run("settings", "set", "voices.default", "qwen:own/ryan").returncode == 0
    assert tiny_app.run("speak", TEXT).returncode == 0
    wait_until(lambda: model_processes(tiny_app.pid), 30, "the model's process")
    (child,) = model_processes(tiny_app.pid)
    tiny_app.stop()
    wait_until(lambda: not os.path.exists(f"/proc/{child}"), 10, "the end of the model's process")
