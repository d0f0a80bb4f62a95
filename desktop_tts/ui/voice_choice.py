"""Which of many voices a short menu offers. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from desktop_tts.speech import Voice, language_name
from desktop_tts.voices.profile import ENGINE

FEW = 8
"""An engine with so many voices or fewer is shown whole."""
MOST = 15
"""Entries in a short menu."""


def short_list(voices: Sequence[Voice], chosen: str, languages: Iterable[str]) -> tuple[Voice, ...]:
    """The voices that can be used now and are likely to be wanted: the chosen one, the user's own, those of engines
    with few voices, and those that speak ``languages`` (the user's). Else in the order of ``voices``."""
    wanted = frozenset(languages)
    per_engine = Counter(voice.engine for voice in voices)
    likely = [
        voice
        for voice in sorted(voices, key=lambda voice: voice.engine != ENGINE)
        if not voice.needs_download
        and (voice.engine == ENGINE or per_engine[voice.engine] <= FEW or wanted.intersection(voice.languages))
    ][:MOST]
    current = [voice for voice in voices if voice.id == chosen and voice not in likely]
    return tuple(current + likely)


def describe(voice: Voice) -> str:
    """Languages and description in a phrase."""
    languages = ", ".join(language_name(code) for code in voice.languages[:4])
    more = ", …" if len(voice.languages) > 4 else ""
    return " · ".join(part for part in (languages + more, voice.description) if part)
