"""The hotkey is still held while the selection is read: the X server gives all keys to its owner until it is let go."""

import queue
import time

import pytest

from desktop_tts.desktop.hotkeys.x11 import X11Hotkeys
from desktop_tts.desktop.selection import SelectedText
from support.x_program import Program, text

pytestmark = pytest.mark.desktop


@pytest.fixture
def presses(reader):
    """When the hotkey was pressed."""
    found = queue.Queue()
    backend = X11Hotkeys(lambda name: found.put((name, time.perf_counter())))
    backend.start()
    assert backend.set_hotkeys({"read_selection": "Meta+Alt+R"}) == {}
    yield found
    backend.stop()


@pytest.mark.parametrize("held_s", [0, 0.3, 1.2])
def test_one_press_is_one_copy_however_long_it_is_held(x_display, reader, presses, held_s):
    x_display.own("clipboard", "precious")
    window = Program(x_display, shows="copier", copies=text("copied"))
    keys = ["Super_L", "Alt_L", "r"]
    before = time.perf_counter()
    x_display.xdotool(*(word for key in keys for word in ("keydown", key)))
    _, pressed = presses.get(timeout=10)
    assert reader.read_selection() == SelectedText("copied", "copy")
    read = time.perf_counter()
    time.sleep(held_s)
    x_display.xdotool(*(word for key in reversed(keys) for word in ("keyup", key)))
    assert x_display.selection("clipboard") == "precious"
    assert presses.empty()
    assert [name for name, _ in window.pressed() if not name.endswith("_L")] == ["c"], "and no r"
    print(
        f"xdotool's start to the press {(pressed - before) * 1000:.1f} ms, to the text {(read - before) * 1000:.1f} ms"
    )
    x_display.press("super+alt+r")
    presses.get(timeout=10)
