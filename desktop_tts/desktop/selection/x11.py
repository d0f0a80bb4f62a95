"""Reading the selection on X11: one thread with a connection of its own does all of it, and callers wait for it."""

from __future__ import annotations

import logging
import queue
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress

from Xlib import error

from desktop_tts.desktop.selection.base import SelectedText, no_display, owner_is_silent
from desktop_tts.desktop.selection.x11_connection import FLOWING, Connection, Deadline
from desktop_tts.desktop.selection.x11_session import Session

log = logging.getLogger(__name__)

_END_S = 5.0

Job = Callable[[Session], SelectedText]


class X11SelectionReader:
    """See the module's docstring. ``simulate_copy`` is asked in the reader's own thread."""

    def __init__(self, simulate_copy: Callable[[], bool]) -> None:
        self._simulate_copy = simulate_copy
        self._lock = threading.Lock()
        self._worker: _Worker | None = None

    def read_selection(self, timeout_s: float = 1.0) -> SelectedText:
        return self._ask(lambda session: session.read_selection(Deadline(timeout_s)), timeout_s)

    def read_clipboard(self, timeout_s: float = 1.0) -> SelectedText:
        return self._ask(lambda session: session.read_clipboard(Deadline(timeout_s)), timeout_s)

    def _ask(self, job: Job, timeout_s: float) -> SelectedText:
        with self._lock:
            if self._worker is None or not self._worker.is_alive():
                self._worker = _Worker(self._simulate_copy)
            return self._worker.ask(job, (FLOWING + 1) * timeout_s)

    def close(self) -> None:
        with self._lock:
            if self._worker is not None:
                self._worker.stop()
                self._worker = None


class _Worker:
    """The thread: does what it is asked, and in between serves what we own. It wakes for nothing else."""

    def __init__(self, simulate_copy: Callable[[], bool]) -> None:
        """Raises SelectionError when there is no X server."""
        try:
            self._x = Connection()
        except (error.DisplayError, OSError) as problem:
            raise no_display() from problem
        self._session = Session(self._x, simulate_copy)
        self._jobs: queue.SimpleQueue[tuple[Job, Future[SelectedText]] | None] = queue.SimpleQueue()
        self._wake, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name="selection", daemon=True)
        self._thread.start()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def ask(self, job: Job, seconds: float) -> SelectedText:
        answer: Future[SelectedText] = Future()
        self._put((job, answer))
        try:
            return answer.result(seconds)
        except TimeoutError as late:  # the X server itself hangs
            raise owner_is_silent("selection") from late

    def stop(self) -> None:
        self._put(None)
        self._thread.join(_END_S)

    def _put(self, what: tuple[Job, Future[SelectedText]] | None) -> None:
        self._jobs.put(what)
        with suppress(OSError):  # the thread has just ended, and what is asked now is refused
            self._wake.send(b"x")

    def _run(self) -> None:
        try:
            while True:
                if self._x.handle_until(self._woken, self._session.seconds_left()):
                    self._woken.recv(1)
                    asked = self._jobs.get()
                    if asked is None:
                        break
                    self._answer(*asked)
            self._session.end()
        except (error.ConnectionClosedError, OSError):
            log.warning("the X server has gone; it is looked for again at the next reading")
        finally:
            self._woken.close()
            self._wake.close()
            self._refuse_the_rest()

    def _answer(self, job: Job, answer: Future[SelectedText]) -> None:
        """Raises only what ends the connection."""
        try:
            answer.set_result(job(self._session))
        except (error.ConnectionClosedError, OSError):
            answer.set_exception(no_display())
            raise
        except Exception as problem:  # noqa: BLE001 - it belongs to who asked
            answer.set_exception(problem)

    def _refuse_the_rest(self) -> None:
        with suppress(queue.Empty):
            while True:
                if (asked := self._jobs.get_nowait()) is not None:
                    asked[1].set_exception(no_display())
