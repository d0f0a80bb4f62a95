"""The Qt main thread as others see it: signals of the operating system arrive there, and calls can be handed to it."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QObject, QSocketNotifier, Qt, Signal


class _MainCall(QObject):
    asked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.asked.connect(lambda call: call(), Qt.ConnectionType.BlockingQueuedConnection)


def on_main_thread(call: Callable[[], str]) -> str:
    """Run ``call`` on the Qt main thread and wait for its answer. Not to be called from the main thread itself."""
    answers: list[str] = []
    relay = _MainCall()
    relay.moveToThread(QCoreApplication.instance().thread())  # type: ignore[union-attr]
    relay.asked.emit(lambda: answers.append(call()))
    return answers[0] if answers else ""


class SignalWatch(QObject):
    """Turns SIGINT and SIGTERM into a clean quit without polling: Python's handler only writes a byte to a socket."""

    def __init__(self, quit_: Callable[[], None]) -> None:
        super().__init__()
        self._read, self._write = socket.socketpair()
        self._read.setblocking(False)
        self._write.setblocking(False)
        self._before = signal.set_wakeup_fd(self._write.fileno())
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(quit_)

    def close(self) -> None:
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._before)
        self._read.close()
        self._write.close()
