"""Where things lie: settings, data, cache, logs and the control socket.

``DESKTOP_TTS_HOME`` puts all of them under one folder, for tests and for a portable install.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

APP = "desktop-tts"
HOME_VARIABLE = "DESKTOP_TTS_HOME"


def _folder(kind: str) -> Path:
    home = os.environ.get(HOME_VARIABLE)
    if home:
        return Path(home) / kind
    import platformdirs  # here, because the command line's fast path needs only the socket

    return Path(getattr(platformdirs, f"user_{kind}_dir")(APP, appauthor=False))


def config_dir() -> Path:
    """Settings."""
    return _folder("config")


def data_dir() -> Path:
    """Voices and models."""
    return _folder("data")


def cache_dir() -> Path:
    """What can be made again."""
    return _folder("cache")


def log_dir() -> Path:
    """Rotating logs, never with the user's text."""
    return _folder("log")


def settings_file() -> Path:
    return config_dir() / "settings.json"


def runtime_dir() -> Path:
    """The control socket and the lock of the running app; for the user alone (mode 0700).

    Found without any import outside the standard library, for the command line's fast path.
    """
    home = os.environ.get(HOME_VARIABLE)
    if home:
        return Path(home) / "run"
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and Path(runtime).is_dir():
        return Path(runtime) / APP
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / APP
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / APP
    return Path.home() / ".cache" / APP


def control_address() -> str:
    """Where the running app listens: a Unix socket's path, or a named pipe on Windows."""
    if sys.platform == "win32":
        user = re.sub(r"\W", "_", os.environ.get("USERNAME", "user") + os.environ.get(HOME_VARIABLE, ""))
        return rf"\\.\pipe\{APP}-{user}"
    return str(runtime_dir() / "control.sock")
