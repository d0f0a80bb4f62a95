"""The player: gapless sound from any thread to a device; pause, stop, skip, speed and volume are heard at once.

What is written waits in a ``Source``, which the ``Transport`` guards together with the place of the ear. The player's
own thread (``Feeder``) stretches it and keeps a short ring filled, from which the device's callback (``Output``)
copies. Everything that jumps (pause, stop, skip, another device, a lost one) goes the same way: find the sample of the
source that the ear is at, drop what lies between, and go on from there.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable

import numpy as np

from desktop_tts.audio import stretch
from desktop_tts.audio.events import PlayerEvent, PlayerEventKind, Position
from desktop_tts.audio.feeder import Feeder
from desktop_tts.audio.gain import Gain
from desktop_tts.audio.source import RATE
from desktop_tts.audio.transport import Transport
from desktop_tts.speech import Pcm

__all__ = ["Player", "PlayerEvent", "PlayerEventKind", "Position"]


class Player:
    """Every method may be called from any thread; only ``write``, ``silence`` and ``wait_drained`` wait, and ``close``
    for a second at most. ``on_event`` is called from the player's thread and must not wait for the player.
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
        """``device`` is an ``OutputDevice.name``, empty for the system's default. Opens nothing yet."""
        self._awake = threading.Event()
        self._notices: queue.SimpleQueue[PlayerEvent] = queue.SimpleQueue()
        self._transport = Transport(device, run_ahead_s, self._awake.set)
        self._gain = Gain(volume)
        self._feeder = Feeder(self._transport, self._gain, self._awake, self._notices, on_event)
        self._refused = False
        self.set_speed(speed)
        self._thread = threading.Thread(target=self._feeder.run, name="player", daemon=True)
        self._thread.start()

    def write(self, pcm: Pcm, sample_rate: int, mark: object, cancel: threading.Event | None = None) -> bool:
        """Queue mono float32 samples; waits while more than ``run_ahead_s`` of sound is queued.

        False when what was queued was cleared meanwhile or ``cancel`` is set: then nothing of this was queued.
        """
        return self._transport.write(pcm, sample_rate, mark, cancel)

    def silence(self, seconds: float, mark: object, cancel: threading.Event | None = None) -> bool:
        """Queue silence, as ``write`` does."""
        return self.write(np.zeros(round(seconds * RATE), np.float32), RATE, mark, cancel)

    def finish(self) -> None:
        """No more comes for this reading: DRAINED is told when all was heard."""
        self._transport.finish()

    def pause(self) -> None:
        """Silent at once."""
        self._transport.pause()

    def resume(self) -> None:
        """Go on with the sample where ``pause`` left the ear."""
        self._transport.resume()

    def toggle(self) -> None:
        """Pause, or go on."""
        self._transport.toggle()

    def clear(self) -> None:
        """Silent at once; all that is queued is dropped, and a pause ends."""
        self._transport.clear()

    def skip_until(self, wanted: Callable[[object], bool]) -> bool:
        """Go to the next queued write whose mark is ``wanted``; False, and nothing changes, when there is none."""
        return self._transport.skip_until(wanted)

    def set_speed(self, speed: float) -> None:
        """0.5 to 3, without a change of pitch; heard within a sixth of a second."""
        if speed != 1.0 and not stretch.available():
            speed = 1.0
            if not self._refused:
                self._refused = True
                message = "Other speeds need the package libsonic, which isn't installed; reading goes on at speed 1."
                self._notices.put(PlayerEvent(PlayerEventKind.CANT_STRETCH, message, time.perf_counter()))
        self._transport.set_speed(speed)

    def set_volume(self, volume: float) -> None:
        """0 to 1.5; above 1 peaks are rounded off."""
        self._gain.set(volume)

    def set_device(self, device: str) -> None:
        """Go on, at the same place, on the device with this name; empty is the system's default."""
        self._transport.set_device(device)

    def position(self) -> Position | None:
        """What is heard now, or None when nothing is queued."""
        return self._transport.position()

    def wait_drained(self, timeout_s: float) -> bool:
        """Wait until all was heard or cleared."""
        return self._transport.drained.wait(timeout_s)

    def close(self) -> None:
        """Silent, and the thread ends; writes return False."""
        self._transport.close()
        self._thread.join(1.0)

    @property
    def speed(self) -> float:
        return self._transport.speed

    @property
    def paused(self) -> bool:
        return self._transport.paused

    @property
    def active(self) -> bool:
        """Something is to be heard, even if it pauses or its device is lost."""
        return not self._transport.drained.is_set()

    @property
    def underruns(self) -> int:
        """How often the device ran empty in the middle of a reading."""
        return self._feeder.underruns

    @property
    def buffered_s(self) -> float:
        """Seconds of sound that wait to be heard."""
        return self._transport.buffered_s()
