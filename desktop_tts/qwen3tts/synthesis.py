"""From texts with a voice to sound: prompts, frames and codec joined, and what to do when speech doesn't end.

Knows ids and tensors; names of languages and speakers, defaults and their checks are ``model``'s.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections import OrderedDict
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from desktop_tts.qwen3tts.codec.state import CodecState, stack_states
from desktop_tts.qwen3tts.conductor import Conductor, Conductors, Part
from desktop_tts.qwen3tts.config import CodecDecoderConfig
from desktop_tts.qwen3tts.generate import Ending, Limit, Utterance, frames
from desktop_tts.qwen3tts.networks import Networks
from desktop_tts.qwen3tts.prompt import Reference, Row, fed_text_prompt, needed_before_start, whole_text_prompt
from desktop_tts.qwen3tts.rows import prompt_rows
from desktop_tts.qwen3tts.sampling import Sampling, SeededDraw
from desktop_tts.qwen3tts.talker import Prefix
from desktop_tts.qwen3tts.text_source import FedText, StreamedText
from desktop_tts.qwen3tts.threads import ThreadTuner

Pcm = NDArray[np.float32]
"""Mono samples in -1..1 at 24 kHz, shape [n]."""

Speech = Generator[Pcm, None, Ending]
"""Chunks of 1,920·k samples at 24 kHz; the generator's value says why it ended."""
EMPTY_TEXT = "The text is empty: there is nothing to speak."

_log = logging.getLogger(__name__)
_SILENT = 0.01
"""Peak below which nothing has been heard, -40 dBFS."""
_CONVOLUTIONS_REACH = 13
_WARM_VOICES = 4
_KNOWN_PREFIXES = 16
_SEED_OF_RETRY = 0x5EED


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """One utterance that hasn't begun."""

    start: Sequence[Row]
    """The rows that come before the text."""
    text: Sequence[int] | StreamedText
    whole: bool
    """Show all text first, or feed it frame by frame; a streamed text can only be fed."""
    seed: int
    x_vector: Tensor | None = None
    reference: Reference | None = None
    reference_codes: Tensor | None = None
    """``[F, 16]``, with ``reference``."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How frames are drawn and how many. With ``retry``, an utterance that was stopped at its limit is made once more
    from another seed, unless its sound has been given out already."""

    sampling: Sampling
    limit: Limit
    retry: bool


class _Tuner(threading.local):
    """One for each thread that speaks."""

    def __init__(self, fixed: int | None, most: int) -> None:
        self.of_this_thread = ThreadTuner(fixed, most)


