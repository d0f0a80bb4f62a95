"""The player: gapless sound from any thread to a device; pause, stop, skip, speed and volume are heard at once.

What is written waits in ``Source``. The player's own thread stretches it and keeps a short ring filled, from which the
device's callback copies. Everything that jumps (pause, stop, skip, another device, a lost one) goes the same way: find
the sample of the source that the ear is at, drop what lies between, and go on from there.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from desktop_tts.audio import stretch
from desktop_tts.audio.devices import restart_library
from desktop_tts.audio.output import LATENCY_S, Gain, Output
from desktop_tts.audio.ring import PlayMap, Ring
from desktop_tts.audio.source import RATE, Source
from desktop_tts.errors import AudioError, NoAudioDevice
from desktop_tts.speech import Pcm

log = logging.getLogger(__name__)

BLOCK_S = 0.02
RING_AHEAD_S = 0.06
"""Kept in the ring ahead of the device; with the device's own latency it is how late a new speed is heard."""
TICK_S = 0.01
STALL_S = 1.5
"""A device that asks for nothing for so long while it should play doesn't respond."""
RETRY_S = (0.3, 0.5, 1.0, 2.0)
CLOSE_AFTER_S = 8.0
"""An idle stream is closed after this, so that the device may sleep."""


class PlayerEventKind(StrEnum):
    STARTED = "started"
    """The first sound of a reading was handed to the device."""
    DRAINED = "drained"
    """All was heard."""
    DEVICE_LOST = "device lost"
    NO_DEVICE = "no device"
    STALLED = "stalled"
    DEVICE_BACK = "device back"
    CANT_STRETCH = "can't stretch"


@dataclass(frozen=True, slots=True)
class PlayerEvent:
    """Something that happened; ``message`` is a sentence for the user."""

    kind: PlayerEventKind
    message: str = ""
    at: float = 0.0
    """``time.perf_counter()``."""

    @property
    def is_problem(self) -> bool:
        return self.kind in (PlayerEventKind.DEVICE_LOST, PlayerEventKind.NO_DEVICE, PlayerEventKind.STALLED)


@dataclass(frozen=True, slots=True)
class Position:
    """What is heard now."""

    mark: object
    """As given with ``write``."""
    offset_s: float
    """Seconds into the sound of that write, before any change of speed."""


