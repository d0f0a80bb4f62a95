"""Which language is spoken, and something to read aloud in it."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from desktop_tts.speech import language_name
from desktop_tts.ui.clone.passages import LANGUAGES, own_language, passage
from desktop_tts.ui.steady import SteadyComboBox
from desktop_tts.ui.surfaces import MutedLabel


class ReadAloud(QWidget):
    """``languages`` is laid out elsewhere, above it."""

    def __init__(self) -> None:
        super().__init__()
        self.languages = SteadyComboBox()
        self.languages.setAccessibleName(self.tr("Language that is spoken"))
        for code in LANGUAGES:
            self.languages.addItem(language_name(code), code)
        self.languages.addItem(self.tr("Another language"), "")
        self.languages.setCurrentIndex(self.languages.findData(own_language()))
        self.languages.currentIndexChanged.connect(self._show)
        self.note, self.passage = MutedLabel(), QLabel()
        self.passage.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.note)
        column.addWidget(self.passage)
        self._show()

    def language(self) -> str:
        """ISO 639-1, or empty."""
        code: str = self.languages.currentData()
        return code

    def text(self) -> str:
        """What is there to be read; empty where there is nothing in the language."""
        return passage(self.language())

    def _show(self) -> None:
        text = self.text()
        self.passage.setText(text)
        self.passage.setVisible(bool(text))
        self.note.setText(
            self.tr("Read this aloud, or say something of your own:")
            if text
            else self.tr("Say something, in the way you want to be read to.")
        )
