"""A recording to clone a voice from: mono samples, where in them somebody speaks, and the part worth taking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from desktop_tts.audio.loudness import normalised
from desktop_tts.speech import Pcm

RATE = 24_000
SHORTEST_S, LONGEST_S = 3.0, 30.0
"""What a model can use of a recording."""
BEST_S = 20.0
"""More doesn't make the voice closer."""
WINDOW_S = 0.02
_MARGIN_S = 0.12
"""Left before and after speech, so that soft sounds at its ends stay."""
_SHORTEST_SOUND_S = 0.08
"""Anything shorter is a click."""
_PAUSE_S = 0.2
_FADE_S = 0.005
_EMPTY = 1e-5


@dataclass(frozen=True, slots=True, eq=False)
class Clip:
    """Samples at ``RATE``."""

    pcm: Pcm
    cut_short: bool = False
    """The file had more."""

    @classmethod
    def empty(cls) -> Clip:
        return cls(np.zeros(0, np.float32))

    @property
    def duration_s(self) -> float:
        return len(self.pcm) / RATE

    def part(self, start_s: float, end_s: float) -> Pcm:
        return self.pcm[max(round(start_s * RATE), 0) : max(round(end_s * RATE), 0)]


def levels(pcm: Pcm) -> NDArray[np.float32]:
    """Root mean square of each window of ``WINDOW_S``; what is left over at the end is dropped."""
    window = round(WINDOW_S * RATE)
    whole = pcm[: len(pcm) // window * window].reshape(-1, window)
    means: NDArray[np.float32] = np.sqrt(np.mean(whole * whole, axis=1))
    return means


def noise_level(found: NDArray[np.float32]) -> float:
    """Of the quietest windows, those without any sound left out: they were cut or muted, and tell nothing."""
    heard = found[found > _EMPTY]
    if not len(heard):
        return 0.0
    return float(np.quantile(heard, 0.05)) if len(heard) > len(found) / 20 else 0.0


def speech_level(found: NDArray[np.float32]) -> float:
    return float(np.quantile(found, 0.9)) if len(found) else 0.0


def speech_edges(clip: Clip) -> tuple[float, float]:
    """Seconds where sound that stands out of the noise begins and ends; the whole clip when none does."""
    found = levels(clip.pcm)
    loud = _sounding(found)
    if not loud.any():
        return 0.0, clip.duration_s
    first, last = np.flatnonzero(loud)[[0, -1]]
    start, end = first * WINDOW_S - _MARGIN_S, (last + 1) * WINDOW_S + _MARGIN_S
    return max(float(start), 0.0), min(float(end), clip.duration_s)


def suggested_part(clip: Clip) -> tuple[float, float]:
    """The speech, and of a long one the beginning up to a pause, ``BEST_S`` at most."""
    start, end = speech_edges(clip)
    if end - start <= LONGEST_S:
        return _widened(start, end, clip.duration_s)
    loud = _sounding(levels(clip.pcm))
    least = round(_PAUSE_S / WINDOW_S)
    for at in range(round((start + BEST_S) / WINDOW_S), round((start + BEST_S / 2) / WINDOW_S), -1):
        if not loud[at - least : at].any():
            return start, (at - least // 2) * WINDOW_S
    return start, start + BEST_S


def prepared(clip: Clip, start_s: float, end_s: float) -> Pcm:
    """The part as a voice is made of it: without offset, of even loudness, without clicks at its ends."""
    part = clip.part(start_s, end_s)
    if not len(part):
        return part
    even = normalised((part - part.mean()).astype(np.float32), RATE).copy()
    fade = min(round(_FADE_S * RATE), len(even) // 2)
    ramp = np.linspace(0.0, 1.0, fade, dtype=np.float32)
    even[:fade] *= ramp
    even[len(even) - fade :] *= ramp[::-1]
    return even


def _sounding(found: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Windows with speech or the like."""
    noise, speech = noise_level(found), speech_level(found)
    least = max(speech / 30, min(noise * 2.5, speech / 2), _EMPTY)
    loud: NDArray[np.bool_] = found > least
    bounds = np.flatnonzero(np.diff(np.concatenate(([False], loud, [False]))))
    for first, end in bounds.reshape(-1, 2):
        if end - first < _SHORTEST_SOUND_S / WINDOW_S:
            loud[first:end] = False
    return loud


def _widened(start: float, end: float, duration_s: float) -> tuple[float, float]:
    """At least ``SHORTEST_S``, if the clip has so much."""
    lack = SHORTEST_S - (end - start)
    if lack <= 0:
        return start, end
    start = max(start - lack / 2, 0.0)
    return max(min(start, duration_s - SHORTEST_S), 0.0), min(start + SHORTEST_S, duration_s)
