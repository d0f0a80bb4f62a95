"""Volume."""

from __future__ import annotations

import math

import numpy as np

from desktop_tts.speech import Pcm

LOUDEST = 1.5
KNEE = 0.8
"""Peaks above it are rounded off when the volume is above 1."""


def round_off(block: Pcm) -> None:
    """Bend peaks so that none is above 1. In place."""
    size = np.abs(block)
    peaks = size > KNEE
    if peaks.any():
        rounded = KNEE + (1 - KNEE) * np.tanh((size[peaks] - KNEE) / (1 - KNEE))
        block[peaks] = np.copysign(rounded, block[peaks])


class Gain:
    """Volume that is changed without a click; above 1 peaks are rounded off instead of cut.

    ``apply`` belongs to the device's thread, ``set`` to any.
    """

    def __init__(self, volume: float) -> None:
        self.set(volume)
        self.settle()

    def set(self, volume: float) -> None:
        """0 to 1.5; what isn't a number counts as 1."""
        self._target = min(max(volume, 0.0), LOUDEST) if math.isfinite(volume) else 1.0

    def settle(self) -> None:
        """Nothing plays: the next sound begins with the volume as it is set."""
        self._now = self._target

    def apply(self, block: Pcm) -> None:
        """In place; untouched at volume 1."""
        before, self._now = self._now, self._target
        if before == self._now == 1.0:
            return
        if before == self._now:
            block *= np.float32(self._now)
        else:
            block *= np.linspace(before, self._now, len(block), dtype=np.float32)
        if max(before, self._now) > 1.0:
            round_off(block)
