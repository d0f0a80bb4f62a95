"""Frames of 16 codes to sound at 24 kHz, one frame at a time or many, with the same result.

Nothing looks ahead: a frame's 1,920 samples depend on that frame and those before it, and whatever a later frame will
need of it stays in the ``CodecState``. Scales, projections and activations are folded into the matrices beside them
where that is exact but for rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from desktop_tts.qwen3tts.checkpoint import Tensors
from desktop_tts.qwen3tts.codec.convolution import CausalConv, number_slots
from desktop_tts.qwen3tts.codec.quantizer import Dequantizer
from desktop_tts.qwen3tts.codec.state import CodecState
from desktop_tts.qwen3tts.codec.transformer import WindowTransformer
from desktop_tts.qwen3tts.codec.weights import Weights, layer_norm
from desktop_tts.qwen3tts.config import CodecDecoderConfig
from desktop_tts.qwen3tts.dense import Dense, pack
from desktop_tts.qwen3tts.packing import Form

MAX_BLOCK = 8
"""Frames that may be computed at once: enough for full speed, and memory doesn't grow with the length."""
_REACH = 12
"""More frames than all convolutions after the transformer look back together (about ten)."""


class CodecDecoder(nn.Module):
    """Holds weights only; a stream lives in a ``CodecState``. Any thread, one call at a time for each state."""

    def __init__(self, config: CodecDecoderConfig, tensors: Tensors) -> None:
        """Read the weights in float32 from the file of the speech tokenizer; the encoder's are left for others."""
        super().__init__()
        self.config = config
        weights = Weights(tensors, "decoder.")
        latent, channels = config.latent_dim, config.decoder_dim
        self.dequantizer = Dequantizer(config, weights.at("quantizer"))
        self.pre_conv = _conv(weights.at("pre_conv.conv"), latent, config.codebook_dim, 3)
        self.transformer = WindowTransformer(config, weights.at("pre_transformer"))
        stages: list[nn.Module] = [
            _Upsample(weights.at(f"upsample.{i}"), latent, ratio) for i, ratio in enumerate(config.upsampling_ratios)
        ]
        vocoder = weights.at("decoder")
        stages.append(_conv(vocoder.at("0.conv"), channels, latent, 7))
        for i, rate in enumerate(config.upsample_rates, start=1):
            stages.append(_VocoderBlock(vocoder.at(f"{i}.block"), channels, rate))
            channels //= 2
        last = len(config.upsample_rates) + 1
        stages.append(_SnakeBeta(vocoder.at(str(last)), channels))
        stages.append(_conv(vocoder.at(f"{last + 1}.conv"), 1, channels, 7))
        self.stages = nn.ModuleList(stages)
        self._memory_shapes = number_slots(self)
        self._block = min(MAX_BLOCK, config.sliding_window)
        self.requires_grad_(False).eval()

    def pack(self, form: Form = Form.EXACT) -> CodecDecoder:
        """Make it faster on a CPU, once it has its device and type, which it keeps from then on."""
        pack(self, form)
        return self

    def new_state(self, batch: int = 1) -> CodecState:
        """``batch`` streams before their first frame."""
        config, like = self.config, self.dequantizer.table
        ring = (config.num_hidden_layers, batch, config.num_key_value_heads, config.sliding_window, config.head_dim)
        return CodecState(
            position=torch.zeros(batch, dtype=torch.int64, device=like.device),
            keys=like.new_zeros(ring),
            values=like.new_zeros(ring),
            memory=tuple(like.new_zeros(batch, reach, channels) for reach, channels in self._memory_shapes),
        )

    @torch.inference_mode()
    def decode_frames(self, codes: Tensor, state: CodecState, *, block: int = 1) -> Tensor:
        """``[B, F, 16] int64`` codes to ``[B, F * 1920] float32`` samples in -1..1; ``state`` moves on by F frames.

        Frame by frame, so that the samples don't depend on how a stream was split into calls, to the last bit. Up to
        ``MAX_BLOCK`` frames at once are faster and equal but for rounding.
        """
        self._check(codes, state)
        if not codes.shape[1]:
            return torch.zeros(codes.shape[0], 0, device=codes.device)
        return torch.cat([self.step(some, state) for some in torch.split(codes, min(block, self._block), 1)], 1)

    @torch.inference_mode()
    def skip_frames(self, codes: Tensor, state: CodecState, stop: Callable[[], bool] = lambda: False) -> bool:
        """Move ``state`` on as ``decode_frames`` does, without the sound: a cloned voice's reference frames.

        Only the transformer remembers more than the last frames, so only it is run for all of them. ``stop`` is asked
        every few frames; False if it said so, and then the state is of no use.
        """
        self._check(codes, state)
        latents: list[Tensor] = []
        for some in torch.split(codes, self._block, 1) if codes.shape[1] else ():
            if stop():
                return False
            latents.append(self._latents(some, state))
        for few in torch.split(torch.cat(latents, 1)[:, -_REACH:], self._block, 1) if latents else ():
            if stop():
                return False
            self._sound(few, state)
        return True

    def step(self, codes: Tensor, state: CodecState) -> Tensor:
        """``decode_frames`` for a few frames: fixed shapes, no waiting for the device. For compiling and recording."""
        return self._sound(self._latents(codes, state), state)

    def _latents(self, codes: Tensor, state: CodecState) -> Tensor:
        latents: Tensor = self.transformer(self.pre_conv(self.dequantizer(codes), state.memory), state)
        state.position.add_(codes.shape[1])
        return latents

    def _sound(self, x: Tensor, state: CodecState) -> Tensor:
        for stage in self.stages:
            x = stage(x, state.memory)
        return x.squeeze(2).float().clamp_(-1.0, 1.0)

    def _check(self, codes: Tensor, state: CodecState) -> None:
        wanted = (state.batch, self.config.num_quantizers)
        assert codes.ndim == 3, codes.shape
        assert codes.shape[::2] == wanted, (codes.shape, wanted)


