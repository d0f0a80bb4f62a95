"""The command line's side of the control socket. Standard library only: a command must take well under 60 ms."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from typing import IO, Any

from desktop_tts import paths

TIMEOUT_S = 5.0


class NotRunning(Exception):
    """No app answers on the control socket."""


class Connection:
    """One connection to the running app."""

    def __init__(self, timeout_s: float | None = TIMEOUT_S) -> None:
        self._socket: socket.socket | None = None
        try:
            if sys.platform == "win32":
                self._stream: IO[bytes] = open(paths.control_address(), "r+b", buffering=0)  # noqa: SIM115
            else:
                self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                self._socket.settimeout(timeout_s)
                self._socket.connect(paths.control_address())
                self._stream = self._socket.makefile("rwb", buffering=0)
        except OSError as error:
            self.close()
            raise NotRunning from error

    def send(self, request: dict[str, Any]) -> None:
        """Raises NotRunning when the app has gone."""
        try:
            if self._socket:
                self._socket.sendall(json.dumps(request).encode() + b"\n")
            else:
                self._stream.write(json.dumps(request).encode() + b"\n")
        except OSError as error:
            raise NotRunning from error

    def answers(self) -> Iterator[dict[str, Any]]:
        """The answers as they come; ends when the app closes the connection."""
        rest = b""
        while True:
            try:
                data = self._stream.read(65536)
            except OSError as error:
                raise NotRunning from error
            if not data:
                return
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                yield json.loads(line)

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send and wait for the answer. Raises NotRunning."""
        self.send(request)
        for answer in self.answers():
            return answer
        raise NotRunning

    def wait_forever(self) -> None:
        """No time-out from here on, for answers that come when something was heard."""
        if self._socket:
            self._socket.settimeout(None)

    def close(self) -> None:
        if self._socket:
            self._socket.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def ask(request: dict[str, Any]) -> dict[str, Any]:
    """One request, one answer. Raises NotRunning."""
    with Connection() as connection:
        return connection.ask(request)
