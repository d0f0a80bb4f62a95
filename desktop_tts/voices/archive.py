"""A voice in one file, to pass on: a ``.dttsvoice`` zip with a manifest of sizes and checksums, read with distrust."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from desktop_tts.voices.errors import VoiceError
from desktop_tts.voices.files import DISK_HINT, JSON_LIMIT, has_file, open_plain, parse_json, printable
from desktop_tts.voices.folder import FILES, parse_profile, read_profile
from desktop_tts.voices.profile import MANIFEST, PREVIEW, PROMPT, REFERENCE, SCHEMA, Profile
from desktop_tts.voices.safetensors_header import check_safetensors
from desktop_tts.voices.store import VoiceStore

SUFFIX: Final = ".dttsvoice"
FILE_LIMIT: Final = 64 << 20
CONTENTS: Final = "manifest.json"
_ARCHIVE_LIMIT: Final = len(FILES) * FILE_LIMIT + (1 << 20)
_RATIO_LIMIT, _RATIO_FREE = 100, 64 << 10
_CHUNK: Final = 1 << 20
_END: Final = struct.Struct("<4s4H2LH")
_ZIP64_LOCATOR, _ZIP64_LOCATOR_SIZE = b"PK\6\7", 20
_MOMENT: Final = (1980, 1, 1, 0, 0, 0)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_ODD_ZIP = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, LookupError, OverflowError, RuntimeError, ValueError,
)  # fmt: skip


class _Refused(Exception):
    """Half a sentence on what is wrong with an archive."""


def export_voice(store: VoiceStore, voice_id: str, target: Path, *, with_reference: bool = True) -> None:
    """Write a finished voice to ``target``, whole or not at all. Raises ``VoiceError``."""
    folder = store.folder(voice_id)
    profile = read_profile(folder)
    what = f"The voice “{profile.name}” can't be exported"
    if folder.name.startswith("."):
        raise VoiceError(f"{what} before it is finished.")
    names = [name for name in FILES if has_file(folder, name) and (with_reference or name != REFERENCE)]
    try:
        handle, part = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:50]}.", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as out:
                _write(out, folder, names)
                out.flush()
                os.fsync(out.fileno())
            os.replace(part, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(part)
            raise
    except OSError as error:
        raise VoiceError(f"{what}: {error.strerror}.", DISK_HINT) from error
    except ValueError:
        raise VoiceError(f"{what} because one of its files isn't a plain file.", "Remove that file.") from None
    except _Refused as refused:
        raise VoiceError(f"{what} because {refused}.") from None


def import_voice(store: VoiceStore, file: Path) -> Profile:
    """Add the voice in ``file``; another of its name makes it "Name (2)". Raises ``VoiceError`` and adds nothing."""
    what = f"{printable(file.name)} can't be imported"
    try:
        with _opened(file) as source:
            return _import(store, source)
    except _Refused as refused:
        raise VoiceError(f"{what} because {refused}.", "Ask for the file again.") from None
    except VoiceError as error:
        if error.newer:
            raise VoiceError(
                f"{what} because a newer version of this program made it.", "Update the program.", newer=True
            ) from None
        raise
    except OSError as error:
        raise VoiceError(f"{what}: {error.strerror or 'it is damaged'}.", DISK_HINT) from error
    except _ODD_ZIP as error:
        raise VoiceError(f"{what} because it is damaged.", "Ask for the file again.") from error


def _write(out: BinaryIO, folder: Path, names: list[str]) -> None:
    listed: dict[str, dict[str, int | str]] = {}
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            size, digest = 0, hashlib.sha256()
            with open_plain(folder / name) as source, archive.open(_info(name), "w") as entry:
                while chunk := source.read(_CHUNK):
                    size += len(chunk)
                    if size > _limit(name):
                        raise _Refused(f"its {name} is too large")
                    digest.update(chunk)
                    entry.write(chunk)
            listed[name] = {"size": size, "sha256": digest.hexdigest()}
        archive.writestr(_info(CONTENTS), json.dumps({"schema": SCHEMA, "files": listed}, indent=2) + "\n")


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _MOMENT)
    info.external_attr = (stat.S_IFREG | 0o600) << 16
    return info


def _limit(name: str) -> int:
    return JSON_LIMIT if name in (MANIFEST, CONTENTS) else FILE_LIMIT


@contextlib.contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as source:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise _Refused("it isn't a file")
        if found.st_size > _ARCHIVE_LIMIT:
            raise _Refused("it is too large")
        _check_end(source, found.st_size)
        yield source


def _check_end(source: BinaryIO, size: int) -> None:
    """Before anything else is read: how long the list of entries is, told without doubt."""
    if size < _END.size:
        raise _Refused("it isn't a voice file")
    tail_size = min(size, _END.size + _ZIP64_LOCATOR_SIZE)
    source.seek(size - tail_size)
    tail = source.read(tail_size)
    mark, disk, first_disk, here, entries, length, offset, comment = _END.unpack(tail[-_END.size :])
    if mark != b"PK\5\6" or tail.startswith(_ZIP64_LOCATOR):
        raise _Refused("it isn't a voice file or is cut off")
    if disk or first_disk or comment or here != entries or offset + length + _END.size != size:
        raise _Refused("it is damaged")
    if entries > len(FILES) + 1 or length > JSON_LIMIT:
        raise _Refused("it holds more than a voice")


def _import(store: VoiceStore, source: BinaryIO) -> Profile:
    with zipfile.ZipFile(source) as archive:
        entries = _entries(archive)
        listed = _listed(_content(archive, entries[CONTENTS]), entries)
        raw = _content(archive, entries[MANIFEST])
        if hashlib.sha256(raw).hexdigest() != listed[MANIFEST]:
            raise _Refused(f"its {MANIFEST} is damaged")
        profile = _profile(raw)
        draft = store.new_draft(profile)
        try:
            folder = store.folder(draft.id)
            (folder / MANIFEST).write_bytes(raw)  # with the keys that this version doesn't know
            for name, digest in listed.items():
                if name != MANIFEST:
                    _extract(archive, entries[name], folder / name, digest)
            return store.keep(draft.id, store.free_name(" ".join(profile.name.split())))
        except BaseException:
            store.discard(draft.id)
            raise


def _profile(raw: bytes) -> Profile:
    try:
        return parse_profile(parse_json(raw), "imported")
    except VoiceError as error:
        if error.newer:
            raise
    except ValueError:
        pass
    raise _Refused(f"its {MANIFEST} is damaged")


def _entries(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    entries: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = info.orig_filename
        if name not in (*FILES, CONTENTS) or info.filename != name:
            raise _Refused(f"“{printable(name)}” doesn't belong in a voice file")
        if name in entries:
            raise _Refused(f"it holds {name} twice")
        if info.flag_bits & 0x2041:
            raise _Refused("it is encrypted")
        if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG) or info.external_attr & 0x10:
            raise _Refused(f"{name} in it isn't a plain file")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _Refused(f"{name} in it is packed in an unknown way")
        if info.file_size > _limit(name):
            raise _Refused(f"{name} in it is too large")
        if info.file_size > _RATIO_FREE and info.file_size > _RATIO_LIMIT * info.compress_size:
            raise _Refused(f"{name} in it would grow out of measure")
        entries[name] = info
    for name in (CONTENTS, MANIFEST):
        if name not in entries:
            raise _Refused(f"it has no {name}")
    return entries


def _listed(raw: bytes, entries: dict[str, zipfile.ZipInfo]) -> dict[str, str]:
    """Checksums by name, for exactly the files that are there."""
    wrong = _Refused(f"its {CONTENTS} is damaged")
    try:
        contents: Any = parse_json(raw)
    except ValueError:
        raise wrong from None
    if not isinstance(contents, dict) or type(contents.get("schema")) is not int or contents["schema"] < 1:
        raise wrong
    if contents["schema"] > SCHEMA:
        raise VoiceError("It was made by a newer version of this program.", newer=True)
    files = contents.get("files")
    if not isinstance(files, dict) or {*files, CONTENTS} != set(entries) or CONTENTS in files:
        raise wrong
    for name, told in files.items():
        if not isinstance(told, dict) or type(told.get("size")) is not int or told["size"] != entries[name].file_size:
            raise wrong
        if not isinstance(told.get("sha256"), str) or not _SHA256.fullmatch(told["sha256"]):
            raise wrong
    return {name: told["sha256"] for name, told in files.items()}


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with archive.open(info) as entry:
        return entry.read(_limit(info.filename) + 1)


def _extract(archive: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path, sha256: str) -> None:
    size, digest = 0, hashlib.sha256()
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(handle, "wb") as out, archive.open(info) as entry:
        while chunk := entry.read(_CHUNK):
            size += len(chunk)
            digest.update(chunk)
            out.write(chunk)
            if size > info.file_size:
                break
        out.flush()
        os.fsync(out.fileno())
    wrong = _Refused(f"its {info.filename} is damaged")
    if size != info.file_size or digest.hexdigest() != sha256:
        raise wrong
    if info.filename == PROMPT:
        try:
            check_safetensors(target)
        except ValueError:
            raise wrong from None
    if info.filename in (REFERENCE, PREVIEW):
        with open_plain(target) as sound:
            if sound.read(4) != b"fLaC":
                raise wrong
