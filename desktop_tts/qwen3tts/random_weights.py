"""Full-size models with random weights, in memory and without a download: for benchmarks and for tests of size.

They make noise, at the speed and in the memory of the real ones.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from desktop_tts.qwen3tts import released
from desktop_tts.qwen3tts.checkpoint import Checkpoint, Tensors
from desktop_tts.qwen3tts.codec.shapes import Shapes, codec_shapes
from desktop_tts.qwen3tts.config import ModelKind, read_codec_config, read_model_config
from desktop_tts.qwen3tts.errors import CheckpointError
from desktop_tts.qwen3tts.released import ModelSize
from desktop_tts.qwen3tts.shapes import model_shapes

_TRANSPOSED = re.compile(r"^decoder\.(upsample\.\d\.0|decoder\.\d\.block\.1)\.conv\.weight$")
_POOL = (1 << 20) + 7
"""Random numbers that are drawn at all; every tensor starts at another place among them."""


class RandomTensors(Tensors):
    """Stands for a file of tensors: the same names, shapes and strictness, values made up when asked for."""

    def __init__(self, shapes: Shapes, dtype: torch.dtype, seed: int = 0) -> None:
        self.path = Path("random.safetensors")
        self._shapes, self._dtype = shapes, dtype
        self._unused = set(shapes)
        self._pool = torch.randn(_POOL, generator=torch.Generator().manual_seed(seed))

    def names(self) -> list[str]:
        return sorted(self._shapes)

    def shape(self, name: str) -> list[int]:
        if name not in self._shapes:
            raise CheckpointError(f"The random model has no tensor {name}.")
        return list(self._shapes[name])

    def mapped(self, name: str, shape: Sequence[int]) -> Tensor:
        """As all random tensors, in memory."""
        tensor = torch.empty(tuple(shape), dtype=self._dtype)
        self.copy_into(tensor, name)
        return tensor

    def copy_into(self, target: Tensor, name: str) -> None:
        self._take(name, target.shape)
        mean, spread = scale_of(name, tuple(target.shape))
        values = (self._pool * spread + mean).to(self._dtype)
        if name.endswith("cluster_usage"):
            values = values.abs() + 0.1
        flat, start = target.view(-1), zlib.crc32(name.encode()) % _POOL
        at = 0
        while at < len(flat):
            piece = values[start : start + len(flat) - at]
            flat[at : at + len(piece)] = piece
            at, start = at + len(piece), 0


@dataclass(frozen=True, slots=True)
class RandomCheckpoint(Checkpoint):
    """A released model's configuration with random tensors. There are no files; for a text tokenizer give a ``path``
    to which ``random_files.write_tokenizer`` has written one."""

    seed: int = 0

    def tensors(self) -> Tensors:
        return RandomTensors(model_shapes(self.config), torch.bfloat16, self.seed)

    def codec_tensors(self) -> Tensors:
        return RandomTensors(codec_shapes(self.codec), torch.float32, self.seed)


def random_checkpoint(size: ModelSize, kind: ModelKind, seed: int = 0, path: Path = Path("random")) -> RandomCheckpoint:
    """What ``open_checkpoint`` gives, without files. Equal seeds give equal weights on one machine."""
    return RandomCheckpoint(
        path=path,
        config=read_model_config(released.model_config(size, kind)),
        codec=read_codec_config(released.CODEC_CONFIG),
        generation=released.GENERATION_CONFIG,
        seed=seed,
    )


def scale_of(name: str, shape: tuple[int, ...]) -> tuple[float, float]:
    """Mean and standard deviation that a tensor of this role gets, so that activations keep about their size.

    The tests' golden files depend on these numbers.
    """
    leaf = name.rsplit(".", 1)[-1]
    if leaf == "initialized":
        return 1.0, 0.0
    if leaf == "cluster_usage":
        return 0.5, 0.5
    if leaf in ("embedding_sum", "embed_sum"):
        return 0.0, 1.0
    if leaf in ("alpha", "beta"):
        return 0.0, 0.2
    if leaf in ("gamma", "scale"):
        return 0.4, 0.1
    if len(shape) == 1:
        return (1.0, 0.1) if leaf == "weight" else (0.0, 0.05)
    if "embedding" in name:
        return 0.0, 0.5
    if "codec_head" in name or "lm_head" in name:
        return 0.0, 2.0 / math.sqrt(shape[1])
    if _TRANSPOSED.match(name):
        return 0.0, 0.6 / math.sqrt(shape[0])  # [in, out, kernel]
    if name.startswith("decoder.decoder.") and ".conv2." in name:
        return 0.0, 0.4 / math.sqrt(shape[1])  # keeps twelve residual units in a row from swelling
    return 0.0, 1.0 / math.sqrt(math.prod(shape[1:]))
