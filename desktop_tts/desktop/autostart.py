"""Starting the app at login. What is written is made by pure functions; the rest puts it where each system looks.

Linux: a desktop entry in ``~/.config/autostart``. Windows: a value of the user's ``Run`` key. macOS: a launch agent.
The last two haven't been run yet; their contents are tested.
"""

from __future__ import annotations

import contextlib
import os
import plistlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

APP = "desktop-tts"
LABEL = "org.desktop_tts.tray"
_RUN_KEY = r"Software\Microsoft\Windows\CurrentVersion\Run"
_ENTRY_NEEDS_QUOTES = re.compile(r"[^A-Za-z0-9_@+=:,./%-]")


def is_enabled() -> bool:
    """Whether the app starts at the next login; false too where the user switched the entry off by other means."""
    if sys.platform == "win32":
        return _registered()
    try:
        content = _file().read_bytes()
    except OSError:
        return False
    return sys.platform == "darwin" or entry_is_on(content.decode("utf-8", "replace"))


def set_enabled(enabled: bool, command: Sequence[str]) -> None:
    """Start ``command`` (program and arguments) at login, or no longer. Raises OSError."""
    if sys.platform == "win32":
        _register(run_value(command) if enabled else None)
        return
    file = _file()
    if not enabled:
        file.unlink(missing_ok=True)
        return
    _write(file, launch_agent(command) if sys.platform == "darwin" else desktop_entry(command).encode())


# ---------------------------------------------------------------- what is written


def desktop_entry(command: Sequence[str]) -> str:
    """The autostart file of a Linux desktop."""
    return (
        "[Desktop Entry]\n"
        "Type=Application\n"
        "Version=1.5\n"
        "Name=Desktop TTS\n"
        "Comment=Reads selected text aloud\n"
        f"Exec={' '.join(_exec_argument(part) for part in command)}\n"
        f"Icon={APP}\n"
        "Terminal=false\n"
        "X-GNOME-Autostart-enabled=true\n"
    )


def _exec_argument(argument: str) -> str:
    """Quoted by the rules of the ``Exec`` key, then escaped by those of strings in a desktop file."""
    argument = argument.replace("%", "%%")
    if not argument or _ENTRY_NEEDS_QUOTES.search(argument):
        argument = '"' + re.sub(r'(["`$\\])', r"\\\1", argument) + '"'
    for plain, escaped in (("\\", "\\\\"), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")):
        argument = argument.replace(plain, escaped)
    return argument


def entry_is_on(entry: str) -> bool:
    """Desktops switch an entry off by a key in it."""
    keys: dict[str, str] = dict(re.findall(r"^(Hidden|X-GNOME-Autostart-enabled)\s*=\s*(\w+)", entry, re.M))
    return keys.get("Hidden", "false").lower() != "true" and keys.get("X-GNOME-Autostart-enabled", "true") != "false"


def run_value(command: Sequence[str]) -> str:
    """The command line in Windows' registry."""
    return subprocess.list2cmdline(command)


def launch_agent(command: Sequence[str]) -> bytes:
    """The property list of a macOS launch agent: started once, at login."""
    return plistlib.dumps(
        {"Label": LABEL, "ProgramArguments": list(command), "RunAtLoad": True, "ProcessType": "Interactive"}
    )


# ---------------------------------------------------------------- where it goes


def _file() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    config = os.environ.get("XDG_CONFIG_HOME", "")
    base = Path(config) if os.path.isabs(config) else Path.home() / ".config"  # the standard ignores relative paths
    return base / "autostart" / f"{APP}.desktop"


def _write(file: Path, content: bytes) -> None:
    """Whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
        os.chmod(name, 0o644)
        os.replace(name, file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


if sys.platform == "win32":
    import winreg

    def _registered() -> bool:
        with contextlib.suppress(OSError), winreg.OpenKey(winreg.HKEY_CURRENT_USER, _RUN_KEY) as key:
            return bool(winreg.QueryValueEx(key, APP)[0])
        return False

    def _register(value: str | None) -> None:
        with winreg.CreateKey(winreg.HKEY_CURRENT_USER, _RUN_KEY) as key:
            if value is not None:
                winreg.SetValueEx(key, APP, 0, winreg.REG_SZ, value)
                return
            with contextlib.suppress(FileNotFoundError):
                winreg.DeleteValue(key, APP)
