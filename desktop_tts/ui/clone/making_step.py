"""While the voice is being made."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QWidget

from desktop_tts.ui.clone.step import Step
from desktop_tts.ui.pages.page import Problem
from desktop_tts.ui.surfaces import MutedLabel


class MakingStep(Step):
    def __init__(self) -> None:
        super().__init__(self.tr("Making the voice"))
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("The voice is being made"))
        self.status = QLabel()
        self.status.setWordWrap(True)
        self.note = MutedLabel(self.tr("The model is loaded first; that can take a minute. You can go on working."))
        self.stop = QPushButton(self.tr("S&top"))
        self.problem = Problem()
        self.column.addWidget(self.status)
        self.column.addWidget(self.bar)
        self.column.addWidget(self.note)
        self.column.addWidget(self.problem)
        self.column.addWidget(self.stop, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.addStretch(1)
        self.begin()

    def begin(self) -> None:
        """It is being made now."""
        self.bar.setRange(0, 0)
        self.status.setText(self.tr("Making the voice…"))
        self.stop.setText(self.tr("S&top"))
        self.note.show()
        self.problem.show_text("")

    def fail(self, sentence: str) -> None:
        """It can't be made."""
        self.bar.setRange(0, 1)
        self.status.setText(self.tr("The voice couldn't be made."))
        self.stop.setText(self.tr("&Try again"))
        self.note.hide()
        self.problem.show_text(sentence)

    def first_control(self) -> QWidget:
        return self.stop
