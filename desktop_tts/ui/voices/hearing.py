"""Hearing a voice from the list, and knowing until when."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from desktop_tts.reader_state import ReaderState, ReaderStatus
from desktop_tts.ui.texts import state_title
from desktop_tts.ui.voice_actions import VoiceActions
from desktop_tts.ui.voices.preview import preview
from desktop_tts.ui.voices.rows import Row


class Hearing(QObject):
    """One voice is heard at a time, by the same reader as everything else."""

    changed = Signal(str)
    """Id of the voice that is heard from now on; empty for none."""
    state = Signal(str)
    """Why nothing sounds yet, or empty."""
    failed = Signal(str)

    def __init__(self, mine: VoiceActions, stop: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._mine, self._stop = mine, stop
        self.voice_id = ""
        mine.reader.status_changed.connect(self._follow)

    def toggle(self, row: Row) -> None:
        """Hear a sentence in this voice; or no more, if it is the one that is heard."""
        if row.id == self.voice_id:
            self._stop()
            return
        language, sentence = preview(row.languages, row.profile.language if row.profile else "")
        self._mine.listen(row.id, sentence, language=language)
        self._change(row.id)

    def _follow(self, status: ReaderStatus) -> None:
        if not self.voice_id:
            return
        if status.state is ReaderState.ERROR:
            self.failed.emit(status.message)
        if status.state in (ReaderState.IDLE, ReaderState.ERROR) or status.source not in ("", "command"):
            self._change("")
        elif status.state is ReaderState.PREPARING:
            self.state.emit(status.message or state_title(status.state))
        else:
            self.state.emit("")

    def _change(self, voice_id: str) -> None:
        self.voice_id = voice_id
        self.state.emit("")
        self.changed.emit(voice_id)
