"""The new voice is tried, and gets its name."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPlainTextEdit, QPushButton, QSizePolicy, QWidget

from desktop_tts.ui.clone.step import Step
from desktop_tts.ui.pages.page import Problem
from desktop_tts.ui.surfaces import MutedLabel

NAME_LIMIT = 80
_SENTENCE_LIMIT = 1_000
_LINES = 3


class ListenStep(Step):
    listen = Signal(str)
    """Speak this in the new voice."""
    stop = Signal()

    def __init__(self) -> None:
        super().__init__(self.tr("Listen, and give it a name"))
        self._listened = False
        self.sentence = QPlainTextEdit()
        self.sentence.setTabChangesFocus(True)
        self.sentence.setAccessibleName(self.tr("Sentence to try the voice with"))
        self.sentence.setSizePolicy(
            QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored
        )  # no taller than there is room
        self.sentence.setMinimumHeight(self.fontMetrics().lineSpacing() * _LINES)
        self.sentence.setMaximumHeight(self.fontMetrics().lineSpacing() * (_LINES + 2))
        sentence_label = QLabel(self.tr("Try it with &any sentence"))
        sentence_label.setBuddy(self.sentence)
        self.play = QPushButton(self.tr("&Listen"))
        self.play.clicked.connect(self._play)
        self.quiet = QPushButton(self.tr("S&top"))
        self.quiet.clicked.connect(self.stop)
        self.problem = Problem()
        self.name = QLineEdit()
        self.name.setMaxLength(NAME_LIMIT)
        self.name.setAccessibleName(self.tr("Name of the voice"))
        name_label = QLabel(self.tr("&Name of the voice"))
        name_label.setBuddy(self.name)
        row = QHBoxLayout()
        row.addWidget(self.play)
        row.addWidget(self.quiet)
        row.addStretch(1)
        self.column.addWidget(sentence_label)
        self.column.addWidget(self.sentence, 1)
        self.column.addLayout(row)
        self.column.addWidget(
            MutedLabel(self.tr("Not like the person? Go back and keep another part, or check the words."))
        )
        self.column.addSpacing(8)
        self.column.addWidget(name_label)
        self.column.addWidget(self.name)
        self.column.addWidget(self.problem)
        self.column.addStretch(1)

    def suggest(self, sentence: str, name: str) -> None:
        """What stands there, unless the user wrote something else before."""
        if not self.sentence.document().isModified():
            self.sentence.setPlainText(sentence)
        if not self.name.isModified():
            self.name.setText(name)

    def voice_name(self) -> str:
        return " ".join(self.name.text().split())

    def left(self) -> None:
        if self._listened:
            self._listened = False
            self.stop.emit()

    def first_control(self) -> QWidget:
        return self.play

    def obstacle(self) -> str:
        return "" if self.voice_name() else self.tr("Give the voice a name.")

    def _play(self) -> None:
        text = self.sentence.toPlainText().strip()
        if not text:
            self.problem.show_text(self.tr("Write a sentence to hear."))
            self.sentence.setFocus()
            return
        if len(text) > _SENTENCE_LIMIT:
            self.problem.show_text(self.tr("This is long: a sentence or two are enough."))
            return
        self.problem.show_text("")
        self._listened = True
        self.listen.emit(text)
