"""Which model makes and speaks the voice, and that the speaker agreed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QLabel, QPushButton, QRadioButton, QVBoxLayout, QWidget

from desktop_tts.errors import DesktopTTSError
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.clone.making import Cloner, ModelChoice
from desktop_tts.ui.clone.option import Agreement
from desktop_tts.ui.clone.step import Step
from desktop_tts.ui.pages.page import Problem
from desktop_tts.ui.surfaces import MutedLabel


class ModelStep(Step):
    def __init__(self, maker: Cloner, open_models: Callable[[], None]) -> None:
        super().__init__(self.tr("Model and consent"))
        self._maker = maker
        self._models: tuple[tuple[str, str, bool], ...] = ()
        self._looked = self._looking = False
        self._waiting: Callable[[], None] | None = None
        self.group = QButtonGroup(self)
        self.choices: dict[str, QRadioButton] = {}
        self._list = QVBoxLayout()
        self._list.setSpacing(8)
        self.missing = MutedLabel()
        self.get_models = QPushButton(self.tr("&Get models…"))
        self.get_models.clicked.connect(open_models)
        self.problem = Problem()
        self.consent = Agreement(
            self.tr("The person who speaks in this recording is me, or has agreed that I make a voice of it.")
        )
        self.column.addWidget(QLabel(self.tr("This model makes the voice and speaks with it:")))
        self.column.addLayout(self._list)
        self.column.addWidget(self.missing)
        self.column.addWidget(self.get_models, 0, Qt.AlignmentFlag.AlignLeft)
        self.column.addWidget(self.problem)
        self.column.addSpacing(12)
        self.column.addWidget(self.consent)
        self.column.addWidget(
            MutedLabel(self.tr("This sentence and today's date are kept with the voice. All stays on this computer."))
        )
        self.column.addStretch(1)
        for widget in (self.missing, self.get_models):
            widget.hide()

    def model(self) -> str:
        """Key of the chosen one, or empty."""
        return next((key for key, button in self.choices.items() if button.isChecked()), "")

    def entered(self) -> None:
        if not self._looking:
            self._looking = True
            BackgroundCall(self, self._maker.clone_models, self._found, self._failed)

    def first_control(self) -> QWidget:
        chosen = self.choices.get(self.model())
        return chosen or self.consent.box

    def obstacle(self) -> str:
        if not self.model():
            return self.tr("No model is chosen: get one on the Models page, it is downloaded once.")
        if not self.consent.box.isChecked():
            return self.tr("Tick that the person who speaks has agreed.")
        return ""

    def when_settled(self, go_on: Callable[[], None]) -> None:
        if self._looked:
            go_on()
        else:
            self._waiting = go_on

    def _found(self, models: Sequence[ModelChoice]) -> None:
        self._looking, self._looked = False, True
        found = tuple((model.key, model.name, model.installed) for model in models)
        if found != self._models:
            self._models = found
            self._fill()
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting()

    def _failed(self, error: DesktopTTSError) -> None:
        self._looking, self._looked = False, True
        self.problem.show_text(str(error))

    def _fill(self) -> None:
        chosen = self.model()
        for button in self.choices.values():
            self.group.removeButton(button)
            button.deleteLater()
        self.choices = {}
        for key, name, installed in self._models:
            button = QRadioButton(name if installed else self.tr("{0} (not on this computer)").format(name))
            button.setEnabled(installed)
            self.choices[key] = button
            self.group.addButton(button)
            self._list.addWidget(button)
        installed_keys = [key for key, _, installed in self._models if installed]
        if installed_keys:
            self.choices[chosen if chosen in installed_keys else installed_keys[0]].setChecked(True)
        lacking = len(installed_keys) < len(self._models) or not self._models
        self.missing.setText(
            self.tr("More models can be downloaded.")
            if installed_keys
            else self.tr("No model for this is on this computer yet. It is downloaded once; this window waits.")
        )
        self.missing.setVisible(lacking)
        self.get_models.setVisible(lacking)
