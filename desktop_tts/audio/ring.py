"""The short ring between the player's thread and the device's callback; which played sample is which of the source."""

from __future__ import annotations

from collections import deque

import numpy as np

from desktop_tts.speech import Pcm


class Ring:
    """One thread writes, one takes, without a lock: each moves only its own counter, after the samples.

    The counters number the played samples and never go back.
    """

    def __init__(self, capacity: int) -> None:
        self._data = np.zeros(capacity, np.float32)
        self.written = 0
        self.taken = 0

    @property
    def waiting(self) -> int:
        """Samples written and not taken."""
        return self.written - self.taken

    def drop(self) -> None:
        """Drop what waits. Only while nobody takes."""
        self.taken = self.written

    def write(self, pcm: Pcm) -> None:
        """``pcm`` must fit in."""
        assert self.waiting + len(pcm) <= len(self._data)
        at = self.written % len(self._data)
        first = min(len(self._data) - at, len(pcm))
        self._data[at : at + first] = pcm[:first]
        self._data[: len(pcm) - first] = pcm[first:]
        self.written += len(pcm)

    def take(self, out: Pcm) -> int:
        """Fill ``out`` as far as there is something; how many samples."""
        count = min(len(out), self.waiting)
        at = self.taken % len(self._data)
        first = min(len(self._data) - at, count)
        out[:first] = self._data[at : at + first]
        out[first:count] = self._data[: count - first]
        self.taken += count
        return count


class PlayMap:
    """Which sample of the source each played sample came from, piecewise linear. Not thread-safe."""

    def __init__(self) -> None:
        self._parts: deque[tuple[int, int, float, float]] = deque()

    def clear(self) -> None:
        self._parts.clear()

    def add(self, first: int, count: int, source_first: float, source_end: float) -> None:
        """Played samples ``first`` .. ``first + count`` come from ``source_first`` .. ``source_end``."""
        if self._parts:
            a, n, s, e = self._parts[-1]
            # Straight on at the same pace: one part, so that a long text doesn't grow the list.
            if a + n == first and e == source_first and abs((e - s) / n - (source_end - source_first) / count) < 1e-9:
                self._parts[-1] = (a, n + count, s, source_end)
                return
        self._parts.append((first, count, source_first, source_end))

    def source_of(self, played: float) -> float | None:
        """None when nothing was played yet. Before the beginning it is the beginning, beyond the end the end."""
        if not self._parts:
            return None
        found = self._parts[0][2]
        for first, count, source_first, source_end in self._parts:
            if played < first:
                break
            found = source_first + (source_end - source_first) * min((played - first) / count, 1.0)
        return found

    def forget_before(self, played: float) -> None:
        while len(self._parts) > 1 and self._parts[1][0] <= played:
            self._parts.popleft()
