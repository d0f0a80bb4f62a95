"""The speed test on the Models page: one button, and the answer in words."""

from __future__ import annotations

from threading import Event

from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from desktop_tts.engines.qwen import Model
from desktop_tts.errors import DesktopTTSError
from desktop_tts.ui.announce import announce
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.models.speed import Measured, measure, verdict
from desktop_tts.ui.models.words import model_name
from desktop_tts.ui.pages.page import Problem
from desktop_tts.ui.steady import SteadyComboBox
from desktop_tts.ui.voice_actions import VoiceActions
from desktop_tts.ui.when_quiet import WhenQuiet


class SpeedTest(QWidget):
    """Chooses a model and measures it. A reading interrupts the test, which begins again after it."""

    def __init__(self, mine: VoiceActions) -> None:
        super().__init__()
        self._mine = mine
        self._models: tuple[Model, ...] = ()
        self._latest = latest = [Event()]
        """Stops the test that runs."""
        self.destroyed.connect(lambda: latest[0].set())
        self.model = SteadyComboBox()
        self.model.setAccessibleName(self.tr("Model to test"))
        self.button = QPushButton(self.tr("&Test the speed"))
        self.button.setAutoDefault(False)
        self.button.clicked.connect(self._pressed)
        self.result = QLabel()
        self.result.setWordWrap(True)
        self.problem = Problem()
        row = QHBoxLayout()
        row.addWidget(self.model, 1)
        row.addWidget(self.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(5)
        column.addLayout(row)
        column.addWidget(self.result)
        column.addWidget(self.problem)
        self.quiet = WhenQuiet(self, mine.reader, self._start, self._interrupt)
        self.quiet.changed.connect(self._show)
        self.show_models(())

    def show_models(self, models: tuple[Model, ...]) -> None:
        """These can be tested."""
        if models == self._models and self.model.count():
            return
        self._models = models
        before = self.model.currentData()
        self.model.clear()
        for model in models:
            self.model.addItem(model_name(model.key), model.key)
        if not models:
            self.model.addItem(self.tr("No model is installed"), "")
        self.model.setCurrentIndex(max(self.model.findData(before), 0))
        self._show()

    def _pressed(self) -> None:
        if self.quiet.running or self.quiet.waiting:
            self.quiet.drop()
            self.result.setText(self.tr("The speed test was stopped."))
        else:
            self.problem.show_text("")
            self.quiet.want()

    def _start(self) -> None:
        key = self.model.currentData()
        model = next((model for model in self._models if model.key == key), None)
        engine = self._mine.qwen
        if engine is None or model is None:
            self.quiet.ended()
            return
        cancel = self._latest[0] = Event()
        BackgroundCall(self, lambda: measure(engine, model, cancel), self._measured, self._failed)

    def _interrupt(self) -> None:
        self._latest[0].set()

    def _measured(self, measured: Measured | None) -> None:
        self.quiet.ended()
        if measured is not None:
            smaller = self.model.currentData().startswith("1.7b")
            self.result.setText(verdict(measured, smaller=smaller))
            announce(self, self.result.text())

    def _failed(self, error: DesktopTTSError) -> None:
        if not self.quiet.ended():
            self.result.clear()
            self.problem.show_text(str(error))

    def _show(self) -> None:
        on = self.quiet.running or self.quiet.waiting
        self.button.setText(self.tr("S&top the test") if on else self.tr("&Test the speed"))
        self.button.setEnabled(bool(self._models) and self._mine.qwen is not None)
        self.model.setEnabled(not on)
        if self.quiet.waiting:
            self.result.setText(self.tr("Waits until nothing is being read."))
        elif self.quiet.running:
            self.result.setText(self.tr("Testing: loads the model and speaks a sentence without sound…"))
        elif not self._models:
            self.result.setText(self.tr("Download a model first."))
