"""From the source's samples to the device's: speed, then rate, with the place in the source of all that comes out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import soxr

from desktop_tts.audio.source import RATE
from desktop_tts.audio.stretch import Stretcher
from desktop_tts.speech import Pcm


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Samples to play, and which samples of the source they are."""

    pcm: Pcm
    source_first: float
    source_end: float


class Chain:
    """One unbroken run through the source from sample ``start`` on."""

    def __init__(self, start: int, speed: float, rate: int) -> None:
        self._stretcher = Stretcher(RATE, speed)
        self._rate = rate
        self._resampler: soxr.ResampleStream | None = None
        self._in_resampler = 0.0
        """Samples at ``RATE`` that went in and haven't come out."""
        self._pushed = start
        self._placed = float(start)
        """Where in the source the last part ended."""

    def set_speed(self, speed: float) -> None:
        self._stretcher.set_speed(speed)

    def push(self, pcm: Pcm) -> Iterator[Part]:
        """The next samples of the source in, what is ready out."""
        self._pushed += len(pcm)
        yield from self._out(self._stretcher.push(pcm), last=False)

    def flush(self) -> Iterator[Part]:
        """All that is still inside; more may be pushed later."""
        yield from self._out(self._stretcher.flush(), last=True)

    @property
    def holds(self) -> bool:
        """Whether ``flush`` would give something."""
        return self._placed < self._pushed

    def _out(self, pcm: Pcm, *, last: bool) -> Iterator[Part]:
        if self._rate != RATE:
            pcm = self._resampled(pcm, last)
        held = 0.0 if last else self._stretcher.held + self._in_resampler * self._stretcher.speed
        first, end = self._placed, max(self._pushed - held, self._placed)
        if len(pcm):
            self._placed = end
            yield Part(pcm, first, end)
        elif last:
            self._placed = float(self._pushed)

    def _resampled(self, pcm: Pcm, last: bool) -> Pcm:
        if self._resampler is None:
            self._resampler = soxr.ResampleStream(RATE, self._rate, 1, dtype="float32")
        out: Pcm = self._resampler.resample_chunk(np.ascontiguousarray(pcm), last=last)
        self._in_resampler = max(self._in_resampler + len(pcm) - len(out) * RATE / self._rate, 0.0)
        if last:
            self._resampler, self._in_resampler = None, 0.0
        return out
