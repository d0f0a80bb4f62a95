"""What Qt tells a screen reader about the windows: every control that takes the focus has a name."""

import pytest
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QMenu, QScrollArea

from desktop_tts.reader_state import ReaderState, ReaderStatus
from desktop_tts.ui import announce as announcing
from desktop_tts.ui.control_window import ControlWindow
from desktop_tts.ui.sample import READING, VOICES
from desktop_tts.ui.settings_window import SettingsWindow, page_entries
from desktop_tts.ui.voices.pictures import pictured_voices

LABEL = QAccessible.RelationFlag.Label


def walk(interface):
    yield interface
    for number in range(interface.childCount()):
        child = interface.child(number)
        if child is not None and child.isValid():
            yield from walk(child)


def controls(widget):
    """Role and name of what can have the focus."""
    found = []
    for node in walk(QAccessible.queryAccessibleInterface(widget)):
        if node.state().focusable and not node.state().invisible:
            names = [node.text(QAccessible.Text.Name)]
            if node.role() == QAccessible.Role.ComboBox:  # on Unix its own name is the value: the label counts
                names = [other.text(QAccessible.Text.Name) for other, relation in node.relations() if relation & LABEL]
            found.append((node.role(), "".join(names), node))
    return found


def nameless(widget):
    return [(role, node.object()) for role, name, node in controls(widget) if not name.strip()]


@pytest.fixture
def control_window(qtbot, reader, store, actions):
    window = ControlWindow(reader, store, actions)
    qtbot.addWidget(window, before_close_func=lambda window: window.hide())
    window.stand_in_for_tray()
    qtbot.waitActive(window)
    reader.show(READING)
    return window


@pytest.fixture
def settings_window(qtbot, store, actions):
    window = SettingsWindow(store, actions)
    qtbot.addWidget(window)
    window.show()
    return window


def test_control_window_names_every_control(control_window):
    assert nameless(control_window) == []
    names = {name for _, name, _ in controls(control_window)}
    for words in (
        *("Read selection", "Read clipboard", "Previous sentence", "Pause", "Next sentence", "Stop"),
        *("Speed in percent", "Voice", "Sentence being read", "Settings…", "Quit", "Dismiss this notice"),
    ):
        assert words in names


@pytest.mark.parametrize("page", [entry.id for entry in page_entries()])
def test_settings_pages_name_every_control(qtbot, settings_window, page):
    settings_window.open_page(page)
    shown = settings_window.page(page)
    qtbot.waitUntil(shown.isVisible)
    if page == "voices":
        qtbot.waitUntil(lambda: len(shown.list.voice_items()) == len(VOICES))
    assert nameless(settings_window) == []
    assert len(controls(shown)) > 0


def test_the_voices_page_and_its_dialogs_name_every_control(qtbot, qapp, tmp_path):
    """In each of the states in which it is pictured."""
    seen = set()
    for name, window in pictured_voices(tmp_path):
        window.show()
        qtbot.waitUntil(window.isVisible)
        if isinstance(window, QMenu):
            window.hide()
            continue
        assert nameless(window) == [], name
        assert reached(qtbot, window) >= focusable(window), name
        seen |= {words for _, words, _ in controls(window)}
    for words in (
        *("Search voices", "Show", "Voices", "Listen", "Make default", "Edit…", "More", "Add a voice", "Get the model"),
        *("Undo", "Dismiss", "Show folder", "Delete", "Name", "Voice", "Language", "How to speak", "Presets", "Notes"),
        *("Speed in percent", "Loudness in percent", "Sentence to listen to", "Save", "Cancel", "Instruct"),
        *("Reset all", "Voice for German", "Remove the voice for French", "Add a language"),
    ):
        assert words in seen


def test_every_control_can_be_reached_by_tab(qtbot, settings_window, control_window):
    for entry in page_entries():
        settings_window.open_page(entry.id)
        assert reached(qtbot, settings_window) >= focusable(settings_window)
    assert reached(qtbot, control_window) >= focusable(control_window)


def focusable(window):
    """Widgets that a screen reader is told can have the focus."""
    found = {node.object() for _, _, node in controls(window) if node.object() and node.state().focusable}
    return {
        widget
        for widget in found
        if widget.isEnabled() and not isinstance(widget, QScrollArea) and widget is not window
    }


def reached(qtbot, window):
    window.activateWindow()
    qtbot.waitActive(window)
    found = []
    for _ in range(60):
        window.focusNextChild()
        found.append(window.focusWidget())
    return set(found)


def test_windows_have_the_role_of_windows(control_window, settings_window):
    assert QAccessible.queryAccessibleInterface(settings_window).role() == QAccessible.Role.Dialog
    assert QAccessible.queryAccessibleInterface(control_window).role() == QAccessible.Role.Window


def test_changing_words_are_what_a_screen_reader_finds(control_window, reader):
    reader.show(ReaderStatus(ReaderState.PAUSED))
    texts = [node.text(QAccessible.Text.Name) for node in walk(QAccessible.queryAccessibleInterface(control_window))]
    assert "Paused" in texts
    assert "Resume" in texts


def test_shortcut_buttons_tell_what_they_do_and_their_keys(settings_window):
    settings_window.open_page("shortcuts")
    names = {name for _, name, _ in controls(settings_window.page("shortcuts"))}
    assert "Read selection: Super+Alt+R" in names
    assert "Clear the shortcut for Stop" in names


def test_notices_and_states_are_announced(control_window, reader, monkeypatch):
    said = []
    monkeypatch.setattr(announcing.QAccessible, "isActive", staticmethod(lambda: True))
    monkeypatch.setattr(announcing.QAccessible, "updateAccessibility", staticmethod(said.append))
    control_window.show_notice("Nothing is selected.")
    reader.show(ReaderStatus(ReaderState.PAUSED))
    announcements = [
        (event.message(), event.politeness()) for event in said if isinstance(event, QAccessibleAnnouncementEvent)
    ]
    politeness = QAccessible.AnnouncementPoliteness
    assert announcements == [("Nothing is selected.", politeness.Assertive), ("Paused", politeness.Polite)]
