"""Sampling from given uniform numbers instead of a random generator, so that two implementations draw alike.

While ``given_noise(seed)`` is active, ``torch.multinomial(probabilities, 1)`` takes the next number u of a fixed stream
per row and returns the first index, in vocabulary order, at which the cumulated probability exceeds u.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np
import torch


class GivenNoise:
    """A stream of uniform numbers in 0..1 and the draws made with it."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.Philox(key=seed)
        self.closest = 1.0
        """How near any number came to a border between two choices: below about 1e-6 rounding could turn a choice."""

    def draw(self, probabilities: torch.Tensor) -> torch.Tensor:
        """``[B, vocabulary]`` weights to ``[B, 1]`` indices; one number for each row, in order."""
        rows = probabilities.detach().double().cpu().cumsum(-1)
        uniform = torch.from_numpy(self._bits.random_raw(len(rows)).astype(np.float64) / 2.0**64)[:, None]
        borders = rows / rows[:, -1:]
        self.closest = min(self.closest, float((borders - uniform).abs().min()))
        index = torch.searchsorted(borders, uniform, right=True)
        return index.clamp(max=rows.shape[-1] - 1).to(probabilities.device)


@contextmanager
def given_noise(seed: int) -> Iterator[GivenNoise]:
    """Replace ``torch.multinomial`` within the block."""
    noise = GivenNoise(seed)

    def multinomial(
        weights: torch.Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None
    ) -> torch.Tensor:
        assert num_samples == 1
        return noise.draw(weights) if weights.ndim == 2 else noise.draw(weights[None])[0]

    with mock.patch.object(torch, "multinomial", multinomial):
        yield noise
