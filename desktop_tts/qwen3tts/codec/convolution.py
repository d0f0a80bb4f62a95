"""Causal convolution over time that goes on where the last call stopped.

Sound and features are ``[B, T, C]``: channels last, so that a transposed convolution and a matrix product need no
reordering. What a convolution remembers is the end of its own input; zeros at the start equal the zero padding that
the published model puts before the whole signal.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import conv2d, pad

from desktop_tts.qwen3tts.dense import Dense


class CausalConv(nn.Module):
    """``out[t]`` depends on inputs up to ``(t + 1) * stride - 1``. Every call but a stream's last has whole strides."""

    weight: Tensor
    bias: Tensor | None

    def __init__(
        self, weight: Tensor, bias: Tensor | None, *, stride: int = 1, dilation: int = 1, groups: int = 1
    ) -> None:
        """``weight`` is ``[out, in / groups, kernel]``, as published."""
        super().__init__()
        self.channels, self.kernel = weight.shape[1] * groups, weight.shape[2]
        self.stride, self.dilation, self.groups = stride, dilation, groups
        self.reach = (self.kernel - 1) * dilation + 1 - stride
        self.slot = -1
        """Place of its memory in the list that belongs to a stream; -1 if it needs none."""
        self.product: Dense | None = None
        if stride == groups == 1:
            self.product = Dense(weight.transpose(1, 2).flatten(1), bias)
        else:
            self.register_buffer("weight", weight.unsqueeze(2).contiguous(memory_format=torch.channels_last))
            self.register_buffer("bias", bias)

    def forward(self, x: Tensor, memory: Sequence[Tensor]) -> Tensor:
        """``[B, T, in]`` to ``[B, ceil(T / stride), out]``; replaces the content of ``memory[self.slot]``."""
        length = x.shape[1]
        if self.reach:
            past = memory[self.slot]
            x = torch.cat((past, x), 1)
            past.copy_(x[:, x.shape[1] - self.reach :])
        if self.product:
            if self.kernel > 1:
                x = torch.cat([x[:, k * self.dilation :][:, :length] for k in range(self.kernel)], 2)
            out: Tensor = self.product(x)
            return out
        if length % self.stride:
            x = pad(x, (0, 0, 0, self.stride - length % self.stride))
        image = x.transpose(1, 2).unsqueeze(2)  # a view that the kernels know as a channels-last image of height 1
        out = conv2d(image, self.weight, self.bias, (1, self.stride), dilation=(1, self.dilation), groups=self.groups)
        return out.squeeze(2).transpose(1, 2)


def number_slots(module: nn.Module) -> list[tuple[int, int]]:
    """Give every convolution in ``module`` that looks back its slot. Returns (reach, channels) for each."""
    looking_back = [m for m in module.modules() if isinstance(m, CausalConv) and m.reach]
    for slot, conv in enumerate(looking_back):
        conv.slot = slot
    return [(conv.reach, conv.channels) for conv in looking_back]
