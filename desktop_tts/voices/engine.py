"""The user's own voices as an engine: each is spoken by another engine, in a manner of its own."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from desktop_tts.audio import stretch
from desktop_tts.engines.base import Progress, SpeechEngine
from desktop_tts.engines.catalog import all_engines
from desktop_tts.engines.qwen import LANGUAGES, QwenEngine, instruct_obstacle
from desktop_tts.errors import NotInstalled
from desktop_tts.models.catalog import MODELS
from desktop_tts.speech import AudioChunk, Capabilities, SpeechRequest, Voice
from desktop_tts.voices.adjust import adjusted
from desktop_tts.voices.errors import VoiceError
from desktop_tts.voices.files import has_file
from desktop_tts.voices.profile import ENGINE, PROMPT, Kind, Profile
from desktop_tts.voices.store import VoiceStore

if TYPE_CHECKING:
    from desktop_tts.settings import Settings

log = logging.getLogger(__name__)

RATE = 24_000


def every_engine(current: Callable[[], Settings], on_progress: Progress = lambda _: None) -> tuple[SpeechEngine, ...]:
    """``all_engines``, and last the user's own voices, as they are on disk."""
    engines = all_engines(current, on_progress)
    return *engines, MyVoices(VoiceStore(), engines)


@dataclass(frozen=True, slots=True)
class _Base:
    """What speaks a profile."""

    voice: str
    """Its ``Voice.id``."""
    engine: SpeechEngine | None
    prompt: Path | None = None


class MyVoices:
    """Speaks the profiles of ``store`` with ``engines``; each unloads itself. ``store`` may change at any time."""

    id = ENGINE
    name = "My voices"

    def __init__(self, store: VoiceStore, engines: Sequence[SpeechEngine]) -> None:
        self._store, self._engines = store, tuple(engines)

    def available(self) -> str:
        self._store.refresh()  # another program may have made one
        return "" if self._store.profiles() else "You have no voices of your own yet. Make one in Settings, Voices."

    def capabilities(self) -> Capabilities:
        languages = frozenset(code for voice in self.voices() for code in voice.languages)
        return Capabilities(languages, RATE, streams_audio=True, instruct=True, cloning=True)

    def voices(self) -> tuple[Voice, ...]:
        known = _Known()
        return tuple(self._voice(profile, known) for profile in self._store.profiles())

    def unlisted(self, voice_id: str) -> Voice | None:
        """A voice that may be still being made."""
        profile = self._store.get(voice_id.partition(":")[2])
        if profile is None:
            self._store.refresh()
            profile = self._store.get(voice_id.partition(":")[2])
        return self._voice(profile, _Known()) if profile and voice_id == profile.voice_id else None

    def instruct_obstacle(self, voice_id: str) -> str:
        """Why a voice, of the user's own or not, doesn't follow instructs, as a sentence; empty if it does."""
        if voice_id.partition(":")[0] == ENGINE:
            profile = self._store.get(voice_id.partition(":")[2])
            if profile is None:
                return "This voice doesn't exist any more."
            voice_id = self._base(profile).voice
        qwen = next((engine for engine in self._engines if isinstance(engine, QwenEngine)), None)
        return qwen.instruct_obstacle(voice_id) if qwen else instruct_obstacle(voice_id)

    def load(self, progress: Progress | None = None, voice: str = "") -> None:
        base = self._base(self._profile(voice))
        _engine(base).load(progress, base.voice)

    def stream(self, request: SpeechRequest, cancel: Event) -> Iterator[AudioChunk]:
        profile = self._profile(request.voice)
        base = self._base(profile)
        asked = dataclasses.replace(
            request, voice=base.voice, instruct=request.instruct or profile.instruct, prompt=base.prompt
        )
        if profile.kind is Kind.DESIGNED and base.prompt is None:
            # The draw is the voice: with another seed, another person would speak.
            described = f"{profile.description} {asked.instruct}".strip()
            asked = dataclasses.replace(asked, instruct=described, seed=profile.seed)
        if profile.kind is Kind.CLONED and base.prompt is None:
            raise NotInstalled(f"The voice “{profile.name}” lacks its sound.", "Clone it again.")
        speed = profile.speed
        if speed != 1.0 and not stretch.available():
            log.info("a voice speaks at speed 1, as speeds can't be had here")
            speed = 1.0
        yield from adjusted(_engine(base).stream(asked, cancel), speed, profile.volume, cancel)

    def unload(self) -> None:
        """Nothing is held here."""

    def _profile(self, voice_id: str) -> Profile:
        profiles = self._store.profiles()
        if not voice_id and not profiles:
            raise NotInstalled(self.available())
        profile = self._store.get(voice_id.partition(":")[2]) if voice_id else profiles[0]
        if profile is None:
            raise NotInstalled("This voice of your own doesn't exist any more.", "Choose another one.")
        return profile

    def _base(self, profile: Profile) -> _Base:
        engine_id = profile.base.partition(":")[0]
        engine = next((engine for engine in self._engines if engine.id == engine_id), None)
        if profile.kind is Kind.SPEAKER:
            return _Base(profile.base, engine)
        if not profile.base:  # a draft
            return _Base("", None)
        prompt = None
        with contextlib.suppress(VoiceError):  # deleted meanwhile
            folder = self._store.folder(profile.id)
            prompt = folder / PROMPT if has_file(folder, PROMPT) else None
        return _Base(profile.base.partition("/")[0] + "/", engine, prompt)

    def _voice(self, profile: Profile, known: _Known) -> Voice:
        base = self._base(profile)
        spoken, needs = known.languages_and_needs(base)
        own = (profile.language,) if profile.language and (profile.language in spoken or not spoken) else ()
        languages = tuple(dict.fromkeys((*own, *spoken)))
        description = f"Needs {needs}." if needs else profile.description or profile.notes
        return Voice(profile.voice_id, profile.name, ENGINE, languages, description, bool(needs), needs)


class _Known:
    """What the engines have, asked once each."""

    def __init__(self) -> None:
        self._voices: dict[str, dict[str, Voice]] = {}
        self._models: tuple[str, ...] | None = None

    def languages_and_needs(self, base: _Base) -> tuple[tuple[str, ...], str]:
        """What a base speaks, and what has to be downloaded first, or empty."""
        engine = base.engine
        if engine is None:
            return (), f"the voice {base.voice}" if base.voice else "a voice to speak with"
        if isinstance(engine, QwenEngine) and base.voice:
            key = base.voice.partition(":")[2].partition("/")[0]
            if self._models is None:
                self._models = tuple(model.key for model in engine.models())
            if key not in self._models:
                return tuple(LANGUAGES), _model_name(key)
            if engine.available():
                return tuple(LANGUAGES), "PyTorch"
            if base.voice.endswith("/"):
                return tuple(LANGUAGES), ""
        if engine.available():
            return (), engine.name
        if engine.id not in self._voices:
            self._voices[engine.id] = {voice.id: voice for voice in engine.voices()}
        voice = self._voices[engine.id].get(base.voice)
        if voice is None:
            return (), f"the voice {base.voice}"
        return voice.languages, voice.needs or voice.name if voice.needs_download else ""


def _model_name(key: str) -> str:
    """A model, in a sentence."""
    return f"the model {next((known.name for known in MODELS if known.key == key), key)}"


def _engine(base: _Base) -> SpeechEngine:
    if base.engine is None:
        raise NotInstalled(f"{base.voice or 'The voice to speak with'} isn't on this machine.", "Choose another one.")
    return base.engine
