"""The small window, driven by keys and clicks."""

import time
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from desktop_tts.errors import SettingsError
from desktop_tts.reader_state import ReaderState, ReaderStatus
from desktop_tts.speech import Span
from desktop_tts.ui.control_window import ControlWindow
from desktop_tts.ui.palettes import dark_palette
from desktop_tts.ui.sample import READING, SENTENCE


@pytest.fixture
def window(qtbot, reader, store, actions):
    window = ControlWindow(reader, store, actions)
    qtbot.addWidget(window, before_close_func=lambda window: window.hide())
    window.show()
    qtbot.waitActive(window)
    return window


def test_buttons_call_what_they_say(qtbot, window, reader):
    reader.show(READING)
    buttons = window.transport
    for button, call in (
        (buttons.read_selection, "read_selection"),
        (buttons.read_clipboard, "read_clipboard"),
        (buttons.previous, "previous"),
        (buttons.next, "next"),
        (buttons.pause, "pause"),
        (buttons.pause, "resume"),
        (buttons.stop, "stop"),
    ):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert reader.calls.pop() == call


def test_what_can_be_done_follows_the_state(window, reader):
    buttons = window.transport
    moving = (buttons.previous, buttons.pause, buttons.next, buttons.stop)
    assert not any(button.isEnabled() for button in moving)
    reader.show(READING)
    assert all(button.isEnabled() for button in moving)
    assert buttons.pause.text() == "&Pause"
    reader.show(replace(READING, state=ReaderState.PAUSED))
    assert buttons.pause.text() == "Res&ume"
    reader.show(ReaderStatus(ReaderState.ERROR, message="There is no device to play on."))
    assert not any(button.isEnabled() for button in moving)
    assert window.banner.text() == "There is no device to play on."
    assert buttons.read_selection.isEnabled()


def test_sentence_and_word_are_shown(window, reader):
    reader.show(READING)
    assert window.spoken.toPlainText() == SENTENCE
    (mark,) = window.spoken.extraSelections()
    assert mark.cursor.selectedText() == "read"
    reader.show(replace(READING, word_in_text=Span(0, 6)))
    assert window.spoken.extraSelections()[0].cursor.selectedText() == "People"
    reader.show(ReaderStatus())
    assert window.spoken.toPlainText() == ""
    assert window.spoken.extraSelections() == []


def test_word_after_an_emoji_is_marked_in_its_place(window, reader):
    text = "Great 🎉🎉 job."
    reader.show(replace(READING, text=text, span=Span(0, len(text)), word_in_text=Span(9, 12)))
    assert window.spoken.extraSelections()[0].cursor.selectedText() == "job"


def test_keys(qtbot, window, reader):
    reader.show(READING)
    window.setFocus()
    for key, call in (
        (Qt.Key.Key_Space, "pause"),
        (Qt.Key.Key_Space, "resume"),
        (Qt.Key.Key_Left, "previous"),
        (Qt.Key.Key_Right, "next"),
        (Qt.Key.Key_Escape, "stop"),
    ):
        qtbot.keyClick(window, key)
        assert reader.calls.pop() == call
    assert reader.calls == []


def test_keys_work_on_every_control_that_has_no_use_for_them(qtbot, window, reader):
    for control in (window.transport.next, window.spoken, window.speed.slider, window.voice):
        reader.show(READING)
        control.setFocus()
        qtbot.keyClick(control, Qt.Key.Key_Escape)
        assert reader.calls.pop() == "stop"
    reader.show(READING)
    for control in (window.spoken, window.speed.slider):
        control.setFocus()
        qtbot.keyClick(control, Qt.Key.Key_Space)
        assert reader.calls.pop() in ("pause", "resume")
    window.transport.stop.setFocus()
    qtbot.keyClick(window.transport.stop, Qt.Key.Key_Left)
    assert reader.calls.pop() == "previous"
    assert window.transport.stop.hasFocus()


def test_space_pauses_what_space_began(qtbot, window, reader):
    """The focus follows, or the second press would read the selection again."""
    window.transport.read_selection.setFocus()
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Space)
    assert reader.calls.pop() == "read_selection"
    reader.show(ReaderStatus(ReaderState.PREPARING, source="selection"))
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Space)
    assert reader.calls.pop() == "pause"
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Space)
    assert reader.calls.pop() == "resume"
    reader.show(ReaderStatus())
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Space)
    assert reader.calls.pop() == "read_selection"


