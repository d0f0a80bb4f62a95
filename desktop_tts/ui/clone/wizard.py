"""The window in which a voice is cloned, step by step. Nothing of it stays unless the voice is saved."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from desktop_tts.audio.clip import Clip
from desktop_tts.audio.recorder import InputDevice, input_devices
from desktop_tts.audio.transcription import find_model
from desktop_tts.errors import DesktopTTSError
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.clone.frame import StepFrame
from desktop_tts.ui.clone.listen_step import ListenStep
from desktop_tts.ui.clone.making import Cloner, Making, Order
from desktop_tts.ui.clone.making_step import MakingStep
from desktop_tts.ui.clone.model_step import ModelStep
from desktop_tts.ui.clone.passages import sentence
from desktop_tts.ui.clone.source_step import SourceStep
from desktop_tts.ui.clone.step import Step
from desktop_tts.ui.clone.trim_step import TrimStep
from desktop_tts.ui.clone.words_step import WordsStep
from desktop_tts.ui.voice_actions import Listen
from desktop_tts.voices.profile import Profile
from desktop_tts.voices.store import VoiceStore

log = logging.getLogger(__name__)


class CloneWizard(StepFrame):
    """Show it with ``show`` or ``open``. However it is closed, the microphone is freed and the draft is gone, unless
    the voice was saved."""

    saved = Signal(str)
    """Id of the new voice."""

    def __init__(
        self,
        store: VoiceStore,
        maker: Cloner,
        listen: Listen,
        open_models: Callable[[], None],
        *,
        stop_listening: Callable[[], None] = lambda: None,
        output_device: str = "",
        find_recogniser: Callable[[str], Path | None] = find_model,
        find_devices: Callable[[], tuple[InputDevice, ...]] = input_devices,
        parent: QWidget | None = None,
    ) -> None:
        """``stop_listening`` ends what ``listen`` began. ``output_device`` plays the recording; empty is the system's
        default. ``find_recogniser`` gives the speech recogniser for a language, or None, and ``find_devices`` the
        microphones; both are called in a thread."""
        source, trim, words = SourceStep(find_devices), TrimStep(output_device), WordsStep(find_recogniser)
        model, progress, audition = ModelStep(maker, open_models), MakingStep(), ListenStep()
        super().__init__(parent, (source, trim, words, model, progress, audition))
        self.source, self.trim, self.words = source, trim, words
        self.model, self.progress, self.audition = model, progress, audition
        self._store, self._maker, self._listen = store, maker, listen
        self._making: Making | None = None
        self._voice: Profile | None = None
        self._over = False
        self.setWindowTitle(self.tr("Clone a voice"))
        self.setAcceptDrops(True)
        self.source.taken.connect(self._taken)
        self.progress.stop.clicked.connect(self._stop_or_retry)
        self.audition.listen.connect(self._audition)
        self.audition.stop.connect(stop_listening)
        self.cancel.clicked.connect(self.reject)
        self.back.clicked.connect(self._go_back)
        self.next.clicked.connect(self._next_pressed)
        self._show(self.source)

    # ------------------------------------------------------------ going from step to step

    def _show(self, step: Step) -> None:
        self.back.setEnabled(step is not self.source)
        self.next.setVisible(step is not self.progress)
        self.next.setText(self.tr("&Save") if step is self.audition else self.tr("&Next"))
        self.next.setEnabled(True)
        self.turn_to(step)

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
            if step is self.trim:
                self._hand_over_recording()
            self._show(self._neighbour(1))

    def _hand_over_recording(self) -> None:
        clip, part = self.source.clip, self.trim.part()
        assert clip is not None
        self.words.set_recording(lambda: clip.part(*part), self.source.record.to_read.language(), self.source.read_text)

    def _go_back(self) -> None:
        if self.step in (self.progress, self.audition):
            self._give_up()
            self._show(self.model)
        elif self.step is not self.source:
            self._show(self._neighbour(-1))

    def _neighbour(self, way: int) -> Step:
        return self.steps[self.steps.index(self.step) + way]

    def _taken(self, clip: Clip | None) -> None:
        self.problem.show_text("")
        if clip is not None:
            self.trim.set_clip(clip)

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
                language=self.source.record.to_read.language(),
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
        voice = self._voice
        if voice is not None:
            ours = text == sentence(voice.language)  # the user's own sentence may be in any language
            self._listen(voice.voice_id, text, language=voice.language if ours else "")

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
