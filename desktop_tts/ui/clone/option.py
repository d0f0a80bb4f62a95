"""Radio buttons and check boxes with more words than fit on one line."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QRadioButton, QSizePolicy, QWidget

from desktop_tts.ui.surfaces import MutedLabel


class Option(QWidget):
    """A radio button with an explanation under it."""

    def __init__(self, text: str, about: str) -> None:
        super().__init__()
        self.button = QRadioButton(text)
        self.button.setAccessibleDescription(about)
        note = MutedLabel(about)
        note.setIndent(self.button.iconSize().width() + self.button.fontMetrics().averageCharWidth())
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(2)
        grid.addWidget(self.button, 0, 0)
        grid.addWidget(note, 1, 0)


class Agreement(QWidget):
    """A box to tick beside a sentence that wraps; a click on the sentence ticks it too."""

    def __init__(self, sentence: str) -> None:
        super().__init__()
        self.sentence = sentence
        self.box = QCheckBox()
        self.box.setAccessibleName(sentence)
        words = _Words(sentence, self.box)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.addWidget(self.box, 0, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(words, 0, 1, Qt.AlignmentFlag.AlignTop)
        grid.setColumnStretch(1, 1)


class _Words(QLabel):
    def __init__(self, text: str, box: QCheckBox) -> None:
        super().__init__(text)
        self._box = box
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.rect().contains(event.position().toPoint()):
            self._box.setFocus()
            self._box.click()
