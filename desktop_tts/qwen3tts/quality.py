"""How far a model with smaller weights strays from the exact one: both are shown the same frames, and what each would
choose next is compared. No weights of a real size are needed beyond two models in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from desktop_tts.qwen3tts.checkpoint import Checkpoint
from desktop_tts.qwen3tts.generate import FrameMaker
from desktop_tts.qwen3tts.networks import Networks, load_networks
from desktop_tts.qwen3tts.precision import Precision
from desktop_tts.qwen3tts.sampling import Choice, Sampling, SeededDraw

_FREE = Choice(top_k=0, temperature=1.0)
"""The model's own probabilities, nothing cut off."""
_ROWS = 24


@dataclass(frozen=True, slots=True)
class Agreement:
    """Over all choices of some frames, for codebook 0 and for the others."""

    first_top1: float
    """Share of choices whose likeliest code is the same."""
    others_top1: float
    first_top5: float
    """Share of choices whose likeliest code is among the exact model's five likeliest."""
    others_top5: float
    first_divergence: float
    """Kullback-Leibler divergence from the exact model in nats, the mean."""
    others_divergence: float
    first_error: float
    """Root mean square difference of the log-probabilities, over their standard deviation."""
    others_error: float


class _Follow:
    """A ``Draw`` that notes the probabilities, and takes codes as they were given, or draws and notes them."""

    def __init__(self, codes: Iterable[Tensor] | None = None) -> None:
        self._given = None if codes is None else iter(codes)
        self._draw = SeededDraw([0])
        self.seen: list[Tensor] = []
        self.codes: list[Tensor] = []

    def __call__(self, probabilities: Tensor) -> Tensor:
        code = self._draw(probabilities) if self._given is None else next(self._given)
        self.seen.append(probabilities[0].clone())
        self.codes.append(code)
        return code


def agreement(checkpoint: Checkpoint, smaller: Precision, frames: int, seed: int = 0) -> Agreement:
    """Compare ``smaller`` with float32 on the CPU, over ``frames`` frames after a random prompt."""
    cpu = torch.device("cpu")
    exact = _followed(load_networks(checkpoint, cpu, Precision(torch.float32)), frames, seed, None)
    other = _followed(load_networks(checkpoint, cpu, smaller), frames, seed, exact.codes)
    books = checkpoint.config.talker.num_code_groups
    pairs = list(zip(exact.seen, other.seen, strict=True))
    first = pairs[::books]
    others = [pair for number, pair in enumerate(pairs) if number % books]
    a, b = _compared(first), _compared(others)
    return Agreement(a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3])


def _followed(networks: Networks, frames: int, seed: int, codes: list[Tensor] | None) -> _Follow:
    talker = networks.talker
    draw = _Follow(codes)
    prompt = torch.randn(_ROWS, talker.config.hidden_size, generator=torch.Generator().manual_seed(seed))
    sampling = Sampling(_FREE, _FREE, repetition_penalty=1.0)
    maker = FrameMaker(talker, networks.predictor, [prompt.to(talker.dtype)], sampling, draw, frames)
    pad, most = networks.config.tts_pad_token_id, talker.config.code_predictor.vocab_size - 1
    for number in range(frames):
        code = maker.first_code(number).clamp(max=most)  # a random model may choose its end
        maker.advance(maker.finish(code), [pad], pad)
    return draw


def _compared(pairs: list[tuple[Tensor, Tensor]]) -> tuple[float, float, float, float]:
    """Top-1 share, top-5 share, divergence, relative error of the log-probabilities."""
    top1 = top5 = divergence = error = 0.0
    for exact, other in pairs:
        allowed = exact > 0
        p, q = exact[allowed].double(), other[allowed].double().clamp(min=1e-30)
        best = int(q.argmax())
        top1 += best == int(p.argmax())
        top5 += best in p.topk(min(5, len(p))).indices
        divergence += float((p * (p.log() - q.log())).sum())
        error += float((p.log() - q.log()).square().mean().sqrt() / p.log().std())
    count = len(pairs)
    return top1 / count, top5 / count, divergence / count, error / count
