"""The windows that the Voices page opens: to make a voice, to change one, and to choose files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QWidget

from desktop_tts.settings import SettingsStore, Voices
from desktop_tts.speech import Voice
from desktop_tts.ui.actions import Actions
from desktop_tts.ui.voices.edit_dialog import EditDialog
from desktop_tts.ui.voices.file_dialogs import export_dialog, import_dialog
from desktop_tts.ui.voices.rows import Row
from desktop_tts.voices.profile import ENGINE, Kind, Profile


class VoiceDialogs(QObject):
    """Opens one at a time, each over ``page``; all return at once."""

    arrived = Signal(str)
    """``Voice.id`` of a voice that is new or changed."""
    refused = Signal(str)
    """A sentence on why a window can't be opened."""

    def __init__(
        self, page: QWidget, settings: SettingsStore, actions: Actions, voices: Callable[[], tuple[Voice, ...]]
    ) -> None:
        """``voices`` are those known so far."""
        super().__init__(page)
        self._page, self._settings, self._app, self._mine = page, settings, actions, actions.mine
        self._voices = voices
        self.current: QDialog | None = None
        self._wizard: QDialog | None = None

    def edit(self, profile: Profile) -> None:
        """Without an id it is a new voice."""
        dialog = EditDialog(profile, self._voices(), self._mine, self._page)
        dialog.saved.connect(self.arrived)
        self._open(dialog)

    def adapt(self, row: Row | None) -> None:
        """Make a new voice from the one in ``row``, or from the default voice where that one can't be adapted."""
        base = name = ""
        if row and row.profile and row.profile.kind is Kind.SPEAKER:
            base, name = row.profile.base, row.name
        elif row and not row.profile and not row.broken:
            base, name = row.id, row.name
        if not base:
            default = self._settings.current.voices.default
            base = Voices().default if default.startswith(f"{ENGINE}:") else default
        self.edit(Profile("", name, Kind.SPEAKER, base))

    def clone(self) -> None:
        """One window for it; it comes to the front if it is open."""
        if self._wizard is not None:
            self._wizard.activateWindow()
            self._wizard.raise_()
            return
        if self._mine.maker is None:
            self.refused.emit(self.tr("Cloning needs Qwen3-TTS, which isn't set up here."))
            return
        from desktop_tts.ui.clone.wizard import CloneWizard  # late: loads the sound libraries

        wizard = CloneWizard(
            self._mine.store,
            self._mine.maker,
            self._mine.listen,
            lambda: self._app.open_settings("models"),
            stop_listening=self._app.stop,
            output_device=self._settings.current.audio.device,
            parent=self._page,
        )
        wizard.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._wizard = wizard
        wizard.finished.connect(self._cloned)
        wizard.saved.connect(lambda profile_id: self.arrived.emit(f"{ENGINE}:{profile_id}"))
        self.current = wizard
        wizard.show()  # beside the settings, not over them: its user may have to fetch a model there

    def _cloned(self) -> None:
        self._wizard = None

    def import_files(self, chosen: Callable[[list[Path]], None]) -> None:
        self._open(import_dialog(self._page, chosen))

    def export(self, name: str, chosen: Callable[[Path], None]) -> None:
        self._open(export_dialog(self._page, name, chosen))

    def _open(self, dialog: QDialog) -> None:
        self.current = dialog
        dialog.open()
