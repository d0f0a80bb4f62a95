"""Reference audio for cloning a voice, from whatever people have, to mono samples at 24 kHz.

A reference may be a path to a file, ``(samples, rate)``, a ``data:`` URL or bare base64 of an audio file, or an
http(s) URL. Nothing is fetched unless a URL is given, and a download of over 128 MiB is refused. Files are read by
libsndfile: WAV, FLAC, OGG, Opus, MP3, AIFF and more.
"""

from __future__ import annotations

import base64
import binascii
import io
import re
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from desktop_tts.errors import AudioError

SAMPLE_RATE = 24_000
SHORTEST_S, LONGEST_S = 1.0, 300.0
ICL_SILENCE_S = 0.5
"""Silence that may be put after a reference, so that its last sound doesn't leak into the speech. The published
implementation puts none."""

Reference = str | Path | tuple[NDArray[Any], int]

_DOWNLOAD_LIMIT = 128 << 20
_DOWNLOAD_TIMEOUT_S = 30.0
_SILENT = 1e-3  # -60 dB
_BASE64 = re.compile(r"[A-Za-z0-9+/=_\s-]+")


class ReferenceAudioError(AudioError, ValueError):
    """The reference can't be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceAudio:
    """A checked reference."""

    samples: NDArray[np.float32]
    """Mono at 24 kHz."""
    advice: tuple[str, ...] = ()
    """Sentences for the user: what would make the voice better. Empty if nothing is wrong."""

    @property
    def duration_s(self) -> float:
        return len(self.samples) / SAMPLE_RATE

    def with_silence(self, seconds: float = ICL_SILENCE_S) -> NDArray[np.float32]:
        """The samples with silence after them, for reference codes; the x-vector needs none."""
        return np.concatenate((self.samples, np.zeros(round(seconds * SAMPLE_RATE), np.float32)))


def load_reference(source: Reference) -> ReferenceAudio:
    """Read, mix down, resample and check a reference. May read the network if ``source`` is a URL.

    Raises ``ReferenceAudioError`` (a ``ValueError``) with a sentence for the user, and ``TypeError`` for a source of
    another kind.
    """
    samples, rate = _read(source)
    if not np.isfinite(samples).all():
        raise ReferenceAudioError("The reference audio has invalid samples.", "Export it again as a WAV file.")
    _check_duration(len(samples) / rate)
    if np.abs(samples).max() < _SILENT:
        raise ReferenceAudioError("The reference audio is silent.", "Record it again and check the microphone.")
    advice = _advice(samples, rate)
    return ReferenceAudio(_resampled(samples, rate), advice)


def _read(source: Reference) -> tuple[NDArray[np.float32], int]:
    if isinstance(source, tuple):
        return _from_array(source)
    if isinstance(source, np.ndarray):
        raise ReferenceAudioError("An array needs its sample rate.", "Pass the tuple (samples, rate).")
    if isinstance(source, Path):
        return _from_file(source.expanduser())
    if not isinstance(source, str):
        raise TypeError(f"Reference audio of type {type(source).__name__}; it must be a path, URL or (samples, rate).")
    if re.match(r"https?://", source, re.IGNORECASE):
        return _from_file(io.BytesIO(_downloaded(source)))
    if source.lower().startswith("data:"):
        return _from_file(io.BytesIO(_decoded(source.partition(",")[2])))
    if len(source) > 256 and _BASE64.fullmatch(source) and not _is_file(source):
        return _from_file(io.BytesIO(_decoded(source)))
    return _from_file(Path(source).expanduser())


def _from_array(source: tuple[NDArray[Any], int]) -> tuple[NDArray[np.float32], int]:
    """Floats in -1..1, or whole numbers over their type's range; of two axes the short one counts channels."""
    if len(source) != 2 or not isinstance(source[0], np.ndarray) or int(source[1]) <= 0:
        raise ReferenceAudioError("Reference audio as a tuple must be (samples, rate), an array and a positive number.")
    samples, rate = source[0], int(source[1])
    if samples.ndim not in (1, 2) or not samples.size:
        raise ReferenceAudioError("Reference samples must be one channel, or one axis of samples and one of channels.")
    if np.issubdtype(samples.dtype, np.integer):
        limits = np.iinfo(samples.dtype)
        middle = (int(limits.max) + int(limits.min) + 1) // 2
        samples = (samples.astype(np.float64) - middle) / (int(limits.max) + 1 - middle)
    if samples.ndim == 2:
        samples = samples.mean(axis=int(np.argmin(samples.shape)))
    return samples.astype(np.float32), rate


