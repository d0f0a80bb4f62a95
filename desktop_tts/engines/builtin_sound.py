"""The last touch on the built-in voice's sound: silence cut off at both ends, and a level like that of other voices."""

from __future__ import annotations

import numpy as np

from desktop_tts.speech import Pcm

GAIN = 2.0
"""+6 dB: the voice comes at about -26 LUFS, others at about -20."""
_CEILING = 0.95
_QUIET = 0.002  # RMS before the gain: twice the voice's own noise, below its faintest consonants
_BEFORE_S, _AFTER_S = 0.02, 0.05
_FADE_S = 0.003
_BLOCK_S = 0.005


def trim(pcm: Pcm, rate: int) -> tuple[int, int]:
    """The range of samples to keep: 20 ms before the first sound and 50 ms after the last."""
    block = int(_BLOCK_S * rate)
    blocks = len(pcm) // block
    power = np.square(pcm[: blocks * block].reshape(blocks, block)).mean(axis=1)
    loud = np.flatnonzero(power > _QUIET**2)
    if not len(loud):
        return 0, len(pcm)
    start = int(loud[0]) * block - int(_BEFORE_S * rate)
    end = (int(loud[-1]) + 1) * block + int(_AFTER_S * rate)
    return max(start, 0), min(end, len(pcm))


def finish(pcm: Pcm, rate: int) -> Pcm:
    """With the gain, peaks held below full scale, and no click at the ends."""
    louder: Pcm = pcm * np.float32(GAIN) * _held_back(np.abs(pcm) * np.float32(GAIN), int(_BLOCK_S * rate))
    fade = min(int(_FADE_S * rate), len(pcm) // 2)
    ramp = np.linspace(0, 1, fade, dtype=np.float32)
    louder[:fade] *= ramp
    louder[len(louder) - fade :] *= ramp[::-1]
    np.clip(louder, -1, 1, out=louder)
    return louder


def _held_back(level: Pcm, block: int) -> Pcm:
    """A limiter that looks ahead: a smooth factor per sample that keeps ``level`` below the ceiling."""
    blocks = -(-len(level) // block)
    peaks = np.pad(level, (0, blocks * block - len(level))).reshape(blocks, block).max(axis=1, initial=0)
    factor = np.minimum(1, _CEILING / np.maximum(peaks, 1e-9))
    if blocks == 0 or factor.min() >= 1:
        return np.ones(len(level), np.float32)
    reach = 4
    wide = np.lib.stride_tricks.sliding_window_view(np.pad(factor, reach, mode="edge"), 2 * reach + 1).min(axis=1)
    kernel = np.hanning(2 * reach + 1)[1:-1]
    smooth = np.convolve(np.pad(wide, reach - 1, mode="edge"), kernel / kernel.sum(), mode="valid")
    centres = (np.arange(blocks) + 0.5) * block
    return np.interp(np.arange(len(level)), centres, smooth).astype(np.float32)
