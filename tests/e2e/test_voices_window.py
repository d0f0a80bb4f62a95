"""The Voices page in the whole app: a voice is adapted, heard before and after it is kept, and chosen."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox

from desktop_tts.app import App
from desktop_tts.reader_state import ReaderState
from support.sound import hear

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def app(qtbot, home, sound_here):
    app = App()
    yield app
    app.shut_down()
    app._settings_window.close()


def test_a_voice_is_adapted_heard_and_chosen(qtbot, app, sound_here):
    app.open_settings("voices")
    page = app._settings_window.page("voices")
    qtbot.waitUntil(lambda: page.list.select("builtin:heart"), timeout=20_000)
    qtbot.mouseClick(page.bar.adapt, LEFT)
    dialog = page.dialogs.current
    dialog.name.setText("Slow Heart")
    dialog.speed.slider.setValue(80)
    dialog.sentence.setText("Seven sailors come home.")
    with sound_here.record() as recording:
        qtbot.mouseClick(dialog.listen, LEFT)
        qtbot.waitUntil(lambda: app.reader.status.state is ReaderState.SPEAKING, timeout=30_000)
        assert app.reader.status.voice_name == "Slow Heart"
        qtbot.waitUntil(lambda: app.reader.status.state is ReaderState.IDLE, timeout=30_000)
        assert "sailors" in hear(recording.stop()).lower()
    assert app.voice_store.profiles() == ()
    qtbot.mouseClick(dialog.buttons.button(QDialogButtonBox.StandardButton.Save), LEFT)
    qtbot.waitUntil(lambda: page.list.current() is not None and page.list.current().name == "Slow Heart")
    with sound_here.record() as recording:
        qtbot.keyClick(page.list, Qt.Key.Key_Space)
        recording.wait_for_sound(30)
        qtbot.waitUntil(lambda: app.reader.status.voice_name == "Slow Heart", timeout=30_000)
        assert page.bar.listen.text() == "&Stop"
        qtbot.mouseClick(page.bar.listen, LEFT)
        qtbot.waitUntil(lambda: page.bar.listen.text() == "&Listen")
    qtbot.keyClick(page.list, Qt.Key.Key_Return)
    assert app.settings.current.voices.default == app.voice_store.profiles()[0].voice_id
    assert app.catalog.choose("en", app.settings.current.voices.default, {}).voice.name == "Slow Heart"
