"""The codec decoder's transformer: a window of 72 frames, kept as a ring of keys and values."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention, silu

from desktop_tts.qwen3tts.codec.state import CodecState
from desktop_tts.qwen3tts.codec.weights import Weights, rms_norm
from desktop_tts.qwen3tts.config import CodecDecoderConfig
from desktop_tts.qwen3tts.dense import Dense


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Where the frames of one call stand, for all layers alike."""

    cos: Tensor
    """``[B, 1, F, head_dim]``."""
    sin: Tensor
    slots: Tensor
    """Ring slots of the frames, ``[B, F]``."""
    mask: Tensor
    """Which keys a frame may see, ``[B, 1, F, keys]``: the ring, and for several frames also their own."""


class WindowTransformer(nn.Module):
    """``[B, F, latent]`` to ``[B, F, latent]``; a frame sees itself and the 71 before it, in every layer."""

    frequencies: Tensor

    def __init__(self, config: CodecDecoderConfig, weights: Weights) -> None:
        super().__init__()
        hidden, latent = config.hidden_size, config.latent_dim
        self.window = config.sliding_window
        enter, leave = weights.at("input_proj"), weights.at("output_proj")
        self.enter = Dense(enter.read("weight", hidden, latent), enter.read("bias", hidden))
        self.leave = Dense(leave.read("weight", latent, hidden), leave.read("bias", latent))
        self.norm = rms_norm(weights.read("norm.weight", hidden), config.rms_norm_eps)
        self.layers = nn.ModuleList(_Layer(config, weights.at(f"layers.{i}")) for i in range(config.num_hidden_layers))
        exponent = torch.arange(0, config.head_dim, 2).float() / config.head_dim
        self.register_buffer("frequencies", 1.0 / config.rope_theta**exponent, persistent=False)

    def forward(self, x: Tensor, state: CodecState) -> Tensor:
        """Leaves ``state.position`` as it is: the caller moves on when all layers are done."""
        x = self.enter(x)
        place = self._place(state.position, x.shape[1], x.dtype)
        for layer, keys, values in zip(self.layers, state.keys, state.values, strict=True):
            x = layer(x, keys, values, place)
        out: Tensor = self.leave(self.norm(x))
        return out

    def _place(self, position: Tensor, frames: int, dtype: torch.dtype) -> _Place:
        new = position[:, None] + torch.arange(frames, device=position.device)
        ring = torch.arange(self.window, device=position.device)
        if frames == 1:  # its own key is in the ring by then
            mask = ring <= position[:, None, None]
        else:
            # Slot s holds the last frame before `position` that is s modulo the window, if there has been one.
            held = position[:, None] - 1 - (position[:, None] - 1 - ring) % self.window
            keys, now = torch.cat((held, new), 1)[:, None], new[:, :, None]
            mask = (keys >= 0) & (keys <= now) & (keys > now - self.window)
        angles = new[:, :, None].float() * self.frequencies.float()
        angles = torch.cat((angles, angles), -1)[:, None]
        return _Place(angles.cos().to(dtype), angles.sin().to(dtype), new % self.window, mask[:, None])


class _Layer(nn.Module):
    """Attention and gated MLP, each with its trained scale folded into the last matrix."""

    def __init__(self, config: CodecDecoderConfig, weights: Weights) -> None:
        super().__init__()
        hidden, inner, head = config.hidden_size, config.intermediate_size, config.head_dim
        self.heads, self.key_heads, self.head_dim = config.num_attention_heads, config.num_key_value_heads, head
        attention, mlp, eps = weights.at("self_attn"), weights.at("mlp"), config.rms_norm_eps
        widths = (("q", self.heads * head), ("k", self.key_heads * head), ("v", self.key_heads * head))
        self.qkv = Dense(torch.cat([attention.read(f"{name}_proj.weight", w, hidden) for name, w in widths]))
        self.gate_up = Dense(torch.cat([mlp.read(f"{name}_proj.weight", inner, hidden) for name in ("gate", "up")]))
        scale = weights.read("self_attn_layer_scale.scale", hidden)[:, None]
        self.out = Dense(attention.read("o_proj.weight", hidden, self.heads * head) * scale)
        scale = weights.read("mlp_layer_scale.scale", hidden)[:, None]
        self.down = Dense(mlp.read("down_proj.weight", hidden, inner) * scale)
        self.norm1 = rms_norm(weights.read("input_layernorm.weight", hidden), eps)
        self.norm2 = rms_norm(weights.read("post_attention_layernorm.weight", hidden), eps)

    def forward(self, x: Tensor, keys: Tensor, values: Tensor, place: _Place) -> Tensor:
        batch, frames, _ = x.shape
        qkv = self.qkv(self.norm1(x)).view(batch, frames, -1, self.head_dim).transpose(1, 2)
        q, k, v = torch.split(qkv, [self.heads, self.key_heads, self.key_heads], 1)
        q, k = rotate(q, place.cos, place.sin), rotate(k, place.cos, place.sin)
        seen_keys, seen_values = keys, values
        if frames > 1:  # some of what the ring loses now is still to be seen
            seen_keys, seen_values = torch.cat((keys, k), 2), torch.cat((values, v), 2)
        rows = torch.arange(batch, device=x.device)[:, None]
        keys[rows, :, place.slots] = k.transpose(1, 2)
        values[rows, :, place.slots] = v.transpose(1, 2)
        grouped = self.heads != self.key_heads
        seen = scaled_dot_product_attention(q, seen_keys, seen_values, attn_mask=place.mask, enable_gqa=grouped)
        x = x + self.out(seen.transpose(1, 2).flatten(2))
        gate, up = self.gate_up(self.norm2(x)).chunk(2, -1)
        out: Tensor = x + self.down(silu(gate) * up)
        return out


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary embedding that pairs dimension j of the last axis with j + half of it."""
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin
