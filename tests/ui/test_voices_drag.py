"""Dragging a voice with the mouse, on a real X server."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.desktop

PROGRAM = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from desktop_tts.settings import SettingsStore
from desktop_tts.ui.pages.voices import VoicesPage
from desktop_tts.ui.sample import SampleReader, sample_actions
from desktop_tts.ui.sample_voices import CLONE, NARRATOR, NEWS, voice_actions
app = QApplication([])
folder, reader = Path(sys.argv[1]), SampleReader()
mine = voice_actions(folder, reader, profiles=(NARRATOR, CLONE, NEWS))
page = VoicesPage(SettingsStore(folder / "settings.json"), sample_actions(reader, mine=mine))
page.resize(600, 600)
page.show()
mine.store.on_change(lambda: print(" | ".join(one.name for one in mine.store.profiles()), flush=True))
places = [page.list.visualItemRect(item).center() for item in page.list.voice_items()[:3]]
def ready():
    for at in places:
        spot = page.list.viewport().mapToGlobal(at)
        print(spot.x(), spot.y(), flush=True)
QTimer.singleShot(800, ready)
app.exec()
"""


def test_a_voice_is_dragged_to_another_place(x_display, tmp_path):
    program = x_display.spawn(sys.executable, "-c", PROGRAM, str(tmp_path), stdout=subprocess.PIPE, text=True)
    first, _, third = (program.stdout.readline().split() for _ in range(3))
    x_display.xdotool("mousemove", *third, "mousedown", "1")
    for step in range(1, 9):  # as a hand moves: a jump would be taken for a click
        at = [str(int(start) + (int(end) - int(start)) * step // 8) for start, end in zip(third, first, strict=True)]
        x_display.xdotool("mousemove", *at, "sleep", "0.05")
    x_display.xdotool("mousemove_relative", "--", "0", "-12", "sleep", "0.2", "mouseup", "1")
    assert program.stdout.readline() == "Morning news | Evening narrator | My own voice\n"
