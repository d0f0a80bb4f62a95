"""Plays a piece of a recording once, and tells where it is."""

from __future__ import annotations

import contextlib
import threading

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_tts.audio.clip import RATE
from desktop_tts.audio.player import Player, PlayerEvent, PlayerEventKind
from desktop_tts.speech import Pcm

_LOOK_MS = 40
_ROOM_S = 600.0
"""More than any recording is long: writing never waits."""


class PiecePlayer(QObject):
    """Lives on the main thread; calls return at once."""

    moved = Signal(float)
    """Seconds into the piece that are heard."""
    stopped = Signal()
    """It was heard to its end, or stopped."""
    failed = Signal(str)
    """A sentence; nothing is heard."""
    _event = Signal(object, object)

    def __init__(self, device: str, parent: QObject) -> None:
        super().__init__(parent)
        self._device = device
        self._player: Player | None = None
        self._piece: object = None
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._event.connect(self._on_event)

    @property
    def playing(self) -> bool:
        return self._player is not None

    def play(self, pcm: Pcm) -> None:
        """From the beginning; another piece stops."""
        self.stop()
        piece = self._piece = object()
        player = self._player = Player(
            self._device, run_ahead_s=_ROOM_S, on_event=lambda event: self._tell(piece, event)
        )
        threading.Thread(target=_write, args=(player, pcm), name="piece to play", daemon=True).start()
        self._timer.start()

    def stop(self) -> None:
        """Silent."""
        player, self._player = self._player, None
        self._timer.stop()
        if player is not None:
            threading.Thread(target=player.close, name="end of a piece", daemon=True).start()
            self.stopped.emit()

    def _look(self) -> None:
        if self._player is None:
            return
        position = self._player.position()
        if position is not None:
            self.moved.emit(position.offset_s)

    def _tell(self, piece: object, event: PlayerEvent) -> None:
        """In the player's thread."""
        with contextlib.suppress(RuntimeError):  # the window is gone
            self._event.emit(piece, event)

    def _on_event(self, piece: object, event: PlayerEvent) -> None:
        if self._player is None or piece is not self._piece:
            return
        if event.is_problem:
            self.stop()
            self.failed.emit(event.message)
        elif event.kind is PlayerEventKind.DRAINED:
            self.stop()


def _write(player: Player, pcm: Pcm) -> None:
    player.write(pcm, RATE, "piece")
    player.finish()
