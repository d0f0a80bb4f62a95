"""PortAudio, of which a process has one: started once, quiet on the terminal, started anew to see other devices."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import socket
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from desktop_tts.errors import AudioError, NoAudioDevice

PATIENCE_S = 5.0
"""How long to wait for another thread that is inside PortAudio, which may hang with the sound server."""

_lock = threading.RLock()
"""Held in every call into PortAudio, none of whose functions may run beside another. Callbacks don't take it."""
_open_streams: set[int] = set()
_kept_alive: list[object] = []


@dataclass(frozen=True, slots=True)
class OutputDevice:
    """A device that can play."""

    name: str
    """Unique and kept in the settings: the device's own name, with its host API only where two share a name."""
    host: str
    is_default: bool


class DeviceMissing(NoAudioDevice):
    """Others are there, the wanted one isn't."""


@contextlib.contextmanager
def portaudio() -> Iterator[Any]:
    """``sounddevice``, started, for this thread alone, with the terminal's error output closed to it.

    Raises AudioError when PortAudio isn't installed or doesn't come back from another thread's call.
    """
    if not _lock.acquire(timeout=PATIENCE_S):
        raise AudioError("The sound system doesn't respond.", "Start the sound server or the computer anew.")
    try:
        with _quiet():
            yield _sounddevice()
    finally:
        _lock.release()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """For a moment's work of another library that writes to the terminal; not while PortAudio is busy for long."""
    if not _lock.acquire(timeout=1.0):
        yield
        return
    try:
        with _quiet():
            yield
    finally:
        _lock.release()


def _sounddevice() -> Any:
    first = "sounddevice" not in sys.modules
    try:
        import sounddevice
    except OSError as error:  # the Linux wheel brings no PortAudio
        raise AudioError(
            "The sound library PortAudio is missing.", "On Debian and Ubuntu: sudo apt install libportaudio2"
        ) from error
    if first:
        _silence_alsa()
        atexit.unregister(sounddevice._exit_handler)
        atexit.register(_end)
    return sounddevice


def _end() -> None:
    """When the process ends. The lock is kept, so that no thread meets an ended PortAudio; one that hangs in it isn't
    waited for."""
    if _lock.acquire(timeout=1.0):
        with _quiet():
            sys.modules["sounddevice"]._exit_handler()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """PortAudio writes to the terminal when a device isn't as it wishes; users should not see that. With the lock."""
    try:
        kept = os.dup(2)
    except OSError:
        yield
        return
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _silence_alsa() -> None:
    """ALSA also writes from its own threads, at any time: give it somewhere else to tell its troubles."""
    if not sys.platform.startswith("linux"):
        return
    handler = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p)
    ignore = handler(lambda *_: None)
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libasound.so.2").snd_lib_error_set_handler(ignore)
        _kept_alive.append(ignore)


def restart() -> bool:
    """Look for devices anew: PortAudio's list is frozen from its start. False, and nothing happens, while a stream
    is open in this process. Raises AudioError."""
    with portaudio() as sounddevice:
        if _open_streams:
            return False
        with contextlib.suppress(sounddevice.PortAudioError):  # the last time it could not be started
            sounddevice._terminate()
        try:
            sounddevice._initialize()
        except sounddevice.PortAudioError as error:
            raise AudioError("The sound library can't be started.", "See `desktop-tts doctor`.") from error
        return True


def stream_opened(stream: object) -> None:
    """While it is open, ``restart`` does nothing. With the lock."""
    _open_streams.add(id(stream))


def stream_closed(stream: object) -> None:
    _open_streams.discard(id(stream))


def output_devices() -> tuple[OutputDevice, ...]:
    """What can be played on now; while something is played, what could be when that began.

    Takes up to a tenth of a second, and seconds when the sound server hangs. Raises AudioError.
    """
    with portaudio() as sounddevice:
        restart()
        default = sounddevice.default.device[1]
        return tuple(
            OutputDevice(name, host, number == default)
            for number, (name, host) in named_devices(sounddevice, "output").items()
        )


def find_output(sounddevice: Any, name: str) -> int | None:
    """Number of the device with this name, None for the system's default. With the lock.

    Raises NoAudioDevice, and DeviceMissing when there are others.
    """
    outputs = named_devices(sounddevice, "output")
    if not outputs:
        raise NoAudioDevice("There is no device to play on.", no_device_hint())
    if not name:
        return None
    for number, (known, _) in outputs.items():
        if known == name:
            return number
    raise DeviceMissing(f"The output device {name!r} isn't there.", "Connect it or choose another in the settings.")


def named_devices(sounddevice: Any, direction: Literal["input", "output"]) -> dict[int, tuple[str, str]]:
    """Unique name, kept in the settings, and host API by number. With the lock."""
    hosts = [str(host["name"]) for host in sounddevice.query_hostapis()]
    found = {
        number: (str(device["name"]), hosts[device["hostapi"]])
        for number, device in enumerate(sounddevice.query_devices())
        if device[f"max_{direction}_channels"] > 0
    }
    times = Counter(name for name, _ in found.values())
    return {number: (name if times[name] == 1 else f"{name}, {host}", host) for number, (name, host) in found.items()}


def no_device_hint() -> str:
    """What to do when there is no device at all."""
    if not sys.platform.startswith("linux"):
        return "Plug in or switch on speakers or headphones."
    if _sound_server_runs():
        return (
            "A sound server runs, but the bridge to it is missing: install libasound2-plugins"
            " (on Debian and Ubuntu: sudo apt install libasound2-plugins)."
        )
    return "No sound server runs: start PipeWire or PulseAudio."


def _sound_server_runs() -> bool:
    environ = os.environ
    places = [
        *(part.removeprefix("unix:") for part in environ.get("PULSE_SERVER", "").split()),
        str(Path(environ.get("PULSE_RUNTIME_PATH", "") or "/nowhere") / "native"),
        str(Path(environ.get("XDG_RUNTIME_DIR", "") or f"/run/user/{os.getuid()}") / "pulse" / "native"),
    ]
    for place in places:
        with socket.socket(socket.AF_UNIX) as client, contextlib.suppress(OSError):
            client.settimeout(0.2)
            client.connect(place)
            return True
    return False
