"""How the voice is made, and what is said in the recording."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QSizePolicy, QWidget

from desktop_tts.audio.transcription import find_model, transcribe
from desktop_tts.errors import DesktopTTSError
from desktop_tts.speech import Pcm
from desktop_tts.ui.announce import announce
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.clone.option import Option
from desktop_tts.ui.clone.step import Step
from desktop_tts.ui.pages.page import Problem
from desktop_tts.ui.surfaces import MutedLabel

_LONGEST_TEXT = 2_000
_LINES = 5
_NOTHING: Pcm = np.zeros(0, np.float32)


class WordsStep(Step):
    def __init__(self, find_recogniser: Callable[[str], Path | None] = find_model) -> None:
        super().__init__(self.tr("What is said in it?"))
        self._find_recogniser = find_recogniser
        self._recogniser: Path | None = None
        self._part: Callable[[], Pcm] = lambda: _NOTHING
        self._language = "en"
        self._read_text = ""
        self._writing: threading.Event | None = None
        self.closest = Option(self.tr("&Closest to the person"), self.tr("Needs the words of the recording."))
        self.voice_only = Option(
            self.tr("&Voice only"), self.tr("No words needed, and it starts to speak sooner, but sounds less alike.")
        )
        self.closest.button.setChecked(True)
        ways = QButtonGroup(self)
        for option in (self.closest, self.voice_only):
            ways.addButton(option.button)
            self.column.addWidget(option)
        self.closest.button.toggled.connect(self._show_way)
        self.label = QLabel(self.tr("&Words, exactly as they are said in the part you kept"))
        self.label.setWordWrap(True)
        self.words = QPlainTextEdit()
        self.words.setTabChangesFocus(True)
        self.words.setAccessibleName(self.tr("Words of the recording"))
        self.words.setSizePolicy(
            QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored
        )  # no taller than there is room
        self.words.setMinimumHeight(self.fontMetrics().lineSpacing() * _LINES)
        self.label.setBuddy(self.words)
        self.as_read = QPushButton(self.tr("I &read the given text"))
        self.as_read.clicked.connect(lambda: self.words.setPlainText(self._read_text))
        self.write = QPushButton()
        self.write.clicked.connect(self._toggle_writing)
        self.status = MutedLabel()
        self.problem = Problem()
        row = QHBoxLayout()
        row.addWidget(self.as_read)
        row.addWidget(self.write)
        row.addWidget(self.status, 1)
        self.column.addWidget(self.label)
        self.column.addWidget(self.words, 1)
        self.column.addLayout(row)
        self.column.addWidget(self.problem)
        self.write.hide()
        self._stop_writing()

    def set_recording(self, part: Callable[[], Pcm], language: str, read_text: str) -> None:
        """``part`` gives the samples that are kept; it is called in a thread."""
        self._part, self._language, self._read_text = part, language, read_text
        self.as_read.setVisible(bool(read_text))

    def transcript(self) -> str:
        """Empty when the voice alone is taken."""
        return " ".join(self.words.toPlainText().split()) if self.closest.button.isChecked() else ""

    def entered(self) -> None:
        BackgroundCall(self, lambda: self._find_recogniser(self._language), self._found)

    def left(self) -> None:
        self._stop_writing()

    def first_control(self) -> QWidget:
        return self.closest.button if self.closest.button.isChecked() else self.voice_only.button

    def obstacle(self) -> str:
        if not self.closest.button.isChecked():
            return ""
        if self._writing is not None:
            return self.tr("The words are still being written.")
        if not self.transcript():
            return self.tr("Type what is said in the recording, or choose “Voice only”.")
        if len(self.transcript()) > _LONGEST_TEXT:
            return self.tr("These are more words than half a minute has: keep those of the recording only.")
        return ""

    def _show_way(self, closest: bool) -> None:
        if not closest:
            self._stop_writing()
        for widget in (self.label, self.words, self.as_read, self.write):
            widget.setEnabled(closest)
        self.problem.show_text("")

    # ------------------------------------------------------------ written for the user

    def _found(self, model: Path | None) -> None:
        self._recogniser = model
        self.write.setVisible(model is not None)

    def _toggle_writing(self) -> None:
        if self._writing is not None:
            self._stop_writing()
            return
        model, part, language = self._recogniser, self._part, self._language
        if model is None:
            return
        cancel = self._writing = threading.Event()
        self.problem.show_text("")
        self.write.setText(self.tr("S&top writing"))
        self.status.setText(self.tr("Listening to the recording…"))

        def done(text: str) -> None:
            if cancel is self._writing:
                self._stop_writing()
                self.words.setPlainText(text)
                self.status.setText(self.tr("Please correct what is wrong."))
                announce(self, self.status.text())
                self.words.setFocus()

        def failed(error: DesktopTTSError) -> None:
            if cancel is self._writing:
                self._stop_writing()
                self.problem.show_text(str(error))

        BackgroundCall(self, lambda: transcribe(part(), model, language, cancel), done, failed)

    def _stop_writing(self) -> None:
        if self._writing is not None:
            self._writing.set()
            self._writing = None
        self.write.setText(self.tr("Write it &for me"))
        self.status.setText("")
