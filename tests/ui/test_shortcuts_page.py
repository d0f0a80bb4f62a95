"""Choosing hotkeys with the keyboard that they are made of."""

import subprocess
import sys
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from desktop_tts.settings import Hotkeys
from desktop_tts.ui.pages.shortcuts import ShortcutsPage
from desktop_tts.ui.sample import sample_actions
from desktop_tts.ui.shortcut_rules import objection, portable

K, M = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def problems():
    """Which hotkeys are taken; filled by the tests."""
    return {}


@pytest.fixture
def page(qtbot, store, reader, problems):
    page = ShortcutsPage(store, replace(sample_actions(reader), hotkey_problems=lambda: dict(problems)))
    qtbot.addWidget(page)
    page.show()
    qtbot.waitActive(page)
    page.shown()
    return page


def listen(qtbot, page, hotkey):
    """Press the button of a hotkey by the keyboard."""
    button = page.edits[hotkey].button
    button.setFocus()
    qtbot.keyClick(button, K.Key_Space)
    assert page.edits[hotkey].listening
    return button


def test_keys_are_taken_kept_and_shown(qtbot, page, store):
    button = listen(qtbot, page, "pause")
    qtbot.keyPress(button, K.Key_Control)
    qtbot.keyPress(button, K.Key_Shift, M.ControlModifier)
    assert button.text() == "Ctrl+…" or button.text() == "Ctrl+Shift+…"
    qtbot.keyClick(button, K.Key_F9, M.ControlModifier | M.ShiftModifier)
    assert store.current.hotkeys.pause == "Ctrl+Shift+F9"
    assert button.text() == "Ctrl+Shift+F9"
    assert not page.edits["pause"].listening


def test_global_hotkeys_rest_while_keys_are_typed(qtbot, page, reader):
    button = listen(qtbot, page, "stop")
    assert reader.calls == ["suspend_hotkeys"]
    qtbot.keyClick(button, K.Key_X, M.MetaModifier | M.ControlModifier)
    assert reader.calls == ["suspend_hotkeys", "resume_hotkeys"]


@pytest.mark.parametrize("way", ["escape", "focus", "click", "hide"])
def test_listening_ends_without_a_change(qtbot, page, store, reader, way):
    button = listen(qtbot, page, "stop")
    match way:
        case "escape":
            qtbot.keyClick(button, K.Key_Escape)
        case "focus":
            page.reset.setFocus()
        case "click":
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        case "hide":
            page.hide()
    assert not page.edits["stop"].listening
    assert reader.calls == ["suspend_hotkeys", "resume_hotkeys"]
    assert store.current.hotkeys == Hotkeys()
    assert button.text() == "Super+Alt+X"


def test_tab_and_return_can_be_part_of_a_hotkey(qtbot, page, store):
    button = listen(qtbot, page, "stop")
    qtbot.keyClick(button, K.Key_Backtab, M.ControlModifier | M.ShiftModifier)
    assert store.current.hotkeys.stop == "Ctrl+Shift+Tab"
    button = listen(qtbot, page, "stop")
    qtbot.keyClick(button, K.Key_Return, M.AltModifier)
    assert store.current.hotkeys.stop == "Alt+Return"


def test_keys_of_another_hotkey_are_refused_with_its_name(qtbot, page, store):
    button = listen(qtbot, page, "stop")
    qtbot.keyClick(button, K.Key_R, M.MetaModifier | M.AltModifier)
    problem = page.problems["hotkeys.stop"]
    assert "“Read selection” has these keys already" in problem.text()
    assert problem.isVisible()
    assert store.current.hotkeys == Hotkeys()
    listen(qtbot, page, "stop")
    assert not problem.isVisible()


def test_keys_that_are_typed_with_are_refused_and_others_may_follow(qtbot, page, store):
    button = listen(qtbot, page, "stop")
    qtbot.keyClick(button, K.Key_A)
    assert "Hold Ctrl, Alt or the Super key" in page.problems["hotkeys.stop"].text()
    assert page.edits["stop"].listening
    qtbot.keyClick(button, K.Key_A, M.ControlModifier | M.AltModifier)
    assert store.current.hotkeys.stop == "Ctrl+Alt+A"
    assert not page.problems["hotkeys.stop"].isVisible()


def test_clear_and_reset(qtbot, page, store):
    qtbot.mouseClick(page.edits["stop"].clear, Qt.MouseButton.LeftButton)
    assert store.current.hotkeys.stop == ""
    assert page.edits["stop"].button.text() == "None"
    assert not page.edits["stop"].clear.isEnabled()
    store.set("hotkeys.pause", "Ctrl+F1")
    qtbot.mouseClick(page.reset, Qt.MouseButton.LeftButton)
    assert store.current.hotkeys == Hotkeys()
    assert page.edits["stop"].button.text() == "Super+Alt+X"


