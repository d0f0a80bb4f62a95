"""Which speech models are here, how they run, and how fast."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QMessageBox, QVBoxLayout

from desktop_tts import paths
from desktop_tts import settings as values
from desktop_tts.engines.qwen import Model as UsableModel
from desktop_tts.errors import DesktopTTSError
from desktop_tts.models.catalog import MODELS, Model
from desktop_tts.settings import SettingsStore
from desktop_tts.ui.actions import Actions
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.models.card import ModelCard
from desktop_tts.ui.models.choices import device_choices, dtype_choices, source_choices
from desktop_tts.ui.models.memory import LoadedModel, MinutesBox
from desktop_tts.ui.models.own_folder import KEY as FOLDER
from desktop_tts.ui.models.own_folder import OwnFolderCard
from desktop_tts.ui.models.speed_test import SpeedTest
from desktop_tts.ui.models.words import Act, Facts, folder_text, look_up, size_text
from desktop_tts.ui.pages.page import Problem, SettingsPage
from desktop_tts.ui.steady import SteadyComboBox
from desktop_tts.ui.surfaces import MutedLabel, heading

UNLOAD_AFTER = "models.unload_after_min"


@dataclass(frozen=True, slots=True)
class _Look:
    """What was found in the background."""

    facts: tuple[Facts, ...]
    usable: tuple[UsableModel, ...]
    free: int
    """Bytes where models are kept."""
    obstacle: str
    """Why no model can speak, as a sentence, or empty."""


class ModelsPage(SettingsPage):
    """What it works with is in ``actions.mine``."""

    _changed = Signal(str)
    """From the threads of the jobs: the key of a model."""

    def __init__(
        self,
        settings: SettingsStore,
        actions: Actions,
        models: tuple[Model, ...] = MODELS,
        look: Callable[[Model], Facts] = look_up,
    ) -> None:
        """``look`` asks the disk, in a thread of its own."""
        super().__init__(self.tr("Models"), settings, actions)
        self._models, self._mine, self._jobs = models, actions.mine, actions.mine.jobs
        self._look_up = look
        self.question: QMessageBox | None = None
        self.obstacle = Problem()
        self.place = MutedLabel()
        self.cards = {model.key: ModelCard(Facts(model)) for model in models}
        self.own = OwnFolderCard(settings)
        self.problems[FOLDER] = self.own.problem
        top = QVBoxLayout()
        top.setSpacing(10)
        top.addWidget(
            MutedLabel(self.tr("Qwen3-TTS speaks more vividly than the built-in voice, and needs a model for it."))
        )
        for widget in (self.obstacle, self.place, *self.cards.values(), self.own):
            top.addWidget(widget)
        top.addSpacing(8)
        top.addWidget(heading(self.tr("How they run")))
        self.column.insertLayout(1, top)
        self._add_form()
        self.column.addStretch(1)
        for key, card in self.cards.items():
            card.wanted.connect(lambda act, key=key: self._wanted(key, act))
        self.own.chosen.connect(self._choose_folder)
        self.follow(self.own.show_settings)
        self._changed.connect(self._job_changed, Qt.ConnectionType.QueuedConnection)
        stop = self._jobs.on_change(self._tell)
        self.destroyed.connect(stop)

    def _add_form(self) -> None:
        self.device = self._open_choice("models.device", self.tr("&Device"), device_choices())
        self.dtype = self.choice_row(
            "models.dtype",
            self.tr("&Number format"),
            dtype_choices(),
            self.tr("Fewer bits need less memory and are faster; automatic takes what suits the device."),
        )
        self.loaded = LoadedModel(self._mine)
        self.labelled(self.tr("In memory now"), self.loaded, self.loaded.unload)
        self.minutes = MinutesBox(UNLOAD_AFTER)
        self.minutes.setAccessibleName(self.tr("Minutes without speech after which the memory is given back"))
        self.minutes.valueChanged.connect(self._keep_minutes)
        self.follow(self._show_minutes)
        self.labelled(
            self.tr("Unload &after"),
            self.with_notes(self.minutes, UNLOAD_AFTER, self.tr("Minutes without speech.")),
            self.minutes,
        )
        self.source = self.choice_row("models.source", self.tr("Download f&rom"), source_choices())
        self.speed = SpeedTest(self._mine)
        self.labelled(self.tr("&Speed"), self.speed, self.speed.model)

    def _open_choice(self, key: str, text: str, choices: tuple[tuple[str, str], ...]) -> SteadyComboBox:
        """As ``choice_row``, for a setting that may also have other values, which are shown then."""
        combo = self.choice_row(key, text, choices)

        def show(now: values.Settings) -> None:
            value = values.get(now, key)
            if combo.findData(value) < 0:
                combo.addItem(value, value)
            combo.setCurrentIndex(combo.findData(value))

        self.follow(show)
        return combo

    # ------------------------------------------------------------ looking

    def shown(self) -> None:
        self.own.look()
        self._look()

    def _look(self) -> None:
        BackgroundCall(self, self._found_out, self._found)

    def _found_out(self) -> _Look:
        """In a thread of its own."""
        engine = self._mine.qwen
        missing = importlib.util.find_spec("torch") is None
        return _Look(
            tuple(self._look_up(model) for model in self._models),
            engine.models() if engine else (),
            _free(paths.data_dir()),
            engine.available() if engine and missing else "",
        )

    def _found(self, look: _Look) -> None:
        self.obstacle.show_text(look.obstacle)
        folder = folder_text(paths.data_dir() / "models")
        text = self.tr("Models are kept in {folder}, where {size} are free.")
        self.place.setText(text.format(folder=folder, size=size_text(look.free)))
        for facts in look.facts:
            self.cards[facts.model.key].show_facts(facts, self._jobs.job(facts.model.key))
        self.speed.show_models(look.usable)

    def _tell(self, key: str) -> None:
        """In a thread of the jobs."""
        with suppress(RuntimeError):  # the window is gone
            self._changed.emit(key)

    def _job_changed(self, key: str) -> None:
        card = self.cards.get(key)
        job = self._jobs.job(key)
        if card is None or job is None:
            return
        if job.busy:
            card.show_facts(card.facts, job)
        else:  # the disk has changed
            self._look()

    # ------------------------------------------------------------ doing

    def _wanted(self, key: str, act: Act) -> None:
        model = self.cards[key].facts.model
        match act:
            case Act.DOWNLOAD | Act.RESUME | Act.UPDATE:
                source = self.settings.current.models.source
                self._jobs.download(model, "" if source == "auto" else source)
            case Act.PAUSE | Act.STOP:
                self._jobs.stop(key)
            case Act.VERIFY:
                self._jobs.verify(model)
            case Act.CANCEL:
                self._ask_to_cancel(model)
            case Act.REMOVE:
                text = self.tr("Remove {model} and free {size}?").format(model=model.name, size=size_text(model.size))
                more = self.tr("Voices that need it are replaced by another until you download it again.")
                self._ask(text, more, self.tr("&Remove"), lambda: self._remove(model))
        self._job_changed(key)  # at once, so that nothing else can be pressed meanwhile

    def _ask_to_cancel(self, model: Model) -> None:
        job = self._jobs.job(model.key)
        came = max(job.progress.done if job and job.busy else 0, self.cards[model.key].facts.came)
        if not came:
            self._cancel(model)
            return
        text = self.tr("Cancel the download of {model} and delete the {size} that are here?")
        self._ask(
            text.format(model=model.name, size=size_text(came)),
            self.tr("To go on later, choose Pause instead."),
            self.tr("&Delete"),
            lambda: self._cancel(model),
        )

    def _cancel(self, model: Model) -> None:
        self._jobs.cancel(model)
        self._job_changed(model.key)

    def _remove(self, model: Model) -> None:
        self._jobs.remove(model, lambda: self._let_go(model.key))
        self._job_changed(model.key)

    def _ask(self, text: str, more: str, yes: str, then: Callable[[], None]) -> None:
        """A question that doesn't hold up the app; Escape and Return mean no."""
        box = self.question = QMessageBox(QMessageBox.Icon.Question, self.tr("Models"), text, parent=self)
        box.setInformativeText(more)
        accept = box.addButton(yes, QMessageBox.ButtonRole.AcceptRole)
        keep = box.addButton(self.tr("&Keep"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(keep)
        box.setEscapeButton(keep)
        box.buttonClicked.connect(lambda button: then() if button is accept else None)
        box.finished.connect(self._answered)
        box.open()

    def _answered(self) -> None:
        if self.question is not None:
            self.question.deleteLater()
            self.question = None

    def _let_go(self, key: str) -> None:
        """Before a model is deleted; in a thread of the jobs."""
        engine = self._mine.qwen
        if engine is None or engine.loaded != key:
            return
        if self._mine.reader.status.busy:
            raise DesktopTTSError("This model is reading aloud.", "Stop that first, then remove it.")
        engine.unload()

    def _choose_folder(self, folder: str) -> None:
        if self.keep(FOLDER, folder):
            self.own.look()
            self._look()

    def _keep_minutes(self, minutes: float) -> None:
        if minutes != self.settings.current.models.unload_after_min:
            self.keep(UNLOAD_AFTER, minutes)

    def _show_minutes(self, now: values.Settings) -> None:
        self.minutes.setValue(now.models.unload_after_min)


def _free(folder: Path) -> int:
    """Bytes free on the disk that ``folder`` is or will be on."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return 0
