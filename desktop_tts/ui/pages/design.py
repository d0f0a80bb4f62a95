"""Voices made from a description: drawn several times, heard, and one of them kept."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from threading import Event

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from desktop_tts.engines.qwen import LANGUAGES
from desktop_tts.errors import DesktopTTSError
from desktop_tts.settings import SettingsStore
from desktop_tts.speech import Pcm, language_name
from desktop_tts.ui.actions import Actions
from desktop_tts.ui.announce import announce
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.design.draw import RATE, Draw, Wish, keep
from desktop_tts.ui.design.hearing import Hearing
from desktop_tts.ui.design.keep_dialog import KeepDialog
from desktop_tts.ui.design.row import DrawRow
from desktop_tts.ui.design.words import SENTENCES, examples
from desktop_tts.ui.pages.page import Problem, SettingsPage
from desktop_tts.ui.steady import SteadyComboBox
from desktop_tts.ui.surfaces import MutedLabel
from desktop_tts.ui.when_quiet import WhenQuiet
from desktop_tts.voices.making import MakerModel
from desktop_tts.voices.profile import Profile

DESCRIPTION_LIMIT = 2000
"""Letters; more than any model takes in."""


class DesignPage(SettingsPage):
    """What it works with is in ``actions.mine``. Draws are in memory alone until one is kept."""

    _came = Signal(int, float)
    """From the drawing thread: number of the draw, and seconds of it that are there."""

    def __init__(self, settings: SettingsStore, actions: Actions) -> None:
        super().__init__(self.tr("Design"), settings, actions)
        self._mine, self._maker = actions.mine, actions.mine.maker
        self._models: tuple[MakerModel, ...] = ()
        self._bases: tuple[MakerModel, ...] = ()
        self._wish: Wish | None = None
        self._seed = 0
        self._latest = latest = [Event()]
        """Stops the drawing that goes on."""
        self.rows: list[DrawRow] = []
        self.dialog: KeepDialog | None = None
        self.hearing = Hearing(self, self._mine.reader, actions.stop, lambda: self.settings.current.audio.device)
        self._add_missing()
        self._add_wishes()
        self._add_draws()
        self.column.addStretch(1)
        self.quiet = WhenQuiet(self, self._mine.reader, self._start, lambda: self._latest[0].set())
        self.quiet.changed.connect(self._show)
        self.hearing.failed.connect(self.problem.show_text)
        self._came.connect(self._show_length, Qt.ConnectionType.QueuedConnection)
        self.destroyed.connect(lambda: latest[0].set())
        self._show()

    def _add_missing(self) -> None:
        intro = MutedLabel(self.tr("Describe a voice, hear how it could sound, and keep the draw that you like best."))
        self.missing = Problem()
        self.to_models = QPushButton(self.tr("Get the VoiceDesign &model…"))
        self.to_models.setAutoDefault(False)
        self.to_models.clicked.connect(lambda: self.app.open_settings("models"))
        row = QHBoxLayout()
        row.addWidget(self.to_models)
        row.addStretch(1)
        top = QVBoxLayout()
        top.addWidget(intro)
        top.addWidget(self.missing)
        top.addLayout(row)
        self.column.insertLayout(1, top)
        self.to_models.hide()

    def _add_wishes(self) -> None:
        self.examples = SteadyComboBox()
        self.examples.setAccessibleName(self.tr("Start from an example"))
        self.examples.addItem(self.tr("Choose…"), "")
        for name, text in examples():
            self.examples.addItem(name, text)
        self.examples.activated.connect(self._take_example)
        self.labelled(self.tr("&Example"), self.examples, self.examples)
        self.description = self._text_field(self.tr("Description of the voice"), 4)
        self.description.setPlaceholderText(self.tr("Age, sound and manner, as “an old man with a deep, gentle voice”"))
        self.labelled(self.tr("De&scription"), self.description, self.description)
        self.language = SteadyComboBox()
        self.language.setAccessibleName(self.tr("Language"))
        for code in sorted(LANGUAGES, key=language_name):
            self.language.addItem(language_name(code), code)
        own = QLocale.system().name().split("_")[0]
        self.language.setCurrentIndex(self.language.findData(own if own in LANGUAGES else "en"))
        self.language.activated.connect(self._turn_sentence)
        self.labelled(self.tr("&Language"), self.language, self.language)
        self.sentence = self._text_field(self.tr("Sentence to hear"), 2)
        self.sentence.setPlainText(SENTENCES[self.language.currentData()])
        self.labelled(self.tr("Se&ntence"), self.sentence, self.sentence)

    def _add_draws(self) -> None:
        self.draw = QPushButton()
        self.draw.setAutoDefault(False)
        self.draw.clicked.connect(self._pressed)
        self.state = QLabel()
        self.state.setWordWrap(True)
        self.problem = Problem()
        self.to_voices = QPushButton(self.tr("Show my &voices"))
        self.to_voices.setAutoDefault(False)
        self.to_voices.clicked.connect(lambda: self.app.open_settings("voices"))
        self.to_voices.hide()
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self.draw)
        row.addWidget(self.state, 1)
        row.addWidget(self.to_voices)
        self.column.addLayout(row)
        self.column.addWidget(self.problem)
        self.list = QVBoxLayout()
        self.list.setSpacing(8)
        self.column.addLayout(self.list)

    def _text_field(self, name: str, lines: int) -> QPlainTextEdit:
        field = QPlainTextEdit()
        field.setAccessibleName(name)
        field.setTabChangesFocus(True)
        field.setFixedHeight(field.fontMetrics().lineSpacing() * lines + 14)
        return field

    # ------------------------------------------------------------ looking

    def shown(self) -> None:
        if self._maker is None:
            self.missing.show_text(self.tr("Designing voices needs Qwen3-TTS, which isn't set up here."))
            return
        maker = self._maker
        BackgroundCall(self, lambda: (maker.design_models(), maker.clone_models()), self._found, self._not_found)

    def _found(self, found: tuple[tuple[MakerModel, ...], tuple[MakerModel, ...]]) -> None:
        self._models, self._bases = (tuple(model for model in models if model.installed) for models in found)
        lacking = (
            "" if self._models else self.tr("Designing voices needs the VoiceDesign model, which isn't installed.")
        )
        self.missing.show_text(lacking)
        self.to_models.setVisible(bool(lacking))
        self._show()

    def _not_found(self, error: DesktopTTSError) -> None:
        self.missing.show_text(str(error))

    # ------------------------------------------------------------ wishes

    def _take_example(self, row: int) -> None:
        text = self.examples.itemData(row)
        if text:  # as if typed, so that Ctrl+Z brings back what was there
            cursor = self.description.textCursor()
            cursor.select(QTextCursor.SelectionType.Document)
            cursor.insertText(text)

    def _turn_sentence(self) -> None:
        """A sentence of ours follows the language; one of the user's stays."""
        if self.sentence.toPlainText().strip() in ("", *SENTENCES.values()):
            self.sentence.setPlainText(SENTENCES[self.language.currentData()])

    # ------------------------------------------------------------ drawing

    def _pressed(self) -> None:
        if self.quiet.running or self.quiet.waiting:
            self.quiet.drop()
            return
        description = " ".join(self.description.toPlainText().split())[:DESCRIPTION_LIMIT]
        sentence = " ".join(self.sentence.toPlainText().split())
        lacking = self.description if not description else self.sentence if not sentence else None
        if lacking is not None:
            text = self.tr("Describe the voice first.") if not description else self.tr("Write a sentence to hear.")
            self.problem.show_text(text)
            lacking.setFocus()
            return
        self.problem.show_text("")
        self.to_voices.hide()
        self.hearing.stop()
        self._wish = Wish(description, self.language.currentData(), sentence, self._seed + 1, self._models[0].key)
        self.quiet.want()

    def _start(self) -> None:
        wish, maker = self._wish, self._maker
        assert wish is not None
        assert maker is not None
        cancel = self._latest[0] = Event()
        seconds = 0.0

        def came(pcm: Pcm) -> None:
            nonlocal seconds
            seconds += len(pcm) / RATE
            with suppress(RuntimeError):  # the window is gone
                self._came.emit(wish.seed, seconds)

        def work() -> Draw:
            parts = wish.description, wish.language, wish.sentence, wish.seed, wish.model
            return Draw(wish, maker.design(*parts, cancel, came))

        BackgroundCall(self, work, partial(self._drawn, cancel), self._failed)

    def _drawn(self, cancel: Event, draw: Draw) -> None:
        self.quiet.ended()
        if cancel.is_set():
            return
        if not len(draw.pcm):
            self.problem.show_text(self.tr("The model said nothing this time. Draw again."))
            self._seed = draw.wish.seed
            return
        self._seed = draw.wish.seed
        row = self.add(draw)
        announce(self, self.tr("{title} is ready.").format(title=row.title))
        if self.isVisible():
            self.hearing.play(row)

    def add(self, draw: Draw) -> DrawRow:
        """Put a draw on top of the list."""
        row = DrawRow(draw)
        row.play_wanted.connect(lambda: self.hearing.toggle(row))
        row.keep_wanted.connect(lambda: self._ask_to_keep(row))
        row.remove_wanted.connect(lambda: self._remove(row))
        self.rows.insert(0, row)
        self.list.insertWidget(0, row)
        self._order_tabs()
        self._show()
        return row

    def _order_tabs(self) -> None:
        """From the newest row down, as they are seen."""
        before: QWidget = self.to_voices
        for row in self.rows:
            for widget in (row.play, row.keep, row.remove):
                self.setTabOrder(before, widget)
                before = widget

    def _failed(self, error: DesktopTTSError) -> None:
        if not self.quiet.ended():
            self.problem.show_text(str(error))

    def _show_length(self, number: int, seconds: float) -> None:
        if self.quiet.running and self._wish is not None and self._wish.seed == number:
            self.state.setText(self.tr("Draw {n}: {seconds} s so far…").format(n=number, seconds=f"{seconds:.1f}"))

    def _show(self) -> None:
        on = self.quiet.running or self.quiet.waiting
        again = self.tr("&Draw another voice") if self.rows else self.tr("&Draw a voice")
        self.draw.setText(self.tr("S&top drawing") if on else again)
        self.draw.setEnabled(on or bool(self._models))
        if self.quiet.waiting:
            self.state.setText(self.tr("Waits until nothing is being read."))
        elif self.quiet.running and self._wish is not None:
            self.state.setText(self.tr("Draw {n}: the model gets ready…").format(n=self._wish.seed))
        else:
            self.state.clear()

    # ------------------------------------------------------------ keeping

    def _ask_to_keep(self, row: DrawRow) -> None:
        maker = self._maker
        assert maker is not None
        store = self._mine.store
        name = store.free_name(self.tr("Designed voice"))
        self.hearing.stop()
        dialog = self.dialog = KeepDialog(
            self, name, self._bases, lambda name, base, cancel: keep(store, maker, row.draw, name, base, cancel)
        )
        dialog.kept.connect(self._kept)
        dialog.models_wanted.connect(lambda: self.app.open_settings("models"))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _kept(self, profile: Profile) -> None:
        self._show()
        self.state.setText(self.tr("“{name}” is among your voices now.").format(name=profile.name))
        self.to_voices.show()
        announce(self, self.state.text())

    def _remove(self, row: DrawRow) -> None:
        if self.hearing.row is row:
            self.hearing.stop()
        place = self.rows.index(row)
        self.rows.remove(row)
        near = self.rows[min(place, len(self.rows) - 1)].play if self.rows else self.draw
        near.setFocus()
        self.list.removeWidget(row)
        row.deleteLater()
        self._show()
