"""The sentence that is heard, with the word that is heard marked in it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QPalette, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit

from desktop_tts.reader_state import ReaderStatus
from desktop_tts.speech import Span

SCALE = 1.25
"""Its font, against that of the window."""


class SpokenText(QPlainTextEdit):
    """Read-only; can be scrolled, selected and read by a screen reader."""

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self._word: Span | None = None
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabChangesFocus(True)
        self.setAccessibleName(self.tr("Sentence being read"))
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(2)
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * SCALE)
        self.setFont(font)
        self.setMinimumHeight(self.fontMetrics().lineSpacing() * 2 + 8)

    def show_status(self, status: ReaderStatus) -> None:
        if status.text != self._text:
            self._text = status.text
            self.setPlainText(status.text)
        self._mark(status.word_in_text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:  # pauses, as anywhere in the window
            event.ignore()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._mark(self._word)

    def _mark(self, word: Span | None) -> None:
        self._word = word
        if word is None:
            self.setExtraSelections([])
            return
        cursor = QTextCursor(self.document())
        cursor.setPosition(_qt_index(self._text, word.start))
        cursor.setPosition(_qt_index(self._text, word.end), QTextCursor.MoveMode.KeepAnchor)
        look = QTextCharFormat()
        look.setBackground(self.palette().color(QPalette.ColorRole.Highlight))
        look.setForeground(self.palette().color(QPalette.ColorRole.HighlightedText))
        selection = QTextEdit.ExtraSelection()
        selection.cursor, selection.format = cursor, look
        self.setExtraSelections([selection])
        self._show_place(cursor)

    def _show_place(self, cursor: QTextCursor) -> None:
        """Scroll so that the word can be seen, without moving the user's own cursor."""
        bar = self.verticalScrollBar()  # counts lines
        while self.cursorRect(cursor).bottom() > self.viewport().height() and bar.value() < bar.maximum():
            bar.setValue(bar.value() + 1)
        while self.cursorRect(cursor).top() < 0 and bar.value() > 0:
            bar.setValue(bar.value() - 1)


def _qt_index(text: str, index: int) -> int:
    """Qt counts in UTF-16, where an emoji is two."""
    return len(text[:index].encode("utf-16-le")) // 2
