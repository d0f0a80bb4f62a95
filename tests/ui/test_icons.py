"""The pictures: told apart by shape, legible on every panel, and where an installed app finds them."""

from importlib.resources import files
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage, QPainter, QPalette

from desktop_tts.reader_state import ReaderState
from desktop_tts.ui.icons import app_icon, glyph, state_icon
from desktop_tts.ui.palettes import dark_palette, light_palette

SHAPE_DIFFERENCE = 0.06
"""Share of the pixels of a 16-pixel icon."""


def picture(icon, size, background):
    image = QImage(size, size, QImage.Format.Format_RGB32)
    image.fill(QColor(background))
    painter = QPainter(image)
    painter.drawPixmap(0, 0, icon.pixmap(size, size))
    painter.end()
    return image


def greys(image):
    return [image.pixelColor(x, y).lightness() for y in range(image.height()) for x in range(image.width())]


@pytest.mark.parametrize("size", [16, 22, 24])
def test_states_differ_by_more_than_colour(qapp, size):
    """Someone who sees no colours, or a panel that shows icons in grey, can still tell them apart."""
    seen = {state: greys(picture(state_icon(state), size, "#808080")) for state in ReaderState}
    for state in ReaderState:
        for other in ReaderState:
            if state is not other:
                changed = sum(abs(a - b) > 40 for a, b in zip(seen[state], seen[other], strict=True))
                assert changed > SHAPE_DIFFERENCE * size * size, f"{state} looks like {other}"


@pytest.mark.parametrize("background", ["#000000", "#2b2b2b", "#f2f2f2", "#ffffff"])
@pytest.mark.parametrize("state", list(ReaderState))
def test_icons_stand_out_from_dark_and_light_panels(qapp, state, background):
    dots = greys(picture(state_icon(state), 22, background))
    ground = QColor(background).lightness()
    assert sum(abs(dot - ground) > 60 for dot in dots) > 0.25 * len(dots)


@pytest.mark.parametrize("palette", [light_palette, dark_palette])
def test_glyphs_have_the_colours_of_the_palette(qapp, palette):
    shown = picture(glyph("stop", palette()), 24, palette().color(QPalette.ColorRole.Button))
    assert shown.pixelColor(12, 12) == palette().color(QPalette.ColorRole.ButtonText)
    assert shown.pixelColor(0, 0) == palette().color(QPalette.ColorRole.Button)


def test_every_picture_can_be_drawn(qapp):
    names = {
        file.name.removesuffix(".svg") for file in files("desktop_tts.ui.icons").iterdir() if file.name.endswith("svg")
    }
    assert {f"state-{state}" for state in ReaderState} <= names
    for name in names:
        dots = greys(picture(glyph(name, QPalette()), 24, "#00ff00"))
        assert len(set(dots)) > 1, f"{name} is empty"


def test_desktop_file_and_windows_show_the_same_icon():
    root = Path(__file__).parents[2]
    assert (root / "resources/icons/desktop-tts.svg").read_bytes() == (
        files("desktop_tts.ui.icons") / "app.svg"
    ).read_bytes()


def test_app_icon_has_large_sizes(qapp):
    assert max(size.width() for size in app_icon().availableSizes()) >= 256
