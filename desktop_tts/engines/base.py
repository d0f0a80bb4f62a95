"""The interface that every speech engine has. Engines know nothing of Qt, players or settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Event
from typing import Protocol, runtime_checkable

from desktop_tts.speech import AudioChunk, Capabilities, SpeechRequest, Voice


@dataclass(frozen=True, slots=True)
class LoadProgress:
    """How far loading is. ``fraction`` is 0..1, or None when it can't be known."""

    message: str
    fraction: float | None = None
    warning: str = ""
    """A sentence that the user should see, though loading went well."""


Progress = Callable[[LoadProgress], None]


class SpeechEngine(Protocol):
    """One way of turning text into sound.

    ``load``, ``stream`` and ``unload`` run on one worker thread per engine and may block it;
    ``capabilities``, ``voices`` and ``available`` are cheap and may be called from any thread.
    """

    @property
    def id(self) -> str:
        """Stable name, the part of a ``Voice.id`` before the colon."""

    @property
    def name(self) -> str:
        """Name for people."""

    def available(self) -> str:
        """Empty when the engine can work here, else one sentence that says why not and what to do."""

    def capabilities(self) -> Capabilities:
        """What it can do."""

    def voices(self) -> tuple[Voice, ...]:
        """The voices it has on this machine, best first."""

    def load(self, progress: Progress | None = None, voice: str = "") -> None:
        """Get ready to speak, with ``voice`` (a ``Voice.id``) if given. Does nothing if ready. Raises an
        ``EngineError``."""

    def stream(self, request: SpeechRequest, cancel: Event) -> Iterator[AudioChunk]:
        """Speak. Chunks come in order as soon as they exist; ends early, without an error, soon after
        ``cancel`` is set. Loads by itself when needed. Raises an ``EngineError``."""

    def unload(self) -> None:
        """Give memory back. Does nothing if not loaded."""


@runtime_checkable
class HasUnlisted(Protocol):
    """An engine that also speaks with voices that ``voices`` leaves out, and also while it isn't ``available``."""

    def unlisted(self, voice_id: str) -> Voice | None:
        """Such a voice."""
