"""One voice's folder: ``voice.json`` read with distrust, and written whole or not at all."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import stat
import tempfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from desktop_tts.voices.errors import VoiceError
from desktop_tts.voices.profile import ENGINE, MANIFEST, PREVIEW, PROMPT, REFERENCE, SCHEMA, Consent, Kind, Profile

FILES: Final = (MANIFEST, PROMPT, REFERENCE, PREVIEW)
DRAFT: Final = "draft-"
"""How the ids of drafts begin; their folders have a dot in front."""
NAME_LIMIT: Final = 80
JSON_LIMIT: Final = 256 << 10
_LINE_LIMITS: Final = {"name": NAME_LIMIT, "base": 200, "language": 16, "created": 40}
_TEXT_LIMITS: Final = {"instruct": 4000, "description": 4000, "transcript": 8000, "notes": 8000}
_SPEEDS, _VOLUMES = (0.5, 2.0), (0.0, 2.0)
_SEEDS = 1 << 63
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
_BASE = re.compile(r"[a-z0-9][a-z0-9_-]*:\S.*")
_LANGUAGE = re.compile(r"([a-z]{2,3}(-[A-Za-z0-9]{2,8})*)?")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_CONTROLS_IN_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_MOUNT_POINT = 0xA0000003  # a junction, on Windows


class _Wrong(ValueError):
    """Half a sentence on what is wrong with a profile."""


def is_id(text: str) -> bool:
    """Whether it can name a voice's folder and nothing outside of the voices."""
    return _ID.fullmatch(text) is not None


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


def read_profile(folder: Path) -> Profile:
    """The voice in ``folder``; its id is the folder's name. Raises ``VoiceError``."""
    if not is_real_folder(folder):
        raise VoiceError(f"{folder.name} in the voices folder isn't a folder.", "Remove it or put a real folder there.")
    voice_id = folder.name.removeprefix(".")
    if not is_id(voice_id) or voice_id.startswith(DRAFT) != folder.name.startswith("."):
        raise VoiceError(
            f"The folder {printable(folder.name)} has a name that no voice can have.",
            "Rename it with letters, digits and hyphens.",
        )
    for name in FILES:
        if os.path.lexists(folder / name) and not has_file(folder, name):
            raise VoiceError(f"{name} in the voice folder {voice_id} isn't a plain file.", "Remove it.")
    return parse_profile(read_json(folder / MANIFEST, f"the voice {voice_id}"), voice_id)


def write_profile(folder: Path, profile: Profile) -> None:
    """Write ``voice.json``; keys in it that this version doesn't know stay. Raises ``VoiceError``."""
    check_profile(profile)
    data = to_json(profile)
    if not is_real_folder(folder):
        raise VoiceError(f"The folder of the voice “{profile.name}” is gone.", "Make or import the voice again.")
    old: object = {}
    with contextlib.suppress(VoiceError):  # a damaged file is replaced
        old = read_json(folder / MANIFEST, "the voice")
    if isinstance(old, dict):
        refuse_newer(old, f"The voice “{profile.name}”")
        data |= {key: value for key, value in old.items() if key not in data and key not in _KNOWN}
    write_json(folder / MANIFEST, data, f"the voice “{profile.name}”")


def to_json(profile: Profile) -> dict[str, Any]:
    """What stands in ``voice.json``."""
    data: dict[str, Any] = {"schema": SCHEMA, **dataclasses.asdict(profile)}
    data["kind"] = profile.kind.value
    return data


def parse_profile(data: object, voice_id: str) -> Profile:
    """A profile from untrusted values. Raises ``VoiceError`` that names the wrong one."""
    try:
        return _parsed(data, voice_id)
    except _Wrong as wrong:
        raise VoiceError(
            f"The voice {voice_id} can't be used because {wrong}.", "Correct its voice.json or delete it."
        ) from None


def check_profile(profile: Profile) -> None:
    """Raises ``VoiceError`` for what couldn't be read again."""
    try:
        _parsed(to_json(profile), profile.id)
    except _Wrong as wrong:
        raise VoiceError(f"The voice can't be saved because {wrong}.") from None


