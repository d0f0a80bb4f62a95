"""Pictures, drawn from the SVG files beside this module: the states of the reader and the glyphs on buttons."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer

from desktop_tts.reader_state import ReaderState

PANEL_SIZES = (16, 22, 24, 32, 44, 48, 64)
"""Pixels; what tray hosts and window lists ask for, so that none has to scale."""
GLYPH_SIZES = (16, 20, 24, 32, 48, 64)


def state_icon(state: ReaderState) -> QIcon:
    """A bubble with a sign of the state in it; told apart by shape, legible on dark and light panels."""
    return _icon(f"state-{state.value}", PANEL_SIZES)


def app_icon() -> QIcon:
    return _icon("app", (*PANEL_SIZES, 128, 256))


def glyph(
    name: str, palette: QPalette, role: QPalette.ColorRole = QPalette.ColorRole.ButtonText, *, gap: float = 0.0
) -> QIcon:
    """A one-coloured sign in the colours of the palette; ask again when the palette changes. ``gap`` is empty room at
    its right, in heights, where a style leaves too little between a sign and its text."""
    icon = QIcon()
    for group, mode in (
        (QPalette.ColorGroup.Active, QIcon.Mode.Normal),
        (QPalette.ColorGroup.Disabled, QIcon.Mode.Disabled),
    ):
        _add(icon, _picture(name, palette.color(group, role)), GLYPH_SIZES, mode, gap)
    selected = palette.color(QPalette.ColorGroup.Active, QPalette.ColorRole.HighlightedText)
    _add(icon, _picture(name, selected), GLYPH_SIZES, QIcon.Mode.Selected, gap)
    return icon


def _icon(name: str, sizes: tuple[int, ...]) -> QIcon:
    icon = QIcon()
    _add(icon, _source(name), sizes, QIcon.Mode.Normal)
    return icon


def _picture(name: str, color: QColor) -> bytes:
    return _source(name).replace(b"currentColor", color.name().encode())


@cache
def _source(name: str) -> bytes:
    return (files(__name__) / f"{name}.svg").read_bytes()


def _add(icon: QIcon, svg: bytes, sizes: tuple[int, ...], mode: QIcon.Mode, gap: float = 0.0) -> None:
    renderer = QSvgRenderer(QByteArray(svg))
    for size in sizes:
        pixmap = QPixmap(QSize(round(size * (1 + gap)), size))
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter, QRectF(0, 0, size, size))
        painter.end()
        icon.addPixmap(pixmap, mode)
