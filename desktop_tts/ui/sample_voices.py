"""Voices of a user, in real files: for pictures of the windows, and for tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from desktop_tts.ui.voice_actions import Status, VoiceActions
from desktop_tts.voices.instructs import InstructPresets
from desktop_tts.voices.profile import Kind, Profile
from desktop_tts.voices.store import VoiceStore

NARRATOR = Profile(
    "", "Evening narrator", Kind.DESIGNED, "qwen:1.7b-voice-design", "en",
    description="A calm woman of about fifty with a low, warm voice, who reads by the fire.", seed=3,
)  # fmt: skip
CLONE = Profile("", "My own voice", Kind.CLONED, "qwen:0.6b-base", "de", notes="Recorded at the desk.")
NEWS = Profile(
    "", "Morning news", Kind.SPEAKER, "builtin:heart", "en", speed=1.15, notes="For the first coffee.",
)  # fmt: skip


def voice_actions(
    folder: Path, reader: Status, called: Callable[[str], None] = lambda name: None, profiles: tuple[Profile, ...] = ()
) -> VoiceActions:
    """Works on real files in ``folder``; speaks and loads nothing, but tells ``called``."""
    store = VoiceStore(folder / "voices")
    for profile in profiles:
        store.add(profile)

    def listen(voice_id: str, sentence: str = "", instruct: str = "", language: str = "") -> None:
        called(" | ".join(part for part in (f"listen {voice_id}", language, sentence, instruct) if part))

    return VoiceActions(
        store=store,
        presets=InstructPresets(folder / "instructs.json"),
        reader=reader,
        listen=listen,
        instruct_obstacle=obstacle,
        unload_models=lambda: called("unload_models"),
    )


def obstacle(voice_id: str) -> str:
    """As the engines say it of the sample voices."""
    if voice_id.startswith("qwen:1.7b-custom-voice/"):
        return ""
    return "This voice always speaks in its own manner. Qwen3-TTS 1.7B CustomVoice follows an instruct."
