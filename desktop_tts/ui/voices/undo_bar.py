"""What was just done, with the way back: instead of a question before it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton

from desktop_tts.ui.announce import announce
from desktop_tts.ui.icons import glyph
from desktop_tts.ui.surfaces import RADIUS, blend


class UndoBar(QFrame):
    """Hidden until something can be undone; stays until it is undone, dismissed or replaced."""

    def __init__(self) -> None:
        super().__init__()
        self._undo: Callable[[], None] | None = None
        self._text = QLabel()
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self.button = QPushButton(self.tr("&Undo"))
        self.button.setAutoDefault(False)
        self.button.setToolTip(self.tr("Ctrl+Z"))
        self.button.clicked.connect(self.undo)
        self.close_button = QToolButton()
        self.close_button.setAutoRaise(True)
        self.close_button.setAccessibleName(self.tr("Dismiss"))
        self.close_button.setToolTip(self.close_button.accessibleName())
        self.close_button.clicked.connect(self.dismiss)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.addWidget(self._text, 1)
        row.addWidget(self.button)
        row.addWidget(self.close_button)
        self._recolour()
        self.hide()

    def text(self) -> str:
        return self._text.text() if not self.isHidden() else ""

    def offer(self, text: str, undo: Callable[[], None]) -> None:
        """Say what was done; ``undo`` is called if the user wants it back."""
        self._undo = undo
        self._text.setText(text)
        self.show()
        announce(self, self.tr("{text} Undo with Control Z.").format(text=text))

    def undo(self) -> None:
        """Does nothing when there is nothing to undo."""
        undo, self._undo = self._undo, None
        self.hide()
        if undo:
            undo()

    def dismiss(self) -> None:
        self._undo = None
        self.hide()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._recolour()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        window, accent = palette.color(QPalette.ColorRole.Window), palette.color(QPalette.ColorRole.Highlight)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(blend(accent, window, 0.5))
        painter.setBrush(blend(accent, window, 0.12))
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), RADIUS, RADIUS)

    def _recolour(self) -> None:
        self.close_button.setIcon(glyph("close", self.palette()))
