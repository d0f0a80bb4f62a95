"""Work with the speech model that gives way to reading: it waits for quiet, and begins again after an interruption."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from desktop_tts.ui.voice_actions import Status


class WhenQuiet(QObject):
    """Calls ``start`` when ``want`` is asked for and nothing is read, and ``interrupt`` when something is to be read
    meanwhile. The work says by ``ended`` that it's over, by itself or interrupted."""

    changed = Signal()

    def __init__(
        self, owner: QObject, reader: Status, start: Callable[[], None], interrupt: Callable[[], None]
    ) -> None:
        super().__init__(owner)
        self._reader, self._start, self._interrupt = reader, start, interrupt
        self.running = False
        self.waiting = False
        """It is to start, or to start again, as soon as nothing is read."""
        reader.status_changed.connect(self._follow)

    def want(self) -> None:
        """Start as soon as nothing is read."""
        self.waiting = True
        self._follow()
        self.changed.emit()

    def drop(self) -> None:
        """Don't start, and stop what runs."""
        self.waiting = False
        if self.running:
            self._interrupt()
        self.changed.emit()

    def ended(self) -> bool:
        """The work is over; True if it is to begin again, since a reading interrupted it."""
        again, self.running = self.waiting, False
        self._follow()
        self.changed.emit()
        return again

    def _follow(self) -> None:
        busy = self._reader.status.busy
        if busy and self.running and not self.waiting:
            self.waiting = True
            self._interrupt()
            self.changed.emit()
        elif not busy and self.waiting and not self.running:
            self.waiting, self.running = False, True
            self._start()
            self.changed.emit()