def _from_file(file: Path | io.BytesIO) -> tuple[NDArray[np.float32], int]:
    import soundfile

    if isinstance(file, Path) and not _is_file(file):
        raise ReferenceAudioError(f"There is no reference audio at {file}.", "Choose an audio file.")
    try:
        with soundfile.SoundFile(file) as sound:
            _check_duration(sound.frames / sound.samplerate)  # before an hour of it is in memory
            samples = sound.read(dtype="float32", always_2d=True)
            return samples.mean(axis=1), int(sound.samplerate)
    except (soundfile.SoundFileError, OSError) as error:
        raise ReferenceAudioError("The reference audio can't be read.", "Use a WAV, FLAC, OGG or MP3 file.") from error


def _check_duration(seconds: float) -> None:
    if seconds < SHORTEST_S:
        raise ReferenceAudioError(
            f"The reference audio is only {seconds:.1f} seconds long.", "Use 3 to 20 seconds of clear speech."
        )
    if seconds > LONGEST_S:
        raise ReferenceAudioError(
            "The reference audio is longer than five minutes.", "Cut out 3 to 20 seconds of clear speech."
        )


def _is_file(path: str | Path) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):  # too long, or with a zero character
        return False


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=False)
    except (binascii.Error, ValueError) as error:
        raise ReferenceAudioError("The reference audio isn't valid base64.", "Use a file instead.") from error


def _downloaded(url: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=_DOWNLOAD_TIMEOUT_S) as answer:  # noqa: S310  (http or https, checked)
            data: bytes = answer.read(_DOWNLOAD_LIMIT + 1)
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise ReferenceAudioError(
            "The reference audio can't be downloaded.", "Check the address and the connection, or use a file."
        ) from error
    if len(data) > _DOWNLOAD_LIMIT:
        raise ReferenceAudioError("The file at that address is too large.", "Cut out 3 to 20 seconds of clear speech.")
    return data


def _resampled(samples: NDArray[np.float32], rate: int) -> NDArray[np.float32]:
    """As librosa does by default: soxr's high quality, and a length of n * 24000 / rate, rounded up."""
    if rate == SAMPLE_RATE:
        return samples
    import soxr

    length = int(np.ceil(len(samples) * (float(SAMPLE_RATE) / rate)))
    out: NDArray[np.float32] = soxr.resample(samples, rate, SAMPLE_RATE, quality="soxr_hq")[:length]
    return np.pad(out, (0, length - len(out)))


def _advice(samples: NDArray[np.float32], rate: int) -> tuple[str, ...]:
    loudness = np.abs(samples)
    window = max(rate // 20, 1)  # 50 ms
    levels = np.sqrt(np.mean(samples[: len(samples) // window * window].reshape(-1, window) ** 2, axis=1))
    loud = np.quantile(levels, 0.9)
    speaking = np.flatnonzero(levels > loud / 30)
    before, after = speaking[0] * window / rate, (len(levels) - 1 - speaking[-1]) * window / rate
    advice = []
    if np.count_nonzero(loudness > 0.999) > len(samples) / 1000:
        advice.append("The recording is distorted: record it again with less gain, or further from the microphone.")
    if loud < 0.01:
        advice.append("The recording is very quiet: record it again closer to the microphone.")
    if before > 1.0 or after > 1.0:
        advice.append("There is silence at the start or the end: cut it off.")
    if np.count_nonzero(levels < loud / 30) > len(levels) / 2:
        advice.append("More than half of the recording is silence: use a part with steady speech.")
    if len(samples) / rate < 3.0:
        advice.append("The recording is short: three seconds or more give a closer voice.")
    if len(samples) / rate > 30.0:
        advice.append("The recording is long: 20 seconds are enough, and speech starts sooner with them.")
    return tuple(advice)
