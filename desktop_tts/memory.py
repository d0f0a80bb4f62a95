"""Giving freed memory back to the system. Nothing here knows of engines."""

from __future__ import annotations

import ctypes
import sys


def give_back_freed() -> None:
    """Hand memory that is free within the process to the system; a few milliseconds, other threads go on.

    After ten seconds of speech glibc would keep some 60 MB of it for later, after loading Qwen3-TTS in int8 a gigabyte.
    Elsewhere the allocators do this alone.
    """
    if sys.platform.startswith("linux"):
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # not in musl
        if trim:
            trim(0)
