"""Reads a recording from whatever file people have: libsndfile's formats, and others through ffmpeg if it's there."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from desktop_tts.audio.child import watched
from desktop_tts.audio.clip import RATE, Clip
from desktop_tts.audio.devices import quiet
from desktop_tts.errors import AudioError
from desktop_tts.speech import Pcm

LIMIT_S = 300.0
"""Only so much is read of a longer file."""
PATIENCE_S = 60.0
"""For ffmpeg."""
_BLOCK = 1 << 17
_RATES = range(4_000, 768_001)
_CHANNELS = 64
_FOREIGN = {".m4a", ".aac", ".mp4", ".m4b", ".mov", ".wma", ".amr", ".3gp", ".webm", ".mka", ".mkv"}
_READABLE = "WAV, FLAC, MP3 or OGG"


class Cancelled(AudioError):
    """Reading was given up."""


def read_clip(path: Path, cancel: threading.Event | None = None) -> Clip:
    """The first ``LIMIT_S`` seconds, channels averaged, at 24 kHz. Blocks; ends soon after ``cancel`` is set.

    Raises AudioError, which is Cancelled after that.
    """
    cancel = cancel or threading.Event()
    if os.path.isdir(path):
        raise AudioError("This is a folder.", "Choose an audio file.")
    if not os.path.isfile(path):
        raise AudioError(f"There is no file {path.name}.", "Choose another file.")
    if not os.access(path, os.R_OK):
        raise AudioError(f"{path.name} may not be read.", "Change its permissions, or choose another file.")
    try:
        pieces, cut_short = _decoded(path, cancel)
    except _UnknownFormat as error:
        pieces, cut_short = _through_ffmpeg(path, cancel), False
        if not len(pieces):
            raise _unreadable(path) from error
    if not len(pieces):
        raise AudioError(f"There is no sound in {path.name}.", "Choose another file.")
    limit = round(LIMIT_S * RATE)
    return Clip(pieces[:limit], cut_short or len(pieces) > limit)


class _UnknownFormat(Exception):
    """libsndfile can't read it."""


def _decoded(path: Path, cancel: threading.Event) -> tuple[Pcm, bool]:
    import soundfile

    try:
        with quiet():
            opened = soundfile.SoundFile(path)
        with opened as file:
            if file.samplerate not in _RATES or file.channels > _CHANNELS:
                raise _unreadable(path)
            frames = min(file.frames, round(LIMIT_S * file.samplerate))
            pieces = list(_at_our_rate(file, frames, cancel))
            return np.concatenate(pieces) if pieces else np.zeros(0, np.float32), frames < file.frames
    except soundfile.SoundFileError as error:
        raise _UnknownFormat from error
    except (OSError, ValueError, MemoryError) as error:
        raise _unreadable(path) from error


def _at_our_rate(file: object, frames: int, cancel: threading.Event) -> Iterator[Pcm]:
    import soundfile
    import soxr

    assert isinstance(file, soundfile.SoundFile)
    resampler = soxr.ResampleStream(file.samplerate, RATE, 1, dtype="float32", quality="HQ")
    block = max(_BLOCK // file.channels, 1)
    while frames > 0:
        if cancel.is_set():
            raise Cancelled("Reading the file was given up.")
        found = file.read(min(block, frames), dtype="float32", always_2d=True)
        if not len(found):
            break  # it promised more than it has
        frames -= len(found)
        mono = np.nan_to_num(found.mean(axis=1, dtype=np.float32), nan=0.0, posinf=1.0, neginf=-1.0)
        yield resampler.resample_chunk(mono)
    yield resampler.resample_chunk(np.zeros(0, np.float32), last=True)


def _through_ffmpeg(path: Path, cancel: threading.Event) -> Pcm:
    """Nothing when ffmpeg can't read it either."""
    program = shutil.which("ffmpeg")
    if program is None:
        raise _unreadable(path)
    command = [
        *(program, "-nostdin", "-hide_banner", "-v", "quiet", "-threads", "1"),
        *("-protocol_whitelist", "file", "-i", f"file:{path.absolute()}"),  # no list of files from the net
        *("-map", "0:a:0", "-t", f"{LIMIT_S + 1:.0f}", "-ac", "1", "-ar", str(RATE), "-f", "f32le", "pipe:1"),
    ]
    nowhere = subprocess.DEVNULL
    with (
        subprocess.Popen(command, stdin=nowhere, stdout=subprocess.PIPE, stderr=nowhere) as child,
        watched(child, cancel, PATIENCE_S),
    ):
        assert child.stdout is not None
        data = child.stdout.read(round((LIMIT_S + 1) * RATE) * 4)
    if cancel.is_set():
        raise Cancelled("Reading the file was given up.")
    return np.frombuffer(data[: len(data) // 4 * 4], np.float32)


def _unreadable(path: Path) -> AudioError:
    if path.suffix.lower() in _FOREIGN and shutil.which("ffmpeg") is None:
        kind = path.suffix[1:].upper() if path.suffix != ".m4a" else "M4A"
        return AudioError(
            f"{kind} files can't be read here.", f"Convert it to {_READABLE}, or install ffmpeg and try again."
        )
    return AudioError(f"{path.name} can't be read as sound.", f"Use a {_READABLE} file that plays elsewhere.")
