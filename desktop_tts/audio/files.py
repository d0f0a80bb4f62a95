"""Audio files: written as the sound comes, whole or not at all; read whatever libsndfile reads."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

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


def write_audio(path: Path, chunks: Iterable[AudioChunk], *, speed: float = 1.0) -> float:
    """Encode by the file's ending; seconds written. Equal chunks give equal bytes.

    The file appears when it is complete. Raises AudioError when it can't be written, and whatever ``chunks`` raises.
    """
    kind = FORMATS.get(path.suffix.lower())
    if kind is None:
        raise AudioError(
            f"Files can't be written as {path.suffix or 'no ending'}.", f"Use one of {', '.join(FORMATS)}."
        )
    import soundfile

    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}.", suffix=path.suffix)
        os.close(handle)
    except OSError as error:
        raise AudioError(f"{path} can't be written: {error.strerror}.", "Choose another place.") from error
    part = Path(name)
    try:
        try:
            written = 0
            with soundfile.SoundFile(part, "w", RATE, 1, format=kind[0], subtype=kind[1]) as out:
                for pcm in _at_one_rate(chunks, speed):
                    out.write(np.clip(pcm, -1.0, 1.0))
                    written += len(pcm)
            _make_repeatable(part)
            part.chmod(0o666 & ~_umask())
            os.replace(part, path)
        except (OSError, soundfile.SoundFileError) as error:
            reason = getattr(error, "strerror", None) or "the disk doesn't take it"
            raise AudioError(
                f"{path} can't be written: {reason}.", "Check the disk's space and permissions."
            ) from error
    finally:
        part.unlink(missing_ok=True)
    return written / RATE


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _at_one_rate(chunks: Iterable[AudioChunk], speed: float) -> Iterator[Pcm]:
    import soxr

    stretcher = Stretcher(RATE, speed)
    resampler: tuple[int, soxr.ResampleStream] | None = None
    none = np.zeros(0, np.float32)
    for chunk in chunks:
        if resampler and resampler[0] != chunk.sample_rate:
            yield stretcher.push(resampler[1].resample_chunk(none, last=True))
            resampler = None
        if chunk.sample_rate == RATE:
            yield stretcher.push(chunk.pcm)
            continue
        if resampler is None:
            resampler = (chunk.sample_rate, soxr.ResampleStream(chunk.sample_rate, RATE, 1, dtype="float32"))
        yield stretcher.push(resampler[1].resample_chunk(np.ascontiguousarray(chunk.pcm)))
    if resampler:
        yield stretcher.push(resampler[1].resample_chunk(none, last=True))
    yield stretcher.flush()


def _make_repeatable(part: Path) -> None:
    """Ogg streams carry a random serial number; give them a fixed one, with the page checksums that go with it."""
    data = bytearray(part.read_bytes())
    if data[:4] != b"OggS":
        return
    at = 0
    while data[at : at + 4] == b"OggS":
        segments = data[at + 26]
        end = at + 27 + segments + sum(data[at + 27 : at + 27 + segments])
        data[at + 14 : at + 18] = b"dtts"
        data[at + 22 : at + 26] = bytes(4)
        data[at + 22 : at + 26] = _ogg_checksum(data[at:end]).to_bytes(4, "little")
        at = end
    part.write_bytes(data)


def _ogg_checksum(page: bytes | bytearray) -> int:
    value = 0
    for byte in page:
        value = (value << 8 & 0xFFFFFFFF) ^ _OGG_TABLE[value >> 24 ^ byte]
    return value


def _ogg_table() -> tuple[int, ...]:
    table = []
    for number in range(256):
        value = number << 24
        for _ in range(8):
            value = (value << 1) ^ (0x04C11DB7 if value & 0x80000000 else 0)
        table.append(value & 0xFFFFFFFF)
    return tuple(table)


_OGG_TABLE = _ogg_table()


def read_audio(path: Path, *, max_s: float | None = None) -> tuple[Pcm, int]:
    """Mono samples and their rate, of at most the first ``max_s`` seconds; channels are averaged. Raises AudioError."""
    import soundfile

    try:
        with soundfile.SoundFile(path) as file:
            frames = -1 if max_s is None else int(max_s * file.samplerate)
            pcm = file.read(frames, dtype="float32", always_2d=True)
            return np.ascontiguousarray(pcm.mean(axis=1)), int(file.samplerate)
    except (OSError, soundfile.SoundFileError) as error:
        raise AudioError(
            f"{path} can't be read as audio.", "Use a wav, flac, mp3, ogg or opus file that plays elsewhere."
        ) from error
