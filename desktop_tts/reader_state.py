"""What the reader is doing, as a value that the windows and the command line show."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from desktop_tts.speech import Span


class ReaderState(StrEnum):
    IDLE = "idle"
    PREPARING = "preparing"
    SPEAKING = "speaking"
    PAUSED = "paused"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class ReaderStatus:
    """A picture of the reader at one moment."""

    state: ReaderState = ReaderState.IDLE
    text: str = ""
    """The sentence that is heard; empty when idle."""
    span: Span | None = None
    """Where that sentence is in the text the user gave."""
    word: Span | None = None
    """Where the word that is heard is in the text the user gave, if the engine tells."""
    word_in_text: Span | None = None
    """Where that word is in ``text``."""
    progress: float = 0.0
    """0..1 of the text."""
    voice_name: str = ""
    source: str = ""
    """``selection``, ``clipboard``, ``command`` or empty."""
    message: str = ""
    """A sentence for the user when something is wrong."""

    @property
    def busy(self) -> bool:
        return self.state in (ReaderState.PREPARING, ReaderState.SPEAKING, ReaderState.PAUSED)
