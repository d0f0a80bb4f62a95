"""The way to a device: opens it, stops it, closes it when idle, and gets over its loss."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Protocol

from desktop_tts.audio import devices
from desktop_tts.audio.events import PlayerEventKind
from desktop_tts.audio.gain import Gain
from desktop_tts.audio.output import Output
from desktop_tts.audio.ring import Ring
from desktop_tts.errors import AudioError

STALL_S = 1.0
WAKE_UP_S = 2.5
"""A device that takes nothing for so long while it plays, or after its start, doesn't respond."""
REOPEN_S = 6.0
"""So long after that it is opened anew."""
RETRY_S = (0.0, 0.5, 1.0, 2.0)
"""Waits before the second and later attempts to open a device. The first uses the device list as it is."""
CLOSE_AFTER_S = 5.0
"""A stopped stream is closed after this, so that the device may sleep."""

MESSAGES = {
    PlayerEventKind.DEVICE_LOST: "The output device has gone. Reading goes on from here as soon as it is back.",
    PlayerEventKind.STALLED: "The output device doesn't respond. Reading goes on when it does.",
    PlayerEventKind.FAULT: "Playing failed unexpectedly and is tried again. The log has the place.",
}


class Tell(Protocol):
    def __call__(self, kind: PlayerEventKind, message: str = "", at: float = 0.0) -> None: ...


class Outlet:
    """Belongs to the player's thread. ``tell`` is called by it, or by another while it hangs in the sound system."""

    def __init__(self, device: str, ring: Ring, gain: Gain, wake: Callable[[], None], tell: Tell) -> None:
        self.device = device
        self.output: Output | None = None
        self._ring, self._gain, self._wake, self._tell = ring, gain, wake, tell
        self._trouble: PlayerEventKind | None = None
        """Told, and not over."""
        self._attempts = 0
        """To open the device, in vain."""
        self._retry_at = 0.0
        self._idle_since = 0.0
        self._list_is_old = False
        self._missing_told = ""
        self._past_underruns = 0

    @property
    def running(self) -> Output | None:
        """The output if it plays, or died while it did."""
        output = self.output
        return output if output is not None and output.running else None

    @property
    def underruns(self) -> int:
        output = self.output
        return self._past_underruns + (output.underruns if output else 0)

    def warm_up(self) -> None:
        """Load the sound library; that it isn't there is told when it's needed."""
        with contextlib.suppress(AudioError), self._watched(), devices.portaudio():
            pass

    def choose(self, device: str) -> None:
        """Play on another device from now on."""
        self.close()
        self.device, self._attempts, self._retry_at = device, 0, 0.0

    def open(self) -> float:
        """Open the device unless it is, or was tried just now. Seconds to wait before the next attempt."""
        if self.output is not None:
            return 0.0
        now = time.monotonic()
        if now < self._retry_at:
            return self._retry_at - now
        try:
            with self._watched():
                if self._attempts or self._list_is_old:
                    devices.restart()
                    self._list_is_old = False
                self.output = self._opened()
        except AudioError as error:
            self._failed(error)
        self._idle_since = time.monotonic()
        return 0.0

    def _opened(self) -> Output:
        def on(device: str) -> Output:
            return Output(device, self._ring, self._gain, self._wake)

        try:
            output = on(self.device)
        except devices.DeviceMissing as error:
            # What was begun in headphones doesn't go on from the loudspeakers.
            if not self._attempts or self._trouble is PlayerEventKind.DEVICE_LOST:
                raise
            output = on("")
            self._list_is_old = True  # at the next opening it may be there
            if self._missing_told != self.device:
                self._missing_told = self.device
                self._tell(PlayerEventKind.OTHER_DEVICE, f"{error.message} The system's default is used instead.")
        else:
            self._missing_told = ""
        return output

    def _failed(self, error: AudioError) -> None:
        self._retry_at = time.monotonic() + RETRY_S[min(self._attempts, len(RETRY_S) - 1)]
        self._attempts += 1
        if self._attempts > 1:
            self._say(PlayerEventKind.NO_DEVICE, str(error))

    def start(self) -> bool:
        """Play; false when the device can't."""
        assert self.output is not None
        try:
            with self._watched():
                self.output.start()
        except AudioError as error:
            self.close()
            self._failed(error)
            return False
        return True

    def stop(self) -> None:
        """Silent at once."""
        if (output := self.running) is not None:
            with self._watched():
                output.abort()
            self._idle_since = time.monotonic()

    def close(self) -> None:
        """Silent at once, and the device is free."""
        output, self.output = self.output, None
        if output is not None:
            with self._watched():
                output.close()
            self._past_underruns += output.underruns

    def rest(self) -> float | None:
        """Close the device when it was idle for a while; seconds until that, or None."""
        if self.output is None:
            return None
        left = self._idle_since + CLOSE_AFTER_S - time.monotonic()
        if left > 0:
            return left
        self.close()
        # ALSA's default is a name that leads to wherever the sound server now plays; elsewhere it is a device.
        self._list_is_old |= not sys.platform.startswith("linux")
        return None

    # ------------------------------------------------------------ trouble

    def lost(self) -> None:
        """The device has ended by itself. The next attempt looks for devices anew."""
        self.reopen()
        self._say(PlayerEventKind.DEVICE_LOST)

    def fault(self) -> None:
        self.reopen()
        self._say(PlayerEventKind.FAULT)

    def reopen(self) -> None:
        self.close()
        self._attempts, self._retry_at = max(self._attempts, 1), 0.0

    def watch(self) -> bool:
        """Look whether the playing device takes its sound; true when it should be opened anew."""
        output = self.running
        if output is None:
            return False
        quiet_s = time.monotonic() - output.called_at
        if quiet_s > (STALL_S if output.first_at else WAKE_UP_S):
            self._say(PlayerEventKind.STALLED)
        return quiet_s > REOPEN_S

    def works(self) -> None:
        """Sound was handed to the device."""
        output = self.running
        if output is not None and time.monotonic() - output.called_at < STALL_S / 2:
            self._attempts = 0
            if self._trouble is not None:
                self._trouble = None
                self._tell(PlayerEventKind.DEVICE_BACK, "The output device works again.")

    def forget_trouble(self) -> None:
        """A new reading: try at once, and say it again when it doesn't work."""
        self._trouble, self._attempts, self._retry_at = None, 0, 0.0

    def _say(self, kind: PlayerEventKind, message: str = "") -> None:
        if self._trouble is None:
            self._trouble = kind
            self._tell(kind, message or MESSAGES[kind])

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """Say so when the sound system doesn't come back from a call: this thread can't."""
        timer = threading.Timer(WAKE_UP_S, self._say, (PlayerEventKind.STALLED,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
