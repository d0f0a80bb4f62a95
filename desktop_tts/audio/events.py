"""What a player tells."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PlayerEventKind(StrEnum):
    STARTED = "started"
    """The first sound of a reading was handed to the device."""
    DRAINED = "drained"
    """All was heard."""
    DEVICE_LOST = "device lost"
    NO_DEVICE = "no device"
    STALLED = "stalled"
    """The device is there but takes nothing."""
    FAULT = "fault"
    """Playing met something unexpected; it is tried again."""
    DEVICE_BACK = "device back"
    """After one of the four troubles above sound is heard again."""
    OTHER_DEVICE = "other device"
    """The chosen device isn't there; the system's default plays."""
    CANT_STRETCH = "can't stretch"


TROUBLES = (PlayerEventKind.DEVICE_LOST, PlayerEventKind.NO_DEVICE, PlayerEventKind.STALLED, PlayerEventKind.FAULT)


@dataclass(frozen=True, slots=True)
class PlayerEvent:
    """Something that happened; ``message`` is a sentence for the user, empty where there is nothing to say."""

    kind: PlayerEventKind
    message: str = ""
    at: float = 0.0
    """``time.perf_counter()``."""

    @property
    def is_problem(self) -> bool:
        """Nothing is heard because of it."""
        return self.kind in TROUBLES


@dataclass(frozen=True, slots=True)
class Position:
    """What is heard now."""

    mark: object
    """As given with ``write``."""
    offset_s: float
    """Seconds into the sound of that write, before any change of speed."""
