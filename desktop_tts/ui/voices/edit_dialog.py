"""Changing a voice of one's own, or making one from a voice that is here; heard as it would be before it is kept."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from desktop_tts.engines.qwen import LANGUAGES
from desktop_tts.errors import DesktopTTSError
from desktop_tts.speech import LANGUAGE_NAMES, Voice
from desktop_tts.ui.pages.page import Problem
from desktop_tts.ui.steady import FactorSlider
from desktop_tts.ui.surfaces import MutedLabel
from desktop_tts.ui.texts import speed_text
from desktop_tts.ui.voice_actions import VoiceActions
from desktop_tts.ui.voices.instruct_field import InstructField
from desktop_tts.ui.voices.picker import Picker, language_entries, voice_entries
from desktop_tts.ui.voices.preview import preview
from desktop_tts.voices.files import copy_plain, has_file
from desktop_tts.voices.profile import ENGINE, PROMPT, Kind, Profile


class EditDialog(QDialog):
    """A profile without an id is a new voice."""

    saved = Signal(str)
    """Its ``Voice.id``."""

    def __init__(self, profile: Profile, voices: Sequence[Voice], actions: VoiceActions, parent: QWidget) -> None:
        super().__init__(parent)
        self._profile, self._actions = profile, actions
        self._voices = [voice for voice in voices if voice.engine != ENGINE]
        self._draft: Profile | None = None
        new = not profile.id
        self.setWindowTitle(self.tr("A voice of your own") if new else self.tr("Edit “{}”").format(profile.name))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.name = QLineEdit(profile.name)
        self.name.setMaxLength(80)
        self.name.selectAll()
        self.base = Picker(self.tr("Voice"))
        self.base.offer(voice_entries(self._voices), profile.base)
        self.base.chosen.connect(lambda _: self._base_changed())
        self.language = Picker(self.tr("Language"))
        self.instruct = InstructField(actions.presets)
        self.instruct.set_text(profile.instruct)
        self.speed = FactorSlider(self.tr("Speed in percent"), 0.5, 2.0, speed_text)
        self.speed.set_value(profile.speed)
        self.volume = FactorSlider(self.tr("Loudness in percent"), 0.0, 2.0, lambda value: f"{round(value * 100)} %")
        self.volume.set_value(profile.volume)
        self.notes = QPlainTextEdit(profile.notes)
        self.notes.setAccessibleName(self.tr("Notes"))
        self.notes.setTabChangesFocus(True)
        self.notes.setFixedHeight(self.notes.fontMetrics().lineSpacing() * 2 + 14)
        self.sentence = _TryField()
        self.sentence.setAccessibleName(self.tr("Sentence to listen to"))
        self.sentence.setPlaceholderText(self.tr("A sentence to try it with, or leave it empty"))
        self.sentence.wanted.connect(self._listen)
        self.listen = QPushButton(self.tr("&Listen"))
        self.listen.setAutoDefault(False)
        self.listen.clicked.connect(self._listen)
        self.problem = Problem()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.accepted.connect(self._save)
        self.buttons.rejected.connect(self.reject)
        self.finished.connect(lambda _: self._drop_draft())
        self._lay_out()
        self._base_changed()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(12)
        _add(form, self.tr("&Name"), self.name)
        if self._profile.kind is Kind.SPEAKER:
            _add(form, self.tr("&Voice"), self.base)
        else:
            about = MutedLabel(self._profile.description or self.tr("A recording"))
            about.setTextFormat(Qt.TextFormat.PlainText)
            form.addRow(self.tr("Made from"), about)
        _add(form, self.tr("L&anguage"), self.language)
        _add(form, self.tr("&How to speak"), self.instruct, self.instruct.edit)
        _add(form, self.tr("S&peed"), self.speed)
        _add(form, self.tr("Lo&udness"), self.volume)
        _add(form, self.tr("N&otes"), self.notes)
        try_it = QHBoxLayout()
        try_it.addWidget(self.sentence, 1)
        try_it.addWidget(self.listen)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(18, 16, 18, 8)
        column.setSpacing(14)
        column.addLayout(form)
        column.addLayout(try_it)
        column.addStretch(1)
        area = self.area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(inside)
        footer = QVBoxLayout()
        footer.setContentsMargins(18, 4, 18, 14)
        footer.addWidget(self.problem)
        footer.addWidget(self.buttons)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(area, 1)
        whole.addLayout(footer)

    def showEvent(self, event: QShowEvent) -> None:
        """As large as needed, but for what the screen has: at 200 % a small one has little."""
        super().showEvent(event)
        room = self.screen().availableGeometry().size()
        self.resize(min(self.fontMetrics().averageCharWidth() * 80, room.width() - 24), self.height())
        QTimer.singleShot(0, self, self._grow)

    def _grow(self) -> None:
        hidden = self.area.verticalScrollBar().maximum()
        self.resize(self.width(), min(self.height() + hidden, self.screen().availableGeometry().height() - 60))

    def _base_changed(self) -> None:
        """What the base can do says what can be chosen."""
        speaks = self.base.value() if self._profile.kind is Kind.SPEAKER else self._profile.voice_id
        obstacle = self._actions.instruct_obstacle(speaks)
        codes = self._languages() or tuple(LANGUAGE_NAMES)
        wanted = self.language.value() if self.language.count() else self._profile.language
        by_itself = [(self.tr("Every language it speaks"), "")]
        self.language.offer(by_itself + language_entries(codes), wanted if wanted in codes else "")
        self.instruct.show_obstacle(obstacle)

    def _languages(self) -> tuple[str, ...]:
        """What it can speak, as far as that is known."""
        if self._profile.kind is not Kind.SPEAKER:
            return tuple(LANGUAGES)
        base = next((voice for voice in self._voices if voice.id == self.base.value()), None)
        return base.languages if base else ()

    def _edited(self) -> Profile:
        return dataclasses.replace(
            self._profile,
            name=" ".join(self.name.text().split()),
            base=self.base.value() if self._profile.kind is Kind.SPEAKER else self._profile.base,
            language=self.language.value(),
            instruct=self.instruct.text(),
            speed=self.speed.value(),
            volume=self.volume.value(),
            notes=self.notes.toPlainText().strip(),
        )

    def _listen(self) -> None:
        """In a hidden draft, so that it sounds as it would."""
        try:
            self._draft = self._fresh_draft()
        except DesktopTTSError as error:
            self.problem.show_text(str(error))
        else:
            self.problem.show_text("")
            language, sentence = "", self.sentence.text().strip()
            if not sentence:
                language, sentence = preview(self._languages(), self.language.value())
            self._actions.listen(self._draft.voice_id, sentence, language=language)

    def _fresh_draft(self) -> Profile:
        store = self._actions.store
        edited = dataclasses.replace(self._edited(), name=self.name.text().strip() or self.tr("This voice"))
        if self._draft is not None:
            draft = dataclasses.replace(edited, id=self._draft.id)
            store.save(draft)
            return draft
        draft = store.new_draft(edited)
        if self._profile.id and has_file(store.folder(self._profile.id), PROMPT):
            copy_plain(store.folder(self._profile.id) / PROMPT, store.folder(draft.id) / PROMPT)
        return draft

    def _drop_draft(self) -> None:
        if self._draft is not None:
            with contextlib.suppress(DesktopTTSError):  # it goes with the next start
                self._actions.store.discard(self._draft.id)
            self._draft = None

    def _save(self) -> None:
        edited = self._edited()
        if not edited.name:
            self.problem.show_text(self.tr("Give the voice a name."))
            self.name.setFocus()
            return
        try:
            if edited.id:
                self._actions.store.save(edited)
            else:
                edited = self._actions.store.add(edited)
        except DesktopTTSError as error:
            self.problem.show_text(str(error))
            return
        self.saved.emit(edited.voice_id)
        self.accept()


class _TryField(QLineEdit):
    """Return lets it be heard, and doesn't save."""

    wanted = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.wanted.emit()
        else:
            super().keyPressEvent(event)


def _add(form: QFormLayout, text: str, field: QWidget, buddy: QWidget | None = None) -> None:
    label = QLabel(text)
    label.setBuddy(buddy or field.focusProxy() or field)
    form.addRow(label, field)
