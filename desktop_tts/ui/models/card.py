"""A model on the Models page: what it is for, how it stands with it, and what can be done."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout

from desktop_tts.models.jobs import Job
from desktop_tts.ui.announce import announce
from desktop_tts.ui.icons import glyph
from desktop_tts.ui.models.words import (
    Act,
    Facts,
    act_title,
    acts,
    outcome,
    percent,
    problem,
    purpose,
    size_text,
    state_text,
)
from desktop_tts.ui.pages.page import Problem
from desktop_tts.ui.surfaces import Card, MutedLabel, ThinProgress

GLYPHS = {Act.DOWNLOAD: "download", Act.RESUME: "download", Act.UPDATE: "download", Act.PAUSE: "pause"}


class ModelCard(Card):
    """Tells what the user wants of it; ``show_facts`` draws it anew."""

    wanted = Signal(Act)

    def __init__(self, facts: Facts) -> None:
        super().__init__()
        self.facts = facts
        self.job: Job | None = None
        name = facts.model.name
        self.setAccessibleName(name)
        title = bold(name)
        size = QLabel(size_text(facts.model.size))
        self.state = MutedLabel()
        self.bar = ThinProgress()
        self.bar.setRange(0, 1000)
        self.bar.setAccessibleName(self.tr("Progress of {model}").format(model=name))
        self.problem = Problem()
        self.buttons = {act: self._button(act, name) for act in Act}
        top = QHBoxLayout()
        top.addWidget(title, 1)
        top.addWidget(size)
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in self.buttons.values():
            row.addWidget(button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 12)
        column.setSpacing(5)
        column.addLayout(top)
        about = QLabel(purpose(facts.model))
        about.setWordWrap(True)
        for widget in (about, self.state, self.bar, self.problem):
            column.addWidget(widget)
        column.addSpacing(3)
        column.addLayout(row)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.show_facts(facts, None)

    def show_facts(self, facts: Facts, job: Job | None) -> None:
        """Show what the disk and the running job say."""
        ended = self.job is not None and self.job.busy and (job is None or not job.busy)
        self.facts, self.job = facts, job
        text = outcome(job)
        self.state.setText(f"{text} {state_text(facts, job)}".strip())
        self.problem.show_text(problem(job))
        paused = bool(facts.came) and (facts.installed is None or facts.installed.outdated)
        self.bar.setVisible(bool(job and job.busy) or paused)
        done, total = (job.progress.done, job.progress.total) if job and job.busy else (facts.came, facts.model.size)
        self.bar.setValue(round(1000 * done / total) if total else 0)
        self.bar.setAccessibleDescription(f"{percent(done, total)} %")
        self._offer(acts(facts, job))
        if ended and not self.problem.text():
            announce(self, f"{facts.model.name}: {self.state.text()}")

    def _offer(self, now: tuple[Act, ...]) -> None:
        """Show the buttons for these. The focus stays on the card, also while there is nothing to press."""
        here = self.window().focusWidget()
        focused = here is self or here in self.buttons.values()
        for act in now:
            self.buttons[act].show()
        if focused and not now:
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            self.setFocus()
        elif focused and here not in [self.buttons[act] for act in now]:
            self.buttons[now[0]].setFocus()
            self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for act, button in self.buttons.items():
            button.setVisible(act in now)

    def _button(self, act: Act, name: str) -> QPushButton:
        button = QPushButton(act_title(act))
        button.setAutoDefault(False)
        button.setAccessibleName(self.tr("{action}: {model}").format(action=act_title(act).rstrip("…"), model=name))
        button.clicked.connect(lambda: self.wanted.emit(act))
        button.hide()
        return button

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.ParentChange):
            for act, name in GLYPHS.items():
                self.buttons[act].setIcon(glyph(name, self.palette()))


def bold(text: str) -> QLabel:
    label = QLabel(text)
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    label.setWordWrap(True)
    return label
