"""Whose drafts and deleted voices may be cleared away: those of processes that no longer hold their lock file."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import sys
from pathlib import Path
from typing import Final

from desktop_tts.voices.files import is_real_folder, remove
from desktop_tts.voices.folder import DRAFT

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

TRASH: Final = ".trash"
_LOCK: Final = ".lock-"
_OWNER = re.compile(r"([0-9a-f]{8})-")


class Claim:
    """A lock file, held as long as this object or its process lives. ``token`` marks what belongs to it."""

    def __init__(self, root: Path) -> None:
        """Raises ``OSError``."""
        while True:
            self.token = secrets.token_hex(4)
            path = root / f"{_LOCK}{self.token}"
            self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "rb+")
            if _locked(self._file.fileno()) is not False and path.exists():
                return
            self._file.close()  # another process cleared it away at this moment


def clear_stale(root: Path) -> None:
    """Remove the drafts and deleted voices of dead processes, as far as the disk lets us."""
    with contextlib.suppress(OSError):
        entries = list(root.iterdir())
        trash = root / TRASH
        stale: dict[str, list[Path]] = {}
        for entry in entries:
            if entry.name.startswith(f".{DRAFT}"):
                stale.setdefault(_owner(entry.name.removeprefix(f".{DRAFT}")), []).append(entry)
            elif entry.name.startswith(_LOCK):
                stale.setdefault(entry.name.removeprefix(_LOCK), [])
        for entry in trash.iterdir() if is_real_folder(trash) else ():
            stale.setdefault(_owner(entry.name), []).append(entry)
        for token, left in stale.items():
            _clear(root / f"{_LOCK}{token}", left)


def make_trash(root: Path) -> Path:
    """The folder of deleted voices. Raises ``OSError``."""
    trash = root / TRASH
    if not is_real_folder(trash):
        trash.unlink(missing_ok=True)
        trash.mkdir(mode=0o700)
    return trash


def _clear(lock: Path, left: list[Path]) -> None:
    handle = None
    if os.path.lexists(lock):
        try:
            handle = os.open(lock, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        except OSError:
            return
    try:
        if handle is not None and not _locked(handle):
            return
        for path in left:
            with contextlib.suppress(OSError):
                remove(path)
        if handle is not None and os.name == "posix":
            lock.unlink(missing_ok=True)
    finally:
        if handle is not None:
            os.close(handle)
            if os.name != "posix" and not any(os.path.lexists(path) for path in left):
                with contextlib.suppress(OSError):
                    lock.unlink()


def _owner(name: str) -> str:
    found = _OWNER.match(name)
    return found[1] if found else ""


def _locked(handle: int) -> bool | None:
    """Whether the lock is ours now; None where files can't be locked."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return None
    return True
