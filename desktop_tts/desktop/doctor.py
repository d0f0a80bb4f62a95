"""What works on this machine and what doesn't, each with what to do. No Qt: it also runs without a display."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass

from desktop_tts import __version__, paths, settings
from desktop_tts.errors import DesktopTTSError


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    """What was found, and what to do when it isn't right."""


def examine() -> tuple[Finding, ...]:
    """Look at everything. Takes a second or two and makes no sound."""
    return (
        Finding(
            "version", True, f"desktop-tts {__version__}, Python {platform.python_version()}, {platform.platform()}"
        ),
        _desktop(),
        _settings(),
        Finding("logs", True, str(paths.log_dir())),
        *_engines(),
        _sound(),
        _hotkeys(),
        _app(),
    )


def _desktop() -> Finding:
    if not sys.platform.startswith("linux"):
        return Finding("desktop", True, sys.platform)
    session = os.environ.get("XDG_SESSION_TYPE", "unknown")
    name = os.environ.get("XDG_CURRENT_DESKTOP", "unknown desktop")
    if os.environ.get("WAYLAND_DISPLAY") and not os.environ.get("DISPLAY"):
        return Finding(
            "desktop",
            False,
            f"{name} on Wayland without X: bind `desktop-tts read-selection` to a key in the desktop's settings.",
        )
    if not os.environ.get("DISPLAY"):
        return Finding("desktop", False, "No graphical session: only `desktop-tts speak` works here.")
    return Finding("desktop", True, f"{name}, {session}, display {os.environ['DISPLAY']}")


def _settings() -> Finding:
    file = paths.settings_file()
    if not file.exists():
        return Finding("settings", True, f"defaults; {file} isn't written yet")
    # Read-only here: settings.load would move a damaged file aside.
    problem = settings.problem_of(file)
    return Finding("settings", not problem, problem or str(file))


def _engines() -> tuple[Finding, ...]:
    from desktop_tts.engines.catalog import all_engines

    found = []
    for engine in all_engines(settings.Settings):
        missing = engine.available()
        detail = missing or f"{len(engine.voices())} voice(s), {len(engine.capabilities().languages)} language(s)"
        found.append(Finding(f"engine {engine.id}", not missing, detail))
    return tuple(found)


def _sound() -> Finding:
    try:
        from desktop_tts.audio.devices import output_devices

        devices = output_devices()
    except (DesktopTTSError, OSError) as error:
        return Finding("sound", False, str(error))
    if not devices:
        return Finding(
            "sound",
            False,
            "No output device. On Debian and Ubuntu: sudo apt install libasound2-plugins, and start a sound server.",
        )
    default = next((device.name for device in devices if device.is_default), devices[0].name)
    return Finding("sound", True, f"{len(devices)} device(s), default {default}")


def _hotkeys() -> Finding:
    try:
        from desktop_tts.desktop.hotkeys import pick_backend

        backend = pick_backend(lambda name: None)
    except (DesktopTTSError, ImportError) as error:
        return Finding("hotkeys", False, str(error))
    return Finding("hotkeys", True, type(backend).__name__)


def _app() -> Finding:
    from desktop_tts.control.client import NotRunning, ask

    try:
        state = ask({"command": "status"})["state"]
    except NotRunning:
        return Finding("app", True, "not running; start it with: desktop-tts")
    return Finding("app", True, f"running, {state}")
