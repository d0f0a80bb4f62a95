"""A short choice of voices, with the way to all of them."""

from __future__ import annotations

from PySide6.QtCore import QLocale, Signal

from desktop_tts.errors import SettingsError
from desktop_tts.settings import Settings, SettingsStore
from desktop_tts.speech import Voice
from desktop_tts.ui.actions import Actions
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.steady import SteadyComboBox
from desktop_tts.ui.voice_choice import short_list

MORE = "more"
"""Data of the entry that opens the settings; no voice's id, which has a colon."""


def languages_of_user(settings: Settings) -> set[str]:
    """ISO 639-1 codes: the system's languages and those with a voice of their own in the settings."""
    system = {name.split("-")[0] for name in QLocale.system().uiLanguages()}
    return system | set(settings.voices.by_language)


class VoiceCombo(SteadyComboBox):
    """Chooses the default voice. Ask it to ``refresh`` when it is shown: the voices are looked up in the background."""

    failed = Signal(str)
    """Why the choice couldn't be kept."""

    def __init__(self, settings: SettingsStore, actions: Actions) -> None:
        super().__init__()
        self._settings, self._actions = settings, actions
        self._voices: tuple[Voice, ...] = ()
        self.setAccessibleName(self.tr("Voice"))
        self.activated.connect(self._picked)
        settings.on_change(lambda now: self._fill())
        self._fill()

    def refresh(self) -> None:
        BackgroundCall(self, self._actions.voices, self._found)

    def _found(self, voices: tuple[Voice, ...]) -> None:
        if voices != self._voices:
            self._voices = voices
            self._fill()

    def _fill(self) -> None:
        now = self._settings.current
        chosen = now.voices.default
        entries = [(voice.name, voice.id) for voice in short_list(self._voices, chosen, languages_of_user(now))]
        if chosen not in (voice_id for _, voice_id in entries):
            entries.insert(0, (chosen.partition(":")[2] or chosen, chosen))
        entries.append((self.tr("More voices…"), MORE))
        if entries != [(self.itemText(row), self.itemData(row)) for row in range(self.count())]:
            self.clear()
            for name, voice_id in entries:
                self.addItem(name, voice_id)
        self.setCurrentIndex(self.findData(chosen))

    def _picked(self, row: int) -> None:
        voice_id = self.itemData(row)
        if voice_id == MORE:
            self._actions.open_settings("voices")
        else:
            try:
                self._settings.set("voices.default", voice_id)
            except SettingsError as error:
                self.failed.emit(str(error))
        self._fill()
