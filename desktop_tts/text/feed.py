"""A text that grows while it is read: one side puts pieces in, the other iterates over them."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import suppress


class TextFeed:
    """Bounded, closable from either side. Iterating waits for the next piece and ends after ``close``."""

    def __init__(self, pieces: int = 64) -> None:
        self._queue: queue.Queue[str | None] = queue.Queue(pieces)
        self._closed = threading.Event()
        self._ended = threading.Event()

    def offer(self, piece: str) -> bool:
        """Put a piece in without waiting; False when the reader is behind, so that the caller tries again later."""
        if self._closed.is_set():
            return True
        try:
            self._queue.put_nowait(piece)
        except queue.Full:
            return False
        return True

    def put(self, piece: str) -> bool:
        """Put a piece in, waiting for room; False once closed."""
        while not self._closed.is_set():
            try:
                self._queue.put(piece, timeout=0.1)
            except queue.Full:
                continue
            return True
        return False

    def end(self) -> None:
        """No more pieces; those put in are still given out. Doesn't wait."""
        self._ended.set()
        with suppress(queue.Full):  # then the iteration ends when it finds nothing more
            self._queue.put_nowait(None)

    def close(self) -> None:
        """Drop what isn't given out yet and end the iteration."""
        self._closed.set()

    def __iter__(self) -> Iterator[str]:
        while not self._closed.is_set():
            try:
                piece = self._queue.get(timeout=0.1)
            except queue.Empty:
                if self._ended.is_set():
                    return
                continue
            if piece is None:
                return
            yield piece
