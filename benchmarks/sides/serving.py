"""One side of a comparison: a process that loads its model, then speaks when asked to and tells how long it took.

Standard library only, because each side runs in an environment of its own.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

TEXT = "It rained all night."
"""The random models read each character as a token; a real one reads a sentence of 15 to 20 words as this many."""
SAMPLES = 1920
"""Samples per frame: 80 ms at 24 kHz."""

Speak = Callable[[int, int], Iterator[int]]
"""``speak(frames, seed)`` gives the number of samples of each piece of sound, when it is there."""
Load = Callable[[dict[str, Any]], tuple[Speak, dict[str, str]]]
"""Takes the settings and gives the voice and the versions of what makes it; raises ``Missing``."""


class Missing(Exception):
    """This side can't run with these settings; the message says why."""


def serve(load: Load) -> None:
    """Take settings as JSON from the command line, then answer each line of JSON from standard input with another."""
    settings = json.loads(sys.argv[1])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer

    def answer(value: dict[str, Any]) -> None:
        print(json.dumps(value), file=answers, flush=True)

    begun = time.perf_counter()
    try:
        speak, versions = load(settings)
    except Missing as reason:
        answer({"missing": str(reason)})
        return
    answer({"load_s": round(time.perf_counter() - begun, 2), "versions": versions})
    for line in sys.stdin:
        asked = json.loads(line)
        answer(_timed(speak, asked["frames"], asked["seed"]))


def _timed(speak: Speak, frames: int, seed: int) -> dict[str, Any]:
    begun = time.perf_counter()
    pieces = [(time.perf_counter() - begun, count) for count in speak(frames, seed) if count]
    took = time.perf_counter() - begun
    made = sum(count for _, count in pieces) / SAMPLES
    if not made:
        return {"frames": 0}
    first_s, first = pieces[0]
    return {
        "frames": round(made),
        "ms_per_frame": round(took * 1000 / made, 2),
        "first_audio_ms": round(first_s * 1000, 1),
        "first_audio_frames": round(first / SAMPLES),
        "peak_rss_mb": peak_rss_mb(),
    }


def peak_rss_mb() -> float | None:
    """Most memory that this process has had, pages of mapped files that it touched among them."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (2**20 if sys.platform == "darwin" else 2**10))
