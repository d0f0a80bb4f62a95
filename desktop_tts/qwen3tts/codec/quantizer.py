"""Codebooks: codes to vectors for the decoder, vectors to codes for the encoder."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from desktop_tts.qwen3tts.codec.weights import Weights
from desktop_tts.qwen3tts.config import CodecDecoderConfig, CodecEncoderConfig

_LEAST_USAGE = 1e-5


class Dequantizer(nn.Module):
    """``[B, F, 16]`` codes to ``[B, F, codebook_dim]``: a table per codebook, with its output projection in it."""

    table: Tensor
    offsets: Tensor

    def __init__(self, config: CodecDecoderConfig, weights: Weights) -> None:
        super().__init__()
        half, tables = config.codebook_dim // 2, []
        semantic = config.num_semantic_quantizers
        for group, books in (("rvq_first", semantic), ("rvq_rest", config.num_quantizers - semantic)):
            at = weights.at(group)
            at.ignore("input_proj.weight")  # for the way from sound to codes, which has its own copy
            projection = at.read("output_proj.weight", config.codebook_dim, half, 1)[:, :, 0]
            for book in range(books):
                codebook = at.at(f"vq.layers.{book}._codebook")
                total = codebook.read("embedding_sum", config.codebook_size, half)
                usage = codebook.read("cluster_usage", config.codebook_size)
                tables.append(_centres(total, usage) @ projection.T)
        self.register_buffer("table", torch.cat(tables))
        self.register_buffer("offsets", torch.arange(config.num_quantizers) * config.codebook_size, persistent=False)

    def forward(self, codes: Tensor) -> Tensor:
        return embedding(codes + self.offsets, self.table).sum(2)


class Quantizer(nn.Module):
    """``[T, hidden]`` to ``[T, 16]`` codes: codebook 0 by itself, the others each on what the one before left."""

    first_in: Tensor
    rest_in: Tensor
    codebooks: Tensor

    def __init__(self, config: CodecEncoderConfig, weights: Weights) -> None:
        super().__init__()
        hidden, width, semantic = config.hidden_size, config.codebook_dim, config.num_semantic_quantizers
        codebooks = []
        groups = (("semantic", semantic), ("acoustic", config.valid_quantizers - semantic))
        for (group, books), name in zip(groups, ("first_in", "rest_in"), strict=True):
            at = weights.at(f"{group}_residual_vector_quantizer")
            at.ignore("output_proj.weight")
            self.register_buffer(name, at.read("input_proj.weight", width, hidden, 1)[:, :, 0])
            for book in range(books):
                codebook = at.at(f"layers.{book}.codebook")
                total, usage = codebook.read("embed_sum", config.codebook_size, width), config.codebook_size
                codebooks.append(_centres(total, codebook.read("cluster_usage", usage)))
            at.ignore("layers.*")  # the flags "initialized", and codebooks beyond the 16 that the model speaks
        self.semantic = semantic
        self.register_buffer("codebooks", torch.stack(codebooks))

    def forward(self, x: Tensor) -> Tensor:
        semantic, acoustic = x @ self.first_in.T, x @ self.rest_in.T
        first = _residual_codes(semantic, self.codebooks[: self.semantic])
        return torch.stack(first + _residual_codes(acoustic, self.codebooks[self.semantic :]), 1)


def _residual_codes(rest: Tensor, codebooks: Tensor) -> list[Tensor]:
    codes = []
    for book in codebooks:
        nearest = torch.cdist(rest[None], book[None])[0].argmin(1)
        rest = rest - book[nearest]
        codes.append(nearest)
    return codes


def _centres(total: Tensor, usage: Tensor) -> Tensor:
    """The file holds, for each code, the sum of the vectors it stood for in training and how many they were."""
    return total / usage.clamp(min=_LEAST_USAGE)[:, None]
