"""What a recording says, by a speech recogniser, if faster-whisper and one of its models are on this machine.

It runs in a process of its own: loading it would hold up the windows, and ending it is how it's given up. Nothing is
downloaded.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np

from desktop_tts import paths
from desktop_tts.audio.child import watched
from desktop_tts.audio.clip import RATE
from desktop_tts.errors import AudioError
from desktop_tts.speech import Pcm

PATIENCE_S = 180.0
_RATE = 16_000
_ENGLISH_ONLY = ".en"
_LARGEST = 2 << 30
"""Bytes; larger models are too slow on most machines, and take their memory."""


class NoTranscript(AudioError):
    """The recogniser couldn't tell, or was given up."""


def find_model(language: str) -> Path | None:
    """The best recogniser for this language (ISO 639-1, or empty when it isn't known) that is installed, or None.

    Looks at the disk.
    """
    if importlib.util.find_spec("faster_whisper") is None:
        return None
    found = [folder for folder in _models() if language in ("en", "") or not _is_english_only(folder)]
    return max(
        found, key=lambda folder: (language == "en" or not _is_english_only(folder), _size(folder)), default=None
    )


def transcribe(pcm: Pcm, model: Path, language: str, cancel: threading.Event) -> str:
    """What the samples, at ``clip.RATE``, say. Blocks; raises NoTranscript."""
    import soxr

    sound = soxr.resample(pcm, RATE, _RATE).astype(np.float32).tobytes()
    command = [sys.executable, "-m", __spec__.name, str(model), language]
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child,
        watched(child, cancel, PATIENCE_S),
    ):
        try:
            answer, _ = child.communicate(sound)
        except OSError:  # it ended before it had read
            answer = b""
    try:
        text = str(json.loads(answer)["text"]).strip()
    except (ValueError, KeyError, TypeError) as error:
        raise NoTranscript("The words can't be found out here.", "Type what is said.") from error
    if not text:
        raise NoTranscript("No words were heard.", "Type what is said.")
    return text


def _models() -> list[Path]:
    """Folders with a model: the app's own, and what other programs got from the hub."""
    hub = Path(os.environ.get("HF_HUB_CACHE") or Path(os.environ.get("HF_HOME") or _cache() / "huggingface") / "hub")
    places = [(paths.data_dir() / "whisper", "*/model.bin"), (hub, "models--*whisper*/snapshots/*/model.bin")]
    return [file.parent for place, pattern in places for file in sorted(place.glob(pattern)) if _whole(file.parent)]


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _whole(folder: Path) -> bool:
    files = ("config.json", "tokenizer.json", "model.bin")
    return all((folder / name).is_file() for name in files) and _size(folder) < _LARGEST


def _size(folder: Path) -> int:
    return (folder / "model.bin").stat().st_size


def _is_english_only(folder: Path) -> bool:
    name = folder.parent.parent.name if folder.parent.name == "snapshots" else folder.name
    return name.endswith(_ENGLISH_ONLY)


def _main(model: str, language: str) -> None:
    """In the process of its own: samples from stdin, an object in JSON to stdout."""
    answer = os.dup(1)
    os.dup2(2, 1)  # no library's words between ours
    from faster_whisper import WhisperModel

    sound = np.frombuffer(sys.stdin.buffer.read(), np.float32)
    recogniser = WhisperModel(model, device="cpu", compute_type="int8", local_files_only=True)
    options = {"language": language or None, "condition_on_previous_text": False, "vad_filter": True}
    segments, _ = recogniser.transcribe(sound, **options)
    text = " ".join(segment.text.strip() for segment in segments)
    os.write(answer, json.dumps({"text": text}).encode())


if __name__ == "__main__":
    _main(*sys.argv[1:3])