def test_speed_is_kept_while_the_handle_moves(qtbot, window, store):
    window.speed.slider.setFocus()
    qtbot.keyClick(window.speed.slider, Qt.Key.Key_Right)
    assert store.current.reading.speed == 1.05
    for _ in range(9):
        qtbot.keyClick(window.speed.slider, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: store.current.reading.speed == 1.5)
    store.set("reading.speed", 2.0)
    qtbot.waitUntil(lambda: window.speed.value() == 2.0)


def test_voice_is_chosen(qtbot, window, store, reader):
    store.set("voices.by_language", {"fi": "espeak:fi"})
    qtbot.waitUntil(lambda: window.voice.findData("espeak:fi") >= 0)
    row = window.voice.findData("espeak:fi")
    window.voice.setCurrentIndex(row)
    window.voice.activated.emit(row)
    assert store.current.voices.default == "espeak:fi"
    assert window.voice.currentText() == "Finnish (espeak-ng)"
    more = window.voice.count() - 1
    window.voice.activated.emit(more)
    assert reader.calls.pop() == "open_settings voices"
    assert window.voice.currentText() == "Finnish (espeak-ng)"


def test_a_setting_that_cannot_be_kept_is_told_and_taken_back(qtbot, window, store, monkeypatch):
    def full(key, value):
        raise SettingsError("Settings can't be saved.", "Check the disk.")

    monkeypatch.setattr(store, "set", full)
    window.voice.activated.emit(0)
    assert window.banner.text() == "Settings can't be saved. Check the disk."


def test_notice_stays_until_it_is_dismissed_or_the_next_reading(qtbot, window, reader):
    window.show_notice("Nothing is selected.")
    assert window.banner.text() == "Nothing is selected."
    qtbot.mouseClick(window.banner._close, Qt.MouseButton.LeftButton)
    assert window.banner.text() == ""
    window.show_notice("Nothing is selected.")
    reader.show(ReaderStatus(ReaderState.PREPARING))
    assert window.banner.text() == ""


def test_without_a_tray_it_says_why_it_is_there_and_comes_up_for_notices(qtbot, window, reader, store):
    window.hide()
    window.show_notice("Nothing is selected.")
    assert not window.isVisible()
    window.stand_in_for_tray()
    assert window.isVisible()
    assert "no tray icon" in window.banner.text()
    qtbot.mouseClick(window._quit_button, Qt.MouseButton.LeftButton)
    assert reader.calls == ["quit"]
    window.close()
    assert not window.isVisible()
    window.show_notice("Nothing is selected.")
    assert window.isVisible()
    window.close()
    store.set("general.notifications", False)
    window.show_notice("Nothing is selected.")
    assert not window.isVisible()
    window.tray_came()
    assert window.banner.text() == ""
    assert window._quit_button.isHidden()


def test_hint_names_the_hotkey_while_nothing_is_read(window, store, reader):
    assert "Super+Alt+R" in window.spoken.placeholderText()
    store.set("hotkeys.read_selection", "Ctrl+F8")
    assert "Ctrl+F8" in window.spoken.placeholderText()
    assert "Ctrl+F8" in window.transport.read_selection.toolTip()
    reader.show(ReaderStatus(ReaderState.PREPARING))
    assert window.spoken.placeholderText() == ""
    reader.show(ReaderStatus())
    store.set("hotkeys.read_selection", "")
    assert "Read selection" in window.spoken.placeholderText()


def test_glyphs_follow_a_change_to_dark(qtbot, window):
    before = window.transport.read_selection.icon().pixmap(24, 24).toImage()
    window.setPalette(dark_palette())
    QApplication.sendEvent(window, QEvent(QEvent.Type.PaletteChange))
    after = window.transport.read_selection.icon().pixmap(24, 24).toImage()
    assert before != after
    dots = [after.pixelColor(x, y) for x in range(after.width()) for y in range(after.height())]
    light = [dot for dot in dots if dot.alpha() > 200]
    assert light
    assert all(QColor(colour).lightness() > 128 for colour in light)


def test_fits_on_a_small_screen_at_200_percent(window):
    """1366 × 768 at 200 % leaves 683 × 384, less a panel."""
    window.show_notice("A notice that takes a line.")
    least = window.minimumSizeHint()
    assert least.width() < 640
    assert least.height() < 430


def test_following_a_reading_takes_next_to_no_time(window, reader):
    """The reader tells its place 25 times a second."""
    reader.show(READING)
    began = time.perf_counter()
    for start in range(50):
        reader.show(replace(READING, word_in_text=Span(start, start + 3)))
    assert (time.perf_counter() - began) / 50 < 0.04
