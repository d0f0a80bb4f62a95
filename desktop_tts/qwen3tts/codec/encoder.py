"""Sound at 24 kHz to frames of 16 codes, for cloning: a Mimi encoder, in float32.

The convolutions take the sound in pieces, so that five minutes of it need little memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import conv1d, elu, gelu, pad, scaled_dot_product_attention

from desktop_tts.qwen3tts.checkpoint import Tensors
from desktop_tts.qwen3tts.codec.convolution import CausalConv, number_slots
from desktop_tts.qwen3tts.codec.quantizer import Quantizer
from desktop_tts.qwen3tts.codec.transformer import rotate
from desktop_tts.qwen3tts.codec.weights import Weights, layer_norm
from desktop_tts.qwen3tts.config import CodecEncoderConfig
from desktop_tts.qwen3tts.dense import Dense

_PIECE_S = 5


class CodecEncoder(nn.Module):
    """Holds weights only."""

    downsample: Tensor
    frequencies: Tensor

    def __init__(self, config: CodecEncoderConfig, tensors: Tensors, *, windowed: bool = False) -> None:
        """Read the weights in float32; the decoder's are left for others.

        ``windowed`` limits the transformer's view to ``sliding_window`` positions (10 s) as the configuration says. The
        published implementation doesn't, so codes of references over 10 s differ; which of the two the models were
        trained with isn't known. The default does as the published implementation does.
        """
        super().__init__()
        weights = Weights(tensors, "encoder.")
        self.config = config
        self.window = config.sliding_window if windowed else None
        self.convolutions = nn.ModuleList(_convolutions(config, weights.at("encoder")))
        layers = weights.at("encoder_transformer.layers")
        self.layers = nn.ModuleList(_Layer(config, layers.at(str(i))) for i in range(config.num_hidden_layers))
        down = weights.read("downsample.conv.weight", config.hidden_size, config.hidden_size, 4)
        self.register_buffer("downsample", down)
        self.quantizer = Quantizer(config, weights.at("quantizer"))
        exponent = torch.arange(0, config.head_dim, 2).float() / config.head_dim
        self.register_buffer("frequencies", 1.0 / config.rope_theta**exponent, persistent=False)
        self._memory_shapes = number_slots(self)
        self.requires_grad_(False).eval()

    @torch.inference_mode()
    def encode(self, sound: Tensor) -> Tensor:
        """``[n] float32`` mono samples at 24 kHz to ``[ceil(n / 1920), 16] int64``."""
        codes: Tensor = self.quantizer(self.latents(sound))
        return codes

    def latents(self, sound: Tensor) -> Tensor:
        """``[n]`` samples to ``[F, hidden]``, before the quantizer."""
        x = self._features(sound[None, :, None])
        angles = torch.arange(x.shape[1], device=x.device)[:, None].float() * self.frequencies
        turn = torch.cat((angles, angles), -1)
        cos, sin = turn.cos(), turn.sin()
        for layer in self.layers:
            x = layer(x, cos, sin, self.window)
        columns = pad(x.transpose(1, 2), (2, x.shape[1] % 2), mode="replicate")
        return conv1d(columns, self.downsample, stride=2)[0].T

    def _features(self, sound: Tensor) -> Tensor:
        """``[1, n, 1]`` to ``[1, ceil(n / 960), hidden]`` at 25 Hz."""
        memory = [sound.new_zeros(1, reach, channels) for reach, channels in self._memory_shapes]
        whole = math.prod(self.config.upsampling_ratios)
        pieces = []
        for piece in torch.split(sound, _PIECE_S * self.config.sampling_rate // whole * whole, 1):
            x = piece
            for convolution in self.convolutions:
                x = convolution(x, memory)
            pieces.append(x)
        return torch.cat(pieces, 1)


def _convolutions(config: CodecEncoderConfig, weights: Weights) -> list[nn.Module]:
    """The published list of layers; its numbers count the activations, which here belong to what follows them."""
    at = weights.at("layers")
    filters, number = config.num_filters, 1
    layers: list[nn.Module] = [_conv(at.at("0.conv"), filters, 1, config.kernel_size)]
    for ratio in reversed(config.upsampling_ratios):
        narrow, kernel = filters // config.compress, config.residual_kernel_size
        block = at.at(f"{number}.block")
        layers.append(
            _Residual(
                _AfterElu(_conv(block.at("1.conv"), narrow, filters, kernel)),
                _AfterElu(_conv(block.at("3.conv"), filters, narrow, 1)),
            )
        )
        layers.append(_AfterElu(_conv(at.at(f"{number + 2}.conv"), 2 * filters, filters, 2 * ratio, ratio)))
        filters, number = 2 * filters, number + 3
    return [
        *layers,
        _AfterElu(_conv(at.at(f"{number + 1}.conv"), config.hidden_size, filters, config.last_kernel_size)),
    ]


def _conv(weights: Weights, out: int, into: int, kernel: int, stride: int = 1) -> CausalConv:
    return CausalConv(weights.read("weight", out, into, kernel), weights.read("bias", out), stride=stride)


class _AfterElu(nn.Module):
    def __init__(self, conv: CausalConv) -> None:
        super().__init__()
        self.conv = conv

    def forward(self, x: Tensor, memory: Sequence[Tensor]) -> Tensor:
        out: Tensor = self.conv(elu(x), memory)
        return out


class _Residual(nn.Module):
    def __init__(self, first: nn.Module, second: nn.Module) -> None:
        super().__init__()
        self.first, self.second = first, second

    def forward(self, x: Tensor, memory: Sequence[Tensor]) -> Tensor:
        out: Tensor = x + self.second(self.first(x, memory), memory)
        return out


class _Layer(nn.Module):
    """Attention and plain MLP with biased layer norms; the trained scales are folded into the last matrices."""

    def __init__(self, config: CodecEncoderConfig, weights: Weights) -> None:
        super().__init__()
        hidden, inner, head = config.hidden_size, config.intermediate_size, config.head_dim
        self.heads, self.key_heads, self.head_dim = config.num_attention_heads, config.num_key_value_heads, head
        attention, mlp, eps = weights.at("self_attn"), weights.at("mlp"), config.norm_eps
        widths = (("q", self.heads * head), ("k", self.key_heads * head), ("v", self.key_heads * head))
        self.qkv = Dense(torch.cat([attention.read(f"{name}_proj.weight", w, hidden) for name, w in widths]))
        scale = weights.read("self_attn_layer_scale.scale", hidden)[:, None]
        self.out = Dense(attention.read("o_proj.weight", hidden, self.heads * head) * scale)
        self.widen = Dense(mlp.read("fc1.weight", inner, hidden))
        scale = weights.read("mlp_layer_scale.scale", hidden)[:, None]
        self.narrow = Dense(mlp.read("fc2.weight", hidden, inner) * scale)
        self.norm1 = layer_norm(weights.at("input_layernorm"), hidden, eps)
        self.norm2 = layer_norm(weights.at("post_attention_layernorm"), hidden, eps)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, window: int | None) -> Tensor:
        batch, length, _ = x.shape
        qkv = self.qkv(self.norm1(x)).view(batch, length, -1, self.head_dim).transpose(1, 2)
        q, k, v = torch.split(qkv, [self.heads, self.key_heads, self.key_heads], 1)
        seen = _attend(rotate(q, cos, sin), rotate(k, cos, sin), v, window)
        x = x + self.out(seen.transpose(1, 2).flatten(2))
        out: Tensor = x + self.narrow(gelu(self.widen(self.norm2(x))))
        return out


def _attend(q: Tensor, k: Tensor, v: Tensor, window: int | None) -> Tensor:
    """Causal attention, ``[B, heads, T, head_dim]``; with a window in blocks, so that the masks stay small."""
    grouped = q.shape[1] != k.shape[1]
    if window is None:
        return scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=grouped)
    blocks = []
    for start in range(0, q.shape[2], window):
        stop, first = min(start + window, q.shape[2]), max(start - window + 1, 0)
        now = torch.arange(start, stop, device=q.device)[:, None]
        keys = torch.arange(first, stop, device=q.device)
        mask = (keys <= now) & (keys > now - window)
        at = slice(first, stop)
        blocks.append(
            scaled_dot_product_attention(
                q[:, :, start:stop], k[:, :, at], v[:, :, at], attn_mask=mask, enable_gqa=grouped
            )
        )
    return torch.cat(blocks, 2)
