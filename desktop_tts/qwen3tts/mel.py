"""The log-mel rows that the speaker encoder hears: 128 bands up to 12 kHz, every 256 samples at 24 kHz."""

from __future__ import annotations

import functools

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad

_FFT = 1024
_HOP = 256
_BANDS = 128
_RATE = 24_000


def log_mel(sound: Tensor) -> Tensor:
    """``[n] float32`` samples at 24 kHz, over 384 of them, to ``[frames, 128]``."""
    side = (_FFT - _HOP) // 2
    padded = pad(sound[None, None], (side, side), mode="reflect")[0]
    window = torch.hann_window(_FFT, device=sound.device)
    spectrum = torch.stft(padded, _FFT, _HOP, window=window, center=False, return_complex=True)[0]
    magnitude = torch.sqrt(torch.view_as_real(spectrum).square().sum(-1) + 1e-9)
    filters = torch.from_numpy(mel_filters()).to(sound.device)
    return (filters @ magnitude).clamp(min=1e-5).log().T


@functools.cache
def mel_filters() -> NDArray[np.float32]:
    """``[128, 513]`` triangles on Slaney's mel scale, each of area one in Hz."""
    top = _hz_to_mel(np.array(_RATE / 2))
    corners = _mel_to_hz(np.linspace(0.0, float(top), _BANDS + 2))
    bins = np.fft.rfftfreq(_FFT, 1.0 / _RATE)
    rising = (bins - corners[:-2, None]) / np.diff(corners)[:-1, None]
    falling = (corners[2:, None] - bins) / np.diff(corners)[1:, None]
    triangles = np.maximum(0.0, np.minimum(rising, falling))
    return (triangles * (2.0 / (corners[2:] - corners[:-2]))[:, None]).astype(np.float32)


# Slaney's scale: linear up to 1 kHz (15 mel), then 27 steps for each factor of 6.4.
_LINEAR_HZ, _BREAK_HZ, _BREAK_MEL, _LOG_STEP = 200.0 / 3.0, 1000.0, 15.0, np.log(6.4) / 27.0


def _hz_to_mel(hz: NDArray[np.float64]) -> NDArray[np.float64]:
    logarithmic = _BREAK_MEL + np.log(np.maximum(hz, _BREAK_HZ) / _BREAK_HZ) / _LOG_STEP
    return np.where(hz < _BREAK_HZ, hz / _LINEAR_HZ, logarithmic)


def _mel_to_hz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    logarithmic = _BREAK_HZ * np.exp(_LOG_STEP * (np.maximum(mel, _BREAK_MEL) - _BREAK_MEL))
    return np.where(mel < _BREAK_MEL, mel * _LINEAR_HZ, logarithmic)
