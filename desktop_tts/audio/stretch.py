"""Speed without a change of pitch, by Sonic, in a stream whose speed may change at any moment."""

from __future__ import annotations

import numpy as np

from desktop_tts.speech import Pcm

SLOWEST, FASTEST = 0.5, 3.0


class Stretcher:
    """Turns samples of the source into samples to play. At speed 1 they pass untouched."""

    def __init__(self, sample_rate: int, speed: float) -> None:
        self._rate = sample_rate
        self.speed = speed
        self._sonic = _new_sonic(sample_rate, speed) if speed != 1.0 else None
        self._held = 0.0
        """Source samples that went in and haven't come out yet."""

    def set_speed(self, speed: float) -> Pcm:
        """Change the speed; what still had to come out at the old one."""
        rest = np.zeros(0, np.float32)
        if speed == self.speed:
            return rest
        if speed == 1.0 or self._sonic is None:
            rest = self.flush()
            self._sonic = _new_sonic(self._rate, speed) if speed != 1.0 else None
        else:
            self._sonic.set_speed(speed)
        self.speed = speed
        return rest

    def push(self, pcm: Pcm) -> Pcm:
        """Some samples in, those that are ready out."""
        if self._sonic is None:
            return pcm
        self._sonic.write(pcm.tolist())
        return self._take(len(pcm))

    def flush(self) -> Pcm:
        """The rest, at the end."""
        if self._sonic is None:
            return np.zeros(0, np.float32)
        self._sonic.flush()
        return self._take(0)

    def _take(self, pushed: int) -> Pcm:
        assert self._sonic is not None
        out = np.asarray(self._sonic.read(self._sonic.available_frames()), np.float32)
        self._held = max(self._held + pushed - len(out) * self.speed, 0.0)
        return out

    @property
    def held(self) -> int:
        """About how many samples of the source are inside."""
        return round(self._held) if self._sonic is not None else 0


def available() -> bool:
    """Whether speeds other than 1 can be had on this machine."""
    try:
        import libsonic  # noqa: F401
    except ImportError:
        return False
    return True


def _new_sonic(sample_rate: int, speed: float):  # type: ignore[no-untyped-def]  # the library has no types
    from libsonic import SonicStream

    sonic = SonicStream(sample_rate, 1)
    sonic.set_speed(speed)
    return sonic
