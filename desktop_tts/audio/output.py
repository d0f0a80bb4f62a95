"""One open stream to a device. Its callback only copies; everything else is the player's thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from desktop_tts.audio.devices import find_output, library, quiet
from desktop_tts.audio.ring import Ring
from desktop_tts.audio.source import RATE
from desktop_tts.errors import NoAudioDevice
from desktop_tts.speech import Pcm

LATENCY_S = 0.1
"""Asked of the device: it hides hiccups of 45 ms, as Python's lock causes them; pause and stop don't wait for it."""


class Gain:
    """Volume that is changed without a click; above 1 peaks are rounded off instead of cut."""

    def __init__(self, volume: float) -> None:
        self.target = volume
        self._now = volume

    def apply(self, block: Pcm) -> None:
        """In place; untouched at volume 1."""
        if self._now == 1.0 and self.target == 1.0:
            return
        block *= np.linspace(self._now, self.target, len(block), dtype=np.float32)
        loud = max(self._now, self.target) > 1.0
        self._now = self.target
        if loud:
            peaks = np.abs(block) > 0.8
            rest = (np.abs(block[peaks]) - 0.8) / 0.2
            block[peaks] = np.sign(block[peaks]) * (0.8 + 0.2 * np.tanh(rest))


class Output:
    """Plays what is in ``ring``. Made and used by one thread; the properties may be read by any."""

    def __init__(self, device: str, ring: Ring, gain: Gain, wake: Callable[[], None]) -> None:
        """Raises NoAudioDevice when it can't be opened."""
        self._ring, self._gain, self._wake = ring, gain, wake
        self._died = threading.Event()
        self._running = False
        self.expects_more = False
        """While true, running empty counts as an underrun."""
        self.underruns = 0
        self._empty = True
        self.first_at = 0.0
        """``time.perf_counter()`` when the first sound since ``start`` was handed over; 0 before."""
        self.called_at = time.monotonic()
        self._played: tuple[int, float] = (0, 0.0)
        sounddevice = library()
        number = find_output(device)
        problem: Exception | None = None
        for rate in (RATE, self._own_rate(sounddevice, number)):
            try:
                with quiet():
                    self._stream = sounddevice.OutputStream(
                        samplerate=rate,
                        channels=1,
                        dtype="float32",
                        device=number,
                        latency=LATENCY_S,
                        callback=self._fill,
                        finished_callback=self._on_finished,
                    )
                self.rate = int(rate)
                return
            except (sounddevice.PortAudioError, ValueError, OSError) as error:
                problem = error
        raise NoAudioDevice("The output device can't be opened.", "See `desktop-tts doctor`.") from problem

    @staticmethod
    def _own_rate(sounddevice: Any, number: int | None) -> float:
        try:
            return float(sounddevice.query_devices(number, "output")["default_samplerate"])
        except (sounddevice.PortAudioError, ValueError):
            return 48_000.0

    # ------------------------------------------------------------ the device's thread

    def _fill(self, out: Any, frames: int, times: Any, status: Any) -> None:
        block = out[:, 0]
        start = self._ring.read
        count = self._ring.take(block)
        block[count:] = 0.0
        if count:
            self._gain.apply(block[:count])
            if not self.first_at:
                self.first_at = time.perf_counter()
                self._wake()
        delay = times.outputBufferDacTime - times.currentTime
        if not 0.0 < delay < 2.0:  # some hosts don't tell
            delay = float(self._stream.latency)
        if count:
            self._played = (start, time.monotonic() + delay)
        if count < frames:
            if not self._empty:
                self._empty = True
                if self.expects_more:
                    self.underruns += 1
                self._wake()
        else:
            self._empty = False
        self.called_at = time.monotonic()

    def _on_finished(self) -> None:
        if self._running:
            self._died.set()
            self._wake()

    # ------------------------------------------------------------ the player's thread

    def start(self) -> None:
        """Raises NoAudioDevice when the device is gone."""
        sounddevice = library()
        self.first_at, self._empty = 0.0, True
        self._played = (self._ring.read, 0.0)
        self.called_at = time.monotonic()
        try:
            with quiet():
                self._running = True
                self._stream.start()
        except (sounddevice.PortAudioError, OSError) as error:
            self._running = False
            raise NoAudioDevice("The output device can't be started.", "See `desktop-tts doctor`.") from error

    def abort(self) -> None:
        """Silent at once; what the device still held is dropped."""
        sounddevice = library()
        self._running = False
        try:
            with quiet():
                self._stream.abort()
        except (sounddevice.PortAudioError, OSError):
            self._died.set()

    def close(self) -> None:
        sounddevice = library()
        self._running = False
        try:
            with quiet():
                self._stream.close()
        except (sounddevice.PortAudioError, OSError):
            self._died.set()

    @property
    def dead(self) -> bool:
        """It ended by itself: the device or the sound server has gone."""
        return self._died.is_set()

    @property
    def running(self) -> bool:
        return self._running

    def heard(self) -> float:
        """About which sample of the ring is heard now."""
        start, at = self._played
        if at == 0.0:
            return float(start)
        now = min(time.monotonic(), self.called_at + 0.05)  # a device that stopped calling has stopped playing
        return min(max(start + (now - at) * self.rate, 0.0), float(self._ring.read))
