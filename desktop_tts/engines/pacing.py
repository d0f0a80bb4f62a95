"""Holding back the start of speech that is made slower than it is spoken, so that it doesn't stop in the middle."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Iterator

from desktop_tts.speech import AudioChunk

_CAUTION = 1.1
"""The machine may become so much slower than it was."""
_CLOSE, _JITTER_S = 0.7, 0.24
"""Above this factor single frames may be late, so that so much sound must exist."""
_LONGEST_HOLD_S = 60.0
"""Sound that is held back at most."""
_SECONDS_PER_LETTER, _SECONDS_PER_IDEOGRAPH, _SECONDS_AT_LEAST = 0.07, 0.25, 1.0


def expected_s(text: str) -> float:
    """Seconds that a text takes to be spoken, rather more than less."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return _SECONDS_AT_LEAST + wide * _SECONDS_PER_IDEOGRAPH + (len(text) - wide) * _SECONDS_PER_LETTER


def hold_s(real_time_factor: float, length_s: float) -> float:
    """Seconds of sound that must exist before speech of ``length_s`` may start, if each takes ``real_time_factor``
    seconds to make: what is still missing then takes no longer than the whole takes to be heard."""
    factor = real_time_factor * _CAUTION
    if factor > 1:
        return min(max(length_s * (1 - 1 / factor), _JITTER_S), _LONGEST_HOLD_S)
    return _JITTER_S if real_time_factor > _CLOSE else 0.0


def paced(
    chunks: Iterator[AudioChunk],
    real_time_factor: float | None,
    length_s: float,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[AudioChunk]:
    """The chunks, the first of them as late as needed. ``real_time_factor`` is what was measured before (None if
    nothing was); what is measured on the way counts if it is worse."""
    held: list[AudioChunk] = []
    made_s, begun = 0.0, clock()
    for chunk in chunks:
        held.append(chunk)
        first, made_s = made_s == 0, made_s + chunk.duration_s
        if first:
            begun = clock()  # what comes before the first sound says nothing about the rest
        so_far = (clock() - begun) / (made_s - held[0].duration_s) if len(held) > 2 else 0.0
        if made_s >= hold_s(max(real_time_factor or 0.0, so_far), length_s):
            yield from held
            yield from chunks
            return
    yield from held
