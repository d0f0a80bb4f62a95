"""The code predictor: from the talker's hidden state and the code of codebook 0 to the other codes of the frame.

One pass of a small decoder for each code. Its cache holds one frame and is written anew for each, so all shapes are
constant and nothing needs to be reset between frames.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from desktop_tts.qwen3tts.attention import Attend
from desktop_tts.qwen3tts.config import TalkerConfig
from desktop_tts.qwen3tts.dense import Dense
from desktop_tts.qwen3tts.layers import Decoder, KVCache, Rope, logits
from desktop_tts.qwen3tts.sampling import Choice, Draw, pick_code


@dataclass(slots=True)
class PredictorState:
    """Memory for one batch. Carries nothing from frame to frame."""

    cache: KVCache
    passes: list[tuple[Rope, Tensor]]
    """For each pass the rotations and cache rows of its input: two rows, then one each."""


class CodePredictor(nn.Module):
    """The weights; codebook i has table and head i - 1."""

    def __init__(self, config: TalkerConfig, attend: Attend) -> None:
        super().__init__()
        shape = config.code_predictor
        self.shape = shape
        self.others = config.num_code_groups - 1
        codes, hidden, small = shape.vocab_size, config.hidden_size, shape.hidden_size
        self.model = Decoder(shape, attend)
        self.codec_embedding = nn.Parameter(torch.empty(self.others * codes, hidden))
        self.lm_head = nn.ModuleList(Dense.empty(small, codes, keep_exact=True) for _ in range(self.others))
        self.small_to_mtp_projection = Dense.empty(hidden, small, bias=True) if hidden != small else nn.Identity()
        self.packed = {"codec_embedding": {f"model.codec_embedding.{i}.weight": codes for i in range(self.others)}}

    def new_state(self, batch: int) -> PredictorState:
        dtype, device = self.codec_embedding.dtype, self.codec_embedding.device
        rows = self.others + 1
        cache = KVCache.empty(self.shape, batch, rows, dtype, device)
        rope = Rope.table(rows, self.shape.head_dim, self.shape.rope_theta, dtype, device)
        indices = torch.split(torch.arange(rows, device=device), [2] + [1] * (rows - 2))
        return PredictorState(cache, [(rope.at(index[None]), index) for index in indices])

    def forward(self, hidden: Tensor, first: Tensor, state: PredictorState, choice: Choice, draw: Draw) -> Tensor:
        """Codes 1..15 of a frame, ``[B, 15]``, drawn in this order.

        ``hidden`` ``[B, 1, H]`` is the talker's state that gave code 0, ``first`` ``[B, 1, H]`` the talker's embedding
        of code 0.
        """
        codes: list[Tensor] = []
        rows = torch.cat((hidden, first), 1)
        for book, ((rope, index), head) in enumerate(zip(state.passes, self.lm_head, strict=True)):
            x = self.model(self.small_to_mtp_projection(rows), rope, state.cache, index, book + 2, None)
            assert isinstance(head, Dense)
            scores = logits(head, x[:, -1])
            codes.append(pick_code(scores, choice, draw))
            rows = self._book(self.codec_embedding, book)[codes[-1]]
        return torch.cat(codes, 1)

    def embed(self, codes: Tensor) -> Tensor:
        """The sum of the embeddings of codes 1..15 of some frames, ``[N, H]`` for ``[N, 15]``."""
        offsets = torch.arange(self.others, device=codes.device) * self.shape.vocab_size
        return self.codec_embedding[codes + offsets].sum(1)

    def _book(self, table: Tensor, book: int) -> Tensor:
        return table[book * self.shape.vocab_size : (book + 1) * self.shape.vocab_size]
