"""What is to be played: the sound in the order it was written, each piece with its mark, at 24 kHz.

Samples count from the last clear. Some of what was played is kept, so that playing can go back to where the ear was.
Not thread-safe: the player's lock guards it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

import numpy as np
import soxr

from desktop_tts.speech import Pcm

RATE = 24_000
"""Samples per second inside the player."""
KEEP_S = 5.0
"""Seconds behind the ear that are kept."""


class Source:
    """A queue that can be read from any place that is still kept."""

    def __init__(self) -> None:
        self._pieces: list[tuple[int, Pcm, object]] = []
        self._resampler: tuple[int, soxr.ResampleStream] | None = None
        self.total = 0
        """Samples written since the last clear."""
        self.finished = False

    def clear(self) -> None:
        self._pieces.clear()
        self._resampler = None
        self.total, self.finished = 0, False

    def write(self, pcm: Pcm, sample_rate: int, mark: object) -> None:
        """Append; the joint between pieces of the same rate is seamless."""
        self.finished = False
        if self._resampler and self._resampler[0] != sample_rate:
            self._flush()
        pcm = np.ascontiguousarray(pcm, np.float32)
        if sample_rate != RATE:
            if self._resampler is None:
                self._resampler = (sample_rate, soxr.ResampleStream(sample_rate, RATE, 1, dtype="float32"))
            pcm = self._resampler[1].resample_chunk(pcm)
        self._append(pcm, mark)

    def finish(self) -> None:
        self._flush()
        self.finished = True

    def _flush(self) -> None:
        if self._resampler:
            rest = self._resampler[1].resample_chunk(np.zeros(0, np.float32), last=True)
            self._resampler = None
            self._append(rest, self._pieces[-1][2] if self._pieces else None)

    def _append(self, pcm: Pcm, mark: object) -> None:
        # A piece without samples is kept too: its mark may be what `find` looks for.
        self._pieces.append((self.total, pcm, mark))
        self.total += len(pcm)

    def read(self, start: int, count: int) -> Pcm:
        """Up to ``count`` samples from ``start``, of one piece; empty at the end."""
        at = self._piece_at(start)
        while 0 <= at < len(self._pieces):
            first, pcm, _ = self._pieces[at]
            found = pcm[start - first : start - first + count]
            if len(found):
                return found
            at += 1
        return np.zeros(0, np.float32)

    def mark_at(self, sample: int) -> tuple[object, float] | None:
        """The mark of the piece at ``sample`` and the seconds into it; None when nothing was written."""
        at = self._piece_at(sample)
        if at < 0:
            return None
        first, _, mark = self._pieces[at]
        return mark, (sample - first) / RATE

    def find(self, start: int, wanted: Callable[[object], bool]) -> int | None:
        """First sample of the first piece after ``start`` whose mark is ``wanted``."""
        return next((first for first, _, mark in self._pieces if first > start and wanted(mark)), None)

    def forget_before(self, sample: int) -> None:
        """Drop what lies well behind ``sample``."""
        limit = sample - int(KEEP_S * RATE)
        gone = 0
        while gone < len(self._pieces) - 1 and self._pieces[gone + 1][0] <= limit:
            gone += 1
        del self._pieces[:gone]

    def _piece_at(self, sample: int) -> int:
        return bisect_right(self._pieces, sample, key=lambda piece: piece[0]) - 1
