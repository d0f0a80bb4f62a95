"""The frame around the steps: which one it is, what is in the way, and the buttons to go on."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop_tts.ui.announce import announce
from desktop_tts.ui.clone.step import Step
from desktop_tts.ui.icons import app_icon
from desktop_tts.ui.pages.page import Problem
from desktop_tts.ui.surfaces import MutedLabel, heading


class StepFrame(QDialog):
    """Shows one of its steps; which one, and what the buttons do, the wizard says."""

    def __init__(self, parent: QWidget | None, steps: Sequence[Step]) -> None:
        super().__init__(parent)
        self.steps = tuple(steps)
        self.setWindowIcon(app_icon())
        self.place, self.heading = MutedLabel(), heading("")
        self.heading.setWordWrap(True)
        self.stack = QStackedWidget()
        for step in self.steps:
            self.stack.addWidget(_scrolling(step))
        self.problem = Problem()
        self.cancel = QPushButton(self.tr("Cancel"))
        self.back = QPushButton(self.tr("&Back"))
        self.next = QPushButton(self.tr("&Next"))
        self.next.setDefault(True)
        self._lay_out()
        letter = self.fontMetrics().averageCharWidth()
        room = self.screen().availableGeometry().size() - QSize(24, 60)
        self.resize(min(letter * 76, room.width()), min(letter * 68, room.height()))

    def _lay_out(self) -> None:
        top = QVBoxLayout()
        top.setContentsMargins(20, 14, 20, 8)
        top.setSpacing(2)
        top.addWidget(self.place)
        top.addWidget(self.heading)
        wrong = QVBoxLayout()
        wrong.setContentsMargins(20, 4, 20, 0)
        wrong.addWidget(self.problem)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(20, 8, 20, 14)
        buttons.setSpacing(8)
        buttons.addWidget(self.cancel)
        buttons.addStretch(1)
        buttons.addWidget(self.back)
        buttons.addWidget(self.next)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.stack, 1)
        column.addLayout(wrong)
        column.addLayout(buttons)

    @property
    def step(self) -> Step:
        """The one that is shown."""
        return self.steps[self.stack.currentIndex()]

    def turn_to(self, step: Step) -> None:
        """Show a step, with the focus on its first control."""
        self.step.left()
        number = self.steps.index(step)
        self.problem.show_text("")
        self.place.setText(self.tr("Step {0} of {1}").format(number + 1, len(self.steps)))
        self.heading.setText(step.title)
        self.stack.setCurrentIndex(number)
        step.entered()
        control = step.first_control()
        if control is not None:
            control.setFocus()
        announce(self, f"{self.place.text()}: {step.title}")


def _scrolling(step: Step) -> QScrollArea:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what is in it has the focus, and is scrolled to
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(step)
    return area
