"""The windows as a screen reader meets them: over the accessibility bus, from another program."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.display import SYSTEM_PYTHON, wait_until

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


def test_a_screen_reader_finds_a_name_for_every_control_and_can_press_them(accessible, tmp_path):
    demo = accessible.spawn(
        sys.executable,
        str(HERE / "windows_demo.py"),
        str(tmp_path / "settings.json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    assert demo.stdout.readline() == "ready\n", demo.stderr.read()
    done = subprocess.run(
        [SYSTEM_PYTHON, str(HERE / "atspi_walk.py"), "desktop-tts", "push button", "Pause", "push button", "Stop"],
        env=accessible.env,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    controls = [node for node in found if node["focusable"] and node["showing"]]
    assert len(controls) > 12
    assert [node for node in controls if not node["name"]] == []
    assert {"frame", "dialog"} <= {node["role"] for node in found}
    assert demo.stdout.readline() == "pause\n"
    assert demo.stdout.readline() == "stop\n"


def test_a_screen_reader_finds_a_name_for_every_control_of_every_page_and_dialog(accessible, tmp_path):
    demo = accessible.spawn(
        sys.executable,
        str(HERE / "voices_demo.py"),
        str(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert demo.stdout.readline() == "ready\n", demo.stderr.read()
    done = subprocess.run(
        [SYSTEM_PYTHON, str(HERE / "atspi_walk.py"), "desktop-tts", "push button", "Add a language"],
        env=accessible.env,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    controls = [node for node in found if node["focusable"] and node["showing"]]
    assert len(controls) > 60
    assert [node for node in controls if not node["name"]] == []
    names = {node["name"] for node in controls}
    assert {"Search voices", "Show folder", "Undo", "How to speak", "Instruct", "Read in a second voice: None"} <= names
    items = [node["name"] for node in found if node["role"] == "list item"]
    assert any(name.startswith("Night reading, Adapted, default voice.") for name in items)
    assert any(name.startswith("old-recording, Damaged. voice.json") for name in items)
