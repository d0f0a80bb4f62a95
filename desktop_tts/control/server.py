"""The app's side of the control socket. Lives on the Qt main thread; nothing in it waits.

One app per user: a lock file that names a living process decides.
"""

from __future__ import annotations

import json
import logging
from typing import Any, Protocol

from PySide6.QtCore import QLockFile, QObject, QTimer, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from desktop_tts import paths
from desktop_tts.errors import DesktopTTSError
from desktop_tts.text.feed import TextFeed

log = logging.getLogger(__name__)

LINE_LIMIT = 64 * 1024 * 1024
"""Bytes of one request: a long book fits, a runaway sender doesn't take the app down."""
Answer = dict[str, Any]


class Handler(Protocol):
    """What the app does with requests."""

    def __call__(self, request: dict[str, Any], client: Client) -> Answer | None:
        """Answer now, or return None and call ``client.answer`` later. A DesktopTTSError becomes an error answer."""


class Client(QObject):
    """One connection. May carry a growing text and may wait for an end of reading."""

    gone = Signal()

    def __init__(self, socket: QLocalSocket, handle: Handler) -> None:
        super().__init__(socket)
        self._socket, self._handle = socket, handle
        self._pending = bytearray()
        self.feed: TextFeed | None = None
        self._blocked = ""
        self._retry = QTimer(self)
        self._retry.setInterval(10)
        self._retry.timeout.connect(self._go_on)
        socket.readyRead.connect(self._on_data)
        socket.disconnected.connect(self._on_gone)

    def answer(self, answer: Answer) -> None:
        if self._socket.state() is QLocalSocket.LocalSocketState.ConnectedState:
            self._socket.write(json.dumps(answer).encode() + b"\n")
            self._socket.flush()

    def _on_data(self) -> None:
        if not self._blocked:
            self._pending += self._socket.readAll().data()
            self._go_on()

    def _go_on(self) -> None:
        """Take what has come, until the text feed is full; then try again shortly."""
        if self._blocked and self.feed and not self.feed.offer(self._blocked):
            return
        self._blocked = ""
        self._retry.stop()
        while (end := self._pending.find(b"\n")) >= 0:
            line = bytes(self._pending[:end])
            del self._pending[: end + 1]
            self._on_line(line)
            if self._blocked:
                self._retry.start()
                return
        if len(self._pending) > LINE_LIMIT:
            self.answer({"ok": False, "error": "The request is too long.", "code": 2})
            self._socket.abort()
        elif self._socket.bytesAvailable():
            self._on_data()

    def _on_line(self, line: bytes) -> None:
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise ValueError("not an object")
        except (ValueError, RecursionError):
            self.answer({"ok": False, "error": "That isn't a JSON object on one line.", "code": 2})
            return
        if self.feed and "text" in request and "command" not in request:
            piece = str(request["text"])
            if piece and not self.feed.offer(piece):
                self._blocked = piece
            return
        if self.feed and request.get("end"):
            self.feed.end()
            return
        try:
            answer = self._handle(request, self)
        except DesktopTTSError as error:
            answer = {"ok": False, "error": str(error), "code": 1}
        except (TypeError, ValueError):
            answer = {"ok": False, "error": "A value in the request is of the wrong kind.", "code": 2}
        if answer is not None:
            self.answer(answer)

    def _on_gone(self) -> None:
        self._retry.stop()
        self.gone.emit()
        self._socket.deleteLater()


class ControlServer(QObject):
    """Listens for commands. One per user: ``listen`` is False when another app is there."""

    def __init__(self, handle: Handler, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._handle = handle
        self._lock: QLockFile | None = None
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)

    def listen(self) -> bool:
        address = paths.control_address()
        folder = paths.runtime_dir()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.chmod(0o700)
        # The lock decides, for with UserAccessOption Qt renames its socket over one that is being listened on.
        self._lock = QLockFile(str(folder / "app.lock"))
        self._lock.setStaleLockTime(0)
        if not self._lock.tryLock(0):
            return False
        QLocalServer.removeServer(address)  # left by an app that was killed
        if not self._server.listen(address):
            log.error("the control socket can't be opened: %s", self._server.errorString())
            self._lock.unlock()
            return False
        return True

    def close(self) -> None:
        self._server.close()
        if self._lock:
            self._lock.unlock()

    def _on_connection(self) -> None:
        while socket := self._server.nextPendingConnection():
            client = Client(socket, self._handle)
            client._on_data()  # what came with the connection
