"""The way to a device: opens it when there is something to play, closes it after, and gets over its loss."""

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
LIST_KEEPS_S = 5.0
"""The system's default may be another device after so long a silence."""

MESSAGES = {
    PlayerEventKind.DEVICE_LOST: "The output device has gone. Reading goes on from here as soon as it is back.",
    PlayerEventKind.STALLED: "The output device doesn't respond. Reading goes on when it does.",
    PlayerEventKind.FAULT: "Playing failed unexpectedly and is tried again. The log has the place.",
}


class Tell(Protocol):
    def __call__(self, kind: PlayerEventKind, message: str = "", at: float = 0.0) -> None: ...


class Outlet:
    """Belongs to the player's thread. ``tell`` is called by it, or by another while it hangs in the sound system.

    A stream that doesn't play is never kept: when the sound server was started anew meanwhile, PortAudio would hang
    for ever in the attempt to go on with it, and to open one takes two milliseconds.
    """

    def __init__(self, device: str, ring: Ring, gain: Gain, wake: Callable[[], None], tell: Tell) -> None:
        self.device = device
        self.output: Output | None = None
        """What plays, or died in the middle."""
        self.underruns = 0
        """Of the outputs that were closed."""
        self._ring, self._gain, self._wake, self._tell = ring, gain, wake, tell
        self._trouble: PlayerEventKind | None = None
        """Told, and not over."""
        self._attempts = 0
        """To open the device, in vain."""
        self._retry_at = 0.0
        self._stopped_at = time.monotonic()
        self._wanted_missing = ""
        """The device that the default stands in for."""

    def warm_up(self) -> None:
        """Load the sound library; that it isn't there is told when it's needed."""
        with contextlib.suppress(AudioError), self._watched(), devices.portaudio():
            pass

    def choose(self, device: str) -> None:
        """Play on another device from now on."""
        self.stop()
        self.device, self._attempts, self._retry_at = device, 0, 0.0

    def play(self, prime: Callable[[Output], bool]) -> float:
        """Open the device, fill the ring by ``prime`` and play, unless that is false.

        When there is no ``output`` after it, seconds to wait before the next attempt.
        """
        wait_s = self._retry_at - time.monotonic()
        if wait_s > 0:
            return wait_s
        output: Output | None = None
        try:
            with self._watched():
                if self._attempts or self._list_is_old():
                    devices.restart()
                output = self._opened()
                if prime(output):
                    output.start()
                    self.output = output
                else:
                    output.close()
        except AudioError as error:
            if output is not None:
                output.close()
            self._failed(error)
        return 0.0

    def _list_is_old(self) -> bool:
        if self._wanted_missing:
            return True
        # ALSA's default is a name that leads to wherever the sound server now plays; elsewhere it is a device.
        return not sys.platform.startswith("linux") and time.monotonic() - self._stopped_at > LIST_KEEPS_S

    def _opened(self) -> Output:
        try:
            output = Output(self.device, self._ring, self._gain, self._wake)
        except devices.DeviceMissing as error:
            # What was begun in headphones doesn't go on from the loudspeakers.
            if not self._attempts or self._trouble is PlayerEventKind.DEVICE_LOST:
                raise
            output = Output("", self._ring, self._gain, self._wake)
            if self._wanted_missing != self.device:
                self._wanted_missing = self.device
                self._tell(PlayerEventKind.OTHER_DEVICE, f"{error.message} The system's default is used instead.")
        else:
            self._wanted_missing = ""
        return output

    def _failed(self, error: AudioError) -> None:
        self._retry_at = time.monotonic() + RETRY_S[min(self._attempts, len(RETRY_S) - 1)]
        self._attempts += 1
        if self._attempts > 1:
            self._say(PlayerEventKind.NO_DEVICE, str(error))

    def stop(self) -> None:
        """Silent at once, and the device is free."""
        output, self.output = self.output, None
        if output is not None:
            with self._watched():
                output.close()
            self.underruns += output.underruns
            self._stopped_at = time.monotonic()

    # ------------------------------------------------------------ trouble

    def lost(self) -> None:
        """The device has ended by itself."""
        self.look_again()
        self._say(PlayerEventKind.DEVICE_LOST)

    def fault(self) -> None:
        self.look_again()
        self._say(PlayerEventKind.FAULT)

    def look_again(self) -> None:
        """Stop; the next attempt looks for devices anew."""
        self.stop()
        self._attempts, self._retry_at = max(self._attempts, 1), 0.0

    def watch(self, output: Output) -> bool:
        """Look whether the device takes its sound; true when it should be opened anew."""
        quiet_s = time.monotonic() - output.called_at
        if quiet_s > (STALL_S if output.first_at else WAKE_UP_S):
            self._say(PlayerEventKind.STALLED)
        return quiet_s > REOPEN_S

    def works(self, output: Output) -> None:
        """Sound was handed to the device."""
        if time.monotonic() - output.called_at < STALL_S / 2:
            self._attempts = 0
            if self._trouble is not None:
                self._trouble = None
                self._tell(PlayerEventKind.DEVICE_BACK, "The output device works again.")

    def new_reading(self) -> None:
        """Try at once, and say it again when it doesn't work."""
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
