"""Whether a part of a recording is good enough to clone a voice from, why not, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from desktop_tts.audio.clip import LONGEST_S, RATE, SHORTEST_S, Clip, levels, noise_level, speech_level
from desktop_tts.audio.loudness import SILENCE_DB, decibels, loudness
from desktop_tts.speech import Pcm

SILENT_DB = -55.0
"""Speech below it counts as none."""
_QUIET_LUFS = -42.0
_CLIPPED_AT, _CLIPPED_SHARE = 0.985, 0.0005
"""Sound that was cut off at full scale keeps so many samples up there, though resampling shakes them."""
_NOISY_DB, _VERY_NOISY_DB = 20.0, 10.0
_PAUSES = 0.5
"""Share of quiet windows above which a recording has little speech in it."""


class Quality(Enum):
    """How good a voice will become of it."""

    GOOD = "good"
    USABLE = "usable"
    POOR = "poor"
    UNUSABLE = "unusable"
    """Can't be cloned from."""


class Trouble(Enum):
    """What may be wrong."""

    TOO_SHORT = "too short"
    TOO_LONG = "too long"
    SILENT = "silent"
    CLIPPED = "clipped"
    VERY_NOISY = "very noisy"
    NOISY = "noisy"
    QUIET = "quiet"
    PAUSES = "pauses"


_WEIGHT = {
    Trouble.TOO_SHORT: Quality.UNUSABLE,
    Trouble.TOO_LONG: Quality.UNUSABLE,
    Trouble.SILENT: Quality.UNUSABLE,
    Trouble.CLIPPED: Quality.POOR,
    Trouble.VERY_NOISY: Quality.POOR,
    Trouble.NOISY: Quality.USABLE,
    Trouble.QUIET: Quality.USABLE,
    Trouble.PAUSES: Quality.USABLE,
}
_ORDER = tuple(Quality)


@dataclass(frozen=True, slots=True)
class Report:
    """What was found."""

    duration_s: float
    peak_db: float
    """Of full scale."""
    loudness_lufs: float
    noise_db: float
    """Of full scale; ``SILENCE_DB`` when there is none."""
    snr_db: float
    """How far the speech stands out of the noise."""
    troubles: tuple[Trouble, ...]
    """The worst first."""

    @property
    def quality(self) -> Quality:
        found = [_WEIGHT[trouble] for trouble in self.troubles]
        return max(found, key=_ORDER.index, default=Quality.GOOD)


def check(clip: Clip, start_s: float, end_s: float) -> Report:
    """Look at a part of the clip; the noise is measured in all of it. Takes a tenth of a second or so."""
    part = clip.part(start_s, end_s)
    found, around = levels(part), levels(clip.pcm)
    peak = float(np.abs(part).max()) if len(part) else 0.0
    speech = speech_level(found)
    noise = min(noise_level(around), noise_level(found)) if len(found) else 0.0
    snr = decibels(speech) - decibels(noise)
    lufs = loudness(part, RATE)
    troubles = _troubles(part, speech, snr, lufs)
    return Report(len(part) / RATE, decibels(peak), lufs, decibels(noise), snr, troubles)


def _troubles(part: Pcm, speech: float, snr: float, lufs: float) -> tuple[Trouble, ...]:
    duration_s = len(part) / RATE
    limits = []
    if duration_s < SHORTEST_S - 0.005:
        limits.append(Trouble.TOO_SHORT)
    if duration_s > LONGEST_S + 0.005:
        limits.append(Trouble.TOO_LONG)
    if decibels(speech) < SILENT_DB or lufs <= SILENCE_DB:
        return (Trouble.SILENT, *limits)
    troubles = list(limits)
    if np.count_nonzero(np.abs(part) >= _CLIPPED_AT) > _CLIPPED_SHARE * len(part):
        troubles.append(Trouble.CLIPPED)
    if snr < _NOISY_DB:
        troubles.append(Trouble.VERY_NOISY if snr < _VERY_NOISY_DB else Trouble.NOISY)
    if lufs < _QUIET_LUFS:
        troubles.append(Trouble.QUIET)
    found = levels(part)
    if np.count_nonzero(found < speech / 20) > _PAUSES * len(found):
        troubles.append(Trouble.PAUSES)
    return tuple(troubles)
