"""Qwen3-TTS behind the engine interface: speaks with a model in a process of its own, kept warm and let go when idle.

A voice id is ``qwen:<model>/<speaker>``. With a Base model, ``qwen:<model>/`` and a prompt file speak a cloned voice;
with a VoiceDesign model, ``qwen:<model>/`` and an instruct speak the voice that it describes.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import logging
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from desktop_tts import paths
from desktop_tts.engines.base import LoadProgress, Progress
from desktop_tts.engines.pacing import expected_s, paced
from desktop_tts.engines.qwen_process import Message, QwenProcess
from desktop_tts.engines.speeds import Speeds, slowness
from desktop_tts.errors import EngineError, EngineFault, NotInstalled, OutOfMemory, Unsupported
from desktop_tts.models import store
from desktop_tts.models.catalog import MODELS
from desktop_tts.speech import AudioChunk, Capabilities, SpeechRequest, Voice

log = logging.getLogger(__name__)

LANGUAGES = {
    "zh": "Chinese", "en": "English", "ja": "Japanese", "ko": "Korean", "de": "German", "fr": "French", "ru": "Russian",
    "pt": "Portuguese", "es": "Spanish", "it": "Italian",
}  # fmt: skip
SPEAKERS = {
    "vivian": ("zh", "a bright young woman, slightly edgy"),
    "serena": ("zh", "a warm, gentle young woman"),
    "uncle_fu": ("zh", "an experienced man with a low, mellow voice"),
    "dylan": ("zh", "a youthful Beijing man"),
    "eric": ("zh", "a lively Chengdu man, slightly husky"),
    "ryan": ("en", "a dynamic man with a strong rhythm"),
    "aiden": ("en", "a sunny American man"),
    "ono_anna": ("ja", "a playful woman with a light voice"),
    "sohee": ("ko", "a warm woman, rich in emotion"),
}
"""Native language and description of the published speakers."""
RATE = 24_000
FRAME_S = 0.08
POLL_S = 0.04
LIVE_S = 8.0
"""How much of a text that is still being written is spoken without a gap, when speaking is slow."""
RETRY_AFTER_S = 120.0
"""A model that could not be loaded is tried again after this."""
BUSY_S = 10.0
"""How long the making of a voice waits for a reading to end, which may be paused."""


@dataclass(frozen=True, slots=True)
class QwenOptions:
    """How to run the model, from the settings."""

    device: str = "auto"
    """``auto``, ``cpu``, ``cuda:0``, ``mps``."""
    dtype: str = "auto"
    """``auto``, ``float32``, ``bfloat16``, ``float16``."""
    unload_after_min: float = 10.0
    """Minutes without speech after which its memory is given back; 0 keeps it."""
    folder: str = ""
    """A model directory of the user's own, in the published layout."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model directory that can be spoken with."""

    key: str
    folder: Path
    kind: str
    """``custom_voice``, ``voice_design`` or ``base``."""
    speakers: tuple[str, ...]
    size: str = ""
    """``0b6`` or ``1b7``."""