def _parsed(data: object, voice_id: str) -> Profile:
    if not isinstance(data, dict):
        raise _Wrong("it isn't a list of fields")
    refuse_newer(data, f"The voice {voice_id}")
    if type(data.get("schema")) is not int or data["schema"] < 1:
        raise _Wrong("its “schema” is wrong")
    for name in ("name", "kind", "base"):
        if name not in data:
            raise _Wrong(f"its “{name}” is missing")
    try:
        kind = Kind(data["kind"])
    except ValueError:
        raise _Wrong("its “kind” is unknown") from None
    lines = {name: _string(data, name, limit, _CONTROLS) for name, limit in _LINE_LIMITS.items()}
    texts = {name: _string(data, name, limit, _CONTROLS_IN_TEXT) for name, limit in _TEXT_LIMITS.items()}
    if not lines["name"].strip():
        raise _Wrong("its “name” is empty")
    if not _BASE.fullmatch(lines["base"]) or lines["base"].startswith(f"{ENGINE}:"):
        raise _Wrong("its “base” isn't a voice or model")
    if not _LANGUAGE.fullmatch(lines["language"]):
        raise _Wrong("its “language” isn't a language code")
    if not is_moment(lines["created"], or_empty=True):
        raise _Wrong("its “created” isn't a time")
    seed = data.get("seed", 0)
    if type(seed) is not int or not 0 <= seed < _SEEDS:
        raise _Wrong("its “seed” is out of range")
    return Profile(
        id=voice_id, kind=kind, seed=seed, consent=_consent(data.get("consent")), **lines, **texts,
        speed=_number(data, "speed", _SPEEDS), volume=_number(data, "volume", _VOLUMES),
    )  # fmt: skip


_KNOWN: Final = frozenset({"schema", *(field.name for field in dataclasses.fields(Profile))})


def refuse_newer(data: Mapping[Any, Any], what: str) -> None:
    """Raises ``VoiceError`` with ``newer`` for a schema above ours."""
    schema = data.get("schema")
    if isinstance(schema, int | float) and schema > SCHEMA:
        raise VoiceError(f"{what} was made by a newer version of this program.", "Update the program.", newer=True)


def is_moment(text: str, *, or_empty: bool = False) -> bool:
    """Whether it's an ISO 8601 time."""
    if not text:
        return or_empty
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def printable(text: str) -> str:
    """Untrusted text, fit for a sentence."""
    return "".join(char if char.isprintable() else "?" for char in text[:60])


def read_bytes(path: Path, limit: int) -> bytes:
    """A plain file's content, no link's. Raises ``OSError``, ``ValueError`` if it's longer than ``limit``."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise ValueError("not a plain file")
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
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
        _encoded(value)  # what can be read can also be written
        return value
    except RecursionError:
        raise ValueError("nested too deep") from None


def read_json(path: Path, what: str) -> object:
    """Parsed content of a small file. Raises ``VoiceError`` that calls it ``what``."""
    try:
        return parse_json(read_bytes(path, JSON_LIMIT))
    except FileNotFoundError:
        raise VoiceError(f"{path.name} of {what} is missing.", "Import the voice again or delete its folder.") from None
    except OSError as error:
        raise VoiceError(f"{path.name} of {what} can't be read: {error.strerror}.", "Check its permissions.") from error
    except ValueError:
        raise VoiceError(
            f"{path.name} of {what} is damaged.", "Import the voice again or delete its folder."
        ) from None


def write_json(path: Path, data: object, what: str) -> None:
    """Replace ``path`` at once, for its owner only. Raises ``VoiceError`` if the disk refuses."""
    content = _encoded(data)
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
        raise VoiceError(
            f"{what[0].upper()}{what[1:]} can't be saved: {error.strerror}.", "Check the disk and its permissions."
        ) from error
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


def _string(data: Mapping[str, Any], name: str, limit: int, refused: re.Pattern[str]) -> str:
    value = data.get(name, "")
    if not isinstance(value, str):
        raise _Wrong(f"its “{name}” isn't text")
    if len(value) > limit:
        raise _Wrong(f"its “{name}” is longer than {limit} characters")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _Wrong(f"its “{name}” has broken characters") from None
    if refused.search(value):
        raise _Wrong(f"its “{name}” has control characters")
    return value


def _number(data: Mapping[str, Any], name: str, limits: tuple[float, float]) -> float:
    value = data.get(name, 1.0)
    if type(value) not in (int, float) or not limits[0] <= value <= limits[1]:
        raise _Wrong(f"its “{name}” isn't a number from {limits[0]:g} to {limits[1]:g}")
    return float(value)


def _consent(value: object) -> Consent | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _Wrong("its “consent” is wrong")
    sentence = _string(value, "sentence", 2000, _CONTROLS_IN_TEXT)
    given = _string(value, "given", 40, _CONTROLS)
    if not sentence.strip() or not is_moment(given):
        raise _Wrong("its “consent” is incomplete")
    return Consent(sentence, given)