class Synthesizer:
    """Speaks plans. Utterances share nothing but weights and warmed codec states, so any thread may call."""

    def __init__(self, networks: Networks, threads: int | None = None, *, slots: bool | None = None) -> None:
        """``threads`` of the processor, or as many as turn out to be fastest. ``slots`` makes frames in fixed memory,
        recorded as graphs where the device can; None where it can."""
        self._networks = networks
        most = torch.get_num_threads()
        if threads is None and networks.talker.device.type != "cpu":
            threads = most
        self._tuner = _Tuner(threads, most)
        cuda = networks.talker.device.type == "cuda"
        self._conductors = Conductors(networks) if (cuda if slots is None else slots) else None
        self._warm: OrderedDict[bytes, CodecState] = OrderedDict()
        self._prefixes: OrderedDict[tuple[tuple[Row, ...], bytes], Prefix] = OrderedDict()

    @property
    def frame_s(self) -> float | None:
        """Seconds that a frame usually takes in this thread, with its sound; None before the first."""
        return self._tuner.of_this_thread.usual_s

    def warm_up(self, sampling: Sampling) -> None:
        """Make ready what the first utterance would otherwise wait for."""
        if self._conductors is not None:
            for conductor in (self._conductors.shared(), alone := self._conductors.alone()):
                conductor.warm_up(sampling)
            self._conductors.give_back(alone)

    @property
    def threads(self) -> int:
        """Of the processor, for the next frame in this thread."""
        return self._tuner.of_this_thread.best

    def stream(self, plan: Plan, settings: Settings, cancel: threading.Event, frames_per_chunk: int = 1) -> Speech:
        """Give the sound of every ``frames_per_chunk`` frames, 1,920 samples each, as soon as it exists.

        What was given out can't be taken back, so when speech reaches its limit it ends there; if all of it was
        silence, it begins again from another seed. Closing the generator stops the work.
        """
        heard, held = False, list[Pcm]()
        try:
            utterances = self._begin([plan], settings, cancel)
            for pcm in self._sound(plan, utterances, settings, cancel):
                heard = heard or float(np.abs(pcm).max()) > _SILENT
                held.append(pcm)
                if len(held) == frames_per_chunk:
                    yield np.concatenate(held)
                    held.clear()
            if held:
                yield np.concatenate(held)
            ending = utterances[0].ending if utterances else None
            if ending is Ending.LIMIT and settings.retry:
                _log.warning("Speech didn't end by itself and was stopped.")
                if not heard:
                    once = replace(settings, retry=False)
                    ending = yield from self.stream(_again(plan), once, cancel, frames_per_chunk)
            return ending or Ending.CANCELLED
        finally:
            if isinstance(plan.text, StreamedText):
                plan.text.close()

    def speak_all(self, plans: Sequence[Plan], settings: Settings, cancel: threading.Event) -> list[Pcm]:
        """Speak all of them as one batch and give the whole sound of each. Their texts must be known."""
        parts: list[list[Pcm]] = [[] for _ in plans]
        utterances = self._begin(plans, settings, cancel)
        if conducted := self._conducted(plans, utterances, settings, cancel):
            conductor, begun = conducted
            parts = [list(conductor.sounds(part)) for part in begun]
        else:
            for sounds in self._sounds(plans, utterances, settings, cancel):
                for number, pcm in enumerate(sounds):
                    if utterances[number].ending is None:
                        parts[number].append(pcm)
        result = [np.concatenate(part) if part else np.zeros(0, np.float32) for part in parts]
        endless = [number for number, utterance in enumerate(utterances) if utterance.ending is Ending.LIMIT]
        if endless and settings.retry:
            _log.warning("Speech didn't end by itself in %d of %d texts; once more.", len(endless), len(plans))
            again = [_again(plans[number]) for number in endless]
            for number, sound in zip(
                endless, self.speak_all(again, replace(settings, retry=False), cancel), strict=True
            ):
                result[number] = sound
        return result

    def _sound(
        self, plan: Plan, utterances: Sequence[Utterance], settings: Settings, cancel: threading.Event
    ) -> Iterator[Pcm]:
        """For each frame of one utterance the samples ``[1920]``."""
        conducted = self._conducted([plan], utterances, settings, cancel)
        if conducted is None:
            for (pcm,) in self._sounds([plan], utterances, settings, cancel):
                yield pcm
            return
        conductor, (part,) = conducted
        try:
            yield from conductor.sounds(part)
        finally:
            self._give_back(conductor)

    def _conducted(
        self, plans: Sequence[Plan], utterances: Sequence[Utterance], settings: Settings, cancel: threading.Event
    ) -> tuple[Conductor, list[Part]] | None:
        """Begin them in slots, if the device works that way and they have room there."""
        if self._conductors is None or not utterances:
            return None
        streamed = not all(utterance.text.known for utterance in utterances)
        conductor = self._conductors.alone() if streamed else self._conductors.shared()
        if not all(conductor.fits(utterance) for utterance in utterances):
            self._give_back(conductor)
            return None
        parts = [
            Part(utterance, self._codec_state(plan, cancel), plan.seed, settings.sampling, cancel)
            for plan, utterance in zip(plans, utterances, strict=True)
        ]
        for part in parts:
            conductor.begin(part)
        return conductor, parts

    def _give_back(self, conductor: Conductor) -> None:
        if self._conductors is not None:
            self._conductors.give_back(conductor)

    def _sounds(
        self, plans: Sequence[Plan], utterances: Sequence[Utterance], settings: Settings, cancel: threading.Event
    ) -> Iterator[NDArray[np.float32]]:
        """For each frame the samples ``[B, 1920]``; those of rows that have ended mean nothing."""
        if not utterances:
            return
        networks = self._networks
        state = stack_states([self._codec_state(plan, cancel) for plan in plans])
        draw = SeededDraw([plan.seed for plan in plans])
        pad = networks.config.tts_pad_token_id
        tuner, sampling = self._tuner.of_this_thread, settings.sampling
        for frame in frames(networks.talker, networks.predictor, utterances, sampling, draw, pad, cancel, tuner):
            with tuner.work():
                sound = networks.decoder.decode_frames(frame.codes[:, None], state).cpu().numpy()
            yield sound

    @torch.inference_mode()
    def _begin(self, plans: Sequence[Plan], settings: Settings, cancel: threading.Event) -> list[Utterance]:
        """Make the prompts, waiting for enough of a streamed text; empty if cancelled meanwhile."""
        networks, config = self._networks, self._networks.config
        utterances = []
        for plan in plans:
            text, rest = plan.text, None
            if isinstance(text, StreamedText):
                if not text.wait_for(needed_before_start(plan.reference), cancel):
                    return []
                rest, text = text, text.ids
                rest.skip_known()
            if not text:
                raise ValueError(EMPTY_TEXT)
            ended = rest is None or rest.ended
            if plan.whole:
                prompt = whole_text_prompt(config, plan.start, text, plan.reference)
            else:
                prompt = fed_text_prompt(config, plan.start, text, plan.reference, ended=ended)
            prefix = self._prefix(plan) if len(plans) == 1 else None
            known = prefix.rows if prefix and prefix.keys is not None else 0
            rows = prompt_rows(
                networks.talker, networks.predictor, prompt.rows[known:], plan.x_vector, plan.reference_codes
            )
            fed = FedText(prompt.fed, config.tts_pad_token_id, None if ended else rest, len(text))
            utterances.append(Utterance(rows, fed, settings.limit, prefix))
        return utterances

    def _prefix(self, plan: Plan) -> Prefix:
        """What comes before the text: language, speaker and instruct, the same for all that a voice reads."""
        voice = b"" if plan.x_vector is None else plan.x_vector.cpu().float().numpy().tobytes()
        key = tuple(plan.start), hashlib.blake2b(voice, digest_size=16).digest()
        prefix = self._prefixes.pop(key, None) or Prefix(len(plan.start))
        self._prefixes[key] = prefix
        if len(self._prefixes) > _KNOWN_PREFIXES:
            self._prefixes.popitem(last=False)
        return prefix

    def _codec_state(self, plan: Plan, cancel: threading.Event) -> CodecState:
        """Fresh, or as it is after the reference, which the speech continues."""
        decoder = self._networks.decoder
        if plan.reference_codes is None:
            return decoder.new_state(1)
        codes = plan.reference_codes.to(self._networks.talker.device)[-_reach(decoder.config) :]
        key = hashlib.blake2b(codes.cpu().numpy().tobytes(), digest_size=16).digest()
        state = self._warm.get(key)
        if state is None:
            state = decoder.new_state(1)
            if not decoder.skip_frames(codes[None], state, cancel.is_set):
                return state
            self._warm[key] = state
            if len(self._warm) > _WARM_VOICES:
                self._warm.popitem(last=False)
        return state.clone()


def _reach(config: CodecDecoderConfig) -> int:
    """How many frames back the codec hears: the windows of its layers, one upon another, and its convolutions."""
    return config.num_hidden_layers * (config.sliding_window - 1) + _CONVOLUTIONS_REACH


def _again(plan: Plan) -> Plan:
    """The same, from another seed. A streamed text has ended by now and is known."""
    text = plan.text.ids if isinstance(plan.text, StreamedText) else plan.text
    return replace(plan, text=text, seed=plan.seed ^ _SEED_OF_RETRY)
