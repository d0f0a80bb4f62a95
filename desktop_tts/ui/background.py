"""Calls that may take long, away from the main thread, so that no window ever stands still."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from desktop_tts.errors import DesktopTTSError

log = logging.getLogger(__name__)


class BackgroundCall(QObject):
    """Runs ``work`` in a thread and hands its result to ``done``, or an expected error to ``failed``, on the thread
    that made this object. Nothing is handed over when ``owner`` is gone by then."""

    _ended = Signal(object, object)

    def __init__(
        self,
        owner: QObject,
        work: Callable[[], Any],
        done: Callable[[Any], None],
        failed: Callable[[DesktopTTSError], None] | None = None,
    ) -> None:
        super().__init__(owner)
        self._work, self._done, self._failed = work, done, failed
        self._ended.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        threading.Thread(target=self._run, name="ui background call", daemon=True).start()

    def _run(self) -> None:
        result: object = None
        error: DesktopTTSError | None = None
        try:
            result = self._work()
        except DesktopTTSError as expected:
            error = expected
        except Exception as unexpected:
            log.error("a call in the background failed", exc_info=unexpected)
            error = DesktopTTSError("Something went wrong here.", "The log has more.")
        try:
            self._ended.emit(result, error)
        except RuntimeError:
            log.debug("the window that asked is gone")

    def _deliver(self, result: object, error: DesktopTTSError | None) -> None:
        if error is None:
            self._done(result)
        elif self._failed:
            self._failed(error)
        self.deleteLater()
