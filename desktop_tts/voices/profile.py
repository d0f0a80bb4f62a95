"""What a voice of the user's own is, as it stands in its ``voice.json``. Pure values; the files are ``store``'s."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

SCHEMA = 1
ENGINE = "my"
"""Engine part of a ``Voice.id`` of the user's own voices: ``my:<profile id>``."""
MANIFEST, PROMPT, REFERENCE, PREVIEW = "voice.json", "prompt.safetensors", "reference.flac", "preview.flac"
"""The files of a voice's folder; all but the first are optional."""


class Kind(Enum):
    """Where a voice comes from."""

    SPEAKER = "speaker"
    """A voice of any engine with a manner of its own: instruct, speed, loudness."""
    DESIGNED = "designed"
    """Made by a VoiceDesign model from a description."""
    CLONED = "cloned"
    """Made by a Base model from a recording."""


@dataclass(frozen=True, slots=True)
class Consent:
    """That the person who speaks in the recording agreed, as it was ticked."""

    sentence: str
    """The sentence that was shown."""
    given: str
    """When: ISO 8601, UTC, whole seconds."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One voice. Which of ``speaker``, ``description`` and the prompt file speak follows from ``kind``."""

    id: str
    """Name of its folder: letters, digits, ``-``; never changes."""
    name: str
    kind: Kind
    base: str
    """For a speaker the ``Voice.id`` that speaks, as ``"qwen:1.7b-custom-voice/vivian"`` or ``"builtin:heart"``;
    for others the model, as ``"qwen:0.6b-base"``: the one its prompt file was made with, or that its description is
    for."""
    language: str = ""
    """ISO 639-1 code of what it speaks best; empty for what its base speaks."""
    instruct: str = ""
    """How to speak, for models that follow it."""
    description: str = ""
    """Of a designed voice: what the VoiceDesign model was told."""
    seed: int = 0
    """Of a designed voice that has no prompt file: its draw."""
    transcript: str = ""
    """Of a cloned voice: what the recording says; empty if it isn't used."""
    speed: float = 1.0
    """On top of the reading speed, 0.5..2."""
    volume: float = 1.0
    """On top of the loudness, 0..2."""
    notes: str = ""
    consent: Consent | None = None
    created: str = ""
    """ISO 8601, UTC, whole seconds."""

    @property
    def voice_id(self) -> str:
        """Its ``Voice.id``."""
        return f"{ENGINE}:{self.id}"


@dataclass(frozen=True, slots=True)
class BrokenVoice:
    """A folder that isn't a usable voice."""

    id: str
    reason: str
    """A sentence for the user that says what to do."""
    newer: bool = False
    """Written by a newer version of this program, and left untouched."""
