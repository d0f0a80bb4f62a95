"""What is to be played: the sound in the order it was written, each write with its mark, at 24 kHz.

Samples are numbered from the last clear. Some of what was played is kept, so that playing can go back to the ear.
Not thread-safe.
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
        self.clear()

    def clear(self) -> None:
        self._pieces: list[tuple[int, Pcm]] = []
        self._marks: list[tuple[int, object]] = []
        self._resampler: soxr.ResampleStream | None = None
        self._rate, self._rate_from, self._rate_samples = RATE, 0, 0
        self.total = 0
        """Samples written."""
        self.finished = False

    def write(self, pcm: Pcm, sample_rate: int, mark: object) -> None:
        """Append a copy; joints are seamless between writes of the same rate."""
        self.finished = False
        if sample_rate != self._rate:
            self._end_rate()
            self._rate, self._rate_from, self._rate_samples = sample_rate, self.total, 0
            if sample_rate != RATE:
                self._resampler = soxr.ResampleStream(sample_rate, RATE, 1, dtype="float32")
        # By the clock of what was written: the resampler gives its samples late, and the mark must not be.
        self._marks.append((self._rate_from + round(self._rate_samples * RATE / sample_rate), mark))
        self._rate_samples += len(pcm)
        pcm = np.nan_to_num(np.array(pcm, np.float32), copy=False, nan=0.0, posinf=1.0, neginf=-1.0)
        self._append(self._resampler.resample_chunk(pcm) if self._resampler else pcm)

    def finish(self) -> None:
        """Nothing more comes, or a pause at least."""
        self._end_rate()
        self._rate, self._rate_from, self._rate_samples = RATE, self.total, 0
        self.finished = True

    def _end_rate(self) -> None:
        if self._resampler:
            self._append(self._resampler.resample_chunk(np.zeros(0, np.float32), last=True))
            self._resampler = None

    def _append(self, pcm: Pcm) -> None:
        if len(pcm):
            self._pieces.append((self.total, pcm))
            self.total += len(pcm)

    def read(self, start: int, count: int) -> Pcm:
        """Up to ``count`` samples from ``start``; fewer at a joint, none only at the end."""
        at = bisect_right(self._pieces, start, key=lambda piece: piece[0]) - 1
        if at < 0:
            return np.zeros(0, np.float32)
        first, pcm = self._pieces[at]
        return pcm[start - first : start - first + count]

    def mark_at(self, sample: int) -> tuple[object, float] | None:
        """The mark of the write that ``sample`` belongs to and the seconds into it; None when nothing was written."""
        at = bisect_right(self._marks, sample, key=lambda mark: mark[0]) - 1
        if at < 0:
            return None
        first, mark = self._marks[at]
        return mark, (sample - first) / RATE

    def find(self, start: int, wanted: Callable[[object], bool]) -> int | None:
        """First sample of the first write that begins at ``start`` or later and whose mark is ``wanted``."""
        return next((first for first, mark in self._marks if first >= start and wanted(mark)), None)

    def forget_before(self, sample: int) -> None:
        """Drop what lies well behind ``sample``."""
        limit = sample - int(KEEP_S * RATE)
        _drop_before(self._pieces, limit)
        _drop_before(self._marks, limit)


def _drop_before(numbered: list[tuple[int, Pcm]] | list[tuple[int, object]], limit: int) -> None:
    """Drop the entries that the next one has replaced by ``limit``."""
    gone = 0
    while gone < len(numbered) - 1 and numbered[gone + 1][0] <= limit:
        gone += 1
    del numbered[:gone]
