"""One voice's folder: what its ``voice.json`` may say."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import secrets
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from desktop_tts.voices.errors import VoiceError
from desktop_tts.voices.files import has_file, is_real_folder, printable, read_json, write_json
from desktop_tts.voices.profile import ENGINE, MANIFEST, PREVIEW, PROMPT, REFERENCE, SCHEMA, Consent, Kind, Profile

FILES: Final = (MANIFEST, PROMPT, REFERENCE, PREVIEW)
DRAFT: Final = "draft-"
"""How the ids of drafts begin; their folders have a dot in front."""
ORDER: Final = "order.json"
"""Beside the folders: a list of ids."""
NAME_LIMIT: Final = 80
_LINE_LIMITS: Final = {"name": NAME_LIMIT, "base": 200, "language": 16, "created": 40}
_TEXT_LIMITS: Final = {"instruct": 4000, "description": 4000, "transcript": 8000, "notes": 8000}
_SPEEDS, _VOLUMES = (0.5, 2.0), (0.0, 2.0)
_SEEDS = 1 << 63
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
_BASE = re.compile(r"[a-z0-9][a-z0-9_-]*:\S.*")
_LANGUAGE = re.compile(r"([a-z]{2,3}(-[A-Za-z0-9]{2,8})*)?")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_CONTROLS_IN_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class _Wrong(ValueError):
    """Half a sentence on what is wrong with a profile."""


def is_id(text: str) -> bool:
    """Whether it can name a voice's folder and nothing outside of the voices."""
    return _ID.fullmatch(text) is not None


def free_id(root: Path, name: str) -> str:
    """An id for a new voice that reminds of its name."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    word = re.sub(r"[^a-z0-9]+", "-", plain)[:24].strip("-") or "voice"
    if f"{word}-".startswith(DRAFT):
        word = f"voice-{word}"
    while os.path.lexists(root / (voice_id := f"{word}-{secrets.token_hex(3)}")):
        pass
    return voice_id


def numbered(name: str, taken: Iterable[str]) -> str:
    """``name``, or with the first number that isn't taken."""
    folded = {other.casefold() for other in taken}
    free, number = name[:NAME_LIMIT], 1
    while free.casefold() in folded:
        number += 1
        ending = f" ({number})"
        free = name[: NAME_LIMIT - len(ending)] + ending
    return free


def read_order(root: Path) -> list[str]:
    """The ids in the user's order; nothing if that can't be read."""
    try:
        order = read_json(root / ORDER, "the voices")
    except VoiceError:
        return []
    return [voice_id for voice_id in order if isinstance(voice_id, str)] if isinstance(order, list) else []


def read_profile(folder: Path) -> Profile:
    """The voice in ``folder``; its id is the folder's name. Raises ``VoiceError``."""
    if not is_real_folder(folder):
        raise VoiceError(
            f"{printable(folder.name)} in the voices folder isn't a folder.", "Remove it or put a real folder there."
        )
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
    draft = voice_id.startswith(DRAFT)  # may still lack these
    if not lines["name"].strip() and not draft:
        raise _Wrong("its “name” is empty")
    base_is_one = _BASE.fullmatch(lines["base"]) and not lines["base"].startswith(f"{ENGINE}:")
    if not base_is_one and not (draft and not lines["base"]):
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
