"""The library of instructs: add, change and delete presets, or go back to those that came with the program."""

from __future__ import annotations

import dataclasses

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop_tts.errors import DesktopTTSError
from desktop_tts.ui.pages.page import Problem
from desktop_tts.ui.voices.undo_bar import UndoBar
from desktop_tts.voices.instructs import InstructPresets, Preset

PRESET = Qt.ItemDataRole.UserRole.value


class PresetsDialog(QDialog):
    """Every change is kept when its field is left, so there is nothing to confirm."""

    def __init__(self, presets: InstructPresets, parent: QWidget) -> None:
        super().__init__(parent)
        self._presets = presets
        self.setWindowTitle(self.tr("Presets: how to speak"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Presets"))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentItemChanged.connect(lambda _, before: self._turned(before))
        self.name = QLineEdit()
        self.name.setMaxLength(60)
        self.text = QPlainTextEdit()
        self.text.setAccessibleName(self.tr("Instruct"))
        self.text.setTabChangesFocus(True)
        self.text.setPlaceholderText(self.tr("How to speak, in your own words"))
        self.add = _button(self.tr("&Add"), self._add)
        self.delete = _button(self.tr("De&lete"), self._delete)
        self.reset = _button(self.tr("&Reset all"), self._reset)
        self.reset.setToolTip(self.tr("Back to the presets that came with the program; can be undone"))
        self.problem, self.undo = Problem(), UndoBar()
        QShortcut(QKeySequence(QKeySequence.StandardKey.Undo), self.list, self.undo.undo).setContext(
            Qt.ShortcutContext.WidgetShortcut
        )
        delete = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.list, self._delete)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        buttons.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)
        self.name.editingFinished.connect(self._keep)
        self._lay_out(buttons)
        self._fill("")

    def _lay_out(self, buttons: QDialogButtonBox) -> None:
        fields = QFormLayout()
        fields.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        fields.addRow(self.tr("&Name"), self.name)
        words = QLabel(self.tr("&Instruct"))
        words.setBuddy(self.text)
        right = QVBoxLayout()
        right.addLayout(fields)
        right.addWidget(words)
        right.addWidget(self.text, 1)
        columns = QHBoxLayout()
        columns.setSpacing(14)
        columns.addWidget(self.list, 2)
        columns.addLayout(right, 3)
        row = QHBoxLayout()
        for button in (self.add, self.delete, self.reset):
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(buttons)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(18, 16, 18, 14)
        whole.setSpacing(12)
        whole.addLayout(columns, 1)
        whole.addWidget(self.problem)
        whole.addWidget(self.undo)
        whole.addLayout(row)
        letter, line = self.fontMetrics().averageCharWidth(), self.fontMetrics().lineSpacing()
        room = self.screen().availableGeometry().size()
        self.resize(min(letter * 78, room.width() - 24), min(line * 20, room.height() - 60))

    def done(self, result: int) -> None:
        self._keep()
        super().done(result)

    def _fill(self, current: str) -> None:
        """Show the presets, the one with this id as current."""
        self.list.blockSignals(True)
        self.list.clear()
        for preset in self._presets.list():
            item = QListWidgetItem(preset.name)
            item.setData(PRESET, preset)
            self.list.addItem(item)
            if preset.id == current:
                self.list.setCurrentItem(item)
        if self.list.currentRow() < 0:
            self.list.setCurrentRow(0)
        self.list.blockSignals(False)
        self._show()

    def _show(self) -> None:
        preset = self._current()
        self.name.setText(preset.name if preset else "")
        self.text.setPlainText(preset.text if preset else "")
        for widget in (self.name, self.text, self.delete):
            widget.setEnabled(preset is not None)

    def _current(self) -> Preset | None:
        item = self.list.currentItem()
        return item.data(PRESET) if item else None

    def _turned(self, before: QListWidgetItem | None) -> None:
        if before is not None:
            self._keep_item(before)
        self._show()

    def _keep(self) -> None:
        if (item := self.list.currentItem()) is not None:
            self._keep_item(item)

    def _keep_item(self, item: QListWidgetItem) -> None:
        """What the fields say of the preset of ``item``; a name that was emptied stays as it was."""
        preset: Preset = item.data(PRESET)
        name = " ".join(self.name.text().split()) or preset.name
        changed = dataclasses.replace(preset, name=name, text=" ".join(self.text.toPlainText().split()))
        if changed == preset:
            return
        if self._try(lambda: self._presets.change(changed)):
            item.setData(PRESET, changed)
            item.setText(changed.name)

    def _add(self) -> None:
        self._keep()
        added: list[Preset] = []
        if self._try(lambda: added.append(self._presets.add(self.tr("New preset"), ""))):
            self._fill(added[0].id)
            self.name.setFocus()
            self.name.selectAll()

    def _delete(self) -> None:
        preset, row, before = self._current(), self.list.currentRow(), self._presets.list()
        if preset and self._try(lambda: self._presets.delete(preset.id)):
            self._fill("")
            self.list.setCurrentRow(min(row, self.list.count() - 1))
            self._offer_undo(self.tr("“{name}” is deleted.").format(name=preset.name), before, preset.id)

    def _reset(self) -> None:
        self._keep()
        before = self._presets.list()
        if self._try(self._presets.reset):
            self._fill("")
            self._offer_undo(self.tr("The presets are as they came with the program."), before, "")

    def _offer_undo(self, text: str, before: tuple[Preset, ...], current: str) -> None:
        def undo() -> None:
            if self._try(lambda: self._presets.replace(before)):
                self._fill(current)

        self.undo.offer(text, undo)

    def _try(self, work: object) -> bool:
        assert callable(work)
        try:
            work()
        except DesktopTTSError as error:
            self.problem.show_text(str(error))
            return False
        self.problem.show_text("")
        return True


def _button(text: str, pressed: object) -> QPushButton:
    button = QPushButton(text)
    button.setAutoDefault(False)
    button.clicked.connect(pressed)
    return button