class _SnakeBeta(nn.Module):
    """``x + sin(a x)^2 / b`` for each channel; a and b are stored as logarithms."""

    frequency: Tensor
    gain: Tensor

    def __init__(self, weights: Weights, channels: int) -> None:
        super().__init__()
        self.register_buffer("frequency", weights.read("alpha", channels).exp())
        self.register_buffer("gain", 1.0 / (weights.read("beta", channels).exp() + 1e-9))

    def forward(self, x: Tensor, _memory: Sequence[Tensor] = ()) -> Tensor:
        wave = (x * self.frequency).sin_()
        return torch.addcmul(x, wave.square_(), self.gain)


class _TransposedConv(nn.Module):
    """Stride r and kernel r or 2r, the excess cut off at the end: a convolution that makes r columns of each."""

    def __init__(self, weights: Weights, into: int, out: int, rate: int, kernel: int) -> None:
        super().__init__()
        weight = weights.read("weight", into, out, kernel).view(into, out, -1, rate)
        taps = weight.flip(2).permute(3, 1, 0, 2).reshape(rate * out, into, -1)  # [r * out, in, past..now]
        self.rate = rate
        self.conv = CausalConv(taps, weights.read("bias", out).repeat(rate))

    def forward(self, x: Tensor, memory: Sequence[Tensor]) -> Tensor:
        """``[B, T, in]`` to ``[B, T * r, out]``."""
        out: Tensor = self.conv(x, memory)
        return out.reshape(x.shape[0], x.shape[1] * self.rate, -1)


class _Upsample(nn.Module):
    """Twice as many columns, and a ConvNeXt block."""

    def __init__(self, weights: Weights, channels: int, ratio: int) -> None:
        super().__init__()
        self.spread = _TransposedConv(weights.at("0.conv"), channels, channels, ratio, ratio)
        block = weights.at("1")
        depthwise = block.at("dwconv.conv")
        kernel, bias = depthwise.read("weight", channels, 1, 7), depthwise.read("bias", channels)
        self.depthwise = CausalConv(kernel, bias, groups=channels)
        gamma = block.read("gamma", channels)
        self.norm = layer_norm(block.at("norm"), channels, 1e-6)
        widen, narrow = block.at("pwconv1"), block.at("pwconv2")
        self.widen = Dense(widen.read("weight", 4 * channels, channels), widen.read("bias", 4 * channels))
        weight, bias = narrow.read("weight", channels, 4 * channels), narrow.read("bias", channels)
        self.narrow = Dense(weight * gamma[:, None], bias * gamma)

    def forward(self, x: Tensor, memory: Sequence[Tensor]) -> Tensor:
        x = self.spread(x, memory)
        y = self.norm(self.depthwise(x, memory))
        out: Tensor = x + self.narrow(gelu(self.widen(y)))
        return out


class _VocoderBlock(nn.Module):
    """``rate`` times as many columns of half the channels, then three residual units that look ever further back."""

    def __init__(self, weights: Weights, channels: int, rate: int) -> None:
        super().__init__()
        out = channels // 2
        self.snake = _SnakeBeta(weights.at("0"), channels)
        self.spread = _TransposedConv(weights.at("1.conv"), channels, out, rate, 2 * rate)
        self.units = nn.ModuleList(_ResidualUnit(weights.at(str(i)), out, 3 ** (i - 2)) for i in (2, 3, 4))

    def forward(self, x: Tensor, memory: Sequence[Tensor]) -> Tensor:
        x = self.spread(self.snake(x), memory)
        for unit in self.units:
            x = unit(x, memory)
        return x


class _ResidualUnit(nn.Module):
    def __init__(self, weights: Weights, channels: int, dilation: int) -> None:
        super().__init__()
        self.snake1 = _SnakeBeta(weights.at("act1"), channels)
        self.conv1 = _conv(weights.at("conv1.conv"), channels, channels, 7, dilation)
        self.snake2 = _SnakeBeta(weights.at("act2"), channels)
        self.conv2 = _conv(weights.at("conv2.conv"), channels, channels, 1)

    def forward(self, x: Tensor, memory: Sequence[Tensor]) -> Tensor:
        y = self.conv1(self.snake1(x), memory)
        out: Tensor = x + self.conv2(self.snake2(y), memory)
        return out


def _conv(weights: Weights, out: int, into: int, kernel: int, dilation: int = 1) -> CausalConv:
    return CausalConv(weights.read("weight", out, into, kernel), weights.read("bias", out), dilation=dilation)
