"""Made-up voices for cloning tests: a gliding tone with overtones and a swelling loudness, in 16-bit steps."""

import numpy as np
from numpy.typing import NDArray

SOUNDS = {
    "short": (1.3, 24000, 140.0),
    "long": (4.6, 24000, 175.0),
    "narrow": (2.05, 16000, 120.0),
    "wide": (1.72, 44100, 205.0),
}
"""Name: seconds, samples per second, pitch in Hz."""


def reference_sound(name: str) -> tuple[NDArray[np.float32], int]:
    """Mono samples and their rate. Rounding to 16 bits hides the last-digit differences of sin() between machines."""
    seconds, rate, pitch = SOUNDS[name]
    t = np.arange(round(seconds * rate)) / rate
    glide = 2 * np.pi * pitch * (t + 0.08 * np.sin(2 * np.pi * 1.3 * t))
    voice = sum(np.sin(k * glide + k * k) / k for k in range(1, 9))
    swell = 0.55 + 0.45 * np.sin(2 * np.pi * 2.7 * t + 0.4)
    hiss = np.random.Philox(key=7).random_raw(len(t)).astype(np.float64) / 2.0**64 - 0.5
    samples = np.round((0.16 * voice * swell + 0.02 * hiss) * 32767)
    return (np.clip(samples, -32768, 32767) / 32768).astype(np.float32), rate
