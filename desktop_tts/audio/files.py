"""Audio files: written as the sound comes, whole or not at all; read whatever libsndfile reads."""

from __future__ import annotations

import contextlib
import math
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from desktop_tts.audio.devices import quiet
from desktop_tts.audio.ogg import set_serial
from desktop_tts.audio.stretch import Stretcher
from desktop_tts.errors import AudioError
from desktop_tts.speech import AudioChunk, Pcm

FORMATS = {
    ".wav": ("WAV", "PCM_16"),
    ".flac": ("FLAC", "PCM_16"),
    ".mp3": ("MP3", "MPEG_LAYER_III"),
    ".opus": ("OGG", "OPUS"),
    ".ogg": ("OGG", "OPUS"),
}
RATE = 24_000
SMALL = 1 << 20
"""A disk with fewer bytes left counts as full."""


def write_audio(
    path: Path, chunks: Iterable[AudioChunk | tuple[Pcm, int]], *, sample_rate: int = RATE, speed: float = 1.0
) -> float:
    """Encode chunks, or pairs of mono samples and their rate, by the file's ending; seconds written.

    Equal chunks give equal bytes. The file appears when it is complete; what it replaces stays until then.
    Raises AudioError when it can't be written or there is no sound, and whatever ``chunks`` raises.
    """
    kind = FORMATS.get(path.suffix.lower())
    if kind is None:
        raise AudioError(
            f"Files can't be written as {path.suffix or 'a name without an ending'}.", f"Use {_listed(FORMATS)}."
        )
    if os.path.isdir(path):  # the method of Path raises for names that are too long
        raise AudioError(f"{path} is a folder.", "Give the name of a file.")
    pieces = _at_one_rate(chunks, sample_rate, speed)
    with _replacing(path) as part:
        written = _encode(path, part, kind, sample_rate, pieces)
        if kind[0] == "OGG":
            with _told_of(path):
                set_serial(part)
    return written / sample_rate


def _encode(path: Path, part: Path, kind: tuple[str, str], sample_rate: int, pieces: Iterator[Pcm]) -> int:
    import soundfile

    with _told_of(path):
        out = soundfile.SoundFile(part, "w", sample_rate, 1, format=kind[0], subtype=kind[1])
    written = 0
    try:
        for pcm in pieces:
            with _told_of(path):
                out.write(np.clip(pcm, -1.0, 1.0))
            written += len(pcm)
    except BaseException:
        with contextlib.suppress(soundfile.SoundFileError):
            out.close()
        raise
    with _told_of(path):
        out.close()
    if not written:
        raise AudioError("There is no sound to write.", f"{path} was not written.")
    # The MP3 decoder complains on the terminal when it begins in the middle, as it does here.
    with _told_of(path), quiet(), soundfile.SoundFile(part) as file:
        tail = min(written, sample_rate)
        whole = file.frames == written and file.seek(-tail, soundfile.SEEK_END) >= 0 and len(file.read()) == tail
    if not whole:  # encoders hold sound back to the end, and don't tell when there was no room for it
        raise _unwritable(path, "")
    return written


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A new file beside ``path`` that takes its place when the block ends well, and goes otherwise."""
    part = path.with_name(f".{secrets.token_hex(6)}.part{path.suffix}")
    try:
        with _told_of(path):
            os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        yield part
        with _told_of(path):
            os.replace(part, path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


@contextlib.contextmanager
def _told_of(path: Path) -> Iterator[None]:
    """What the disk refuses, as a sentence."""
    import soundfile

    try:
        yield
    except OSError as error:
        raise _unwritable(path, error.strerror or "") from error
    except soundfile.SoundFileError as error:
        raise _unwritable(path, "") from error


def _unwritable(path: Path, reason: str) -> AudioError:
    with contextlib.suppress(OSError):
        if shutil.disk_usage(path.parent).free < SMALL:
            return AudioError(f"{path} can't be written: the disk is full.", "Make room or choose another place.")
    return AudioError(
        f"{path} can't be written: {reason or 'the disk does not take it'}.",
        "Check the folder, its permissions and the disk's space.",
    )


def _listed(endings: Iterable[str]) -> str:
    *most, last = endings
    return f"{', '.join(most)} or {last}"


def _at_one_rate(chunks: Iterable[AudioChunk | tuple[Pcm, int]], rate: int, speed: float) -> Iterator[Pcm]:
    import soxr

    stretcher = Stretcher(rate, speed)
    resampler: tuple[int, soxr.ResampleStream] | None = None
    nothing = np.zeros(0, np.float32)
    for chunk in chunks:
        pcm, chunk_rate = (chunk.pcm, chunk.sample_rate) if isinstance(chunk, AudioChunk) else chunk
        if resampler and resampler[0] != chunk_rate:
            yield stretcher.push(resampler[1].resample_chunk(nothing, last=True))
            resampler = None
        if chunk_rate == rate:
            yield stretcher.push(np.asarray(pcm, np.float32))
            continue
        if resampler is None:
            resampler = (chunk_rate, soxr.ResampleStream(chunk_rate, rate, 1, dtype="float32"))
        yield stretcher.push(resampler[1].resample_chunk(np.ascontiguousarray(pcm, np.float32)))
    if resampler:
        yield stretcher.push(resampler[1].resample_chunk(nothing, last=True))
    yield stretcher.flush()


def read_audio(path: Path, *, max_s: float | None = None) -> tuple[Pcm, int]:
    """Mono samples and their rate, of at most the first ``max_s`` seconds; channels are averaged. Raises AudioError."""
    import soundfile

    if not os.path.isfile(path):
        raise AudioError(f"There is no file {path}.", "Check its name and place.")
    try:
        with soundfile.SoundFile(path) as file:
            frames = -1 if max_s is None else math.ceil(max_s * file.samplerate)
            pcm = file.read(frames, dtype="float32", always_2d=True)
            rate = int(file.samplerate)
    except (OSError, soundfile.SoundFileError) as error:
        raise AudioError(
            f"{path} can't be read as audio.", f"Use a {_listed(FORMATS)} file that plays elsewhere."
        ) from error
    return np.nan_to_num(pcm.mean(axis=1, dtype=np.float32), nan=0.0, posinf=1.0, neginf=-1.0), rate
