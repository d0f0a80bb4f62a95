"""The settings window: every change takes effect at once, and what can't be done is said where it was tried."""

import threading
import time
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from desktop_tts.errors import AudioError, SettingsError
from desktop_tts.settings import Settings, SettingsStore
from desktop_tts.ui.pages import about
from desktop_tts.ui.sample import sample_actions
from desktop_tts.ui.settings_window import SettingsWindow, page_entries


@pytest.fixture
def window(qtbot, store, actions):
    window = SettingsWindow(store, actions)
    qtbot.addWidget(window)
    window.show()
    qtbot.waitActive(window)
    return window


def open_page(qtbot, window, name):
    window.open_page(name)
    page = window.page(name)
    qtbot.waitUntil(page.isVisible)
    return page


def choose(combo, value):
    combo.setCurrentIndex(combo.findData(value))
    combo.activated.emit(combo.currentIndex())


def test_pages_open_from_the_list_with_the_keyboard(qtbot, window):
    window.list.setFocus()
    for number in range(1, len(page_entries())):
        qtbot.keyClick(window.list, Qt.Key.Key_Down)
        assert window.stack.currentIndex() == number
        assert window.stack.currentWidget().widget().isVisible()


def test_escape_closes(qtbot, window):
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isVisible()


def test_return_in_a_field_does_not_close(qtbot, window):
    page = open_page(qtbot, window, "voice")
    page.search.setFocus()
    qtbot.keyClick(page.search, Qt.Key.Key_Return)
    assert window.isVisible()


def test_an_unknown_page_is_ignored_and_an_old_name_still_known(window):
    window.open_page("voice")
    window.open_page("nothing")
    assert page_entries()[window.list.currentRow()].id == "voices"
    assert window.page("voice") is window.page("voices")


def test_switches_take_effect_at_once_and_are_kept(qtbot, window, store):
    page = open_page(qtbot, window, "general")
    for box, key in ((page.autostart, "autostart"), (page.notifications, "notifications")):
        before = getattr(store.current.general, key)
        box.setFocus()
        qtbot.keyClick(box, Qt.Key.Key_Space)
        assert getattr(store.current.general, key) is not before
        assert getattr(SettingsStore(store.file).current.general, key) is not before


def test_reading_options_take_effect_at_once(qtbot, window, store):
    page = open_page(qtbot, window, "reading")
    choose(page.when_busy, "append")
    choose(page.emoji, "name")
    choose(page.code, "announce")
    page.simulate_copy.click()
    page.speed.slider.setValue(150)
    page.volume.slider.setValue(50)
    reading = store.current.reading
    assert (reading.when_busy, reading.emoji, reading.code, reading.simulate_copy) == (
        "append",
        "name",
        "announce",
        False,
    )
    assert (reading.speed, reading.volume) == (1.5, 0.5)


def test_controls_follow_changes_made_elsewhere(qtbot, window, store):
    reading = open_page(qtbot, window, "reading")
    general = window.page("general")
    store.set("reading.speed", 2.0)
    store.set("reading.when_busy", "append")
    store.set("general.autostart", True)
    assert reading.speed.value() == 2.0
    assert reading.when_busy.currentData() == "append"
    assert general.autostart.isChecked()


def test_what_cannot_be_kept_is_said_below_the_control_and_taken_back(qtbot, window, store, monkeypatch):
    page = open_page(qtbot, window, "general")

    def full(key, value):
        raise SettingsError("Settings can't be saved.", "Check the disk.")

    with monkeypatch.context() as patched:
        patched.setattr(store, "set", full)
        page.autostart.click()
    problem = page.problems["general.autostart"]
    assert not page.autostart.isChecked()
    assert problem.isVisible()
    assert problem.text() == "Settings can't be saved. Check the disk."
    page.autostart.click()
    assert store.current.general.autostart
    assert not problem.isVisible()


def test_output_device_is_chosen(qtbot, window, store):
    page = open_page(qtbot, window, "audio")
    qtbot.waitUntil(lambda: page.device.count() == 3)
    assert page.device.currentText() == "System default"
    choose(page.device, "Headphones")
    assert store.current.audio.device == "Headphones"
    choose(page.device, "")
    assert store.current.audio.device == ""


