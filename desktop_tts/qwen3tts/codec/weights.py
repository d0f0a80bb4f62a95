"""Reads published tensors by name, in float32, for modules that keep them in another form."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from desktop_tts.qwen3tts.checkpoint import Tensors


class Weights:
    """The tensors of a file whose names begin with a prefix. Every one that is read counts as used."""

    def __init__(self, tensors: Tensors, prefix: str = "") -> None:
        self._tensors = tensors
        self._prefix = prefix

    def at(self, name: str) -> Weights:
        """Those one level deeper."""
        return Weights(self._tensors, f"{self._prefix}{name}.")

    def read(self, name: str, *shape: int) -> Tensor:
        """A float32 copy on the CPU; refused if the file has another shape."""
        tensor = torch.empty(shape)
        self._tensors.copy_into(tensor, self._prefix + name)
        return tensor

    def ignore(self, pattern: str) -> None:
        self._tensors.ignore(self._prefix + pattern)


def rms_norm(weight: Tensor, eps: float) -> nn.RMSNorm:
    norm = nn.RMSNorm(len(weight), eps, device="meta")
    norm.weight = nn.Parameter(weight, requires_grad=False)
    return norm


def layer_norm(weights: Weights, channels: int, eps: float) -> nn.LayerNorm:
    """From ``weight`` and ``bias``."""
    norm = nn.LayerNorm(channels, eps, device="meta")
    norm.weight = nn.Parameter(weights.read("weight", channels), requires_grad=False)
    norm.bias = nn.Parameter(weights.read("bias", channels), requires_grad=False)
    return norm
