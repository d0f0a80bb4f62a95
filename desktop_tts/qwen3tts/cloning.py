"""From reference audio to voice prompts: the part of a base model that listens, loaded when it is first needed."""

from __future__ import annotations

import threading
from functools import cached_property

import torch

from desktop_tts.qwen3tts.arguments import Some, for_each, spread
from desktop_tts.qwen3tts.checkpoint import Checkpoint
from desktop_tts.qwen3tts.codec.encoder import CodecEncoder
from desktop_tts.qwen3tts.reference_audio import Reference, load_reference
from desktop_tts.qwen3tts.speaker_encoder import SpeakerEncoder
from desktop_tts.qwen3tts.voice_prompt import ModelIdentity, VoiceClonePromptItem, clone_voice, model_identity


class CloneTools:
    """Any thread; callers wait while another loads."""

    def __init__(self, checkpoint: Checkpoint, device: torch.device) -> None:
        self._checkpoint, self._device = checkpoint, device
        self._loading = threading.Lock()

    @cached_property
    def identity(self) -> ModelIdentity:
        """What saved voices are tied to."""
        return model_identity(self._checkpoint)

    def create(
        self, ref_audio: Reference | list[Reference], ref_text: Some, x_vector_only_mode: bool | list[bool]
    ) -> list[VoiceClonePromptItem]:
        """One voice for each reference."""
        sources = ref_audio if isinstance(ref_audio, list) else [ref_audio]
        texts = for_each(ref_text, len(sources), "ref_text")
        modes = x_vector_only_mode if isinstance(x_vector_only_mode, list) else [x_vector_only_mode]
        modes = spread(modes, len(sources), "x_vector_only_mode")
        for number, (text, x_vector_only) in enumerate(zip(texts, modes, strict=True)):
            if not x_vector_only and not (text or "").strip():
                raise ValueError(f"ref_text is required unless x_vector_only_mode is True. Bad index={number}")
        with self._loading:
            speaker, codec = self._encoders
        return [
            clone_voice(load_reference(source), text, speaker, codec, x_vector_only=x_vector_only)
            for source, text, x_vector_only in zip(sources, texts, modes, strict=True)
        ]

    @cached_property
    def _encoders(self) -> tuple[SpeakerEncoder, CodecEncoder]:
        checkpoint = self._checkpoint
        assert checkpoint.config.speaker_encoder is not None
        speaker = SpeakerEncoder(checkpoint.config.speaker_encoder, checkpoint.tensors()).to(self._device)
        return speaker, CodecEncoder(checkpoint.codec.encoder, checkpoint.codec_tensors()).to(self._device)
