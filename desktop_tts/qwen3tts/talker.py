"""The talker: from prompt rows and, for each frame, one row more, to the scores of codebook 0.

One row is one position. Knows nothing of sampling, of the other codebooks, or of audio.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import silu
from torch.nn.utils.rnn import pad_sequence

from desktop_tts.qwen3tts.attention import Attend
from desktop_tts.qwen3tts.config import TalkerConfig
from desktop_tts.qwen3tts.dense import Dense
from desktop_tts.qwen3tts.layers import Decoder, KVCache, Rope, logits


@dataclass(slots=True)
class TalkerState:
    """One batch of utterances being spoken. Made by ``Talker.start``, changed by ``Talker.advance``."""

    cache: KVCache
    rope: Rope
    length: int
    """Rows in the cache."""
    pads: Tensor | None
    """``[B]``, how many rows at the start of each are padding; None if none has any."""
    seen: Tensor | None
    """``[B, 1, 1, capacity]``, true where the cache is no padding; None with ``pads``."""
    hidden: Tensor
    """``[B, 1, H]``, the last row's final-normed hidden state."""


@dataclass(slots=True, eq=False)
class Prefix:
    """The first rows of a prompt as the cache holds them: what all texts in one voice begin with is run once."""

    rows: int
    keys: Tensor | None = None
    """``[layers, 1, kv_heads, rows, D]``; None until it has been run."""
    values: Tensor | None = None


class TextProjection(nn.Module):
    """From the width of the text embedding to the talker's."""

    def __init__(self, text: int, hidden: int) -> None:
        super().__init__()
        self.linear_fc1 = Dense.empty(text, text, bias=True, keep_exact=True)
        self.linear_fc2 = Dense.empty(text, hidden, bias=True, keep_exact=True)

    def forward(self, rows: Tensor) -> Tensor:
        projected: Tensor = self.linear_fc2(silu(self.linear_fc1(rows)))
        return projected


class Talker(nn.Module):
    """The weights. ``text_table`` ``[text vocabulary, text width]`` is given after loading, in any type and place."""

    text_table: Tensor
    cache_dtype: torch.dtype | None = None
    """Of keys and values, if not ``dtype``; attention computes in it."""

    def __init__(self, config: TalkerConfig, attend: Attend) -> None:
        super().__init__()
        self.config = config
        self.model = Decoder(config, attend)
        self.codec_embedding = nn.Parameter(torch.empty(config.vocab_size, config.hidden_size))
        self.codec_head = Dense.empty(config.hidden_size, config.vocab_size, keep_exact=True)
        self.text_projection = TextProjection(config.text_hidden_size, config.hidden_size)
        self.packed = {"codec_embedding": {"model.codec_embedding.weight": config.vocab_size}}

    @property
    def dtype(self) -> torch.dtype:
        return self.codec_embedding.dtype

    @property
    def device(self) -> torch.device:
        return self.codec_embedding.device

    def text_rows(self, ids: Sequence[int]) -> Tensor:
        """Projected text embeddings, ``[ids, H]``."""
        rows = self.text_table[torch.tensor(ids, device=self.text_table.device)]
        projected: Tensor = self.text_projection(rows.to(self.device, self.dtype))
        return projected

    def codec_rows(self, ids: Tensor) -> Tensor:
        """Embeddings of codes of codebook 0 and of control ids, ``[..., H]`` for ids of shape ``[...]``."""
        return self.codec_embedding[ids]

    def start(self, prompts: Sequence[Tensor], room: int, prefix: Prefix | None = None) -> TalkerState:
        """Run the rows ``[T, H]`` of one or several prompts. The cache has room for ``room`` further rows and grows
        when they are used up.

        A single prompt may have a ``prefix``: if that has been run, the prompt is what comes after it; otherwise it
        is kept in there.
        """
        if prefix is not None:
            (prompt,) = prompts
            return self._start_after(prompt, room, prefix)
        rows = pad_sequence([p.flip(0) for p in prompts], batch_first=True).flip(1)  # padded on the left
        batch, length, _ = rows.shape
        lengths = [len(p) for p in prompts]
        pads = None
        if min(lengths) < length:
            pads = torch.tensor([length - own for own in lengths], device=self.device)
        cache = self.new_cache(batch, length + room)
        state = TalkerState(cache, self._rope(cache.capacity), length, pads, self._seen(cache.capacity, pads), rows)
        index = torch.arange(length, device=self.device)
        mask = None
        if state.seen is not None:
            causal = index[:, None] >= index
            mask = causal & state.seen[..., :length] | (index[:, None] == index)  # a pad row must see something
        hidden = self.model(rows, state.rope.at(self._positions(index, pads)), cache, index, length, mask)
        state.hidden = hidden[:, -1:]
        return state

    def _start_after(self, prompt: Tensor, room: int, prefix: Prefix) -> TalkerState:
        """The prefix is run by itself the first time too, so that this time gives what later ones give, to the bit."""
        before = prefix.rows
        length = before + len(prompt) - (before if prefix.keys is None else 0)
        cache = self.new_cache(1, length + room)
        rope, index = self._rope(cache.capacity), torch.arange(length, device=self.device)
        if prefix.keys is None or prefix.values is None:
            self.model(prompt[None, :before], rope.at(index[None, :before]), cache, index[:before], before, None)
            prefix.keys = cache.keys[:, :, :, :before].clone()
            prefix.values = cache.values[:, :, :, :before].clone()
            prompt = prompt[before:]
        else:
            cache.keys[:, :, :, :before] = prefix.keys
            cache.values[:, :, :, :before] = prefix.values
        hidden = self.model(prompt[None], rope.at(index[None, before:]), cache, index[before:], length, None)
        return TalkerState(cache, rope, length, None, None, hidden[:, -1:])

    def advance(self, row: Tensor, state: TalkerState) -> None:
        """Run one more row of each utterance, ``[B, 1, H]``."""
        if state.length == state.cache.capacity:
            state.cache.grow(2 * state.length)
            state.rope = self._rope(state.cache.capacity)
            state.seen = self._seen(state.cache.capacity, state.pads)
        index = torch.full((1,), state.length, device=self.device)
        state.length += 1
        rope = state.rope.at(self._positions(index, state.pads))
        mask = None if state.seen is None else state.seen[..., : state.length]
        state.hidden = self.model(row, rope, state.cache, index, state.length, mask)

    def scores(self, state: TalkerState) -> Tensor:
        """For the next code of codebook 0, ``[B, vocabulary]`` in fp32."""
        return logits(self.codec_head, state.hidden[:, -1])

    def new_cache(self, batch: int, capacity: int) -> KVCache:
        """Room for ``capacity`` rows of each utterance."""
        return KVCache.empty(self.config, batch, capacity, self.cache_dtype or self.dtype, self.device)

    def _rope(self, positions: int) -> Rope:
        return Rope.table(positions, self.config.head_dim, self.config.rope_theta, self.dtype, self.device)

    def _seen(self, capacity: int, pads: Tensor | None) -> Tensor | None:
        if pads is None:
            return None
        return (torch.arange(capacity, device=self.device) >= pads[:, None])[:, None, None]

    def _positions(self, index: Tensor, pads: Tensor | None) -> Tensor:
        """Positions count from the first row that is no padding."""
        return index[None] if pads is None else (index[None] - pads[:, None]).clamp(min=0)
