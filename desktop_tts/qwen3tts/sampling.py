"""How a code is drawn from its scores, in the order that the published model uses (``pick_code`` says it).

Knows no model: scores in, codes out. Nothing is read back to the host.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

Draw = Callable[[Tensor], Tensor]
"""From probabilities ``[B, V]`` to one index for each row, ``[B, 1]``."""


@dataclass(frozen=True, slots=True)
class Choice:
    """How one code is chosen among its candidates."""

    do_sample: bool = True
    """False takes the best; the other fields then don't matter."""
    top_k: int = 50
    """Only so many of the best, and those equal to the last of them; 0 for all."""
    top_p: float = 1.0
    """Only the fewest that hold this much of the probability."""
    temperature: float = 0.9

    def __post_init__(self) -> None:
        if self.top_k < 0:
            raise ValueError(f"top_k must be 0 (no limit) or more, not {self.top_k}.")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p must be above 0 and at most 1, not {self.top_p}.")
        if self.do_sample and not self.temperature > 0:
            raise ValueError(f"temperature must be above 0, not {self.temperature}; do_sample=False takes the best.")


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the codes of a frame are chosen. A greedy talker does not make the code predictor greedy."""

    talker: Choice = field(default_factory=Choice)
    predictor: Choice = field(default_factory=Choice)
    repetition_penalty: float = 1.05
    """On the codes of codebook 0 chosen before, however long ago; 1 is none."""

    def __post_init__(self) -> None:
        if not self.repetition_penalty > 0:
            raise ValueError(f"repetition_penalty must be above 0, not {self.repetition_penalty}.")


class SeededDraw:
    """Draws each row with a generator of its own, so that a row doesn't depend on its neighbours.

    The noise is made on the CPU on every device: one exponential variate for each candidate, drawn as float32 in index
    order, and the candidate with the largest ratio of probability to noise wins. That is what ``torch.multinomial``
    does, so a seed draws here as ``torch.manual_seed`` makes the published code draw on the CPU.
    """

    def __init__(self, seeds: Sequence[int]) -> None:
        self._generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    def __call__(self, probabilities: Tensor) -> Tensor:
        noise = torch.empty(probabilities.shape, dtype=torch.float32, pin_memory=probabilities.is_cuda)
        for row, generator in zip(noise, self._generators, strict=True):
            row.exponential_(generator=generator)
        return (probabilities / noise.to(probabilities.device, non_blocking=True)).argmax(-1, keepdim=True)


def penalize(scores: Tensor, chosen: Tensor, penalty: float) -> Tensor:
    """Move the scores ``[B, V]`` of the codes in ``chosen`` (bool ``[B, V]``) away from being chosen, once each."""
    if penalty == 1:
        return scores
    return torch.where(chosen, torch.where(scores < 0, scores * penalty, scores / penalty), scores)


def pick_code(scores: Tensor, choice: Choice, draw: Draw) -> Tensor:
    """One code for each row, ``[B, 1]``, from scores ``[B, V]`` in fp32, those not allowed being -inf.

    Before this, for codebook 0: repetition penalty, no end before the second code, control ids suppressed. Then here:
    temperature, top-k, top-p, and the draw.
    """
    if not choice.do_sample:
        return scores.argmax(-1, keepdim=True)
    scores = scores / choice.temperature
    if choice.top_k:
        last = scores.topk(min(choice.top_k, scores.shape[-1])).values[:, -1:]
        scores = scores.masked_fill(scores < last, float("-inf"))
    if choice.top_p < 1:
        scores = _nucleus(scores, choice.top_p)
    return draw(scores.softmax(-1))


def _nucleus(scores: Tensor, share: float) -> Tensor:
    ascending, order = scores.sort()
    dropped = ascending.softmax(-1).cumsum(-1) <= 1 - share
    dropped[:, -1] = False
    return scores.masked_fill(torch.zeros_like(dropped).scatter(-1, order, dropped), float("-inf"))
