"""``Qwen3TTSModel``: the published package's interface, with a ``stream_...`` twin for each way of generating.

Names, arguments and defaults are the published ones, so its examples run after changing the import. What differs:

- ``stream_...`` gives sound while it is made, and takes text while it is written.
- ``seed`` repeats a result, ``cancel`` stops one. Unknown arguments are a TypeError; the published code ignores them.
- Empty texts are refused, white space before a text is dropped, and nothing in a text is read as a control token.
- Without ``max_new_tokens`` the length of the text limits that of the speech, and speech that never ends is made once
  more; the published code goes on for eleven minutes.
- ``instruct`` with the 0.6B model, which doesn't know it, is dropped as there, but with a warning in the log.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import torch

from desktop_tts.qwen3tts.arguments import SamplingOptions, Seed, Some, settings
from desktop_tts.qwen3tts.checkpoint import open_checkpoint
from desktop_tts.qwen3tts.cloning import CloneTools
from desktop_tts.qwen3tts.config import SAMPLE_RATE
from desktop_tts.qwen3tts.hub import find_model
from desktop_tts.qwen3tts.networks import Networks, load_networks, pick_device
from desktop_tts.qwen3tts.plans import (
    VoiceClonePrompt,
    clone_prompt_items,
    custom_voice_plans,
    require_kind,
    supported_languages,
    voice_clone_plans,
    voice_design_plans,
)
from desktop_tts.qwen3tts.precision import pick_precision
from desktop_tts.qwen3tts.reference_audio import Reference
from desktop_tts.qwen3tts.synthesis import EMPTY_TEXT, Pcm, Plan, Speech, Synthesizer
from desktop_tts.qwen3tts.text_source import StreamedText
from desktop_tts.qwen3tts.voice_prompt import ModelIdentity, VoiceClonePromptItem

Text = str | Iterable[str]
"""A text, or an iterator of its pieces while it is being written."""


class Qwen3TTSModel:
    """A loaded model. Utterances share nothing but its weights, so several threads may speak at once."""

    def __init__(self, networks: Networks, tools: CloneTools | None = None, threads: int | None = None) -> None:
        """``tools`` are those of a base model, ``threads`` as in ``from_pretrained``."""
        self.networks = networks
        self.config = networks.config
        self._tools = tools
        self._synthesizer = Synthesizer(networks, threads)

    @classmethod
    def from_pretrained(
        cls,
        pretrained_model_name_or_path: str | Path,
        *,
        device_map: str | torch.device | None = None,
        dtype: str | torch.dtype | None = None,
        attn_implementation: str | None = None,
        text_embedding_on_cpu: bool = False,
        revision: str | None = None,
        threads: int | None = None,
        weight_cache: Path | None = None,
    ) -> Qwen3TTSModel:
        """Load a directory in the official layout, or a repository on Hugging Face.

        ``device_map``: "cpu" (also None), "cuda:0", "mps", or "auto" for the best there is. ``dtype``: None for fp32,
        on CUDA bf16 where the card has it; on a CPU also "int8", and "auto" for the fastest (see ``pick_precision``).
        ``attn_implementation``: "sdpa", "eager" or "flash_attention_2", which falls back on "sdpa" where it can't run.
        ``threads`` of the processor: None for as many as turn out to be fastest, frame by frame. ``weight_cache`` is a
        folder where int8 weights are kept for the next time. Raises ``CheckpointError`` for files that can't be used.
        """
        device = pick_device(device_map)
        checkpoint = open_checkpoint(find_model(pretrained_model_name_or_path, revision))
        precision = pick_precision(dtype, device)
        networks = load_networks(
            checkpoint, device, precision, attn_implementation, text_embedding_on_cpu, weight_cache
        )
        tools = CloneTools(checkpoint, device) if checkpoint.config.tts_model_type == "base" else None
        return cls(networks, tools, threads)

    @property
    def frame_s(self) -> float | None:
        """Seconds that a frame of 80 ms usually takes in the calling thread, sound included; None before the first."""
        return self._synthesizer.frame_s

    @property
    def threads(self) -> int:
        """Processor threads that turned out to be fastest in the calling thread, or are fixed."""
        return self._synthesizer.threads

    def warm_up(self) -> None:
        """Make ready what the first utterance would otherwise wait for: on CUDA the graphs of a frame, for the model's
        own sampling."""
        self._synthesizer.warm_up(settings({}, self.networks.generation).sampling)

    @property
    def identity(self) -> ModelIdentity:
        """What voices that are saved belong to; base models only."""
        require_kind(self.config, "base", "A saved voice")
        assert self._tools is not None
        return self._tools.identity

    def generate_custom_voice(
        self,
        text: Text | list[str],
        speaker: Some,
        language: Some = None,
        instruct: Some = None,
        non_streaming_mode: bool = True,
        *,
        seed: Seed = None,
        cancel: threading.Event | None = None,
        **options: Unpack[SamplingOptions],
    ) -> tuple[list[Pcm], int]:
        """Speak with one of the model's speakers. Gives the sound of each text, and 24000.

        ``speaker`` None or empty leaves the voice to chance. ``cancel`` ends all texts where they are. A batch has
        seeds counted up from ``seed``, or its own.
        """
        texts = _texts(text)
        plans = custom_voice_plans(self.networks, len(texts), speaker, language, instruct, non_streaming_mode, seed)
        return self._generate(texts, plans, options, cancel)

    def stream_custom_voice(
        self,
        text: Text,
        speaker: str | None,
        language: str | None = None,
        instruct: str | None = None,
        non_streaming_mode: bool | None = None,
        *,
        frames_per_chunk: int = 1,
        seed: int | None = None,
        cancel: threading.Event | None = None,
        **options: Unpack[SamplingOptions],
    ) -> Speech:
        """As ``generate_custom_voice`` for one text, chunk by chunk.

        ``non_streaming_mode`` None is True for a str and False for an iterator, for which it can't be True.
        """
        whole = _whole(text, non_streaming_mode, default=True)
        (plan,) = custom_voice_plans(self.networks, 1, speaker, language, instruct, whole, seed)
        return self._stream(text, plan, options, cancel, frames_per_chunk)

    def generate_voice_design(
        self,
        text: Text | list[str],
        instruct: Some,
        language: Some = None,
        non_streaming_mode: bool = True,
        *,
        seed: Seed = None,
        cancel: threading.Event | None = None,
        **options: Unpack[SamplingOptions],
    ) -> tuple[list[Pcm], int]:
        """Speak with a voice described by ``instruct``; each call and seed finds another that fits."""
        texts = _texts(text)
        plans = voice_design_plans(self.networks, len(texts), instruct, language, non_streaming_mode, seed)
        return self._generate(texts, plans, options, cancel)

    def stream_voice_design(
        self,
        text: Text,
        instruct: str | None,
        language: str | None = None,
        non_streaming_mode: bool | None = None,
        *,
        frames_per_chunk: int = 1,
        seed: int | None = None,
        cancel: threading.Event | None = None,
        **options: Unpack[SamplingOptions],
    ) -> Speech:
        """As ``generate_voice_design`` for one text; see ``stream_custom_voice``."""
        whole = _whole(text, non_streaming_mode, default=True)
        (plan,) = voice_design_plans(self.networks, 1, instruct, language, whole, seed)
        return self._stream(text, plan, options, cancel, frames_per_chunk)

    def generate_voice_clone(
        self,
        text: Text | list[str],
        language: Some = None,
        ref_audio: Reference | list[Reference] | None = None,
        ref_text: Some = None,
        x_vector_only_mode: bool | list[bool] = False,
        voice_clone_prompt: VoiceClonePrompt | None = None,
        non_streaming_mode: bool = False,
        *,
        seed: Seed = None,
        cancel: threading.Event | None = None,
        **options: Unpack[SamplingOptions],
    ) -> tuple[list[Pcm], int]:
        """Speak with the voice of ``voice_clone_prompt``, or of one made from the other arguments."""
        texts = _texts(text)
        items = self._clone_items(voice_clone_prompt, ref_audio, ref_text, x_vector_only_mode)
        plans = voice_clone_plans(self.networks, len(texts), language, items, non_streaming_mode, seed)
        return self._generate(texts, plans, options, cancel)

    def stream_voice_clone(
        self,
        text: Text,
        language: str | None = None,
        ref_audio: Reference | None = None,
        ref_text: str | None = None,
        x_vector_only_mode: bool = False,
        voice_clone_prompt: VoiceClonePrompt | None = None,
        non_streaming_mode: bool | None = None,
        *,
        frames_per_chunk: int = 1,
        seed: int | None = None,
        cancel: threading.Event | None = None,
        **options: Unpack[SamplingOptions],
    ) -> Speech:
        """As ``generate_voice_clone`` for one text; see ``stream_custom_voice``.

        Speech that continues a reference (not ``x_vector_only_mode``) needs text beside each of its frames from the
        start, so a streamed text is collected until there is that much, or all of it. The result is that of the whole
        text; with ``x_vector_only_mode`` it begins at the first word.
        """
        whole = _whole(text, non_streaming_mode, default=False)
        items = self._clone_items(voice_clone_prompt, ref_audio, ref_text, x_vector_only_mode)
        (plan,) = voice_clone_plans(self.networks, 1, language, items, whole, seed)
        return self._stream(text, plan, options, cancel, frames_per_chunk)

    def create_voice_clone_prompt(
        self,
        ref_audio: Reference | list[Reference],
        ref_text: Some = None,
        x_vector_only_mode: bool | list[bool] = False,
    ) -> list[VoiceClonePromptItem]:
        """Listen to reference audio once, to speak with its voice often.

        ``ref_audio`` is a path, an http(s) address, base64 text, or samples as ``(array, sample_rate)``; or a list.
        Without ``x_vector_only_mode`` the speech continues the reference, whose words ``ref_text`` must give.
        """
        require_kind(self.config, "base", "create_voice_clone_prompt")
        assert self._tools is not None
        return self._tools.create(ref_audio, ref_text, x_vector_only_mode)

    def blank_voice(self) -> VoiceClonePromptItem:
        """A voice of nobody, to warm a base model up with."""
        require_kind(self.config, "base", "blank_voice")
        assert self.config.speaker_encoder is not None
        return VoiceClonePromptItem(None, torch.zeros(self.config.speaker_encoder.enc_dim), True, False)

    def get_supported_speakers(self) -> list[str]:
        """In lower case; empty for models without speakers of their own."""
        return sorted(self.config.talker.spk_id)

    def get_supported_languages(self) -> list[str]:
        """In lower case, "auto" among them. Dialects are spoken by their speakers and can't be asked for."""
        return supported_languages(self.config)

    def _clone_items(
        self,
        prompt: VoiceClonePrompt | None,
        ref_audio: Reference | list[Reference] | None,
        ref_text: Some,
        x_vector_only_mode: bool | list[bool],
    ) -> list[VoiceClonePromptItem]:
        require_kind(self.config, "base", "a clone")
        if prompt is not None:
            return clone_prompt_items(prompt)
        if ref_audio is None:
            raise ValueError("Either voice_clone_prompt or ref_audio must be given.")
        return self.create_voice_clone_prompt(ref_audio, ref_text, x_vector_only_mode)

    def _generate(
        self, texts: list[str], plans: list[Plan], options: SamplingOptions, cancel: threading.Event | None
    ) -> tuple[list[Pcm], int]:
        plans = [replace(plan, text=self._ids(text)) for plan, text in zip(plans, texts, strict=True)]
        how = settings(options, self.networks.generation)
        return self._synthesizer.speak_all(plans, how, cancel or threading.Event()), SAMPLE_RATE

    def _stream(
        self, text: Text, plan: Plan, options: SamplingOptions, cancel: threading.Event | None, frames_per_chunk: int
    ) -> Speech:
        if frames_per_chunk < 1:
            raise ValueError(f"frames_per_chunk must be at least 1, not {frames_per_chunk}.")
        if isinstance(text, str):
            plan = replace(plan, text=self._ids(text))
        else:
            eos, pad = self.config.tts_eos_token_id, self.config.tts_pad_token_id
            plan = replace(plan, text=StreamedText(text, self.networks.tokenizer, eos, pad))
        how = settings(options, self.networks.generation)
        return self._synthesizer.stream(plan, how, cancel or threading.Event(), frames_per_chunk)

    def _ids(self, text: str) -> list[int]:
        ids = self.networks.tokenizer.encode(text.lstrip())
        if not ids:
            raise ValueError(EMPTY_TEXT)
        return ids


def _texts(text: Text | list[str]) -> list[str]:
    """A list is a batch; any other iterable is one text in pieces, which is collected."""
    if isinstance(text, (list, tuple)):
        if not text:
            raise ValueError("The list of texts is empty.")
        return list(text)
    return [text if isinstance(text, str) else "".join(text)]


def _whole(text: Text, non_streaming_mode: bool | None, *, default: bool) -> bool:
    """The layout for one text, which may be streamed."""
    if isinstance(text, (list, tuple)):
        raise ValueError("A stream speaks one text: give a str, or an iterator of the pieces of one.")
    if isinstance(text, str):
        return default if non_streaming_mode is None else non_streaming_mode
    if non_streaming_mode:
        raise ValueError("non_streaming_mode shows the model the whole text first, which an iterator can't give.")
    return False
