"""The model in a folder of the user's own, on the Models page."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout

from desktop_tts.engines.qwen import OWN, describe
from desktop_tts.errors import DesktopTTSError
from desktop_tts.settings import Settings, SettingsStore
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.models.card import bold
from desktop_tts.ui.models.words import folder_text
from desktop_tts.ui.pages.page import Problem
from desktop_tts.ui.surfaces import Card, MutedLabel

KEY = "models.folder"


class OwnFolderCard(Card):
    """Which folder, and what is in it."""

    chosen = Signal(str)
    """The folder that is to be used from now on; empty for none."""

    def __init__(self, settings: SettingsStore) -> None:
        super().__init__()
        self._settings = settings
        self._shown: str | None = None
        self.state = MutedLabel()
        self.problem = Problem()
        self.choose = QPushButton(self.tr("Choose a &folder…"))
        self.choose.clicked.connect(self._ask)
        self.forget = QPushButton(self.tr("Use &none"))
        self.forget.setAccessibleName(self.tr("Use no folder of my own"))
        self.forget.clicked.connect(lambda: self.chosen.emit(""))
        row = QHBoxLayout()
        for button in (self.choose, self.forget):
            button.setAutoDefault(False)
            row.addWidget(button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 12)
        column.setSpacing(5)
        column.addWidget(bold(self.tr("A model of your own")))
        column.addWidget(self.state)
        column.addWidget(self.problem)
        column.addSpacing(3)
        column.addLayout(row)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.show_settings(settings.current)

    def show_settings(self, now: Settings) -> None:
        folder = now.models.folder
        if folder == self._shown:
            return
        self._shown = folder
        self.look()

    def look(self) -> None:
        """What is in the folder, found out in the background."""
        folder = self._shown or ""
        self.forget.setVisible(bool(folder))
        if not folder:
            self.problem.show_text("")
            self.state.setText(
                self.tr("A Qwen3-TTS model from elsewhere, as a fine-tuned one: choose the folder with its files.")
            )
            return
        BackgroundCall(
            self,
            lambda: describe(OWN, Path(folder)),
            lambda model: self._found(folder, model.kind, len(model.speakers)),
            lambda error: self._failed(folder, error),
        )

    def _found(self, folder: str, kind: str, speakers: int) -> None:
        if folder != self._shown:
            return
        self.problem.show_text("")
        about = {
            "custom_voice": self.tr("{n} speakers", "", speakers).format(n=speakers),
            "voice_design": self.tr("makes voices from descriptions"),
            "base": self.tr("speaks with voices of your own"),
        }.get(kind, kind)
        self.state.setText(self.tr("{folder}: {about}.").format(folder=folder_text(Path(folder)), about=about))

    def _failed(self, folder: str, error: DesktopTTSError) -> None:
        if folder != self._shown:
            return
        self.state.setText(folder_text(Path(folder)))
        self.problem.show_text(f"{error.message} " + self.tr("Choose a folder in the published layout."))

    def _ask(self) -> None:
        dialog = QFileDialog(self, self.tr("Folder of a Qwen3-TTS model"), self._shown or str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self.chosen)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
