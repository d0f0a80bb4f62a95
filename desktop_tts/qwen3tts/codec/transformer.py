"""The codec decoder's transformer: a window of 72 frames, kept as a ring of keys and values."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from desktop_tts.qwen3tts.codec.state import CodecState
from desktop_tts.qwen3tts.codec.weights import Weights
from desktop_tts.qwen3tts.config import CodecDecoderConfig


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Where the frames of one call stand, for all layers alike."""

    cos: Tensor
    """``[B, 1, F, head_dim]``."""
    sin: Tensor
    slots: Tensor
    """Ring slots of the frames, ``[B, F]``."""
    mask: Tensor
    """Which keys a frame may see, ``[B, 1, F, keys]``: the ring alone for one frame, else the ring and the new frames."""


class WindowTransformer(nn.Module):
    """``[B, F, latent]`` to ``[B, F, latent]``; a frame sees itself and the 71 before it, in every layer."""

    frequencies: Tensor

    def __init__(self, config: CodecDecoderConfig, weights: Weights) -> None:
        super().__init__()
        hidden, latent = config.hidden_size, config.latent_dim
        self.window = config.sliding_window
        self.eps = config.rms_norm_eps
        for name, out, into in (("input_proj", hidden, latent), ("output_proj", latent, hidden)):
            self.register_buffer(f"{name}_weight", weights.read(f"{name}.weight", out, into))
            self.register_buffer(f"{name}_bias", weights.read(f"{name}.bias", out))
        self.register_buffer("norm", weights.read("norm.weight", hidden))
        self.layers = nn.ModuleList(_Layer(config, weights.at(f"layers.{i}")) for i in range(config.num_hidden_layers))
        exponent = torch.arange(0, config.head_dim, 2).float() / config.head_dim
        self.register_buffer("frequencies", 1.0 / config.rope_theta**exponent, persistent=False)

    def forward(self, x: Tensor, state: CodecState) -> Tensor:
        """Leaves ``state.position`` as it is: the caller moves on when all layers are done."""
        x = F.linear(x, self.input_proj_weight, self.input_proj_bias)
        place = self._place(state.position, x.shape[1], x.dtype)
        for layer, keys, values in zip(self.layers, state.keys, state.values, strict=True):
            x = layer(x, keys, values, place)
        x = F.rms_norm(x, (x.shape[-1],), self.norm, self.eps)
        return F.linear(x, self.output_proj_weight, self.output_proj_bias)

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
        self.eps = config.rms_norm_eps
        attention, mlp = weights.at("self_attn"), weights.at("mlp")
        widths = (("q", self.heads * head), ("k", self.key_heads * head), ("v", self.key_heads * head))
        self.register_buffer("qkv", torch.cat([attention.read(f"{n}_proj.weight", w, hidden) for n, w in widths]))
        gates = [mlp.read(f"{name}_proj.weight", inner, hidden) for name in ("gate", "up")]
        self.register_buffer("gate_up", torch.cat(gates))
        scale = weights.read("self_attn_layer_scale.scale", hidden)[:, None]
        self.register_buffer("out", attention.read("o_proj.weight", hidden, self.heads * head) * scale)
        scale = weights.read("mlp_layer_scale.scale", hidden)[:, None]
        self.register_buffer("down", mlp.read("down_proj.weight", hidden, inner) * scale)
        self.register_buffer("norm1", weights.read("input_layernorm.weight", hidden))
        self.register_buffer("norm2", weights.read("post_attention_layernorm.weight", hidden))

    def forward(self, x: Tensor, keys: Tensor, values: Tensor, place: _Place) -> Tensor:
        batch, frames, hidden = x.shape
        qkv = F.linear(F.rms_norm(x, (hidden,), self.norm1, self.eps), self.qkv)
        qkv = qkv.view(batch, frames, -1, self.head_dim).transpose(1, 2)
        q, k, v = qkv.split((self.heads, self.key_heads, self.key_heads), 1)
        q, k = _rotate(q, place), _rotate(k, place)
        past_keys, past_values = keys, values
        if frames > 1:
            past_keys, past_values = torch.cat((keys, k), 2), torch.cat((values, v), 2)
        rows = torch.arange(batch, device=x.device)[:, None]
        keys[rows, :, place.slots] = k.transpose(1, 2)
        values[rows, :, place.slots] = v.transpose(1, 2)
        grouped = self.heads != self.key_heads
        seen = F.scaled_dot_product_attention(q, past_keys, past_values, attn_mask=place.mask, enable_gqa=grouped)
        x = x + F.linear(seen.transpose(1, 2).flatten(2), self.out)
        gate, up = F.linear(F.rms_norm(x, (hidden,), self.norm2, self.eps), self.gate_up).chunk(2, -1)
        return x + F.linear(F.silu(gate) * up, self.down)


def _rotate(x: Tensor, place: _Place) -> Tensor:
    """Rotary embedding that pairs dimension j with j + head_dim / 2."""
    first, second = x.chunk(2, -1)
    return x * place.cos + torch.cat((-second, first), -1) * place.sin
