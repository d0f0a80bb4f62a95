"""Output devices and the sound library underneath: started once, quiet on the terminal, started anew after a loss."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from desktop_tts.errors import AudioError, NoAudioDevice

_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class OutputDevice:
    """A device that can play."""

    name: str
    """Kept in the settings; unique with its host API in the list."""
    host: str
    is_default: bool


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """PortAudio and ALSA write to the terminal when a device isn't as they wish; the user should not see that."""
    try:
        kept = os.dup(2)
    except OSError:
        yield
        return
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def library() -> ModuleType:
    """``sounddevice``, with PortAudio started. Raises AudioError that says what to install."""
    with _lock, quiet():
        try:
            import sounddevice
        except OSError as error:  # the Linux wheel brings no PortAudio
            raise AudioError(
                "The sound library PortAudio is missing.", "On Debian and Ubuntu: sudo apt install libportaudio2"
            ) from error
    module: ModuleType = sounddevice
    return module


def restart_library() -> None:
    """Look for devices anew: PortAudio's list is frozen from its start. All streams must be closed."""
    sounddevice = library()
    with _lock, quiet():
        sounddevice._terminate()
        sounddevice._initialize()


def output_devices() -> tuple[OutputDevice, ...]:
    """What can be played on, as it was when the library was started. Raises AudioError."""
    sounddevice = library()
    with _lock:
        hosts = [host["name"] for host in sounddevice.query_hostapis()]
        default = sounddevice.default.device[1]
        return tuple(
            OutputDevice(device["name"], hosts[device["hostapi"]], number == default)
            for number, device in enumerate(sounddevice.query_devices())
            if device["max_output_channels"] > 0
        )


def find_output(name: str) -> int | None:
    """Number of the device with this name, None for the system's default. Raises NoAudioDevice."""
    sounddevice = library()
    devices = list(sounddevice.query_devices())
    outputs = [number for number, device in enumerate(devices) if device["max_output_channels"] > 0]
    if not outputs:
        raise NoAudioDevice("There is no device to play on.", no_device_hint())
    if not name:
        return None
    found = next((number for number in outputs if devices[number]["name"] == name), None)
    if found is None:
        raise NoAudioDevice(f"The output device {name!r} isn't there.", "Choose another in the settings, page Audio.")
    return found


def no_device_hint() -> str:
    """What to do when there is no device."""
    if sys.platform.startswith("linux"):
        return "Start a sound server; on Debian and Ubuntu also install its bridge: sudo apt install libasound2-plugins"
    return "Plug in or switch on speakers or headphones."
