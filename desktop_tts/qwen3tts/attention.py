"""Three ways to compute the same attention, and the choice among them.

Shapes throughout: queries ``[B, T, heads, D]``; keys and values ``[B, kv_heads, S, D]`` with S >= T, the last T of
them those of the queries; result ``[B, T, heads, D]``. ``mask`` is None when every row sees all rows before it and
itself, or a boolean ``[B, 1, T, S]`` that is true where a row may look.
"""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

Attend = Callable[[Tensor, Tensor, Tensor, Tensor | None], Tensor]

_log = logging.getLogger(__name__)


def pick_attention(name: str | None, device: torch.device, dtype: torch.dtype) -> Attend:
    """By upstream's names: "sdpa" (also None), "eager", or "flash_attention_2", which falls back on "sdpa" where it
    can't run. Raises ``ValueError`` for another name."""
    match name:
        case None | "sdpa":
            return sdpa
        case "eager":
            return eager
        case "flash_attention_2":
            obstacle = _flash_obstacle(device, dtype)
            if not obstacle:
                return flash
            _log.warning("FlashAttention 2 isn't used because %s; attention goes through torch instead.", obstacle)
            return sdpa
        case _:
            raise ValueError(f"attn_implementation must be sdpa, eager or flash_attention_2, not {name!r}.")


def sdpa(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
    """By torch's fused kernels."""
    batch, rows, heads, size = query.shape
    groups = heads // key.shape[1]
    if rows == 1:  # the query heads that share a key head become rows, so that keys needn't be repeated
        shared = query.view(batch, key.shape[1], groups, size)
        return scaled_dot_product_attention(shared, key, value, attn_mask=mask).view(batch, 1, heads, size)
    if mask is None and rows != key.shape[2]:
        mask = _causal(rows, key.shape[2], query.device)
    key, value = key.repeat_interleave(groups, dim=1), value.repeat_interleave(groups, dim=1)
    return scaled_dot_product_attention(
        query.transpose(1, 2), key, value, attn_mask=mask, is_causal=mask is None
    ).transpose(1, 2)


def eager(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
    """By the formula, with the softmax in fp32: the reference for the others."""
    rows, size = query.shape[1], query.shape[3]
    groups = query.shape[2] // key.shape[1]
    key, value = key.repeat_interleave(groups, dim=1), value.repeat_interleave(groups, dim=1)
    scores = query.transpose(1, 2) @ key.transpose(2, 3) * size**-0.5
    if mask is None:
        mask = _causal(rows, key.shape[2], query.device)
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1, dtype=torch.float32)
    attended: Tensor = weights.to(value.dtype) @ value
    return attended.transpose(1, 2)


def flash(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
    """By the flash-attn package, which knows no masks: padded batches go to torch."""
    if mask is not None:
        return sdpa(query, key, value, mask)
    from flash_attn import flash_attn_func

    result: Tensor = flash_attn_func(query, key.transpose(1, 2), value.transpose(1, 2), causal=True)
    return result


def _causal(rows: int, seen: int, device: torch.device) -> Tensor:
    return torch.ones(rows, seen, dtype=torch.bool, device=device).tril(seen - rows)


def _flash_obstacle(device: torch.device, dtype: torch.dtype) -> str:
    if device.type != "cuda":
        return f"it can't run on {device.type}"
    if dtype not in (torch.float16, torch.bfloat16):
        return "it needs float16 or bfloat16"
    if torch.cuda.get_device_capability(device) < (8, 0):
        return "this graphics card is too old for it"
    if importlib.util.find_spec("flash_attn") is None:
        return "the package flash-attn isn't installed"
    return ""