class Player:
    """See the module's docstring. Every method may be called from any thread; only ``write`` and ``wait_drained`` wait.

    Events are told from the player's thread.
    """

    def __init__(
        self,
        device: str = "",
        *,
        speed: float = 1.0,
        volume: float = 1.0,
        run_ahead_s: float = 3.0,
        on_event: Callable[[PlayerEvent], None] = lambda _: None,
    ) -> None:
        self._on_event = on_event
        self._ahead = int(run_ahead_s * RATE)
        self._lock = threading.Condition()
        self._source = Source()
        self._ring = Ring(1 << 16)
        self._map = PlayMap()
        self._gain = Gain(volume)
        self._speed = speed
        self._device = device
        self._fed = 0
        """Samples of the source that went to the ring (or are inside the stretcher)."""
        self._ear = 0
        """Sample of the source that was heard last when nothing plays."""
        self._generation = 0
        self._paused = False
        self._jump = False
        """What is in the ring and the device is void; go on from ``_ear``."""
        self._reopen = False
        self._started_told = False
        self._drained = threading.Event()
        self._drained.set()
        self._closing = False
        self._output: Output | None = None
        self._trouble: PlayerEventKind | None = None
        self._underruns = 0
        self._resampler: tuple[int, Any] | None = None
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="player", daemon=True)
        self._thread.start()

    # ------------------------------------------------------------ any thread

    def write(self, pcm: Pcm, sample_rate: int, mark: object, cancel: threading.Event | None = None) -> bool:
        """Queue mono float32 samples; waits while ``run_ahead_s`` of sound is queued.

        False when what was queued was cleared meanwhile or ``cancel`` is set: then nothing of this was queued.
        """
        with self._lock:
            generation = self._generation
            while self._source.total - max(self._fed, self._ear) > self._ahead and generation == self._generation:
                if (cancel is not None and cancel.is_set()) or self._closing:
                    return False
                self._lock.wait(0.05)
            if generation != self._generation or self._closing or (cancel is not None and cancel.is_set()):
                return False
            self._drained.clear()
            self._source.write(pcm, sample_rate, mark)
        self._wake.set()
        return True

    def finish(self) -> None:
        """No more comes for this reading: DRAINED is told when all was heard."""
        with self._lock:
            self._source.finish()
        self._wake.set()

    def pause(self) -> None:
        """Silent at once."""
        with self._lock:
            if not self._paused:
                self._ear = self._heard()
                self._paused = True
        self._wake.set()

    def resume(self) -> None:
        """Go on with the sample where ``pause`` left the ear."""
        with self._lock:
            if self._paused:
                self._paused = False
                self._jump = True
        self._wake.set()

    def clear(self) -> None:
        """Silent at once; all that is queued is dropped, and a pause ends."""
        with self._lock:
            self._generation += 1
            self._source.clear()
            self._ear = self._fed = 0
            self._paused, self._jump, self._started_told = False, True, False
            self._drained.set()
            self._lock.notify_all()
        self._wake.set()

    def skip_until(self, wanted: Callable[[object], bool]) -> bool:
        """Go to the next queued piece whose mark is ``wanted``; False, and nothing changes, when there is none."""
        with self._lock:
            found = self._source.find(self._heard(), wanted)
            if found is None:
                return False
            self._ear, self._jump = found, True
            self._lock.notify_all()
        self._wake.set()
        return True

    def set_speed(self, speed: float) -> None:
        """0.5 to 3, without a change of pitch; heard within a fifth of a second."""
        if speed != 1.0 and not stretch.available():
            self._tell(
                PlayerEventKind.CANT_STRETCH, "Other speeds need the package libsonic, which isn't installed here."
            )
            speed = 1.0
        with self._lock:
            self._speed = min(max(speed, stretch.SLOWEST), stretch.FASTEST)
        self._wake.set()

    def set_volume(self, volume: float) -> None:
        """0 to 1.5; above 1 peaks are rounded off."""
        self._gain.target = volume

    def set_device(self, device: str) -> None:
        """Go on, at the same place, on the device with this name; empty is the system's default."""
        with self._lock:
            if device != self._device:
                self._device, self._reopen = device, True
        self._wake.set()

    def position(self) -> Position | None:
        """What is heard now, or None when nothing is queued."""
        with self._lock:
            found = self._source.mark_at(self._heard())
        return Position(*found) if found else None

    def wait_drained(self, timeout_s: float) -> bool:
        """Wait until all was heard or cleared."""
        return self._drained.wait(timeout_s)

    def close(self) -> None:
        """Silent; ends the thread, in a second at most."""
        with self._lock:
            self._closing = True
            self._generation += 1
            self._lock.notify_all()
        self._wake.set()
        self._thread.join(1.0)

    @property
    def speed(self) -> float:
        return self._speed

    @property
    def paused(self) -> bool:
        return self._paused

    @property
    def underruns(self) -> int:
        """How often the device ran empty in the middle of a reading."""
        output = self._output
        return self._underruns + (output.underruns if output else 0)

    @property
    def buffered_s(self) -> float:
        """Seconds of sound that wait to be heard."""
        with self._lock:
            return (self._source.total - self._heard()) / RATE

    # ------------------------------------------------------------ the player's thread

    def _heard(self) -> int:
        """Sample of the source that is heard now. With the lock."""
        output = self._output
        if self._paused or self._jump or output is None or not output.running:
            return self._ear
        found = self._map.source_of(output.heard())
        return self._ear if found is None else max(round(found), self._ear)

    def _tell(self, kind: PlayerEventKind, message: str = "", at: float = 0.0) -> None:
        self._on_event(PlayerEvent(kind, message, at or time.perf_counter()))

    def _run(self) -> None:
        stretcher = stretch.Stretcher(RATE, self._speed if stretch.available() else 1.0)
        idle_since = time.monotonic()
        while not self._closing:
            self._wake.clear()
            with self._lock:
                jump, self._jump = self._jump, False
                if jump:
                    self._fed = self._ear
                wants = not self._paused and self._fed < self._source.total
            if jump or (self._paused and self._output and self._output.running):
                stretcher = self._silence(stretcher)
            if self._reopen:
                stretcher = self._drop_output(stretcher)
            if wants and self._output is None:
                self._open()
            playing = self._output is not None and self._output.running
            if self._output is not None and not self._paused and (wants or playing):
                stretcher = self._play(stretcher)
                playing = self._output is not None and self._output.running
            if playing or wants:
                idle_since = time.monotonic()
                self._wake.wait(TICK_S)
            elif self._output is not None:
                if not self._wake.wait(1.0) and time.monotonic() - idle_since > CLOSE_AFTER_S:
                    stretcher = self._drop_output(stretcher)
            else:
                self._wake.wait()
        if self._output is not None:
            self._output.abort()
            self._output.close()

    def _silence(self, stretcher: stretch.Stretcher) -> stretch.Stretcher:
        """Stop the device; what was on its way is void, and playing goes on from ``_ear``."""
        if self._output is not None and self._output.running:
            self._output.expects_more = False
            self._output.abort()
        self._ring.reset()
        with self._lock:
            self._map.clear()
            self._fed = self._ear
        return stretch.Stretcher(RATE, self._speed if stretch.available() else 1.0)

    def _drop_output(self, stretcher: stretch.Stretcher) -> stretch.Stretcher:
        """Close the stream, keeping the place."""
        with self._lock:
            self._ear = self._heard()
            self._reopen = False
        fresh = self._silence(stretcher)
        if self._output is not None:
            self._underruns += self._output.underruns
            self._output.close()
            self._output = None
        return fresh

    def _open(self) -> None:
        """Open the device, trying again until it is there or nothing is to be played."""
        number = 0
        while not self._closing:
            with self._lock:
                if self._source.total <= self._ear or self._paused:
                    return
                device = self._device
                self._reopen = False
            try:
                self._output = Output(device, self._ring, self._gain, self._wake.set)
                break
            except AudioError as error:
                if number == 0 and self._trouble is None:
                    # Perhaps it came after PortAudio was started: look once more before saying anything.
                    self._look_again()
                    number += 1
                    continue
                if self._trouble is None:
                    self._trouble = PlayerEventKind.NO_DEVICE
                    self._tell(PlayerEventKind.NO_DEVICE, str(error))
            self._wake.wait(RETRY_S[min(number, len(RETRY_S) - 1)])
            self._wake.clear()
            self._look_again()
            number += 1

    @staticmethod
    def _look_again() -> None:
        try:
            restart_library()
        except AudioError as error:
            log.warning("the sound library can't be restarted: %s", type(error).__name__)

    def _play(self, stretcher: stretch.Stretcher) -> stretch.Stretcher:
        """Keep the ring filled and look after the device, for one tick."""
        output = self._output
        assert output is not None
        stretcher = self._feed(stretcher, output)
        if not output.running:
            try:
                output.start()
            except NoAudioDevice:
                return self._lost(stretcher)
        if output.dead:
            return self._lost(stretcher)
        quiet_s = time.monotonic() - output.called_at
        if self._trouble is not None and output.first_at and quiet_s < STALL_S / 3:
            self._trouble = None
            self._tell(PlayerEventKind.DEVICE_BACK)
        if output.first_at and not self._started_told:
            self._started_told = True
            self._tell(PlayerEventKind.STARTED, at=output.first_at)
        if quiet_s > STALL_S and self._trouble is None and not self._at_end(output):
            self._trouble = PlayerEventKind.STALLED
            self._tell(
                PlayerEventKind.STALLED,
                "The output device doesn't respond. Reading goes on when it does, or choose another in the settings.",
            )
        if self._at_end(output):
            self._end(output)
        return stretcher

    def _feed(self, stretcher: stretch.Stretcher, output: Output) -> stretch.Stretcher:
        # A device that starts takes its whole latency at once.
        ahead_s = RING_AHEAD_S if output.running else RING_AHEAD_S + LATENCY_S
        ahead, block = int(ahead_s * output.rate), int(BLOCK_S * RATE)
        while self._ring.waiting < ahead:
            with self._lock:
                if self._jump or self._paused:
                    break
                if self._speed != stretcher.speed:
                    self._give(stretcher.set_speed(self._speed), stretcher, output)
                pcm = self._source.read(self._fed, block)
                if not len(pcm):
                    if self._source.finished:
                        self._give(stretcher.flush(), stretcher, output)
                    break
                self._fed += len(pcm)
                self._give(stretcher.push(pcm), stretcher, output)
                output.expects_more = not self._source.finished or self._fed < self._source.total
                self._source.forget_before(self._heard())
                self._map.forget_before(output.heard() - output.rate)
                self._lock.notify_all()
        return stretcher

    def _give(self, pcm: Pcm, stretcher: stretch.Stretcher, output: Output) -> None:
        """Put played samples into the ring, and note where in the source they come from. With the lock."""
        if not len(pcm):
            return
        end = float(self._fed - stretcher.held)
        start = max(end - len(pcm) * stretcher.speed, 0.0)
        if output.rate != RATE:
            pcm = self._resample(pcm, output.rate)
            if not len(pcm):
                return
        self._map.add(self._ring.written, len(pcm), start, end)
        self._ring.write(pcm[: self._ring.room])

    def _resample(self, pcm: Pcm, rate: int) -> Pcm:
        import soxr

        if self._resampler is None or self._resampler[0] != rate or self._ring.written == 0:
            self._resampler = (rate, soxr.ResampleStream(RATE, rate, 1, dtype="float32"))
        resampled: Pcm = self._resampler[1].resample_chunk(pcm)
        return resampled

    def _at_end(self, output: Output) -> bool:
        with self._lock:
            fed = self._source.finished and self._fed >= self._source.total
        return fed and self._ring.waiting == 0

    def _end(self, output: Output) -> None:
        """All is with the device: wait, without blocking, until it was heard; then rest."""
        output.expects_more = False
        if output.heard() < self._ring.written - 1 and time.monotonic() - output.called_at < 0.5:
            return
        output.abort()
        with self._lock:
            if self._jump or not self._source.finished:
                return
            self._ear = self._fed = self._source.total
            self._map.clear()
            self._drained.set()
        self._ring.reset()
        self._tell(PlayerEventKind.DRAINED)
        with self._lock:
            if self._source.finished and self._fed >= self._source.total:
                self._source.clear()
                self._ear = self._fed = 0
                self._started_told = False

    def _lost(self, stretcher: stretch.Stretcher) -> stretch.Stretcher:
        """The device has gone in the middle: keep the place, say so once, and go on when there is one again."""
        fresh = self._drop_output(stretcher)
        if self._trouble is None:
            self._trouble = PlayerEventKind.DEVICE_LOST
            self._tell(
                PlayerEventKind.DEVICE_LOST,
                "The output device has gone. Reading goes on from here as soon as there is one.",
            )
        self._look_again()
        return fresh
