"""A frame as one CUDA graph, recorded for each size that is needed, and read by the host one frame late."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from desktop_tts.qwen3tts.sampling import Sampling
from desktop_tts.qwen3tts.slots import Slots

_LEAST_SEEN = 256
_WARM_UPS = 3
_PAIRS = 2
"""Frames that may be on their way to the host."""


@dataclass(slots=True, eq=False)
class Ticket:
    """A frame that is being made."""

    codes: Tensor
    pcm: Tensor
    event: torch.cuda.Event | None

    def read(self) -> tuple[list[int], NDArray[np.float32]]:
        """Code 0 of each slot, and samples ``[slots, 1920]``; waits for the device."""
        if self.event is not None:
            self.event.synchronize()
        return self.codes[:, 0].tolist(), self.pcm.numpy().copy()


class FrameGraphs:
    """Makes frames of ``slots``. On devices without graphs the step runs as it is. One thread at a time."""

    def __init__(self, slots: Slots) -> None:
        self.slots = slots
        self._records = slots.talker.device.type == "cuda"
        self._graphs: dict[tuple[int, int, Sampling], torch.cuda.CUDAGraph] = {}
        self._pool = torch.cuda.graph_pool_handle() if self._records else None
        pinned = self._records
        self._codes = [torch.empty_like(slots.memory.codes, device="cpu", pin_memory=pinned) for _ in range(_PAIRS)]
        self._pcm = [torch.empty_like(slots.memory.pcm, device="cpu", pin_memory=pinned) for _ in range(_PAIRS)]
        self._turn = 0

    def launch(self, slots: int, rows: int, sampling: Sampling) -> Ticket:
        """Begin a frame of the first ``slots`` slots, of which the fullest has ``rows`` rows in its cache. At most two
        may be unread."""
        size, seen = _power(slots, self.slots.count), _power(max(rows + 1, _LEAST_SEEN), self.slots.capacity)
        if self._records:
            self.record(size, seen, sampling).replay()
        else:
            self.slots.step(size, seen, sampling)
        self._turn = (self._turn + 1) % _PAIRS
        codes, pcm = self._codes[self._turn][:slots], self._pcm[self._turn][:slots]
        codes.copy_(self.slots.memory.codes[:slots], non_blocking=True)
        pcm.copy_(self.slots.memory.pcm[:slots], non_blocking=True)
        event = None
        if self._records:
            event = torch.cuda.Event()  # type: ignore[no-untyped-call]
            event.record()
        return Ticket(codes, pcm, event)

    @torch.inference_mode()
    def record(self, size: int, seen: int, sampling: Sampling) -> torch.cuda.CUDAGraph:
        """The graph for a size, recorded if need be, which takes about a second: best before anybody waits."""
        key = size, seen, sampling
        if key not in self._graphs:
            changing = self.slots.memory.changing()
            before = [tensor.clone() for tensor in changing]
            aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            aside.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(aside):
                for _ in range(_WARM_UPS):
                    self.slots.step(size, seen, sampling)
            torch.cuda.current_stream().wait_stream(aside)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=self._pool, capture_error_mode="thread_local"):
                self.slots.step(size, seen, sampling)
            for tensor, old in zip(changing, before, strict=True):
                tensor.copy_(old)
            self._graphs[key] = graph
        return self._graphs[key]


def _power(wanted: int, most: int) -> int:
    """The next power of two, ``most`` at most."""
    return min(1 << max(wanted - 1, 0).bit_length(), most)
