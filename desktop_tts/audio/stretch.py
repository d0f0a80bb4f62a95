"""Speed without a change of pitch, by Sonic, in a stream whose speed may change at any moment."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from desktop_tts.errors import AudioError
from desktop_tts.speech import Pcm

SLOWEST, FASTEST = 0.5, 3.0
HELD_S = 2 / 65
"""Sonic looks at two periods of the lowest voice at a time, so never more than this stays inside."""

_NOTHING = np.zeros(0, np.float32)


def available() -> bool:
    """Whether speeds other than 1 can be had on this machine."""
    try:
        import libsonic  # noqa: F401
    except ImportError:
        return False
    return True


def possible_speed(speed: float) -> float:
    """The nearest speed that can be had (1 for what isn't a number)."""
    return min(max(speed, SLOWEST), FASTEST) if math.isfinite(speed) else 1.0


class Stretcher:
    """Turns samples of the source into samples to play. At speed 1 they pass untouched.

    Raises AudioError for another speed where Sonic isn't installed.
    """

    def __init__(self, sample_rate: int, speed: float) -> None:
        self._rate = sample_rate
        self._sonic: Any = None
        self._held = 0.0
        self.speed = 1.0
        self.set_speed(speed)

    def set_speed(self, speed: float) -> None:
        """For what is pushed from now on, without a seam."""
        speed = possible_speed(speed)
        if speed == self.speed:
            return
        if self._sonic is None:
            self._sonic = _new_sonic(self._rate)
        self._sonic.set_speed(speed)
        self.speed = speed

    def push(self, pcm: Pcm) -> Pcm:
        """Some samples in, those that are ready out."""
        if self._sonic is None:
            return pcm
        self._sonic.write(pcm.tolist())
        out = self._take(len(pcm))
        if self.speed == 1.0 and _ends_with(out, pcm):  # it holds nothing any more, and isn't needed
            self._sonic, self._held = None, 0.0
        return out

    def flush(self) -> Pcm:
        """The rest, at the end."""
        if self._sonic is None:
            return _NOTHING
        self._sonic.flush()
        out = self._take(0)
        self._held = 0.0
        return out

    def _take(self, pushed: int) -> Pcm:
        out = np.asarray(self._sonic.read(self._sonic.available_frames()), np.float32)
        # Its true speed is a little off, so that the difference would run away in a long text.
        self._held = min(max(self._held + pushed - len(out) * self.speed, 0.0), HELD_S * self._rate)
        return out

    @property
    def held(self) -> float:
        """About how many samples of the source are inside."""
        return self._held


def _ends_with(out: Pcm, pcm: Pcm) -> bool:
    """Whether ``out`` ends with the sound ``pcm``, as Sonic gives it back: in 16 bits. Silence tells nothing."""
    if not 0 < len(pcm) <= len(out) or np.abs(pcm).max() < 1e-3:
        return False
    return bool(np.abs(out[-len(pcm) :] - pcm).max() < 1e-4)


def _new_sonic(sample_rate: int) -> Any:
    try:
        from libsonic import SonicStream
    except ImportError as error:
        raise AudioError(
            "Speeds other than 1 need the package libsonic.", "It can't be had on this machine."
        ) from error
    return SonicStream(sample_rate, 1)
