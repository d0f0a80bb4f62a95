"""The short ring between the player's thread and the device's callback; which played sample is which of the source."""

from __future__ import annotations

import threading
from collections import deque

import numpy as np

from desktop_tts.speech import Pcm


class Ring:
    """One writer, one reader. Counts samples since the last reset."""

    def __init__(self, capacity: int) -> None:
        self._data = np.zeros(capacity, np.float32)
        self._lock = threading.Lock()
        self.written = 0
        self.read = 0

    def reset(self) -> None:
        with self._lock:
            self.written = self.read = 0

    @property
    def waiting(self) -> int:
        """Samples written and not read."""
        return self.written - self.read

    @property
    def room(self) -> int:
        return len(self._data) - self.waiting

    def write(self, pcm: Pcm) -> None:
        """``pcm`` must fit into ``room``."""
        with self._lock:
            self._copy(self.written, pcm)
            self.written += len(pcm)

    def _copy(self, start: int, pcm: Pcm) -> None:
        at = start % len(self._data)
        first = min(len(self._data) - at, len(pcm))
        self._data[at : at + first] = pcm[:first]
        self._data[: len(pcm) - first] = pcm[first:]

    def take(self, out: Pcm) -> int:
        """Fill ``out`` as far as there is something; how many samples. Called by the device's thread."""
        with self._lock:
            count = min(len(out), self.written - self.read)
            at = self.read % len(self._data)
            first = min(len(self._data) - at, count)
            out[:first] = self._data[at : at + first]
            out[first:count] = self._data[: count - first]
            self.read += count
        return count


class PlayMap:
    """Which sample of the source each played sample came from, piecewise linear. The player's lock guards it."""

    def __init__(self) -> None:
        self._parts: deque[tuple[int, int, float, float]] = deque()

    def clear(self) -> None:
        self._parts.clear()

    def add(self, first: int, count: int, source_first: float, source_end: float) -> None:
        """Played samples ``first`` .. ``first + count`` come from ``source_first`` .. ``source_end``."""
        if self._parts:
            a, n, s, e = self._parts[-1]
            # Straight on at the same pace: one part, so that a long text doesn't grow the list.
            if (
                a + n == first
                and abs(e - source_first) < 1
                and abs((e - s) / n - (source_end - source_first) / count) < 1e-9
            ):
                self._parts[-1] = (a, n + count, s, source_end)
                return
        self._parts.append((first, count, source_first, source_end))

    def source_of(self, played: float) -> float | None:
        """None when nothing was played yet. Beyond the end it is the end."""
        found = None
        for first, count, source_first, source_end in self._parts:
            if played < first:
                break
            found = source_first + (source_end - source_first) * min((played - first) / count, 1.0)
        if found is None and self._parts:
            return self._parts[0][2]
        return found

    def forget_before(self, played: float) -> None:
        while len(self._parts) > 1 and self._parts[1][0] <= played:
            self._parts.popleft()
