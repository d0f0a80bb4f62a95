"""One open stream to a device. Its callback only copies; everything else is the player's thread."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

from desktop_tts.audio.devices import find_output, portaudio, stream_closed, stream_opened
from desktop_tts.audio.gain import Gain
from desktop_tts.audio.ring import Ring
from desktop_tts.audio.source import RATE
from desktop_tts.errors import NoAudioDevice

LATENCY_S = 0.1
"""Asked of the device: it hides hiccups of 45 ms, as Python's lock causes them; pause and stop don't wait for it."""
START_S = LATENCY_S + 0.03
"""A device that starts takes about so much at once."""


class Output:
    """Plays what is in ``ring``. Made and used by one thread; the properties may be read by any."""

    def __init__(self, device: str, ring: Ring, gain: Gain, wake: Callable[[], None]) -> None:
        """``wake`` is called from the device's thread after each block.

        Raises NoAudioDevice when it can't be opened, AudioError when there is no sound library."""
        self._ring, self._gain, self._wake = ring, gain, wake
        self._running = False
        self.dead = False
        """It ended by itself: the device or the sound server has gone."""
        self.expects_more = False
        """While true, running empty is an underrun, which is counted when sound comes again."""
        self.ran_dry = False
        self.underruns = 0
        self.first_at = 0.0
        """``time.perf_counter()`` when the first sound, or the first since it was set to 0, was handed over."""
        self.called_at = time.monotonic()
        self._blocks = 0
        self._played: tuple[int, float] = (0, 0.0)
        """A sample of the ring and when it is heard."""
        problem: Exception | None = None
        with portaudio() as sounddevice:
            self._errors = (sounddevice.PortAudioError, OSError)
            number = find_output(sounddevice, device)
            for rate in (RATE, _own_rate(sounddevice, number)):
                try:
                    self._stream = sounddevice.OutputStream(
                        samplerate=rate,
                        channels=1,
                        dtype="float32",
                        device=number,
                        latency=LATENCY_S,
                        callback=self._fill,
                        finished_callback=self._on_finished,
                    )
                except (*self._errors, ValueError) as error:
                    problem = error
                    continue
                stream_opened(self)
                self.rate = int(rate)
                return
        raise NoAudioDevice("The output device can't be opened.", "See `desktop-tts doctor`.") from problem

    # ------------------------------------------------------------ the device's thread

    def _fill(self, out: Any, frames: int, times: Any, status: Any) -> None:
        block = out[:, 0]
        start = self._ring.taken
        count = self._ring.take(block)
        now = time.monotonic()
        if count:
            self._gain.apply(block[:count])
            if not self.first_at:
                self.first_at = time.perf_counter()
            self._played = (start, now + self._delay(times))
            if self.ran_dry or (status.output_underflow and self._blocks):
                self.underruns += 1
            self.ran_dry = False
        block[count:] = 0.0
        self.ran_dry |= count < frames and self.expects_more
        self._blocks += 1
        self.called_at = now
        self._wake()

    def _delay(self, times: Any) -> float:
        """Seconds until the first sample of the block is heard."""
        delay = float(times.outputBufferDacTime - times.currentTime)
        if times.outputBufferDacTime > 0.0 and 0.0 <= delay < 3.0:
            return delay
        return float(self._stream.latency)  # this host doesn't tell

    def _on_finished(self) -> None:
        if self._running:
            self.dead = True
            self._wake()

    # ------------------------------------------------------------ the player's thread

    def start(self) -> None:
        """Raises NoAudioDevice when the device is gone."""
        self._gain.settle()
        self._played = (self._ring.taken, 0.0)
        self.called_at = time.monotonic()
        self._running = True
        try:
            with portaudio():
                self._stream.start()
        except self._errors as error:
            raise NoAudioDevice("The output device can't be started.", "See `desktop-tts doctor`.") from error

    def close(self) -> None:
        """Silent at once: what the device still holds is dropped, and it is free."""
        self._running = self.expects_more = False
        with contextlib.suppress(*self._errors), portaudio():  # a device that has gone is closed too
            self._stream.close()
        stream_closed(self)

    def heard(self) -> float:
        """About which sample of the ring is heard now."""
        start, at = self._played
        if at == 0.0:
            return float(start)
        now = min(time.monotonic(), self.called_at + LATENCY_S)  # a device that stopped calling plays no longer
        return min(max(start + (now - at) * self.rate, 0.0), float(self._ring.taken))


def _own_rate(sounddevice: Any, number: int | None) -> float:
    try:
        return float(sounddevice.query_devices(number, "output")["default_samplerate"])
    except (sounddevice.PortAudioError, ValueError):
        return 48_000.0
