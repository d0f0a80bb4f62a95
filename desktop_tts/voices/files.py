"""Files of voices: read with distrust of links, written whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from desktop_tts.voices.errors import VoiceError

JSON_LIMIT: Final = 256 << 10
_DEPTH_LIMIT: Final = 50
DISK_HINT: Final = "Check the disk and its permissions."
_MOUNT_POINT = 0xA0000003  # a junction, on Windows


def is_real_folder(path: Path) -> bool:
    """A folder itself, neither a link nor a junction."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and getattr(found, "st_reparse_tag", 0) != _MOUNT_POINT


def has_file(folder: Path, name: str) -> bool:
    """A file itself, not a link."""
    try:
        return stat.S_ISREG((folder / name).lstat().st_mode)
    except OSError:
        return False


def printable(text: str) -> str:
    """Untrusted text, fit for a sentence."""
    return "".join(char if char.isprintable() else "?" for char in text[:60])


def open_plain(path: Path) -> BinaryIO:
    """Open a plain file, no link, to read. Raises ``OSError``; ``ValueError`` if it's something else."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise ValueError("not a plain file")
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags), "rb")


def read_bytes(path: Path, limit: int) -> bytes:
    """A plain file's content, no link's. Raises ``OSError``, ``ValueError`` if it's longer than ``limit``."""
    with open_plain(path) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise ValueError("too long")
    return content


def parse_json(content: bytes) -> object:
    """Strict JSON in UTF-8. Raises ``ValueError``."""

    def refuse(constant: str) -> object:
        raise ValueError(f"{constant} isn't JSON")

    try:
        value: object = json.loads(content.decode("utf-8"), parse_constant=refuse)
    except RecursionError:
        raise ValueError("nested too deep") from None
    _check_depth(value)  # so that it can also be written, from however deep in the program
    _encoded(value)
    return value


def _check_depth(value: object) -> None:
    level = [value]
    for _ in range(_DEPTH_LIMIT):
        branches = [branch for branch in level if isinstance(branch, dict | list)]
        level = [leaf for branch in branches for leaf in (branch.values() if isinstance(branch, dict) else branch)]
    if level:
        raise ValueError("nested too deep")


def read_json(path: Path, what: str) -> object:
    """Parsed content of a small file. Raises ``VoiceError`` that calls it ``what``."""
    try:
        return parse_json(read_bytes(path, JSON_LIMIT))
    except FileNotFoundError:
        raise VoiceError(f"{path.name} of {what} is missing.", "Import the voice again or delete its folder.") from None
    except OSError as error:
        raise VoiceError(f"{path.name} of {what} can't be read: {error.strerror}.", "Check its permissions.") from error
    except ValueError:
        raise VoiceError(f"{path.name} of {what} is damaged.", "Import the voice again or delete its folder.") from None


def write_json(path: Path, data: object, what: str) -> None:
    """Replace ``path`` at once, for its owner only. Raises ``VoiceError`` if the disk refuses."""
    content = _encoded(data)
    sentence = f"{what[0].upper()}{what[1:]} can't be saved"
    if len(content) > JSON_LIMIT:  # couldn't be read again
        raise VoiceError(f"{sentence} because it is too long.", "Shorten its texts.")
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")  # mode 0600
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
    except OSError as error:
        raise VoiceError(f"{sentence}: {error.strerror}.", DISK_HINT) from error
    sync_folder(path.parent)


def _encoded(data: object) -> bytes:
    try:
        return (json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
    except UnicodeEncodeError:  # half of a character, in a key that we don't know
        return (json.dumps(data, indent=2, allow_nan=False) + "\n").encode()


def sync_folder(folder: Path) -> None:
    """Down to the disk that files came, went or were renamed, where the system can."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def remove(path: Path) -> None:
    """A folder with all in it, or the link or file itself. Raises ``OSError``."""
    if is_real_folder(path):
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def disk(what: str) -> Iterator[None]:
    """Words what the disk refuses as a ``VoiceError``."""
    try:
        yield
    except OSError as error:
        raise VoiceError(f"{what}: {error.strerror or printable(str(error))}.", DISK_HINT) from error
    except ValueError:
        raise VoiceError(f"{what}: a file in it isn't a plain file.", "Remove that file.") from None


@contextlib.contextmanager
def undone(folder: Path) -> Iterator[None]:
    """Remove the folder if the block fails."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            remove(folder)
        raise


def copy_plain(source: Path, target: Path) -> None:
    """Copy a plain file to a new one. Raises as ``open_plain``."""
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(handle, "wb") as out, open_plain(source) as file:
        shutil.copyfileobj(file, out)
        out.flush()
        os.fsync(out.fileno())
