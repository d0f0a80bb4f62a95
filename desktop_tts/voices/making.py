"""Making voices: cloned from a recording, designed from a description. Every call blocks and can be cancelled."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Event

import numpy as np

from desktop_tts.audio.files import write_audio
from desktop_tts.engines.qwen import BUSY_S, RATE, QwenEngine
from desktop_tts.models.catalog import MODELS
from desktop_tts.speech import AudioChunk, Pcm, SpeechRequest
from desktop_tts.voices.errors import VoiceError
from desktop_tts.voices.files import disk, has_file
from desktop_tts.voices.profile import PROMPT, REFERENCE, Kind, Profile
from desktop_tts.voices.store import VoiceStore


@dataclass(frozen=True, slots=True)
class MakerModel:
    """A model that voices are made with."""

    key: str
    name: str
    """For people: ``"Qwen3-TTS 0.6B Base"``."""
    installed: bool


class VoiceMaker:
    """Any thread. Waits for its turn while Qwen3-TTS speaks, up to ten seconds, as a reading may be paused; then an
    ``EngineFault`` says what to do. All raise ``EngineError``, ``VoiceError`` or ``AudioError``."""

    def __init__(self, store: VoiceStore, qwen: QwenEngine) -> None:
        self._store, self._qwen = store, qwen

    def clone_models(self) -> tuple[MakerModel, ...]:
        """Those for ``clone`` and ``freeze``, the published ones also where they aren't installed."""
        return self._models("base")

    def design_models(self) -> tuple[MakerModel, ...]:
        """Those for ``design``."""
        return self._models("voice_design")

    def clone(self, draft_id: str, model: str, transcript: str, x_vector_only: bool, cancel: Event) -> bool:
        """Make the recording in the draft's folder its voice. ``transcript`` is what it says, needed unless
        ``x_vector_only``. False when cancelled; then all is as before."""
        draft = self._draft(draft_id)
        folder = self._store.folder(draft_id)
        if not has_file(folder, REFERENCE):
            raise VoiceError("The recording of this voice is missing.", "Record it again or choose a file.")
        said = "" if x_vector_only else transcript.strip()
        if not self._qwen.clone(model, folder / REFERENCE, said, x_vector_only, folder / PROMPT, cancel):
            return False
        self._store.save(replace(draft, kind=Kind.CLONED, base=f"{QwenEngine.id}:{model}", transcript=said))
        return True

    def design(
        self,
        description: str,
        language: str,
        sentence: str,
        seed: int,
        model: str,
        cancel: Event,
        on_audio: Callable[[Pcm], None] = lambda _: None,
    ) -> Pcm:
        """One draw: ``sentence`` in a voice that fits, at 24 kHz. ``on_audio`` gets each piece as it comes. What there
        is so far when cancelled."""
        request = SpeechRequest(sentence, language, f"{QwenEngine.id}:{model}/", instruct=description, seed=seed)
        pieces = [np.zeros(0, np.float32)]
        with self._qwen.turn(cancel, BUSY_S) as mine:
            for chunk in self._qwen.stream(request, cancel) if mine else ():
                pieces.append(chunk.pcm)
                on_audio(chunk.pcm)
        return np.concatenate(pieces)

    def freeze(self, draft_id: str, pcm: Pcm, sentence: str, model: str, cancel: Event) -> bool:
        """Make a draw, in which ``sentence`` is spoken, the draft's voice for good, by cloning it with the Base model
        ``model``. False when cancelled; then all is as before."""
        draft = self._draft(draft_id)
        folder = self._store.folder(draft_id)
        part = folder / f".{REFERENCE}"
        try:
            write_audio(part, [AudioChunk(pcm, RATE)])
            with disk("The sound of the voice can't be kept"):
                os.chmod(part, 0o600)
            if not self._qwen.clone(model, part, sentence.strip(), False, folder / PROMPT, cancel):
                return False
            with disk("The sound of the voice can't be kept"):
                os.replace(part, folder / REFERENCE)
        finally:
            with contextlib.suppress(OSError):
                part.unlink()
        said = sentence.strip()
        self._store.save(replace(draft, kind=Kind.DESIGNED, base=f"{QwenEngine.id}:{model}", transcript=said))
        return True

    def _draft(self, draft_id: str) -> Profile:
        draft = self._store.get(draft_id)
        if draft is None:
            raise VoiceError("This draft doesn't exist any more.", "Make the voice again.")
        return draft

    def _models(self, kind: str) -> tuple[MakerModel, ...]:
        here = {model.key: model for model in self._qwen.models() if model.kind == kind}
        known = [MakerModel(model.key, model.name, model.key in here) for model in MODELS if model.kind == kind]
        published = {model.key for model in known}
        own = [
            MakerModel(key, f"Qwen3-TTS in {model.folder}", True) for key, model in here.items() if key not in published
        ]
        return *known, *own
