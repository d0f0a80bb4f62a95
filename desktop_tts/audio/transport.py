"""What is to be played, and where in it the ear is: shared by those who control the player and its own thread."""

from __future__ import annotations

import threading
from collections.abc import Callable

from desktop_tts.audio.events import Position
from desktop_tts.audio.source import RATE, Source
from desktop_tts.audio.stretch import possible_speed
from desktop_tts.speech import Pcm


class Transport:
    """Every method may be called from any thread, and only ``write`` waits. The attributes belong to ``lock``.

    Whatever jumps (pause, resume, clear, skip) sets ``ear`` and takes ``live`` away; the player's thread then drops
    what is on its way to the device and goes on from ``ear``.
    """

    def __init__(self, device: str, run_ahead_s: float, wake: Callable[[], None]) -> None:
        self.lock = threading.Condition()
        self.wake = wake
        self.source = Source()
        self.device = device
        self.speed = 1.0
        self.fed = 0
        """Samples of the source that were read for the device."""
        self.ear = 0
        """Sample of the source that the ear is at when nothing is ``live``."""
        self.live = False
        """What the device plays is what should be heard."""
        self.settles = False
        """The ear may still be a little further than ``ear``: the device plays until the thread stops it."""
        self.paused = False
        self.started_told = False
        self.clears = 0
        self.closing = False
        self.drained = threading.Event()
        self.drained.set()
        self.listen: Callable[[], int | None] = lambda: None
        """The sample of the source that the device plays now; set by the thread, called with the lock."""
        self._run_ahead = int(run_ahead_s * RATE)

    def write(self, pcm: Pcm, sample_rate: int, mark: object, cancel: threading.Event | None) -> bool:
        """See ``Player.write``."""
        with self.lock:
            clears = self.clears
            while self.source.total - max(self.fed, self.ear) > self._run_ahead:
                if self._refuses(clears, cancel):
                    return False
                self.lock.wait(0.05)
            if self._refuses(clears, cancel):
                return False
            self.drained.clear()
            self.source.write(pcm, sample_rate, mark)
        self.wake()
        return True

    def _refuses(self, clears: int, cancel: threading.Event | None) -> bool:
        return clears != self.clears or self.closing or (cancel is not None and cancel.is_set())

    def finish(self) -> None:
        with self.lock:
            self.source.finish()
        self.wake()

    def pause(self) -> None:
        with self.lock:
            if not self.paused:
                self.jump(self.heard(), settles=self.live)
                self.paused = True
        self.wake()

    def resume(self) -> None:
        with self.lock:
            self.paused = False
        self.wake()

    def toggle(self) -> None:
        with self.lock:
            if self.paused:
                self.resume()
            else:
                self.pause()

    def clear(self) -> None:
        with self.lock:
            self.clears += 1
            self.source.clear()
            self.jump(0)
            self.fed = 0
            self.paused = self.started_told = False
            self.drained.set()
            self.lock.notify_all()
        self.wake()

    def skip_until(self, wanted: Callable[[object], bool]) -> bool:
        with self.lock:
            found = self.source.find(self.heard(), wanted)
            if found is None:
                return False
            self.jump(found)
            self.lock.notify_all()
        self.wake()
        return True

    def set_speed(self, speed: float) -> None:
        with self.lock:
            self.speed = possible_speed(speed)
        self.wake()

    def set_device(self, device: str) -> None:
        with self.lock:
            self.device = device
        self.wake()

    def position(self) -> Position | None:
        with self.lock:
            found = self.source.mark_at(self.heard())
        return Position(*found) if found else None

    def buffered_s(self) -> float:
        with self.lock:
            return max(self.source.total - self.heard(), 0) / RATE

    def close(self) -> None:
        with self.lock:
            self.closing = True
            self.lock.notify_all()
        self.wake()

    # ------------------------------------------------------------ with the lock

    def heard(self) -> int:
        """Sample of the source that is heard now."""
        found = self.listen() if self.live else None
        return self.ear if found is None else max(found, self.ear)

    def jump(self, ear: int, *, settles: bool = False) -> None:
        """Go on from sample ``ear`` of the source."""
        self.ear, self.live, self.settles = ear, False, settles

    def go_on(self, ear: int | None) -> None:
        """Nothing is on its way to the device any more. ``ear``: where it was when it was silenced, if it played."""
        if self.settles and ear is not None:
            self.ear = max(self.ear, ear)
        self.settles = False
        self.fed = self.ear
        self.live = not self.paused

    def end_reading(self) -> None:
        """All was heard: the next sound is a new reading."""
        self.source.clear()
        self.ear = self.fed = 0
        self.started_told = False
        self.drained.set()
