"""The window in which a voice is cloned, step by step. Nothing of it stays unless the voice is saved."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
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

from desktop_tts.audio.clip import Clip
from desktop_tts.audio.recorder import InputDevice, input_devices
from desktop_tts.audio.transcription import find_model
from desktop_tts.errors import DesktopTTSError
from desktop_tts.ui.announce import announce
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.clone.listen_step import ListenStep
from desktop_tts.ui.clone.making import Cloner, Making, Order
from desktop_tts.ui.clone.making_step import MakingStep
from desktop_tts.ui.clone.model_step import ModelStep
from desktop_tts.ui.clone.passages import sentence
from desktop_tts.ui.clone.source_step import SourceStep
from desktop_tts.ui.clone.step import Step
from desktop_tts.ui.clone.trim_step import TrimStep
from desktop_tts.ui.clone.words_step import WordsStep
from desktop_tts.ui.icons import app_icon
from desktop_tts.ui.pages.page import Problem
from desktop_tts.ui.surfaces import MutedLabel, heading
from desktop_tts.voices.profile import Profile
from desktop_tts.voices.store import VoiceStore

log = logging.getLogger(__name__)


class CloneWizard(QDialog):
    """Show it with ``show`` or ``open``. However it is closed, the microphone is freed and the draft is gone, unless
    the voice was saved."""

    saved = Signal(str)
    """Id of the new voice."""

    def __init__(
        self,
        store: VoiceStore,
        maker: Cloner,
        listen: Callable[[str, str], None],
        open_models: Callable[[], None],
        *,
        stop_listening: Callable[[], None] = lambda: None,
        output_device: str = "",
        find_recogniser: Callable[[str], Path | None] = find_model,
        find_devices: Callable[[], tuple[InputDevice, ...]] = input_devices,
        parent: QWidget | None = None,
    ) -> None:
        """``listen`` speaks a sentence in the voice of an id and returns at once, ``stop_listening`` ends that.
        ``output_device`` plays the recording; empty is the system's default. ``find_recogniser`` gives the speech
        recogniser for a language, or None, and ``find_devices`` the microphones; both are called in a thread."""
        super().__init__(parent)
        self._store, self._maker, self._listen = store, maker, listen
        self._making: Making | None = None
        self._voice: Profile | None = None
        self._over = False
        self.setWindowTitle(self.tr("Clone a voice"))
        self.setWindowIcon(app_icon())
        self.setAcceptDrops(True)
        self.source, self.trim = SourceStep(find_devices), TrimStep(output_device)
        self.words, self.model = WordsStep(find_recogniser), ModelStep(maker, open_models)
        self.progress, self.audition = MakingStep(), ListenStep()
        self.steps: tuple[Step, ...] = (
            *(self.source, self.trim, self.words),
            *(self.model, self.progress, self.audition),
        )
        self.source.taken.connect(self._taken)
        self.progress.stop.clicked.connect(self._stop_or_retry)
        self.audition.listen.connect(self._audition)
        self.audition.stop.connect(stop_listening)
        self._lay_out()
        self._at = 0
        self._show(self.source)

    def _lay_out(self) -> None:
        self.place, self.heading = MutedLabel(), heading("")
        self.heading.setWordWrap(True)
        self.stack = QStackedWidget()
        for step in self.steps:
            self.stack.addWidget(_scrolling(step))
        self.problem = Problem()
        self.cancel = QPushButton(self.tr("Cancel"))
        self.cancel.clicked.connect(self.reject)
        self.back = QPushButton(self.tr("&Back"))
        self.back.clicked.connect(self._go_back)
        self.next = QPushButton(self.tr("&Next"))
        self.next.setDefault(True)
        self.next.clicked.connect(self._next_pressed)
        top = QVBoxLayout()
        top.setContentsMargins(20, 14, 20, 8)
        top.setSpacing(2)
        top.addWidget(self.place)
        top.addWidget(self.heading)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(20, 8, 20, 14)
        buttons.setSpacing(8)
        buttons.addWidget(self.cancel)
        buttons.addStretch(1)
        buttons.addWidget(self.back)
        buttons.addWidget(self.next)
        wrong = QVBoxLayout()
        wrong.setContentsMargins(20, 4, 20, 0)
        wrong.addWidget(self.problem)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.stack, 1)
        column.addLayout(wrong)
        column.addLayout(buttons)
        letter = self.fontMetrics().averageCharWidth()
        room = self.screen().availableGeometry().size() - QSize(24, 60)
        self.resize(min(letter * 76, room.width()), min(letter * 68, room.height()))

    # ------------------------------------------------------------ going from step to step

    @property
    def step(self) -> Step:
        """The one that is shown."""
        return self.steps[self._at]

    def _show(self, step: Step) -> None:
        self.step.left()
        self._at = self.steps.index(step)
        self.problem.show_text("")
        self.place.setText(self.tr("Step {0} of {1}").format(self._at + 1, len(self.steps)))
        self.heading.setText(step.title)
        self.stack.setCurrentIndex(self._at)
        self.back.setEnabled(step is not self.source)
        self.next.setVisible(step is not self.progress)
        self.next.setText(self.tr("&Save") if step is self.audition else self.tr("&Next"))
        self.next.setEnabled(True)
        step.entered()
        control = step.first_control()
        if control is not None:
            control.setFocus()
        announce(self, f"{self.place.text()}: {step.title}")

    def _next_pressed(self) -> None:
        step = self.step
        step.when_settled(lambda: self._go_on(step))

    def _go_on(self, step: Step) -> None:
        if self._over or step is not self.step:
            return
        obstacle = step.obstacle()
        self.problem.show_text(obstacle)
        if obstacle:
            return
        if step is self.model:
            self._make()
        elif step is self.audition:
            self._save()
        else:
            self._show(self.steps[self._at + 1])

    def _go_back(self) -> None:
        if self.step in (self.progress, self.audition):
            self._give_up()
            self._show(self.model)
        elif self._at:
            self._show(self.steps[self._at - 1])

    def _taken(self, clip: Clip | None) -> None:
        self.problem.show_text("")
        if clip is None:
            return
        self.trim.set_clip(clip)
        part = self.trim.part
        self.words.set_recording(lambda: clip.part(*part()), self.source.record.language_code(), self.source.read_text)

    # ------------------------------------------------------------ making, trying and keeping

    def _make(self) -> None:
        clip = self.source.clip
        assert clip is not None
        start_s, end_s = self.trim.part()
        making = self._making = Making(
            self._store,
            self._maker,
            Order(
                clip,
                start_s,
                end_s,
                language=self.source.record.language_code(),
                transcript=self.words.transcript(),
                model=self.model.model(),
                consent=self.model.consent.sentence,
            ),
        )
        self.progress.begin()
        self._show(self.progress)

        def made(voice: Profile) -> None:
            if making is self._making:
                self._made(voice)

        def failed(error: DesktopTTSError) -> None:
            if making is self._making:
                self._making = None
                self.progress.fail(str(error))

        BackgroundCall(self, making.run, made, failed)

    def _made(self, voice: Profile) -> None:
        self._voice = voice
        name = self._store.free_name(self.source.name.strip() or self.tr("My voice"))
        self.audition.suggest(sentence(voice.language), name)
        self._show(self.audition)

    def _stop_or_retry(self) -> None:
        if self._making is None:
            self._make()
        else:
            self._go_back()

    def _audition(self, text: str) -> None:
        if self._voice is not None:
            self._listen(self._voice.voice_id, text)

    def _save(self) -> None:
        making = self._making
        if making is None:
            return
        name = self.audition.voice_name()
        for button in (self.next, self.back):
            button.setEnabled(False)

        def kept(voice: Profile) -> None:
            if not self._over:
                self._making = None
                self.saved.emit(voice.id)
                self.accept()

        def failed(error: DesktopTTSError) -> None:
            self.problem.show_text(str(error))
            for button in (self.next, self.back):
                button.setEnabled(True)

        BackgroundCall(self, lambda: making.keep(name), kept, failed)

    def _give_up(self) -> None:
        """Stop making, remove what was made; in the background, for it may be busy for a while."""
        making, self._making, self._voice = self._making, None, None
        if making is None:
            return
        making.cancel()
        threading.Thread(target=_give_up, args=(making,), name="voice given up", daemon=True).start()

    # ------------------------------------------------------------ the end

    def done(self, result: int) -> None:
        """However it ends: nothing sounds, listens or is left over."""
        if not self._over:
            self._over = True
            for step in self.steps:
                step.left()
            self._give_up()
        super().done(result)

    # ------------------------------------------------------------ events

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow() and not self._over:
            self.step.entered()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.step is self.source and event.mimeData().hasUrls():
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()

    def dropEvent(self, event: QDropEvent) -> None:
        if self.step is self.source:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self.source.drop(event.mimeData().urls())


def _give_up(making: Making) -> None:
    try:
        making.give_up()
    except DesktopTTSError as error:
        log.warning("a draft stays until the next start: %s", error)


def _scrolling(step: Step) -> QScrollArea:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what is in it has the focus, and is scrolled to
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(step)
    return area
