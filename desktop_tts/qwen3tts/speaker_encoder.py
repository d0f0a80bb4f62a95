"""Reference audio to x-vector, the identity of a voice: an ECAPA-TDNN without batch norm. Base models only."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import conv1d, pad, relu

from desktop_tts.qwen3tts.checkpoint import Tensors
from desktop_tts.qwen3tts.codec.weights import Weights
from desktop_tts.qwen3tts.config import SpeakerEncoderConfig
from desktop_tts.qwen3tts.mel import log_mel

_LEAST_VARIANCE = 1e-12


class SpeakerEncoder(nn.Module):
    """In float32. x-vectors of one model size mean nothing to another."""

    def __init__(self, config: SpeakerEncoderConfig, tensors: Tensors) -> None:
        """Read the weights from the model file; all others in it are left for others."""
        super().__init__()
        weights = Weights(tensors, "speaker_encoder.")
        channels, kernels, dilations = config.enc_channels, config.enc_kernel_sizes, config.enc_dilations
        blocks = weights.at("blocks")
        self.first = _Conv(blocks.at("0.conv"), channels[0], config.mel_dim, kernels[0], dilations[0])
        self.blocks = nn.ModuleList(_Block(config, blocks.at(str(i)), i) for i in range(1, len(channels) - 1))
        self.gather = _Conv(weights.at("mfa.conv"), channels[-1], sum(channels[1:-1]), kernels[-1], dilations[-1])
        self.pool = _AttentivePool(weights.at("asp"), channels[-1], config.enc_attention_channels)
        self.last = _Conv(weights.at("fc"), config.enc_dim, 2 * channels[-1], 1)
        self.requires_grad_(False).eval()

    @torch.inference_mode()
    def x_vector(self, sound: Tensor) -> Tensor:
        """``[n] float32`` mono samples at 24 kHz to ``[enc_dim] float32``. The whole sound is heard, uncropped."""
        x = relu(self.first(log_mel(sound).T[None]))
        heard = []
        for block in self.blocks:
            x = block(x)
            heard.append(x)
        x = relu(self.gather(torch.cat(heard, 1)))
        vector: Tensor = self.last(self.pool(x))
        return vector[0, :, 0]


class _Conv(nn.Module):
    """Over ``[B, C, T]``, mirrored at both ends so that T stays."""

    weight: Tensor
    bias: Tensor

    def __init__(self, weights: Weights, out: int, into: int, kernel: int, dilation: int = 1) -> None:
        super().__init__()
        self.dilation = dilation
        self.side = (kernel - 1) * dilation // 2
        self.register_buffer("weight", weights.read("weight", out, into, kernel))
        self.register_buffer("bias", weights.read("bias", out))

    def forward(self, x: Tensor) -> Tensor:
        if self.side:
            x = pad(x, (self.side, self.side), mode="reflect")
        return conv1d(x, self.weight, self.bias, dilation=self.dilation)


class _Block(nn.Module):
    """Squeeze and excitation around a chain of narrow convolutions (Res2Net)."""

    def __init__(self, config: SpeakerEncoderConfig, weights: Weights, index: int) -> None:
        super().__init__()
        channels, before = config.enc_channels[index], config.enc_channels[index - 1]
        kernel, dilation = config.enc_kernel_sizes[index], config.enc_dilations[index]
        self.parts, squeezed = config.enc_res2net_scale, config.enc_se_channels
        narrow, chain = channels // self.parts, weights.at("res2net_block.blocks")
        self.enter = _Conv(weights.at("tdnn1.conv"), channels, before, 1)
        self.chain = nn.ModuleList(
            _Conv(chain.at(f"{i}.conv"), narrow, narrow, kernel, dilation) for i in range(self.parts - 1)
        )
        self.leave = _Conv(weights.at("tdnn2.conv"), channels, channels, 1)
        self.squeeze = _Conv(weights.at("se_block.conv1"), squeezed, channels, 1)
        self.excite = _Conv(weights.at("se_block.conv2"), channels, squeezed, 1)

    def forward(self, x: Tensor) -> Tensor:
        first, *others = relu(self.enter(x)).chunk(self.parts, 1)
        parts, carried = [first], torch.zeros_like(first)
        for conv, part in zip(self.chain, others, strict=True):
            carried = relu(conv(part + carried))
            parts.append(carried)
        y = relu(self.leave(torch.cat(parts, 1)))
        loudness = torch.sigmoid(self.excite(relu(self.squeeze(y.mean(2, keepdim=True)))))
        return x + y * loudness


class _AttentivePool(nn.Module):
    """``[B, C, T]`` to the mean and spread over time, ``[B, 2 C, 1]``, weighted by attention for each channel."""

    def __init__(self, weights: Weights, channels: int, attention: int) -> None:
        super().__init__()
        self.channels = channels
        self.enter = _Conv(weights.at("tdnn.conv"), attention, 3 * channels, 1)
        self.leave = _Conv(weights.at("conv"), channels, attention, 1)

    def forward(self, x: Tensor) -> Tensor:
        even = torch.full_like(x[:, :1], 1.0 / x.shape[2])
        # The published layer repeats mean and spread over all of T beside x; one column of them says the same.
        constant = conv1d(_statistics(x, even), self.enter.weight[:, self.channels :])
        heard = conv1d(x, self.enter.weight[:, : self.channels], self.enter.bias) + constant
        attention = torch.softmax(self.leave(torch.tanh(relu(heard))), 2)
        return _statistics(x, attention)


def _statistics(x: Tensor, weight: Tensor) -> Tensor:
    mean = (x * weight).sum(2, keepdim=True)
    variance = ((x - mean).square() * weight).sum(2, keepdim=True)
    return torch.cat((mean, variance.clamp(min=_LEAST_VARIANCE).sqrt()), 1)