class QwenEngine:
    """See the module's docstring. ``options`` is asked at each load, ``on_progress`` told while loading."""

    id = "qwen"
    name = "Qwen3-TTS"

    def __init__(
        self,
        options: Callable[[], QwenOptions] = QwenOptions,
        on_progress: Progress = lambda _: None,
        find_models: Callable[[], tuple[Model, ...]] | None = None,
        speeds: Speeds | None = None,
    ) -> None:
        self._options, self._on_progress = options, on_progress
        self._find_models = find_models or (lambda: installed_models(options().folder))
        self._process: QwenProcess | None = None
        self._loaded: str = ""
        self._loading: str = ""
        self._folder = Path()
        self._attempts: list[tuple[str, str]] = []
        self._failure: tuple[float, str, EngineError] | None = None
        self._speeds = speeds or Speeds()
        self._lock = threading.RLock()
        self._next_id = 0
        self._idle: threading.Timer | None = None
        self.where = ""
        """Device and type of the loaded model, for people."""

    # ------------------------------------------------------------ what there is

    def available(self) -> str:
        missing = [name for name in ("torch", "safetensors", "tokenizers") if importlib.util.find_spec(name) is None]
        if missing:
            return "Qwen3-TTS needs PyTorch. Install it with: python3 installers/bootstrap.py setup --qwen"
        if not self._find_models():
            return "No Qwen3-TTS model is installed. Bring one with: desktop-tts models download 0.6b-custom-voice"
        return ""

    def capabilities(self) -> Capabilities:
        return Capabilities(
            frozenset(LANGUAGES), RATE, streams_text=True, streams_audio=True, instruct=True, cloning=True, seeds=True
        )

    def voices(self) -> tuple[Voice, ...]:
        found = []
        for model in self._find_models():
            for speaker in model.speakers:
                native, description = SPEAKERS.get(speaker, ("", ""))
                codes = sorted(LANGUAGES, key=lambda code: (code != native, code != "en", code))
                name = f"{speaker.replace('_', ' ').title()} (Qwen3-TTS {model.key.split('-', 1)[0].upper()})"
                if (self._speeds.get(model.key) or 0) > 1:
                    description = f"{description}; slower than speech on this computer".removeprefix("; ")
                found.append(Voice(f"qwen:{model.key}/{speaker}", name, self.id, tuple(codes), description))
        return tuple(found)

    @property
    def loaded(self) -> str:
        """Key of the model in memory, or empty. Waits for nothing."""
        return self._loaded

    def models(self) -> tuple[Model, ...]:
        """The models on this machine."""
        return self._find_models()

    def instruct_obstacle(self, voice_id: str) -> str:
        """Why a voice doesn't follow instructs, as a sentence; empty if it does."""
        return instruct_obstacle(voice_id, self._find_models())

    # ------------------------------------------------------------ loading

    def load(self, progress: Progress | None = None, voice: str = "") -> None:
        models = self._find_models()
        if not models:
            raise NotInstalled(self.available())
        key = self._model_and_speaker(voice)[0] if voice else self._loaded or models[0].key
        self._ensure(key, threading.Event(), progress)

    def _ensure(self, key: str, cancel: threading.Event, progress: Progress | None = None) -> bool:
        """Have the model ``key`` loaded; False when cancelled first, and then loading goes on behind the scenes."""
        tell = progress or self._on_progress
        with self._lock:
            if self._process is not None and not self._process.alive:
                self._drop()
            if self._loaded == key:
                return True
            if self._failure and self._failure[1] == key and time.monotonic() - self._failure[0] < RETRY_AFTER_S:
                raise self._failure[2]
            if self._loading != key:
                self._begin(key)
            while self._loading:
                if cancel.is_set():
                    return False
                try:
                    self._watch(key, tell)
                except EngineError as error:
                    self._failure = (time.monotonic(), key, error)
                    self._drop()
                    raise
            return True

    def _begin(self, key: str) -> None:
        model = self._model(key)
        self._drop()
        options = self._options()
        self._attempts = _attempts(options.device, options.dtype)
        self._process, self._loading, self._folder = QwenProcess(), key, model.folder
        self._try_next()

    def _model(self, key: str) -> Model:
        for model in self._find_models():
            if model.key == key:
                return model
        raise NotInstalled(f"The model {key} isn't installed.", f"Bring it with: desktop-tts models download {key}")

    def _try_next(self) -> None:
        device, dtype = self._attempts.pop(0)
        assert self._process is not None
        cache = str(paths.cache_dir() / "weights")
        self._process.send({"op": "load", "path": str(self._folder), "device": device, "dtype": dtype, "cache": cache})

    def _watch(self, key: str, tell: Progress) -> None:
        """Take one message of a process that loads."""
        assert self._process is not None
        message = self._process.receive(POLL_S)
        if message is None:
            return
        head, _ = message
        if head.get("op") == "progress":
            tell(LoadProgress(f"{self.name} {key}: {head['message']}"))
        elif head.get("op") == "load" and head.get("done"):
            self._loaded, self._loading, self._failure = key, "", None
            self.where = f"{head['device']}, {head['dtype']}"
            log.info("loaded %s on %s", key, self.where)
            tell(LoadProgress(f"{self.name} is ready.", 1.0, self._measured(key, head["frame_s"])))
        elif head.get("op") == "load" and head["failed"] == "memory" and self._attempts:
            log.warning("no memory for %s; trying %s", key, self._attempts[0])
            tell(LoadProgress(f"{self.name} {key}: not enough memory on the device, trying another way"))
            self._try_next()
        elif head.get("op") == "load":
            raise _error(head, f"{self.name} {key}")

    def _measured(self, key: str, frame_s: float) -> str:
        """Note how fast the model is here; a sentence if that is slower than speech."""
        factor = frame_s / FRAME_S
        self._speeds.set(key, factor)
        log.info("a second of speech takes %.2f s", factor)
        return slowness(f"{self.name} {key}", factor, smaller=key.startswith("1.7b"))

    def real_time_factor(self, model: str) -> float | None:
        """Seconds that a second of speech took with the model ``model`` when it was last loaded; None if never."""
        return self._speeds.get(model)

    def _drop(self) -> None:
        if self._process is not None:
            self._process.close()
        self._process, self._loaded, self._loading, self.where = None, "", "", ""

    def unload(self) -> None:
        with self._lock:
            self._stop_idle()
            self._drop()
            self._failure = None

    # ------------------------------------------------------------ speaking

    def stream(self, request: SpeechRequest, cancel: threading.Event) -> Iterator[AudioChunk]:
        with self.turn(cancel) as mine:
            if not mine:
                return
            key, speaker = self._model_and_speaker(request.voice)
            how = self._way(self._model(key), speaker, request)
            if self._ensure(key, cancel):
                length_s = expected_s(request.text) if isinstance(request.text, str) else LIVE_S
                yield from paced(self._speak(request, how, cancel), self._speeds.get(key), length_s)

    @contextlib.contextmanager
    def turn(self, cancel: threading.Event, wait_s: float | None = None) -> Iterator[bool]:
        """Wait until nobody else speaks or clones, and keep others waiting; False if cancelled first. Raises
        EngineFault after ``wait_s``."""
        begun = time.monotonic()
        while not self._lock.acquire(timeout=POLL_S):
            if cancel.is_set():
                yield False
                return
            if wait_s is not None and time.monotonic() - begun > wait_s:
                raise EngineFault(f"{self.name} is reading aloud.", "Stop that first, then try again.")
        try:
            self._stop_idle()
            yield True
        finally:
            self._start_idle()
            self._lock.release()

    def _way(self, model: Model, speaker: str, request: SpeechRequest) -> dict[str, Any]:
        """What the process is told of the voice. Raises Unsupported."""
        language = LANGUAGES.get(request.language)
        if language is None:
            raise Unsupported(f"{self.name} doesn't speak the language {request.language!r}.")
        instruct = "" if model.kind == "base" or instruct_obstacle(f"qwen:{model.key}/", (model,)) else request.instruct
        if model.kind == "base" and request.prompt is None:
            raise Unsupported(f"The model {model.key} speaks cloned voices only.", "Choose a voice of your own.")
        if model.kind == "voice_design" and not instruct.strip():
            raise Unsupported(f"The model {model.key} needs a description of the voice.", "Choose a voice of your own.")
        prompt = str(request.prompt) if model.kind == "base" else ""
        return {"mode": model.kind, "speaker": speaker, "language": language, "instruct": instruct, "prompt": prompt}

    def _model_and_speaker(self, voice: str) -> tuple[str, str]:
        if voice:
            key, _, speaker = voice.partition(":")[2].partition("/")
            return key, speaker
        model = next((model for model in self._find_models() if model.speakers), None)
        if model is None:
            raise NotInstalled(self.available())
        return model.key, model.speakers[0]

    def _speak(self, request: SpeechRequest, how: dict[str, Any], cancel: threading.Event) -> Iterator[AudioChunk]:
        process, number = self._next()
        whole = request.text if isinstance(request.text, str) else None
        sampling = asdict(request.sampling)
        process.send({"op": "speak", "id": number, "text": whole, "seed": request.seed, "sampling": sampling} | how)
        if not isinstance(request.text, str):
            pieces = request.text
            threading.Thread(target=self._feed, args=(process, number, pieces, cancel), daemon=True).start()
        over = False
        try:
            while not over and not cancel.is_set():
                message = process.receive(POLL_S)
                if message is None or message[0].get("id") != number:
                    continue  # nothing yet, or the rest of something cancelled
                over, chunk = self._take(message)
                if chunk is not None:
                    yield chunk
        finally:
            if not over:
                self._stop(process, number)

    def _next(self) -> tuple[QwenProcess, int]:
        assert self._process is not None
        self._next_id += 1
        return self._process, self._next_id

    def _take(self, message: Message) -> tuple[bool, AudioChunk | None]:
        head, pcm = message
        if head.get("failed"):
            raise _error(head, self.name)
        if head.get("done"):
            return True, None
        return False, AudioChunk(np.frombuffer(pcm, np.float32), RATE)

    def _stop(self, process: QwenProcess, number: int) -> None:
        """Tell the process to stop; what it still sends for this request is dropped by the next one."""
        try:
            process.send({"op": "cancel", "id": number})
        except EngineFault:
            self._drop()

    @staticmethod
    def _feed(process: QwenProcess, number: int, pieces: Iterator[str], cancel: threading.Event) -> None:
        try:
            for piece in pieces:
                if cancel.is_set():
                    return
                process.send({"op": "text", "id": number, "text": piece})
            process.send({"op": "end", "id": number})
        except EngineFault:
            log.warning("the process ended while its text was coming")

    # ------------------------------------------------------------ cloning

    def clone(
        self,
        model_key: str,
        reference: Path,
        transcript: str,
        x_vector_only: bool,
        target: Path,
        cancel: threading.Event,
    ) -> bool:
        """Listen to the recording ``reference`` and save its voice as ``target``, for the Base model ``model_key``.

        Without ``x_vector_only``, ``transcript`` is what the recording says. False, and no file, when cancelled first.
        Raises an ``EngineError``, also when the disk refuses; what ``target`` was before then stays.
        """
        with self.turn(cancel, BUSY_S) as mine:
            if self._model(model_key).kind != "base":
                raise Unsupported(f"The model {model_key} can't clone voices.", "Choose a Base model.")
            if not mine or not self._ensure(model_key, cancel):
                return False
            process, number = self._next()
            request = {"reference": str(reference), "transcript": transcript, "x_vector_only": x_vector_only}
            process.send({"op": "clone", "id": number} | request)
            while not cancel.is_set():
                message = process.receive(POLL_S)
                if message is None or message[0].get("id") != number:
                    continue
                head, prompt = message
                if head.get("failed"):
                    raise _error(head, self.name, "clone this voice")
                _write(target, prompt)
                return True
            self._stop(process, number)
            return False

    # ------------------------------------------------------------ idle

    def _start_idle(self) -> None:
        self._stop_idle()
        minutes = self._options().unload_after_min
        if minutes > 0 and self._process is not None:
            self._idle = threading.Timer(minutes * 60, self.unload)
            self._idle.daemon = True
            self._idle.start()

    def _stop_idle(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None


def _attempts(device: str, dtype: str) -> list[tuple[str, str]]:
    """Ways to load, in order: as wished, with half the memory, on the CPU."""
    ways = [(device, dtype)]
    if dtype == "float32":
        ways.append((device, "bfloat16"))
    if device != "cpu":
        ways.append(("cpu", "auto"))
    return ways


def _write(target: Path, content: bytes) -> None:
    """For its owner only, whole or not at all."""
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
    except OSError as error:
        raise EngineFault(f"The voice can't be saved: {error.strerror}.", "Check the disk.") from error


def _error(head: dict[str, Any], what: str, task: str = "speak this") -> EngineError:
    if head["failed"] == "memory":
        return OutOfMemory(f"There isn't enough memory for {what}.", "Choose a smaller model or close other programs.")
    if head["failed"] == "refused":
        return EngineFault(f"{what} can't {task}: {head['error']}")
    return EngineFault(f"{what} failed ({head['error']}).")


OWN = "own"
"""Key of the model in the user's own folder."""


def installed_models(own_folder: str = "") -> tuple[Model, ...]:
    """The downloaded models and the user's own; a damaged one is left out. Reads small configuration files only."""
    places = [(known.key, here.folder) for known in MODELS if (here := store.installed(known))]
    if own_folder:
        places.append((OWN, Path(own_folder)))
    found = []
    for key, folder in places:
        try:
            found.append(describe(key, folder))
        except EngineFault:
            log.warning("the model %s is left out: its configuration can't be read", key)
    return tuple(found)


def describe(key: str, folder: Path) -> Model:
    """A model directory in the official layout. Raises EngineFault when its configuration can't be read."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        speakers = tuple(config["talker_config"].get("spk_id") or ())
        return Model(key, folder, config["tts_model_type"], speakers, str(config.get("tts_model_size", "")))
    except (OSError, ValueError, KeyError) as error:
        raise EngineFault(f"The configuration in {folder} can't be read.", "Download the model again.") from error


def instruct_obstacle(voice_id: str, models: Sequence[Model] = ()) -> str:
    """Why a voice doesn't follow instructs, as a sentence; empty if it does. ``models`` are those beside the published.

    Of the published models, those of 1.7B do: with speakers of their own, or making voices from descriptions.
    """
    engine, _, rest = voice_id.partition(":")
    key = rest.partition("/")[0]
    if engine != QwenEngine.id:
        return "Only voices of Qwen3-TTS follow instructs."
    kinds = {known.key: (known.kind, known.key.startswith("0.6b")) for known in MODELS}
    kinds |= {model.key: (model.kind, model.size == "0b6") for model in models}
    kind, small = kinds.get(key, ("", False))
    if kind == "base":
        return "A cloned voice speaks as in its recording and follows no instruct."
    if kind == "custom_voice" and small:
        return "The 0.6B model follows no instruct; the 1.7B model does."
    return "" if kind else f"The model {key} isn't installed."
