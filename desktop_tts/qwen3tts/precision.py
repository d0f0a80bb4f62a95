"""In which number formats a model is kept and computed, by the names that users choose."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import torch

from desktop_tts.qwen3tts.packing import Form, has_bfloat16_kernels, int8_obstacle

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Precision:
    """The formats of one loaded model."""

    dtype: torch.dtype
    """Of everything but the weight matrices."""
    weights: Form = Form.EXACT
    """Of the talker's and code predictor's matrices, on a CPU."""
    codec: Form = Form.EXACT
    """Of the codec's, on a CPU; it computes in float32 otherwise."""
    cache: torch.dtype | None = None
    """Of the talker's keys and values, which are read once a frame: at the 2,000th (160 s) they are as many bytes in
    float32 as all its int8 weights. None is ``dtype``."""


def pick_precision(name: str | torch.dtype | None, device: torch.device) -> Precision:
    """By torch's names, and "int8", which is for CPUs: 8-bit weights, and where the processor multiplies bfloat16, the
    codec's weights and the talker's cache in that.

    None is float32, and on CUDA bfloat16, or float16 where the card lacks that. "auto" differs on a CPU: int8 where the
    processor has kernels for it. Raises ``ValueError`` for another name.
    """
    if name is None or name == "auto":
        if device.type == "cuda":
            return Precision(torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16)
        quick = name == "auto" and device.type == "cpu" and not int8_obstacle()
        return _int8() if quick else Precision(torch.float32)
    if str(name).removeprefix("torch.") == "int8":
        obstacle = int8_obstacle() if device.type == "cpu" else f"8-bit weights aren't for {device.type}"
        if not obstacle:
            return _int8()
        _log.warning("int8 isn't used because %s.", obstacle)
        return pick_precision(None, device)
    found = getattr(torch, name.removeprefix("torch."), None) if isinstance(name, str) else name
    if found not in (torch.float32, torch.bfloat16, torch.float16):
        raise ValueError(f"dtype must be float32, bfloat16, float16 or int8, not {name}.")
    return Precision(found)


def _int8() -> Precision:
    if has_bfloat16_kernels():
        return Precision(torch.float32, Form.INT8, Form.BFLOAT16, torch.bfloat16)
    return Precision(torch.float32, Form.INT8)
