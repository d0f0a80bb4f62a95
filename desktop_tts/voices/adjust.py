"""A voice's own speed and loudness, on the way from its engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from threading import Event

import numpy as np

from desktop_tts.audio.gain import round_off
from desktop_tts.audio.stretch import Stretcher
from desktop_tts.speech import AudioChunk, Pcm, WordTime


def adjusted(chunks: Iterator[AudioChunk], speed: float, volume: float, cancel: Event) -> Iterator[AudioChunk]:
    """``chunks`` at ``speed`` and ``volume``, their word times where the words now sound."""
    stretched = chunks if speed == 1.0 else _stretched(chunks, speed, cancel)
    for chunk in stretched:
        yield chunk if volume == 1.0 else replace(chunk, pcm=louder(chunk.pcm, volume))


def louder(pcm: Pcm, volume: float) -> Pcm:
    """Peaks are rounded off instead of cut when ``volume`` is above 1."""
    out = (pcm * np.float32(volume)).astype(np.float32)
    if volume > 1.0:
        round_off(out)
    return out


def _stretched(chunks: Iterator[AudioChunk], speed: float, cancel: Event) -> Iterator[AudioChunk]:
    stretcher: Stretcher | None = None
    rate = pushed = given = 0  # samples in and out
    waiting: list[WordTime] = []  # with times from the start of all that came out

    def chunk_of(pcm: Pcm, last: bool = False) -> AudioChunk:
        """``pcm`` with those of the waiting words that begin in it."""
        nonlocal waiting, given
        start, end = given / rate, (given + len(pcm)) / rate
        ready = [word for word in waiting if last or word.start_s < end]
        waiting = waiting[len(ready) :]
        given += len(pcm)
        held = (
            replace(w, start_s=min(max(w.start_s, start), end) - start, end_s=min(max(w.end_s, start), end) - start)
            for w in ready
        )
        return AudioChunk(pcm, rate, tuple(held))

    for chunk in chunks:
        if stretcher is None:
            rate, stretcher = chunk.sample_rate, Stretcher(chunk.sample_rate, speed)
        at = pushed / rate
        waiting += [
            replace(word, start_s=(at + word.start_s) / speed, end_s=(at + word.end_s) / speed) for word in chunk.words
        ]
        pushed += len(chunk.pcm)
        if len(out := stretcher.push(chunk.pcm)):
            yield chunk_of(out)
    if stretcher is not None and not cancel.is_set() and (len(rest := stretcher.flush()) or waiting):
        yield chunk_of(rest, last=True)
