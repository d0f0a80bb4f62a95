"""A linear layer whose weights can be put in the form that the processor multiplies fastest.

For the few rows of one step, reading the weights is all that costs. The plain layer also reorders them on every call;
packed ones are read as they lie, and in as few bytes as their ``Form`` allows.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from desktop_tts.qwen3tts.packing import Form, Product, packed, packed_int8


class Dense(nn.Module):
    """``[..., in]`` to ``[..., out]`` with given weights ``[out, in]``."""

    weight: Tensor
    """Empty once they are packed, but still of their type and in their place."""
    bias: Tensor | None

    def __init__(self, weight: Tensor, bias: Tensor | None = None, *, keep_exact: bool = False) -> None:
        """``keep_exact`` layers lose nothing in any form: those whose errors would be chosen from or summed up."""
        super().__init__()
        self.register_buffer("weight", weight.contiguous())
        self.register_buffer("bias", bias)
        self.keep_exact = keep_exact
        self.inner, self.outer = weight.shape[1], weight.shape[0]
        self._product: Product | None = None

    @staticmethod
    def empty(inner: int, outer: int, *, bias: bool = False, keep_exact: bool = False) -> Dense:
        """A layer to be loaded, from ``inner`` to ``outer`` features."""
        return Dense(torch.empty(outer, inner), torch.empty(outer) if bias else None, keep_exact=keep_exact)

    def forward(self, x: Tensor) -> Tensor:
        if self._product is None:
            return linear(x, self.weight, self.bias)
        return self._product(x, self.bias)

    @property
    def packs(self) -> bool:
        """Whether the weights are packed."""
        return self._product is not None

    def pack(self, form: Form = Form.EXACT) -> None:
        """Replace the weights by packed ones where that helps; from then on the layer stays where it is."""
        if self._product is None:
            self._product = packed(self.weight, Form.EXACT if self.keep_exact else form)
            if self._product is not None:
                self.weight = self.weight.new_empty(0)

    def set_int8(self, weight: Tensor, scale: Tensor) -> None:
        """Instead of loading and packing: weights that were quantized before (see ``packing.quantize``)."""
        self._product = packed_int8(weight, scale)
        self.weight = torch.empty(0)


def pack(module: nn.Module, form: Form = Form.EXACT) -> None:
    """Pack every ``Dense`` layer in a module that is in its place and of its type. Weights aren't kept twice."""
    for layer in module.modules():
        if isinstance(layer, Dense):
            layer.pack(form)
