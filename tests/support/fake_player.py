"""A player for the reader's unit tests: takes all sound at once; the test says how far the ear is."""

from __future__ import annotations

import threading
import time

from desktop_tts.audio.player import PlayerEvent, PlayerEventKind, Position


class FakePlayer:
    """Holds what was written. ``hear(seconds)`` moves the ear on."""

    def __init__(self, on_event, room_s: float = 1e9) -> None:
        self._on_event, self._room_s = on_event, room_s
        self._lock = threading.Condition()
        self.speed, self.underruns = 1.0, 0
        self.paused = False
        self.written: list[tuple[float, object]] = []
        self.clears = 0
        self._heard_s = 0.0
        self._finished = False

    def write(self, pcm, sample_rate, mark, cancel=None) -> bool:
        with self._lock:
            generation = self.clears
            while sum(s for s, _ in self.written) - self._heard_s > self._room_s and generation == self.clears:
                if cancel is not None and cancel.is_set():
                    return False
                self._lock.wait(0.01)
            if generation != self.clears or (cancel is not None and cancel.is_set()):
                return False
            self.written.append((len(pcm) / sample_rate, mark))
            first = len(self.written) == 1
        if first:
            self._event(PlayerEventKind.STARTED)
        return True

    def _event(self, kind) -> None:
        self._on_event(PlayerEvent(kind, at=time.perf_counter()))

    def finish(self) -> None:
        self._finished = True

    def pause(self) -> None:
        self.paused = True

    def resume(self) -> None:
        self.paused = False

    def clear(self) -> None:
        with self._lock:
            self.clears += 1
            self.written.clear()
            self._heard_s, self._finished, self.paused = 0.0, False, False
            self._lock.notify_all()

    def skip_until(self, wanted) -> bool:
        with self._lock:
            at = 0.0
            for seconds, mark in self.written:
                if at >= self._heard_s and wanted(mark):
                    self._heard_s = at
                    self._lock.notify_all()
                    return True
                at += seconds
        return False

    def set_speed(self, speed) -> None:
        self.speed = speed

    def set_volume(self, volume) -> None:
        self.volume = volume

    def set_device(self, device) -> None:
        self.device = device

    def position(self):
        with self._lock:
            at = 0.0
            for seconds, mark in self.written:
                if self._heard_s < at + seconds:
                    return Position(mark, self._heard_s - at)
                at += seconds
        return None

    def hear(self, seconds: float) -> None:
        """The ear moves on; at the end of a finished reading it is drained."""
        with self._lock:
            self._heard_s += seconds
            over = self._finished and self._heard_s >= sum(s for s, _ in self.written) - 1e-9
            self._lock.notify_all()
        if over:
            self._event(PlayerEventKind.DRAINED)

    def close(self) -> None:
        self.clear()