def test_device_that_is_gone_is_still_shown(qtbot, window, store, reader):
    store.set("audio.device", "Old Speaker")
    page = open_page(qtbot, window, "audio")
    qtbot.waitUntil(lambda: page.device.currentText() == "Old Speaker (not connected)")
    page.test.click()
    assert reader.calls.pop() == "preview builtin:heart"


def _failing_devices():
    raise AudioError("The sound library PortAudio is missing.", "Install libportaudio2.")


def test_missing_sound_library_is_said_on_the_page(qtbot, store, reader):
    window = SettingsWindow(store, replace(sample_actions(reader), output_devices=_failing_devices))
    qtbot.addWidget(window)
    window.show()
    page = open_page(qtbot, window, "audio")
    qtbot.waitUntil(lambda: "PortAudio is missing" in page.problems["audio.device"].text())


def test_slow_look_ups_do_not_hold_up_the_window(qtbot, store, reader):
    go = threading.Event()

    def slow():
        go.wait(10)
        return ("Late",)

    window = SettingsWindow(store, replace(sample_actions(reader), output_devices=slow))
    qtbot.addWidget(window)
    window.show()
    began = time.monotonic()
    page = open_page(qtbot, window, "audio")
    QApplication.processEvents()
    assert time.monotonic() - began < 5
    assert page.device.count() == 1
    go.set()
    qtbot.waitUntil(lambda: page.device.count() == 2)


def test_about_has_version_licence_and_notices(qtbot, window):
    page = open_page(qtbot, window, "about")
    qtbot.waitUntil(lambda: bool(page.notices.toPlainText()))
    text = page.notices.toPlainText()
    assert "Apache License" in text
    assert "Copyright" in text
    assert "PySide6" in text
    assert "sounddevice" in text


def test_notices_are_there_without_the_packages_metadata(monkeypatch):
    def missing(name):
        raise about.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(about.metadata, "files", missing)
    monkeypatch.setattr(about.metadata, "requires", missing)
    assert "Apache License" in about.notices()


def test_opens_at_once(qtbot, store, actions):
    """No page is made before it is looked at, and no window may stand still."""
    began = time.perf_counter()
    window = SettingsWindow(store, actions)
    qtbot.addWidget(window)
    window.show()
    assert time.perf_counter() - began < 1.5
    assert len(window._pages) == 1


def test_fits_on_a_small_screen_at_200_percent(window):
    least = window.minimumSizeHint()
    assert least.width() < 600
    assert least.height() < 320


def test_wheel_over_a_control_without_focus_changes_nothing(qtbot, window, store):
    page = open_page(qtbot, window, "reading")
    window.list.setFocus()
    for control in (page.speed.slider, page.when_busy):
        _turn_wheel(control)
    assert store.current == Settings()


def test_voices_by_language_are_added_changed_and_removed(qtbot, window, store):
    store.set("voices.by_language", {"de": "espeak:de", "xx": "gone:voice"})
    page = open_page(qtbot, window, "reading")
    rules = page.rules
    qtbot.waitUntil(rules.add.isEnabled)
    assert rules.rows["xx"][1].currentText() == "voice (not here)"
    qtbot.mouseClick(rules.rows["xx"][2], Qt.MouseButton.LeftButton)
    assert store.current.voices.by_language == {"de": "espeak:de"}
    qtbot.mouseClick(rules.add, Qt.MouseButton.LeftButton)
    added = list(rules.rows)[-1]
    assert list(store.current.voices.by_language) == ["de", added]
    language = rules.rows[added][0]
    assert language.hasFocus()
    choose(language, "it")
    assert store.current.voices.by_language == {"de": "espeak:de", "it": "espeak:it"}
    assert "en" in [rules.rows["it"][0].itemData(row) for row in range(rules.rows["it"][0].count())]
    assert "de" not in [rules.rows["it"][0].itemData(row) for row in range(rules.rows["it"][0].count())]
    choose(rules.rows["it"][0], "en")
    choose(rules.rows["en"][1], "espeak:en")
    assert store.current.voices.by_language == {"de": "espeak:de", "en": "espeak:en"}
    assert SettingsStore(store.file).current.voices.by_language == {"de": "espeak:de", "en": "espeak:en"}


def _turn_wheel(widget):
    middle = QPointF(widget.rect().center())
    buttons, held = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    turn = QPoint(), QPoint(0, -240), buttons, held, Qt.ScrollPhase.NoScrollPhase, False
    QApplication.sendEvent(widget, QWheelEvent(middle, widget.mapToGlobal(middle), *turn))
