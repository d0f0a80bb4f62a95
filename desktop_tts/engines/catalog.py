"""Which voices there are on this machine, and which of them reads a text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from desktop_tts.engines.base import HasUnlisted, Progress, SpeechEngine
from desktop_tts.errors import NotInstalled, Unsupported
from desktop_tts.speech import Voice, language_name

if TYPE_CHECKING:
    from desktop_tts.settings import Settings

_ADD_VOICE = {
    "win32": "Add a {} voice in Windows Settings, Time & language, Speech.",
    "darwin": "Add a {} voice in System Settings, Accessibility, Spoken Content.",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """Who reads a text. ``note`` is a sentence for the user when it isn't who was asked for."""

    engine: SpeechEngine
    voice: Voice
    note: str = ""


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """How one engine is doing here."""

    id: str
    name: str
    problem: str
    """Why it can't be used and what to do, or empty."""
    voices: int
    languages: int


def default_engines() -> tuple[SpeechEngine, ...]:
    """The engines that speak without a download, in the order in which they are chosen. None is loaded."""
    from desktop_tts.engines.builtin import BuiltinEngine
    from desktop_tts.engines.espeak import EspeakEngine
    from desktop_tts.engines.system import SystemEngine

    system = (SystemEngine(),) if sys.platform in _ADD_VOICE else ()
    return BuiltinEngine(), *system, EspeakEngine()


def all_engines(current: Callable[[], Settings], on_progress: Progress = lambda _: None) -> tuple[SpeechEngine, ...]:
    """``default_engines`` and Qwen3-TTS, which comes last: it speaks where the user chose one of its voices.

    ``current`` is asked for the settings each time a model is looked for or loaded.
    """
    from desktop_tts.engines.qwen import QwenEngine, QwenOptions

    def options() -> QwenOptions:
        models = current().models
        return QwenOptions(models.device, models.dtype, models.unload_after_min, models.folder)

    return *default_engines(), QwenEngine(options, on_progress)


def engine_status(engines: Sequence[SpeechEngine] | None = None) -> tuple[EngineStatus, ...]:
    """For ``desktop-tts doctor``: every engine, usable or not."""
    found = []
    for engine in default_engines() if engines is None else engines:
        problem = engine.available()
        voices = () if problem else engine.voices()
        languages = {code for voice in voices for code in voice.languages}
        found.append(EngineStatus(engine.id, engine.name, problem, len(voices), len(languages)))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Catalog:
    """The voices of ``engines``, which come in order of preference. May be asked from any thread."""

    engines: Sequence[SpeechEngine]
    left_out: frozenset[str] = frozenset()
    """Ids of voices that aren't chosen."""

    def without(self, voice_id: str) -> Catalog:
        """The same, with one voice less to choose from."""
        return replace(self, left_out=self.left_out | {voice_id})

    def voices(self) -> tuple[Voice, ...]:
        """Every voice of every engine that can work here, best first."""
        return tuple(voice for engine in self.engines if not engine.available() for voice in engine.voices())

    def voice(self, wanted: str) -> Voice:
        """The voice with this id, or with this name in whatever case; it may still need a download. Raises
        NotInstalled, also when several have that name."""
        _, voice, why = self._look_up(wanted)
        if voice:
            return voice
        name = wanted.strip().casefold()
        named = [voice for voice in self.voices() if voice.name.casefold() == name]
        if len(named) == 1:
            return named[0]
        if named:
            ids = ", ".join(voice.id for voice in named)
            raise NotInstalled(f'Several voices are called "{wanted.strip()}".', f"Choose one of these ids: {ids}")
        raise NotInstalled(why, "See the voices with: desktop-tts voices")

    def choose(self, language: str, preferred_voice: str, by_language: Mapping[str, str]) -> Choice:
        """Who reads ``language`` (ISO 639-1): the voice set for it, else the preferred voice if it speaks it, else the
        first that does. Raises Unsupported, with what to do, when nobody speaks it."""
        problem = ""
        for voice_id in (by_language.get(language, ""), preferred_voice):
            if not voice_id:
                continue
            found, why = self._find(voice_id)
            if found and language in found.voice.languages and not problem:
                return found
            if found and language in found.voice.languages:
                return Choice(found.engine, found.voice, f"{problem} {found.voice.name} reads instead.")
            problem = problem or why
        for engine in self.engines:
            if engine.available():
                continue
            for voice in engine.voices():
                if language in voice.languages and not voice.needs_download and voice.id not in self.left_out:
                    return Choice(engine, voice, f"{problem} {voice.name} reads instead." if problem else "")
        name = language_name(language)
        raise Unsupported(f"This text is in {name} and no installed voice speaks {name}.", self._remedy(language))

    def _find(self, voice_id: str) -> tuple[Choice | None, str]:
        """The voice, or why it can't speak."""
        engine, voice, why = self._look_up(voice_id)
        if not engine or not voice:
            return None, why
        if voice_id in self.left_out:
            return None, f"The voice {voice.name} can't be used."
        if voice.needs:
            return None, f"The voice {voice.name} needs {voice.needs}, which has to be downloaded first."
        if voice.needs_download:
            return None, f"The voice {voice.name} has to be downloaded first."
        return Choice(engine, voice), ""

    def _look_up(self, voice_id: str) -> tuple[SpeechEngine | None, Voice | None, str]:
        """The voice with its engine, or why it isn't there."""
        engine = next((engine for engine in self.engines if engine.id == voice_id.partition(":")[0]), None)
        voice = engine.unlisted(voice_id) if isinstance(engine, HasUnlisted) else None
        if engine and not voice and (problem := engine.available()):
            return None, None, f'The voice "{voice_id}" can\'t be used. {problem}'
        if engine and not voice:
            voice = next((voice for voice in engine.voices() if voice.id == voice_id), None)
        if not engine or not voice:
            return None, None, f'There\'s no voice "{voice_id}" on this machine.'
        return engine, voice, ""

    def _remedy(self, language: str) -> str:
        """What would bring a voice for the language: one of the system, or an engine that isn't ready yet."""
        if hint := _ADD_VOICE.get(sys.platform):
            return hint.format(language_name(language))
        missing = (engine for engine in self.engines if language in engine.capabilities().languages)
        return next((problem for engine in missing if (problem := engine.available())), "")
