"""What a codec decoder remembers of the frames before: all of it, so that any split into calls sounds the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class CodecState:
    """One or more streams side by side; ``decode_frames`` changes its tensors in place, so their addresses stay.

    5.2 MB per stream for the published codec in float32, however long the stream gets.
    """

    position: Tensor
    """Frames decoded so far, ``[B] int64``."""
    keys: Tensor
    """``[layers, B, heads, window, head_dim]``, a ring: frame p is in slot p modulo window."""
    values: Tensor
    memory: tuple[Tensor, ...]
    """The last inputs of every convolution that looks back, ``[B, reach, channels]`` each."""

    @property
    def batch(self) -> int:
        return self.position.shape[0]

    def clone(self) -> CodecState:
        """An independent copy: what is decoded with one doesn't change the other."""
        memory = tuple(past.clone() for past in self.memory)
        return CodecState(self.position.clone(), self.keys.clone(), self.values.clone(), memory)

    def reset(self) -> None:
        """Back to before the first frame."""
        for tensor in (self.position, self.keys, self.values, *self.memory):
            tensor.zero_()

    def row(self, index: int) -> CodecState:
        """A copy of one stream of the batch."""
        at = slice(index, index + 1)
        memory = tuple(past[at].clone() for past in self.memory)
        return CodecState(self.position[at].clone(), self.keys[:, at].clone(), self.values[:, at].clone(), memory)


def stack_states(states: Sequence[CodecState]) -> CodecState:
    """The streams of several states as one batch; they may have come to different positions."""
    memory = tuple(torch.cat(pasts) for pasts in zip(*(state.memory for state in states), strict=True))
    return CodecState(
        torch.cat([state.position for state in states]),
        torch.cat([state.keys for state in states], 1),
        torch.cat([state.values for state in states], 1),
        memory,
    )
