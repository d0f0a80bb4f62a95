"""What voices a folder holds; only what changed since the last time is read."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from desktop_tts.voices.errors import VoiceError
from desktop_tts.voices.files import DISK_HINT, has_file, printable
from desktop_tts.voices.folder import ORDER, is_id, read_order, read_profile
from desktop_tts.voices.profile import MANIFEST, BrokenVoice, Profile

_SETTLED_NS: Final = 3_000_000_000
"""Younger files may change again without a newer time: file systems count in up to two seconds."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A folder as it was read."""

    stamp: tuple[int, ...]
    """Empty if it isn't to be relied on."""
    found: Profile | VoiceError


@dataclass(frozen=True, slots=True)
class Listing:
    """All that is in the folder of voices."""

    profiles: dict[str, Profile] = field(default_factory=dict)
    broken: dict[str, tuple[str, BrokenVoice]] = field(default_factory=dict)
    """With the folder's name, which may be none that an id can be."""
    order: list[str] = field(default_factory=list)
    """Each id of the above once."""
    seen: dict[str, Seen] = field(default_factory=dict)
    """By the folder's name, for the next time."""


def list_voices(root: Path, before: Mapping[str, Seen]) -> Listing:
    """Read ``root``; ``before`` is ``seen`` of the last time. Never fails, other programs may write meanwhile."""
    listing = Listing()
    try:
        names = sorted(entry.name for entry in root.iterdir())
    except FileNotFoundError:
        return listing
    except OSError as error:
        reason = f"The voices in {root} can't be read: {error.strerror}. {DISK_HINT}"
        listing.broken["voices"] = (".", BrokenVoice("voices", reason))
        return listing
    for name in names:
        if name[0] != "." and name != ORDER and (is_id(name) or not has_file(root, name)):
            seen = _read(root / name, before.get(name))
            if seen is not None:
                listing.seen[name] = seen
                _add(listing, name, seen.found)
    by_age = sorted(listing.profiles.values(), key=lambda profile: profile.created)
    ids = dict.fromkeys([*read_order(root), *(profile.id for profile in by_age), *listing.broken])
    listing.order.extend(voice_id for voice_id in ids if voice_id in listing.profiles or voice_id in listing.broken)
    return listing


def _read(folder: Path, before: Seen | None) -> Seen | None:
    """None if another program removed it meanwhile."""
    stamp = _stamp(folder)
    if before is not None and stamp and stamp == before.stamp:
        return before
    told = ""
    while True:
        try:
            return Seen(stamp, read_profile(folder))
        except VoiceError as error:
            if not os.path.lexists(folder):
                return None
            if str(error) == told:  # again, so it wasn't just taken away and put back while we looked
                return Seen(stamp, error)
            told = str(error)


def _add(listing: Listing, folder: str, found: Profile | VoiceError) -> None:
    if isinstance(found, Profile):
        listing.profiles[found.id] = found
        return
    voice_id = printable(folder)
    while voice_id in listing.broken or voice_id in listing.profiles:
        voice_id += "?"
    listing.broken[voice_id] = (folder, BrokenVoice(voice_id, str(found), found.newer))


def _stamp(folder: Path) -> tuple[int, ...]:
    """What changes with the folder's files or its ``voice.json``; empty while that isn't sure."""
    stamp: list[int] = []
    newest = 0
    for path in (folder, folder / MANIFEST):
        try:
            found = path.lstat()
        except OSError:
            if path == folder:
                return ()
            continue
        stamp += [found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_size, found.st_mode]
        newest = max(newest, found.st_mtime_ns)
    return tuple(stamp) if newest < time.time_ns() - _SETTLED_NS else ()
