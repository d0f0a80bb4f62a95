"""Records from a microphone: first it only listens, for a level meter, then it keeps what it hears, up to a limit."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from desktop_tts.audio.clip import RATE, Clip
from desktop_tts.audio.devices import named_devices, portaudio, restart, stream_closed, stream_opened
from desktop_tts.audio.loudness import SILENCE_DB, decibels
from desktop_tts.errors import AudioError
from desktop_tts.speech import Pcm

LIMIT_S = 60.0
LATENCY_S = 0.1
STALL_S = 2.0
"""A device that gives nothing for so long has gone or hangs."""
_METER_S = 0.12
_CHANNELS = 2
"""At most; more are microphones of their own that would only blur the voice."""


class NoMicrophone(AudioError):
    """There's nothing to record from."""


@dataclass(frozen=True, slots=True)
class InputDevice:
    """A device that can record."""

    name: str
    """Unique."""
    host: str
    is_default: bool


@dataclass(frozen=True, slots=True)
class Level:
    """How loud it has just been, in decibels of full scale."""

    peak_db: float = SILENCE_DB
    rms_db: float = SILENCE_DB


def input_devices() -> tuple[InputDevice, ...]:
    """What can be recorded from now; while a sound is played or recorded, what could be when that began.

    Takes up to a tenth of a second, and seconds when the sound server hangs. Raises AudioError.
    """
    with portaudio() as sounddevice:
        restart()
        default = sounddevice.default.device[0]
        named = named_devices(sounddevice, "input")
        return tuple(InputDevice(name, host, number == default) for number, (name, host) in named.items())