def test_what_another_program_has_is_said_at_its_hotkey(qtbot, page, problems):
    problems["pause"] = "Ctrl+Alt+A is taken by another program."
    button = listen(qtbot, page, "pause")
    qtbot.keyClick(button, K.Key_A, M.ControlModifier | M.AltModifier)
    assert page.problems["hotkeys.pause"].text() == problems["pause"]
    assert page.problems["hotkeys.pause"].isVisible()
    assert not page.problems["hotkeys.stop"].isVisible()
    problems.clear()
    problems[""] = "Hotkeys don't work here."
    page.shown()
    assert page.general_problem.text() == "Hotkeys don't work here."
    assert not page.problems["hotkeys.pause"].isVisible()


def test_shortcuts_of_other_controls_do_not_act_while_listening(qtbot, page, store):
    button = listen(qtbot, page, "stop")
    qtbot.keyClick(button, K.Key_R, M.AltModifier)  # the letter of the reset button
    assert store.current.hotkeys.stop == "Alt+R"


PROGRAM = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from desktop_tts.settings import SettingsStore
from desktop_tts.ui.pages.shortcuts import ShortcutsPage
from desktop_tts.ui.sample import SampleReader, sample_actions
app = QApplication([])
store = SettingsStore(Path(sys.argv[1]))
store.on_change(lambda now: print(now.hotkeys.stop, flush=True))
page = ShortcutsPage(store, sample_actions(SampleReader(lambda name: print(name, flush=True))))
page.show()
page.edits["stop"].button.setFocus()
print("ready", flush=True)
app.exec()
"""


@pytest.mark.desktop
def test_keys_of_the_window_manager_reach_the_editor(x_display, tmp_path):
    """Alt+F4 would close the window, Alt+Tab change to another."""
    program = x_display.spawn(
        sys.executable, "-c", PROGRAM, str(tmp_path / "settings.json"), stdout=subprocess.PIPE, text=True
    )
    assert program.stdout.readline() == "ready\n"
    window = x_display.xdotool("search", "--sync", "--onlyvisible", "--pid", str(program.pid)).split()[-1]
    x_display.xdotool("windowfocus", "--sync", window)
    for keys, kept in (("alt+F4", "Alt+F4"), ("super+alt+k", "Meta+Alt+K")):
        x_display.xdotool("key", "space")
        assert program.stdout.readline() == "suspend_hotkeys\n"
        x_display.xdotool("sleep", "0.2", "key", keys)
        assert program.stdout.readline() == "resume_hotkeys\n"
        assert program.stdout.readline() == f"{kept}\n"


@pytest.mark.parametrize(
    ("key", "held", "fine"),
    [
        (K.Key_A, M.ControlModifier, True),
        (K.Key_A, M.MetaModifier | M.AltModifier, True),
        (K.Key_A, M.ShiftModifier, False),
        (K.Key_A, M.NoModifier, False),
        (K.Key_Return, M.NoModifier, False),
        (K.Key_F8, M.NoModifier, True),
        (K.Key_MediaPlay, M.NoModifier, True),
        (K.Key_Exclam, M.ControlModifier | M.ShiftModifier, False),
        (K.Key_Period, M.ControlModifier, True),
        (K.Key_Left, M.ControlModifier | M.ShiftModifier, True),
        (K.Key_5, M.ControlModifier | M.KeypadModifier, True),
        (K.Key_unknown, M.ControlModifier, False),
    ],
)
def test_which_keys_can_be_hotkeys(key, held, fine):
    assert (objection(key, held) == "") is fine


def test_hotkeys_are_written_portably():
    assert portable(K.Key_R, M.MetaModifier | M.AltModifier) == "Meta+Alt+R"
    assert portable(K.Key_5, M.ControlModifier | M.KeypadModifier) == "Ctrl+5"


def test_the_second_voice_is_chosen_among_those_that_can_speak(qtbot, page, store):
    qtbot.waitUntil(lambda: page.second.count() > 1)
    ids = [page.second.itemData(row) for row in range(page.second.count())]
    assert ids[0] == ""
    assert "espeak:de" in ids
    assert not any(voice.startswith("qwen:") for voice in ids), "a voice without its model was offered"
    page.second.setCurrentIndex(ids.index("espeak:de"))
    page.second.activated.emit(page.second.currentIndex())
    assert store.current.voices.second == "espeak:de"
    store.set("voices.second", "my:gone")
    assert page.second.value() == "my:gone"
    assert store.current.hotkeys.read_in_second_voice == ""
