"""The Qwen3 decoder that the talker and the code predictor share, with a key-value cache of fixed size.

The decoder's ``forward`` is a pure function over tensors that exist beforehand: it reads nothing back to the host, and
for equal arguments of type int its shapes are equal, so that it can be recorded as a graph.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import silu

from desktop_tts.qwen3tts.attention import Attend
from desktop_tts.qwen3tts.config import DecoderShape
from desktop_tts.qwen3tts.dense import Dense


class RMSNorm(nn.Module):
    """Scale to unit mean square, the statistics in fp32, then by a learned weight."""

    def __init__(self, size: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return torch.rms_norm(x, self.weight.shape, self.weight, self.eps)


@dataclass(slots=True)
class Rope:
    """Rotary position embedding: for each position one row of cosines and one of sines, ``[positions, D]``."""

    cos: Tensor
    sin: Tensor
    """The first half is negated, so that ``rotate`` needs no negation."""

    @staticmethod
    def table(positions: int, size: int, theta: float, dtype: torch.dtype, device: torch.device) -> Rope:
        frequency = 1.0 / theta ** (torch.arange(0, size, 2, device=device).float() / size)
        angle = torch.arange(positions, device=device).float()[:, None] * frequency
        cos, sin = angle.cos(), angle.sin()
        return Rope(torch.cat((cos, cos), -1).to(dtype), torch.cat((-sin, sin), -1).to(dtype))

    def at(self, positions: Tensor) -> Rope:
        """The rows of some positions ``[B or 1, T]``, shaped to be used with ``[B, T, heads, D]``."""
        return Rope(self.cos[positions].unsqueeze(-2), self.sin[positions].unsqueeze(-2))

    def rotate(self, x: Tensor) -> Tensor:
        """Turn dimension j with j + D/2, as NeoX and Qwen do. ``x`` is ``[B, T, heads, D]``."""
        return torch.addcmul(x * self.cos, x.roll(x.shape[-1] // 2, dims=-1), self.sin)


class DecoderLayer(nn.Module):
    """Attention and gated MLP, each on the normed input and added to it."""

    def __init__(self, shape: DecoderShape) -> None:
        super().__init__()
        hidden, size, inner = shape.hidden_size, shape.head_dim, shape.intermediate_size
        self.heads, self.kv_heads, self.size, self.eps = (
            shape.num_attention_heads, shape.num_key_value_heads, size, shape.rms_norm_eps
        )  # fmt: skip
        query, keys = self.heads * size, self.kv_heads * size
        self.input_layernorm = RMSNorm(hidden, shape.rms_norm_eps)
        self.qkv_proj = Dense.empty(hidden, query + 2 * keys)
        self.qk_norm = nn.Parameter(torch.empty(self.heads + self.kv_heads, size))
        self.o_proj = Dense.empty(query, hidden)
        self.post_attention_layernorm = RMSNorm(hidden, shape.rms_norm_eps)
        self.gate_up_proj = Dense.empty(hidden, 2 * inner)
        self.down_proj = Dense.empty(inner, hidden)
        self.packed = {
            "qkv_proj.weight": {
                "self_attn.q_proj.weight": query,
                "self_attn.k_proj.weight": keys,
                "self_attn.v_proj.weight": keys,
            },
            "qk_norm": {"self_attn.q_norm.weight": self.heads, "self_attn.k_norm.weight": self.kv_heads},
            "o_proj.weight": {"self_attn.o_proj.weight": hidden},
            "gate_up_proj.weight": {"mlp.gate_proj.weight": inner, "mlp.up_proj.weight": inner},
            "down_proj.weight": {"mlp.down_proj.weight": hidden},
        }

    def forward(
        self, x: Tensor, rope: Rope, keys: Tensor, values: Tensor, index: Tensor, mask: Tensor | None, attend: Attend
    ) -> Tensor:
        """``keys`` and ``values`` are this layer's cache up to the last row of ``x``; rows ``index`` are written, the
        same ``[T]`` in each of the batch, or its own ``[B, T]``."""
        batch, rows, _ = x.shape
        qkv = self.qkv_proj(self.input_layernorm(x)).view(batch, rows, -1, self.size)
        turned = self.heads + self.kv_heads
        qk = rope.rotate(torch.rms_norm(qkv[:, :, :turned], (self.size,), None, self.eps) * self.qk_norm)
        _write(keys, index, qk[:, :, self.heads :])
        _write(values, index, qkv[:, :, turned:])
        attended = attend(qk[:, :, : self.heads].to(keys.dtype), keys, values, mask).to(x.dtype)
        x = x + self.o_proj(attended.reshape(batch, rows, -1))
        gate, up = self.gate_up_proj(self.post_attention_layernorm(x)).chunk(2, -1)
        result: Tensor = x + self.down_proj(silu(gate) * up)
        return result


def _write(cache: Tensor, index: Tensor, new: Tensor) -> None:
    """``new`` ``[B, T, kv_heads, D]`` into the rows ``index`` of ``cache`` ``[B, kv_heads, S, D]``, in its type."""
    if index.ndim == 1:
        cache.index_copy_(2, index, new.transpose(1, 2).to(cache.dtype))
    else:
        cache[torch.arange(len(index), device=index.device)[:, None], :, index] = new


@dataclass(slots=True)
class KVCache:
    """Keys and values of every layer, each ``[layers, B, kv_heads, capacity, D]``."""

    keys: Tensor
    values: Tensor

    @staticmethod
    def empty(shape: DecoderShape, batch: int, capacity: int, dtype: torch.dtype, device: torch.device) -> KVCache:
        size = (shape.num_hidden_layers, batch, shape.num_key_value_heads, capacity, shape.head_dim)
        return KVCache(torch.empty(size, dtype=dtype, device=device), torch.empty(size, dtype=dtype, device=device))

    @property
    def capacity(self) -> int:
        return self.keys.shape[3]

    def grow(self, capacity: int) -> None:
        """Make room for ``capacity`` rows, keeping those that are there."""
        for name in ("keys", "values"):
            old: Tensor = getattr(self, name)
            new = old.new_empty(*old.shape[:3], capacity, old.shape[4])
            new[:, :, :, : old.shape[3]] = old
            setattr(self, name, new)


class Decoder(nn.Module):
    """A stack of layers and the final norm."""

    def __init__(self, shape: DecoderShape, attend: Attend) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(shape) for _ in range(shape.num_hidden_layers))
        self.norm = RMSNorm(shape.hidden_size, shape.rms_norm_eps)
        self.attend = attend

    def forward(self, x: Tensor, rope: Rope, cache: KVCache, index: Tensor, seen: int, mask: Tensor | None) -> Tensor:
        """Run rows ``x`` ``[B, T, H]`` and give their final-normed hidden states ``[B, T, H]``.

        ``rope`` has their positions, ``index`` ``[T]`` or ``[B, T]`` the cache rows to write; they look at the first
        ``seen`` rows of the cache as ``mask`` says (see ``attention``).
        """
        for number, layer in enumerate(self.layers):
            keys, values = cache.keys[number, :, :, :seen], cache.values[number, :, :, :seen]
            x = layer(x, rope, keys, values, index, mask, self.attend)
        normed: Tensor = self.norm(x)
        return normed


def logits(head: Dense, hidden: Tensor) -> Tensor:
    """Scores in fp32. ``head`` is kept in fp32 where the model is fp16, whose range scores can leave."""
    scores: Tensor = head(hidden.to(head.weight.dtype))
    return scores.float()
