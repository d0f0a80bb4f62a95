"""The command that draws every window without a screen; nothing is cut off and colours are legible."""

import subprocess
import sys

import pytest
from PySide6.QtGui import QColor, QImage, QPalette
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMenu

from desktop_tts.ui.control_window import ControlWindow
from desktop_tts.ui.palettes import dark_palette, light_palette
from desktop_tts.ui.sample import READING
from desktop_tts.ui.settings_window import SettingsWindow, page_entries
from desktop_tts.ui.surfaces import muted
from desktop_tts.ui.voices.pictures import pictured_voices


def test_command_draws_every_window_in_every_look(tmp_path):
    command = [sys.executable, "-m", "desktop_tts.ui.screenshots", str(tmp_path)]
    subprocess.run(command, check=True, timeout=120, capture_output=True)
    looks = ("light", "dark", "light-200")
    drawn = [{file.name.removesuffix(f"-{look}.png") for file in tmp_path.glob(f"*-{look}.png")} for look in looks]
    assert drawn[0] == drawn[1] == drawn[2]
    assert {"control-idle", "control-reading", *(f"settings-{entry.id}" for entry in page_entries())} <= drawn[0]
    assert {"voices-own", "voices-adapted", "voices-presets", "reading-by-language", "clone-listen"} <= drawn[0]
    for look in looks:
        for name in drawn[0]:
            image = QImage(str(tmp_path / f"{name}-{look}.png"))
            assert not image.isNull(), f"{name}-{look}"
            dark = image.pixelColor(5, image.height() - 5).lightness() < 90
            assert dark is (look == "dark")
    normal, large = (QImage(str(tmp_path / f"settings-voices-light{scale}.png")).width() for scale in ("", "-200"))
    assert large == 2 * normal


def test_command_explains_its_use():
    done = subprocess.run([sys.executable, "-m", "desktop_tts.ui.screenshots"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "DIR" in done.stderr


@pytest.fixture(params=[1.0, 2.0])
def windows(request, qtbot, qapp, reader, store, actions):
    """Both windows, in the usual letters and in letters twice as large."""
    before = qapp.font()
    font = qapp.font()
    font.setPointSizeF(font.pointSizeF() * request.param)
    qapp.setFont(font)
    control, settings = ControlWindow(reader, store, actions), SettingsWindow(store, actions)
    qtbot.addWidget(control, before_close_func=lambda window: window.hide())
    qtbot.addWidget(settings)
    for window in (control, settings):
        window.show()
    reader.show(READING)
    yield control, settings
    qapp.setFont(before)


def test_no_words_are_cut_off_where_voices_are(qtbot, windows, tmp_path):
    for _, window in pictured_voices(tmp_path / "voices"):
        window.show()
        qtbot.waitUntil(window.isVisible)
        if not isinstance(window, QMenu):
            qtbot.waitUntil(lambda window=window: assert_whole(window))
        window.hide()


def test_no_words_are_cut_off(qtbot, windows):
    control, settings = windows
    for entry in page_entries():
        settings.open_page(entry.id)
        qtbot.waitUntil(settings.page(entry.id).isVisible)
        qtbot.waitUntil(lambda: assert_whole(settings))  # what is looked up in the background changes the layout
    assert_whole(control)


def assert_whole(window):
    QApplication.processEvents()
    for widget in window.findChildren(QAbstractButton) + window.findChildren(QLabel):
        if widget.isVisibleTo(window) and widget.text():
            needed = widget.minimumSizeHint() if isinstance(widget, QLabel) else widget.sizeHint()
            assert widget.width() >= needed.width(), f"{widget.text()!r} is cut at its side"
            if isinstance(widget, QLabel) and widget.wordWrap():
                assert widget.height() >= widget.heightForWidth(widget.width()), f"{widget.text()!r} is cut below"
            else:
                assert widget.height() >= needed.height(), f"{widget.text()!r} is cut below"


def luminance(colour):
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.getRgbF()[:3]]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", [light_palette, dark_palette, QPalette])
def test_secondary_text_is_readable(qapp, palette):
    """4.5 is what the Web Content Accessibility Guidelines ask for."""
    for ground in (QPalette.ColorRole.Window, QPalette.ColorRole.Base):
        assert contrast(muted(palette()), QColor(palette().color(ground))) >= 4.5
