"""The clone wizard as a screen reader meets it: all steps over the accessibility bus, on a real X server."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import soundfile

from support.display import SYSTEM_PYTHON, wait_until
from support.microphone import RATE, speech_like

pytestmark = pytest.mark.desktop
HERE = Path(__file__).parent
LAUNCHER = Path("/usr/libexec/at-spi-bus-launcher")


@pytest.fixture
def accessible(x_display):
    """The display with an accessibility bus on it."""
    assert LAUNCHER.exists(), "sudo apt install at-spi2-core python3-gi gir1.2-atspi-2.0"
    launcher = x_display.spawn(str(LAUNCHER), "--launch-immediately")
    wait_until((x_display.folder / "at-spi").exists, what="the accessibility bus")
    x_display.env["QT_LINUX_ACCESSIBILITY_ALWAYS_ON"] = "1"
    yield x_display
    os.killpg(launcher.pid, signal.SIGTERM)  # its bus is a process of its own


def test_a_screen_reader_goes_through_all_steps(accessible, tmp_path):
    soundfile.write(tmp_path / "Ann.wav", speech_like(6.0), RATE)
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "bufsize": 1}
    arguments = [str(HERE / "clone_demo.py"), str(tmp_path / "voices"), str(tmp_path / "Ann.wav")]
    demo = accessible.spawn(sys.executable, *arguments, **pipe)
    assert demo.stdout.readline() == "taken\n", demo.stderr.read()
    steps = (
        [("push button", "Next")],
        [("push button", "Next")],
        [("radio button", "Voice only"), ("push button", "Next")],
        [("check box", "The person who speaks in this recording is me, or has agreed that I make a voice of it.")],
        [("push button", "Next")],
    )
    names = set()
    said = []
    for number, actions in enumerate(steps):
        found = walk(accessible, actions)
        names |= {node["name"] for node in found if node["showing"]}
        controls = [node for node in found if node["focusable"] and node["showing"]]
        assert len(controls) > 3
        assert [node for node in controls if not node["name"]] == [], f"in step {number + 1}"
        if ("push button", "Next") in actions:
            said.append(demo.stdout.readline())
    assert said == ["step 2\n", "step 3\n", "step 4\n", "step 5\n"]
    assert demo.stdout.readline() == "step 6\n"
    walk(accessible, [("push button", "Listen"), ("push button", "Save")])
    assert demo.stdout.readline().startswith("listen Hello!")
    assert demo.stdout.readline() == "saved Ann\n"
    for name in ("Record", "Choose a file…", "Start of the part in hundredths of a second", "Play this part"):
        assert name in names


def walk(accessible, actions):
    pairs = [part for action in actions for part in action]
    command = [SYSTEM_PYTHON, str(HERE / "atspi_walk.py"), "desktop-tts", *pairs]
    done = subprocess.run(command, env=accessible.env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
