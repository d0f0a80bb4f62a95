"""Frames of several utterances at once, each in a slot of memory that never moves, so that a frame is one CUDA graph.

A step reads nothing back to the host and has the same shapes each time: the place in the cache, the next text row and
the noise are read from the device. Utterances come and go between steps; a free slot computes what nobody hears.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from desktop_tts.qwen3tts.code_predictor import CodePredictor, PredictorState
from desktop_tts.qwen3tts.codec.decoder import CodecDecoder
from desktop_tts.qwen3tts.codec.state import CodecState
from desktop_tts.qwen3tts.config import SAMPLES_PER_FRAME
from desktop_tts.qwen3tts.generate import CONTROL_IDS, LEAST_CODES
from desktop_tts.qwen3tts.layers import KVCache, Rope, logits
from desktop_tts.qwen3tts.networks import Networks
from desktop_tts.qwen3tts.rows import frame_rows
from desktop_tts.qwen3tts.sampling import Sampling, penalize, pick_code
from desktop_tts.qwen3tts.talker import Talker, TalkerState


@dataclass(frozen=True, slots=True, eq=False)
class SlotMemory:
    """Everything that a step reads or changes. The first axis is the slot, but for the cache's, which is its second."""

    cache: KVCache
    rope: Rope
    position: Tensor
    """Rows in the cache, ``[slots] int64``."""
    hidden: Tensor
    """``[slots, 1, H]``."""
    chosen: Tensor
    """Codes of codebook 0 chosen before, ``[slots, vocabulary] bool``."""
    made: Tensor
    """Frames made, ``[slots] int64``."""
    text: Tensor
    """Row that is fed with each frame, ``[slots, capacity, H]``."""
    text_end: Tensor
    """From this frame on the row at ``text_end`` is fed, ``[slots] int64``."""
    noise: Tensor
    """One exponential variate for each candidate of each choice of the next frame, ``[slots, 16, vocabulary]``."""
    codec: CodecState
    codes: Tensor
    """Out: ``[slots, 16] int64``; the first is the id of the end when there is no more."""
    pcm: Tensor
    """Out: ``[slots, 1920] float32``."""

    def changing(self) -> tuple[Tensor, ...]:
        """What a step changes, but for cache rows that the next step writes anew."""
        codec = self.codec
        return (
            self.position, self.hidden, self.chosen, self.made, codec.position, codec.keys, codec.values, *codec.memory
        )  # fmt: skip


