"""What a reader may wish of the text pipeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class TextOptions:
    """Lengths are in characters of spoken text; Chinese, Japanese and Korean, which say more in one, get less."""

    emoji: Literal["skip", "name"] | str = "skip"
    """``name`` says the (English) Unicode name, once for a run of them."""
    code: Literal["skip", "announce", "read"] | str = "skip"
    """What happens to fenced code blocks; code within a sentence is always read."""
    default_language: str = "en"
    """Language of texts too short to tell. ISO 639-1."""
    first_limit: int = 60
    """The first utterance is no longer than this, so that sound starts at once."""
    limit: int = 180
    """No utterance is longer than this."""