class Recorder:
    """One microphone. ``open`` and ``close`` may wait for the sound system; everything else returns at once, and any
    thread may call. It tells nothing by itself: ask ``level``, ``seconds`` and ``problem`` as often as they are shown.
    """

    def __init__(self, device: str = "", limit_s: float = LIMIT_S) -> None:
        """``device`` is an ``InputDevice.name``, empty for the system's default. ``limit_s`` is 60 at most."""
        self._device, self._limit_s = device, min(limit_s, LIMIT_S)
        self._opening = threading.Lock()
        self._stream: Any = None
        self._closed = self._dead = self._recording = False
        self._errors: tuple[type[Exception], ...] = (OSError,)
        self._rate = RATE
        self._recent: NDArray[np.float32] = np.zeros((0, 1), np.float32)
        self._recent_end = 0
        self._take: NDArray[np.float32] = np.zeros((0, 1), np.float32)
        self._taken = 0
        self._called_at = 0.0

    def open(self) -> None:
        """Begin to listen. After ``close``, also one that came meanwhile, nothing is open.

        Raises NoMicrophone when there is none or it may not be used, AudioError when there is no sound library.
        """
        with self._opening:
            if self._closed or self._stream is not None:
                return
            with portaudio() as sounddevice:
                restart()
                self._errors = (sounddevice.PortAudioError, OSError, ValueError)
                number = _find(sounddevice, self._device)
                try:
                    self._open(sounddevice, number)
                except self._errors as error:
                    self._end_stream()
                    raise NoMicrophone("The microphone can't be used.", _access_hint()) from error

    def _open(self, sounddevice: Any, number: int | None) -> None:
        about = sounddevice.query_devices(number, "input")
        self._rate = int(about["default_samplerate"])
        channels = max(min(int(about["max_input_channels"]), _CHANNELS), 1)
        problem: Exception | None = None
        for count in dict.fromkeys((1, channels)):
            try:
                self._recent = np.zeros((round(_METER_S * self._rate), count), np.float32)
                self._take = np.zeros((round(self._limit_s * self._rate), count), np.float32)
                self._stream = sounddevice.InputStream(
                    samplerate=self._rate,
                    channels=count,
                    dtype="float32",
                    device=number,
                    latency=LATENCY_S,
                    callback=self._hear,
                    finished_callback=self._on_finished,
                )
                break
            except self._errors as error:
                problem = error
        if self._stream is None:
            assert problem is not None
            raise problem
        stream_opened(self)
        self._called_at = time.monotonic()
        self._stream.start()

    # ------------------------------------------------------------ the device's thread

    def _hear(self, block: NDArray[np.float32], frames: int, times: Any, status: Any) -> None:
        last = block[-len(self._recent) :]
        room = len(self._recent) - self._recent_end
        self._recent[self._recent_end : self._recent_end + len(last)] = last[:room]
        self._recent[: max(len(last) - room, 0)] = last[room:]
        self._recent_end = (self._recent_end + len(last)) % len(self._recent)
        if self._recording:
            count = min(frames, len(self._take) - self._taken)
            self._take[self._taken : self._taken + count] = block[:count]
            self._taken += count
            self._recording = self._taken < len(self._take)
        self._called_at = time.monotonic()

    def _on_finished(self) -> None:
        self._dead = True
        self._recording = False

    # ------------------------------------------------------------ any thread

    @property
    def ready(self) -> bool:
        """It listens."""
        return self._stream is not None and not self._closed and not self._dead

    @property
    def recording(self) -> bool:
        """What it hears is kept; ends by itself at the limit or when the device has gone."""
        return self._recording

    @property
    def seconds(self) -> float:
        """Length of what was kept."""
        return self._taken / self._rate

    def level(self) -> Level:
        """Of the last tenth of a second."""
        if not self.ready or not len(self._recent):
            return Level()
        recent = self._recent.copy()
        return Level(decibels(float(np.abs(recent).max())), decibels(float(np.sqrt(np.mean(recent * recent)))))

    def problem(self) -> str:
        """Empty, or a sentence: the device has gone or hangs. What was recorded is kept."""
        if self._stream is None or self._closed:
            return ""
        if self._dead:
            return "The microphone has gone. Connect it again, or choose another."
        if time.monotonic() - self._called_at > STALL_S:
            self._recording = False
            return "The microphone doesn't respond. Connect it again, or choose another."
        return ""

    def start(self) -> None:
        """Keep what is heard from now on; an earlier take is forgotten."""
        self._recording = False
        self._taken = 0
        self._recording = self.ready

    def stop(self) -> None:
        """Keep no more; ``clip`` has what was recorded."""
        self._recording = False

    def clip(self) -> Clip:
        """What was recorded, at ``clip.RATE``; works after ``close`` too. Takes a moment for a long one."""
        import soxr

        take: Pcm = self._take[: self._taken].mean(axis=1, dtype=np.float32)
        if self._rate != RATE and len(take):
            take = soxr.resample(take, self._rate, RATE, quality="HQ")
        return Clip(np.ascontiguousarray(take, np.float32))

    def close(self) -> None:
        """Free the microphone. Waits a moment for an ``open`` in another thread."""
        self._closed = True
        self._recording = False
        with self._opening:
            self._end_stream()

    def _end_stream(self) -> None:
        if self._stream is None:
            return
        with contextlib.suppress(*self._errors, AudioError), portaudio():  # a device that has gone is closed too
            self._stream.close()
        stream_closed(self)
        self._stream = None


def _find(sounddevice: Any, name: str) -> int | None:
    """Number of the device, None for the system's default. With the lock."""
    inputs = named_devices(sounddevice, "input")
    if not inputs:
        raise NoMicrophone("No microphone was found.", "Connect one and try again, or choose a file.")
    if not name:
        return None
    for number, (known, _) in inputs.items():
        if known == name:
            return number
    raise NoMicrophone(f"The microphone {name!r} isn't there.", "Connect it, or choose another.")


def _access_hint() -> str:
    if sys.platform == "darwin":
        return "Allow this program in System Settings, Privacy & Security, Microphone."
    if sys.platform == "win32":
        return "Allow desktop apps in Settings, Privacy, Microphone, and close programs that use it."
    return "Check that it is switched on and allowed in the system's settings, or choose a file."