class Slots:
    """The memory, and the step. One thread at a time."""

    @torch.inference_mode()
    def __init__(self, networks: Networks, count: int, capacity: int) -> None:
        """``capacity`` rows of prompt and frames for each of ``count`` slots."""
        talker = networks.talker
        self.talker: Talker = talker
        self.predictor: CodePredictor = networks.predictor
        self.decoder: CodecDecoder = networks.decoder
        self.count, self.capacity = count, capacity
        config, device, dtype = talker.config, talker.device, talker.dtype
        vocabulary, hidden = config.vocab_size, config.hidden_size
        cache = talker.new_cache(count, capacity)
        cache.keys.zero_(), cache.values.zero_()  # unwritten rows are masked, but must be numbers
        whole = torch.zeros(count, dtype=torch.int64, device=device)
        self.memory = SlotMemory(
            cache=cache,
            rope=Rope.table(capacity, config.head_dim, config.rope_theta, dtype, device),
            position=whole.clone(),
            hidden=torch.zeros(count, 1, hidden, dtype=dtype, device=device),
            chosen=torch.zeros(count, vocabulary, dtype=torch.bool, device=device),
            made=whole.clone(),
            text=torch.zeros(count, capacity, hidden, dtype=dtype, device=device),
            text_end=whole.clone(),
            noise=torch.ones(count, config.num_code_groups, vocabulary, device=device),
            codec=networks.decoder.new_state(count),
            codes=torch.zeros(count, config.num_code_groups, dtype=torch.int64, device=device),
            pcm=torch.zeros(count, SAMPLES_PER_FRAME, device=device),
        )
        self._predictor_state = self.predictor.new_state(count)
        self._places = torch.arange(capacity, device=device)
        self._banned = torch.arange(vocabulary, device=device) >= vocabulary - CONTROL_IDS
        self._banned_at_first = self._banned.clone()
        self._banned[config.codec_eos_token_id] = False

    @torch.inference_mode()
    def admit(self, slot: int, state: TalkerState, text: Tensor, codec: CodecState) -> None:
        """Put an utterance in a slot: the ``state`` after its prompt, the rows ``[N, H]`` that are fed to it, the last
        of them for ever, and what the codec remembers. Only copies between tensors of the device."""
        memory, length = self.memory, state.length
        memory.cache.keys[:, slot, :, :length] = state.cache.keys[:, 0, :, :length]
        memory.cache.values[:, slot, :, :length] = state.cache.values[:, 0, :, :length]
        memory.hidden[slot] = state.hidden[0]
        memory.position[slot] = length
        memory.made[slot] = 0
        memory.chosen[slot] = False
        self.feed(slot, 0, text)
        for ours, theirs in (
            (memory.codec.keys[:, slot], codec.keys[:, 0]),
            (memory.codec.values[:, slot], codec.values[:, 0]),
            (memory.codec.position[slot], codec.position[0]),
            *((past[slot], other[0]) for past, other in zip(memory.codec.memory, codec.memory, strict=True)),
        ):
            ours.copy_(theirs)

    @torch.inference_mode()
    def feed(self, slot: int, at: int, text: Tensor) -> None:
        """More text rows ``[N, H]``, from that of frame ``at`` on; the last of them for ever."""
        rows = text[: self.capacity - at]
        self.memory.text[slot, at : at + len(rows)] = rows
        self.memory.text_end[slot] = at + len(rows) - 1

    @torch.inference_mode()
    def draw_noise(self, slot: int, generator: torch.Generator) -> None:
        """For the next step; a generator of the device."""
        self.memory.noise[slot].exponential_(generator=generator)

    @torch.inference_mode()
    def step(self, slots: int, seen: int, sampling: Sampling) -> None:
        """One frame of the first ``slots`` slots, none of which has more than ``seen`` - 1 rows in the cache."""
        memory, talker = self.memory, self.talker
        hidden, chosen = memory.hidden[:slots], memory.chosen[:slots]
        position, made, noise = memory.position[:slots], memory.made[:slots], memory.noise[:slots]
        scores = penalize(logits(talker.codec_head, hidden[:, -1]), chosen, sampling.repetition_penalty)
        banned = torch.where(made[:, None] < LEAST_CODES, self._banned_at_first, self._banned)
        code = pick_code(scores.masked_fill(banned, float("-inf")), sampling.talker, _Noise(noise[:, :1]))
        chosen.scatter_(1, code, True)
        others = self.predictor(
            hidden, talker.codec_rows(code), self._predictor_slots(slots), sampling.predictor, _Noise(noise[:, 1:])
        )
        codes = torch.cat((code, others), 1)
        memory.codes[:slots].copy_(codes)
        sounding = codes.clamp(max=self.predictor.shape.vocab_size - 1)  # the end has no sound
        memory.pcm[:slots].copy_(self.decoder.step(sounding[:, None], _first(memory.codec, slots)))
        row = frame_rows(talker, self.predictor, codes) + self._text_rows(made, slots)
        cache = KVCache(memory.cache.keys[:, :slots], memory.cache.values[:, :slots])
        mask = (self._places[:seen] <= position[:, None])[:, None, None]
        rope = memory.rope.at(position[:, None])
        hidden.copy_(talker.model(row[:, None], rope, cache, position[:, None], seen, mask))
        position.add_(1).clamp_(max=self.capacity - 1)  # a free slot goes on for ever
        made.add_(1)

    def _text_rows(self, made: Tensor, slots: int) -> Tensor:
        at = torch.minimum(made, self.memory.text_end[:slots])
        return self.memory.text[torch.arange(slots, device=at.device), at]

    def _predictor_slots(self, slots: int) -> PredictorState:
        cache = self._predictor_state.cache
        return PredictorState(KVCache(cache.keys[:, :slots], cache.values[:, :slots]), self._predictor_state.passes)


class _Noise:
    """A ``Draw`` over noise ``[slots, choices, V]`` that was made beforehand: one choice after the other."""

    def __init__(self, noise: Tensor) -> None:
        self._noise = iter(noise.unbind(1))

    def __call__(self, probabilities: Tensor) -> Tensor:
        noise = next(self._noise)[:, : probabilities.shape[1]]
        return (probabilities / noise).argmax(-1, keepdim=True)


def _first(state: CodecState, slots: int) -> CodecState:
    """The first streams of a state, in the same memory."""
    memory: Sequence[Tensor] = [past[:slots] for past in state.memory]
    return CodecState(state.position[:slots], state.keys[:, :slots], state.values[:, :slots], tuple(memory))
