"""How a voice is to speak: free words, or one of the presets. Says why where a voice doesn't follow an instruct."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from desktop_tts.ui.surfaces import MutedLabel
from desktop_tts.ui.voices.presets_dialog import PresetsDialog
from desktop_tts.voices.instructs import InstructPresets


class InstructField(QWidget):
    """Keeps its words while it is disabled, so that they are there again for another voice."""

    changed = Signal()

    def __init__(self, presets: InstructPresets) -> None:
        super().__init__()
        self._presets = presets
        self.dialog: PresetsDialog | None = None
        self.edit = QPlainTextEdit()
        self.edit.setAccessibleName(self.tr("How to speak"))
        self.edit.setPlaceholderText(self.tr("For example: calm and slow, as for a bedtime story"))
        self.edit.setTabChangesFocus(True)
        self.edit.setFixedHeight(self.edit.fontMetrics().lineSpacing() * 3 + 14)
        self.edit.textChanged.connect(self.changed)
        self.menu = QMenu(self)
        self.menu.aboutToShow.connect(self._fill_menu)
        self.button = QPushButton(self.tr("&Presets"))
        self.button.setAutoDefault(False)
        self.button.setMenu(self.menu)
        self.note = MutedLabel()
        self.note.hide()
        row = QHBoxLayout()
        row.addWidget(self.note, 1)
        row.addStretch(0)
        row.addWidget(self.button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.edit)
        column.addLayout(row)
        self._fill_menu()

    def text(self) -> str:
        """On one line."""
        return " ".join(self.edit.toPlainText().split())

    def set_text(self, text: str) -> None:
        self.edit.setPlainText(text)

    def show_obstacle(self, obstacle: str) -> None:
        """Why an instruct has no effect, as a sentence; empty when it has."""
        self.edit.setEnabled(not obstacle)
        self.button.setEnabled(not obstacle)
        self.edit.setAccessibleDescription(obstacle)
        self.note.setText(obstacle)
        self.note.setVisible(bool(obstacle))

    def _fill_menu(self) -> None:
        self.menu.clear()
        for preset in self._presets.list():
            action = self.menu.addAction(preset.name.replace("&", "&&"))
            action.setToolTip(preset.text)
            action.triggered.connect(lambda _=False, text=preset.text: self.set_text(text))
        self.menu.setToolTipsVisible(True)
        self.menu.addSeparator()
        self.menu.addAction(self.tr("&Edit the presets…"), self._edit_presets)

    def _edit_presets(self) -> None:
        self.dialog = PresetsDialog(self._presets, self)
        self.dialog.open()
