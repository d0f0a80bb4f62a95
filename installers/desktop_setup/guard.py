"""One set-up of a folder at a time."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from desktop_setup.outcome import BUSY, NOT_WRITABLE, SetupError, ToldToEnd


@contextmanager
def only_one(file: Path, patience_s: float = 1800) -> Iterator[None]:
    """Hold the lock ``file``; wait for another set-up that holds it. The system frees it when we and our children end.

    Meanwhile, being told to end is the same as Ctrl+C: the children end first, and the marks in .venv stay true.
    """
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise SetupError(
            NOT_WRITABLE, f"{file.parent} can't be written to ({error.strerror}): use a copy of your own."
        ) from error
    try:
        _wait_for(descriptor, patience_s)
        os.set_inheritable(descriptor, True)
        with _ends_as_interrupt():
            yield
    finally:
        os.close(descriptor)


@contextmanager
def _ends_as_interrupt() -> Iterator[None]:
    def interrupt(number: int, frame: object) -> None:
        raise ToldToEnd

    before = {}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:  # nohup stays in force
            before[number] = signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _wait_for(descriptor: int, patience_s: float) -> None:
    end = time.monotonic() + patience_s
    told = False
    while not _lock(descriptor):
        if not told:
            print("Another set-up of this folder is running; waiting for it.", flush=True)
            told = True
        if time.monotonic() > end:
            raise SetupError(BUSY, "Another set-up of this folder is still running: try again when it has ended.")
        time.sleep(0.2)


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
