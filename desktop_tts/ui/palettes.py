"""A light and a dark palette, for pictures that look the same on every machine. The app itself takes the system's."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette

_R = QPalette.ColorRole


def light_palette() -> QPalette:
    return _palette("#f3f3f5", "#ffffff", "#1d1d21", "#ffffff", "#3d63d2", "#767680")


def dark_palette() -> QPalette:
    return _palette("#2a2b30", "#1f2024", "#ececf1", "#3a3b42", "#4b68d6", "#8d8d98")


def _palette(window: str, base: str, text: str, button: str, accent: str, faint: str) -> QPalette:
    palette = QPalette(QColor(button), QColor(window))
    for role, colour in (
        *((_R.Window, window), (_R.Base, base), (_R.AlternateBase, window), (_R.Button, button)),
        *((_R.WindowText, text), (_R.Text, text), (_R.ButtonText, text), (_R.PlaceholderText, faint)),
        *((_R.Highlight, accent), (_R.Accent, accent), (_R.HighlightedText, "#ffffff"), (_R.Link, accent)),
        *((_R.ToolTipBase, base), (_R.ToolTipText, text)),
    ):
        palette.setColor(role, QColor(colour))
    for role in (_R.WindowText, _R.Text, _R.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(faint))
    return palette
