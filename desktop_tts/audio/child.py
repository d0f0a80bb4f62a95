"""A program that works for us and is ended when it isn't wanted any more or takes too long."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections.abc import Iterator

_LOOK_S = 0.05


@contextlib.contextmanager
def watched(child: subprocess.Popen[bytes], cancel: threading.Event, patience_s: float) -> Iterator[None]:
    """While the block waits for the program, end it when ``cancel`` is set or the time is up; and after the block."""
    over = threading.Event()

    def watch() -> None:
        waited = 0.0
        while not over.wait(_LOOK_S):
            waited += _LOOK_S
            if cancel.is_set() or waited > patience_s:
                child.kill()
                return

    thread = threading.Thread(target=watch, name="program watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        child.kill()
        thread.join()
