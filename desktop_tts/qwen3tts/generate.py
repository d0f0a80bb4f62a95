"""The loop that makes frames: prefill once, then one frame at a time until each utterance has ended.

Knows ids, rows and codes; neither text nor audio.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import torch
from torch import Tensor

from desktop_tts.qwen3tts.code_predictor import CodePredictor
from desktop_tts.qwen3tts.rows import frame_rows
from desktop_tts.qwen3tts.sampling import Draw, Sampling, penalize, pick_code
from desktop_tts.qwen3tts.talker import Prefix, Talker
from desktop_tts.qwen3tts.text_source import FedText
from desktop_tts.qwen3tts.threads import ThreadTuner

CONTROL_IDS = 1024
"""So many ids at the end of the codec vocabulary are no codes; of them only the end can be chosen."""
LEAST_CODES = 2
"""The end can't be chosen before so many."""
_ROOM = 1024
"""Frames that memory is set aside for at the start at most; it grows when they are used up."""


class Ending(Enum):
    """Why an utterance is over."""

    SPOKEN = "spoken"
    LIMIT = "limit"
    """It was stopped; the model hadn't ended it."""
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Limit:
    """How long an utterance may become. Once in a while the model misses the end of its speech, and then for ever."""

    frames: int
    frames_per_id: float | None = None
    """Also so many for each text id, and ``frames_at_least`` for any text; speech takes 3 on average, 5 for digits."""
    frames_at_least: int = 60

    def of(self, ids: int | None) -> int:
        """Frames for a text of ``ids`` ids, or for one that isn't known yet (each frame takes one id of it)."""
        if ids is None or self.frames_per_id is None:
            return self.frames
        return min(self.frames, self.frames_at_least + int(self.frames_per_id * ids))


@dataclass(slots=True, eq=False)
class Utterance:
    """One row of a batch."""

    rows: Tensor
    """The prompt, ``[T, H]``, without its ``prefix`` if that has been run."""
    text: FedText
    limit: Limit
    prefix: Prefix | None = None
    """For a batch of one."""
    ending: Ending | None = None
    """None as long as it goes on."""

    def is_long(self, frames: int) -> bool:
        """Whether it is at its limit."""
        return frames >= self.limit.of(self.text.length())


@dataclass(frozen=True, slots=True)
class Frames:
    """One frame of each utterance of a batch."""

    codes: Tensor
    """``[B, 16]`` int64."""
    speaking: tuple[bool, ...]
    """False for utterances that have ended: their codes mean nothing."""


class FrameMaker:
    """The steps of a frame, each without a read back to the host, over memory that is made at the start.

    In turn: ``first_code``, ``finish``, ``advance``; and again.
    """

    @torch.inference_mode()
    def __init__(
        self,
        talker: Talker,
        predictor: CodePredictor,
        prompts: Sequence[Tensor],
        sampling: Sampling,
        draw: Draw,
        room: int,
        prefix: Prefix | None = None,
    ) -> None:
        config, device = talker.config, talker.device
        self._talker, self._predictor, self._sampling, self._draw = talker, predictor, sampling, draw
        self._state = talker.start(prompts, room, prefix)
        self._predictor_state = predictor.new_state(len(prompts))
        self._chosen = torch.zeros(len(prompts), config.vocab_size, dtype=torch.bool, device=device)
        self._banned = torch.arange(config.vocab_size, device=device) >= config.vocab_size - CONTROL_IDS
        self._banned_at_first = self._banned.clone()
        self._banned[config.codec_eos_token_id] = False
        self._pad_row: Tensor | None = None

    @torch.inference_mode()
    def first_code(self, frame: int) -> Tensor:
        """Code 0 of the frame with this number, or the id of the end: ``[B, 1]``."""
        scores = self._talker.scores(self._state)
        scores = penalize(scores, self._chosen, self._sampling.repetition_penalty)
        banned = self._banned_at_first if frame < LEAST_CODES else self._banned
        code = pick_code(scores.masked_fill(banned, float("-inf")), self._sampling.talker, self._draw)
        self._chosen.scatter_(1, code, True)
        return code

    @torch.inference_mode()
    def finish(self, code: Tensor) -> Tensor:
        """All 16 codes, ``[B, 16]``."""
        first = self._talker.codec_rows(code)
        hidden = self._state.hidden
        others = self._predictor(hidden, first, self._predictor_state, self._sampling.predictor, self._draw)
        return torch.cat((code, others), 1)

    @torch.inference_mode()
    def advance(self, codes: Tensor, text: Sequence[int], pad: int) -> None:
        """Show the talker the frame just made and the next text id of each utterance."""
        rows = frame_rows(self._talker, self._predictor, codes)
        self._talker.advance((rows + self._text_rows(text, pad))[:, None], self._state)

    def _text_rows(self, text: Sequence[int], pad: int) -> Tensor:
        if any(number != pad for number in text):
            return self._talker.text_rows(text)
        if self._pad_row is None:
            self._pad_row = self._talker.text_rows([pad])
        return self._pad_row


def frames(
    talker: Talker,
    predictor: CodePredictor,
    utterances: Sequence[Utterance],
    sampling: Sampling,
    draw: Draw,
    pad: int,
    cancel: threading.Event,
    tuner: ThreadTuner,
) -> Iterator[Frames]:
    """Make the frames of some utterances, side by side, as one batch. ``pad`` is the text id after the text's end.

    Yields each frame as soon as it exists, before the talker is shown it, until each utterance has its ``ending``;
    within a frame's time when ``cancel`` is set. Nothing is kept between calls.
    """
    room = max(utterance.limit.of(utterance.text.length()) for utterance in utterances)
    tuner.begin(len(utterances))
    prompts, prefix = [utterance.rows for utterance in utterances], utterances[0].prefix
    maker = FrameMaker(talker, predictor, prompts, sampling, draw, min(room, _ROOM), prefix)
    made = 0
    while True:
        _end(utterances, Ending.LIMIT, [utterance.is_long(made) for utterance in utterances])
        if _over(utterances, cancel):
            return
        with tuner.work():
            code = maker.first_code(made)
            chosen = code[:, 0].tolist()  # the one wait for the device in each frame
        _end(utterances, Ending.SPOKEN, [value == talker.config.codec_eos_token_id for value in chosen])
        if _over(utterances, cancel):
            return
        with tuner.work():
            codes = maker.finish(code)
        yield Frames(codes, tuple(utterance.ending is None for utterance in utterances))
        made += 1
        text = [utterance.text.take(cancel) for utterance in utterances]
        if _over(utterances, cancel):
            return
        with tuner.work():
            maker.advance(codes, [pad if number is None else number for number in text], pad)
        tuner.frame_done()


def _end(utterances: Sequence[Utterance], ending: Ending, which: Sequence[bool]) -> None:
    for utterance, ends in zip(utterances, which, strict=True):
        if ends and utterance.ending is None:
            utterance.ending = ending


def _over(utterances: Sequence[Utterance], cancel: threading.Event) -> bool:
    if cancel.is_set():
        _end(utterances, Ending.CANCELLED, [True] * len(utterances))
    return all(utterance.ending for utterance in utterances)
