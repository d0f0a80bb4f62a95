"""Loudness as ITU-R BS.1770-4 measures it, and sound brought to a wanted loudness. Pure functions on mono samples."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from desktop_tts.speech import Pcm

TARGET_LUFS = -20.0
"""What a recording to clone is brought to."""
CEILING = 10 ** (-1 / 20)
"""No sample may exceed it, -1 dBFS, even when the target is not reached then."""
MOST_GAIN_DB = 40.0
SILENCE_DB = -120.0
"""Stands for what has no level at all."""

_BLOCK_S, _HOP_S = 0.4, 0.1
_ABSOLUTE_GATE, _RELATIVE_GATE = -70.0, 10.0


def decibels(amplitude: float) -> float:
    """Of a peak or a root mean square, 1 being full scale."""
    return 20 * math.log10(amplitude) if amplitude > 1e-6 else SILENCE_DB


def loudness(pcm: Pcm, rate: int) -> float:
    """Integrated loudness in LUFS, pauses left out; ``SILENCE_DB`` for silence or less than 0.4 s."""
    block, hop = round(_BLOCK_S * rate), round(_HOP_S * rate)
    if len(pcm) < block:
        return SILENCE_DB
    total = np.concatenate(([0.0], np.cumsum(_weighted(pcm, rate) ** 2)))
    starts = np.arange(0, len(pcm) - block + 1, hop)
    power = (total[starts + block] - total[starts]) / block
    power = power[_lufs(power) >= _ABSOLUTE_GATE]
    if not len(power):
        return SILENCE_DB
    gate = _lufs(power.mean()) - _RELATIVE_GATE
    return float(_lufs(power[_lufs(power) > gate].mean()))


def normalised(pcm: Pcm, rate: int, target: float = TARGET_LUFS) -> Pcm:
    """At the wanted loudness, or as near as its peaks and ``MOST_GAIN_DB`` allow. Silence stays as it is."""
    before = loudness(pcm, rate)
    peak = float(np.abs(pcm).max()) if len(pcm) else 0.0
    if before <= SILENCE_DB or peak <= 0.0:
        return pcm
    factor = min(10 ** (min(target - before, MOST_GAIN_DB) / 20), CEILING / peak)
    return (pcm * np.float32(factor)).astype(np.float32)


def _lufs(power: NDArray[np.float64] | np.float64) -> NDArray[np.float64]:
    return -0.691 + 10 * np.log10(np.maximum(power, 1e-15))


def _weighted(pcm: Pcm, rate: int) -> NDArray[np.float64]:
    """Through the standard's two filters, applied to the spectrum: exact but for a few milliseconds at the ends."""
    size = 1 << (len(pcm) + rate // 4 - 1).bit_length()  # room for the filters to ring out
    turn = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    shelf = _response(turn, *_high_shelf(rate))
    cut = _response(turn, *_high_pass(rate))
    return np.fft.irfft(np.fft.rfft(pcm.astype(np.float64), size) * shelf * cut, size)[: len(pcm)]


def _response(z: NDArray[np.complex128], b: tuple[float, ...], a: tuple[float, ...]) -> NDArray[np.complex128]:
    return (b[0] + b[1] * z + b[2] * z**2) / (a[0] + a[1] * z + a[2] * z**2)


def _high_shelf(rate: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The head's effect: 4 dB more in the treble. Numbers that give the standard's coefficients at 48 kHz."""
    gain, q, tone = 10 ** (3.999843853973347 / 20), 0.7071752369554196, 1681.974450955533
    edge = gain**0.4996667741545416
    k = math.tan(math.pi * tone / rate)
    a0 = 1 + k / q + k * k
    b = ((gain + edge * k / q + k * k) / a0, 2 * (k * k - gain) / a0, (gain - edge * k / q + k * k) / a0)
    return b, (1.0, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0)


def _high_pass(rate: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    q, tone = 0.5003270373238773, 38.13547087602444
    k = math.tan(math.pi * tone / rate)
    a0 = 1 + k / q + k * k
    return (1.0, -2.0, 1.0), (1.0, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0)
