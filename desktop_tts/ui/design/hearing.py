"""Hearing draws: one at a time, and none while something is read."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from desktop_tts.ui.clone.playing import PiecePlayer
from desktop_tts.ui.design.row import DrawRow
from desktop_tts.ui.voice_actions import Status


class Hearing(QObject):
    """``stop_reading`` is called when a draw is to be heard while something is read; ``device`` is asked each time."""

    failed = Signal(str)
    """A sentence; nothing is heard."""

    def __init__(
        self, owner: QObject, reader: Status, stop_reading: Callable[[], None], device: Callable[[], str]
    ) -> None:
        super().__init__(owner)
        self._reader, self._stop_reading, self._device = reader, stop_reading, device
        self._player: PiecePlayer | None = None
        self.row: DrawRow | None = None
        """Which is heard now."""
        reader.status_changed.connect(self._reading)

    def toggle(self, row: DrawRow) -> None:
        """Hear it from its beginning, or no more of it."""
        if self.row is row:
            self.stop()
        else:
            self.play(row)

    def play(self, row: DrawRow) -> None:
        self.stop()
        if self._reader.status.busy:
            self._stop_reading()
        player = self._player = PiecePlayer(self._device(), self)
        player.stopped.connect(lambda: self._stopped(player))
        player.failed.connect(self.failed)
        self.row = row
        row.show_playing(True)
        player.play(row.draw.pcm)

    def stop(self) -> None:
        """Silent."""
        if self._player is not None:
            self._player.stop()

    def _stopped(self, player: PiecePlayer) -> None:
        player.deleteLater()
        if player is self._player:
            self._player = None
            if self.row is not None:
                self.row.show_playing(False)
            self.row = None

    def _reading(self) -> None:
        if self._reader.status.busy:
            self.stop()
