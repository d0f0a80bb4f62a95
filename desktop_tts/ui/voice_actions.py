"""What the pages and dialogs about voices and models work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import SignalInstance

from desktop_tts.models.jobs import ModelJobs
from desktop_tts.reader_state import ReaderStatus
from desktop_tts.voices.store import VoiceStore

if TYPE_CHECKING:
    from desktop_tts.engines.qwen import QwenEngine
    from desktop_tts.voices.instructs import InstructPresets
    from desktop_tts.voices.making import VoiceMaker


class Listen(Protocol):
    def __call__(self, voice_id: str, sentence: str = "", instruct: str = "", language: str = "") -> None:
        """Speak ``sentence``, or one that shows off a voice, instead of what is being read. Returns at once; what goes
        wrong is told as a notice, as for any reading. An empty ``instruct`` leaves the voice its own; without a
        ``language`` (ISO 639-1) it is found out, and another voice steps in where this one doesn't speak it."""


class Status(Protocol):
    """The part of the reader that tells whether a voice is being heard."""

    status: ReaderStatus

    @property
    def status_changed(self) -> SignalInstance:
        """Emits a ReaderStatus; many times a second while speaking."""


@dataclass(frozen=True, slots=True)
class VoiceActions:
    """Held by ``Actions.mine``. Calls return at once and belong to the main thread; ``store`` and ``presets`` may be
    asked anywhere; ``maker`` blocks and belongs into a ``BackgroundCall``."""

    store: VoiceStore
    presets: InstructPresets
    reader: Status
    listen: Listen
    instruct_obstacle: Callable[[str], str]
    """Why the voice with this id ignores an instruct, as a sentence; "" when it follows one. Takes ids of the user's
    own voices too."""
    maker: VoiceMaker | None = None
    """None where Qwen3-TTS isn't set up at all."""
    qwen: QwenEngine | None = None
    unload_models: Callable[[], None] = lambda: None
    """Give the memory of Qwen3-TTS back, after what is being read."""
    jobs: ModelJobs = field(default_factory=ModelJobs)
    """Downloads, checks and removals of models; they go on while no window is open."""
