"""One draw of a voice, and making it a voice to keep. No widgets."""

from __future__ import annotations

import os
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

from desktop_tts.audio.files import write_audio
from desktop_tts.speech import AudioChunk, Pcm
from desktop_tts.voices.files import disk
from desktop_tts.voices.profile import PREVIEW, Kind, Profile
from desktop_tts.voices.store import VoiceStore

if TYPE_CHECKING:
    from desktop_tts.voices.making import VoiceMaker

ENGINE = "qwen"
RATE = 24_000


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be drawn."""

    description: str
    language: str
    """ISO 639-1."""
    sentence: str
    seed: int
    model: str
    """Key of a VoiceDesign model."""


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """What was drawn."""

    wish: Wish
    pcm: Pcm
    """At 24 kHz."""

    @property
    def duration_s(self) -> float:
        return len(self.pcm) / RATE


def keep(store: VoiceStore, maker: VoiceMaker, draw: Draw, name: str, base: str, cancel: Event) -> Profile | None:
    """Make the draw a voice: frozen by the Base model ``base``, or, if that is empty, as its description and seed.

    None when cancelled. Blocks; raises a DesktopTTSError. Unless it's kept, nothing is left behind.
    """
    wish = draw.wish
    wanted = Profile(
        id="",
        name=name,
        kind=Kind.DESIGNED,
        base=f"{ENGINE}:{wish.model}",
        language=wish.language,
        description=wish.description,
        seed=wish.seed,
    )
    draft = store.new_draft(wanted)
    kept = None
    try:
        with disk("The sound of the voice can't be kept"):
            preview = store.folder(draft.id) / PREVIEW
            write_audio(preview, [AudioChunk(draw.pcm, RATE)], sample_rate=RATE)
            os.chmod(preview, 0o600)
        frozen = not base or maker.freeze(draft.id, draw.pcm, wish.sentence, base, cancel)
        if frozen and not cancel.is_set():
            kept = store.keep(draft.id, name)
    finally:
        if kept is None:
            store.discard(draft.id)
    return kept
