"""The user's own voices on disk: one folder per voice, their order, drafts and a trash for undo."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock

from desktop_tts import paths
from desktop_tts.voices.claim import TRASH, Claim, clear_stale, make_trash
from desktop_tts.voices.errors import VoiceError
from desktop_tts.voices.files import (
    copy_plain,
    disk,
    has_file,
    remove,
    sync_folder,
    undone,
    write_json,
)  # fmt: skip
from desktop_tts.voices.folder import (
    DRAFT,
    FILES,
    NAME_LIMIT,
    ORDER,
    free_id,
    numbered,
    write_profile,
)  # fmt: skip
from desktop_tts.voices.listing import Seen, list_voices
from desktop_tts.voices.profile import BrokenVoice, Profile

_COPY = " (copy)"


@dataclass(frozen=True, slots=True)
class Deleted:
    """What ``restore`` needs to undo a deletion."""

    id: str
    name: str
    folder: str
    place: int
    trashed: str


class VoiceStore:
    """Keeps the voices in memory as they are on disk; any thread may call. Disk problems raise ``VoiceError``."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or paths.data_dir() / "voices"
        self._lock = RLock()
        self._claim: Claim | None = None
        self._profiles: dict[str, Profile] = {}
        self._drafts: dict[str, Profile] = {}
        self._broken: dict[str, tuple[str, BrokenVoice]] = {}
        self._order: list[str] = []
        self._seen: dict[str, Seen] = {}
        self._listeners: list[Callable[[], None]] = []
        clear_stale(self.root)
        self._load()

    def profiles(self) -> tuple[Profile, ...]:
        """All usable voices, in the user's order."""
        with self._lock:
            return tuple(self._profiles[voice_id] for voice_id in self._order if voice_id in self._profiles)

    def broken(self) -> tuple[BrokenVoice, ...]:
        with self._lock:
            return tuple(voice for _, voice in self._broken.values())

    def get(self, voice_id: str) -> Profile | None:
        """A voice or a draft."""
        with self._lock:
            return self._profiles.get(voice_id) or self._drafts.get(voice_id)

    def folder(self, voice_id: str) -> Path:
        """Where the files of a voice, a draft or a broken voice are."""
        with self._lock:
            if voice_id in self._profiles:
                return self.root / voice_id
            if voice_id in self._drafts:
                return self.root / f".{voice_id}"
            if voice_id in self._broken:
                return self.root / self._broken[voice_id][0]
        raise VoiceError("This voice doesn't exist any more.", "Choose another one.")

    def free_name(self, name: str) -> str:
        """``name``, or with the first number that no other voice has."""
        with self._lock:
            return numbered(name, {profile.name for profile in self._profiles.values()})

    def new_draft(self, profile: Profile) -> Profile:
        """A voice in the making, in a hidden folder; its name and base may still be empty."""
        with self._lock:
            folder = self._draft_folder()
            draft = dataclasses.replace(profile, id=folder.name[1:])
            with undone(folder):
                write_profile(folder, draft)
            self._drafts[draft.id] = draft
            return draft

    def keep(self, draft_id: str, name: str) -> Profile:
        """Make a draft a voice, at the end of the order. The draft stays when this fails."""
        with self._lock:
            if draft_id not in self._drafts:
                raise VoiceError("This draft doesn't exist any more.", "Make the voice again.")
            kept = self._publish(self.folder(draft_id), dataclasses.replace(self._drafts[draft_id], name=name))
            del self._drafts[draft_id]
        self._tell()
        return kept

    def discard(self, draft_id: str) -> None:
        """Remove a draft and its files; nothing happens if it's gone."""
        with self._lock:
            if draft_id in self._drafts:
                with disk("The draft can't be removed"):
                    remove(self.folder(draft_id))
                del self._drafts[draft_id]

    def add(self, profile: Profile) -> Profile:
        """A voice without files; returned with its id and time."""
        with self._lock:
            folder = self._draft_folder()
            with undone(folder):
                added = self._publish(folder, profile)
        self._tell()
        return added

    def save(self, profile: Profile) -> None:
        """Changed fields of a voice or a draft."""
        with self._lock:
            among = self._drafts if profile.id in self._drafts else self._profiles
            folder = self.folder(profile.id)
            if profile.id not in among:
                raise VoiceError(self._broken[profile.id][1].reason, newer=self._broken[profile.id][1].newer)
            profile = dataclasses.replace(profile, created=profile.created or among[profile.id].created)
            write_profile(folder, profile)
            among[profile.id] = profile
        if among is self._profiles:
            self._tell()

    def duplicate(self, voice_id: str) -> Profile:
        """A copy with all files, after the original."""
        with self._lock:
            original = self._profiles.get(voice_id)
            source = self.folder(voice_id)
            if original is None:
                raise VoiceError("Only a finished voice can be duplicated.")
            folder = self._draft_folder()
        with undone(folder):
            with disk(f"The voice “{original.name}” can't be copied"):
                for name in FILES:
                    if has_file(source, name):
                        copy_plain(source / name, folder / name)
            with self._lock:
                name = self.free_name(original.name[: NAME_LIMIT - len(_COPY)] + _COPY)
                place = self._order.index(voice_id) + 1 if voice_id in self._order else None
                copy = self._publish(folder, dataclasses.replace(original, name=name), place)
        self._tell()
        return copy

    def delete(self, voice_id: str) -> Deleted:
        """Into the trash, from where ``restore`` takes it until the next start. Broken voices too."""
        with self._lock:
            folder = self.folder(voice_id)
            if voice_id in self._drafts:
                raise VoiceError("A draft can't be deleted, only discarded.")
            name = self._profiles[voice_id].name if voice_id in self._profiles else voice_id
            place = self._order.index(voice_id) if voice_id in self._order else len(self._order)
            with disk(f"The voice “{name}” can't be deleted"):
                trash = make_trash(self.root)
                deleted = Deleted(voice_id, name, folder.name, place, f"{self._token()}-{secrets.token_hex(4)}")
                with contextlib.suppress(FileNotFoundError):  # it's gone already
                    os.rename(folder, trash / deleted.trashed)
            self._profiles.pop(voice_id, None)
            self._broken.pop(voice_id, None)
            if voice_id in self._order:
                self._order.remove(voice_id)
            self._save_order()
        self._tell()
        return deleted

    def restore(self, deleted: Deleted) -> Profile:
        """Undo a deletion. A broken voice comes back too, and then raises what is wrong with it."""
        with self._lock:
            source, target = self.root / TRASH / deleted.trashed, self.root / deleted.folder
            if not os.path.lexists(source) or os.path.lexists(target):
                raise VoiceError(f"The voice “{deleted.name}” can't be brought back; it is no longer in the trash.")
            with disk(f"The voice “{deleted.name}” can't be brought back"):
                os.rename(source, target)
            self._load()
            if deleted.id in self._order:
                self._order.remove(deleted.id)
                self._order.insert(deleted.place, deleted.id)
            self._save_order()
            restored = self._profiles.get(deleted.id)
        self._tell()
        if restored is None:
            raise VoiceError(f"“{deleted.name}” is back, and still can't be used.", "Repair or delete it.")
        return restored

    def reorder(self, ids: Sequence[str]) -> None:
        """Put the voices in this order; those that it lacks follow."""
        with self._lock:
            known = set(self._order)
            order = [voice_id for voice_id in dict.fromkeys([*ids, *self._order]) if voice_id in known]
            write_json(self.root / ORDER, order, "the order of the voices")
            self._order = order
        self._tell()

    def refresh(self) -> None:
        """Read again what is on disk, for changes by other programs."""
        with self._lock:
            before = (self.profiles(), self.broken())
            self._load()
            changed = before != (self.profiles(), self.broken())
        if changed:
            self._tell()

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call ``listener`` after each change of the voices, in the changing thread; returns the way to stop."""
        with self._lock:
            self._listeners.append(listener)

        def stop() -> None:
            with self._lock, contextlib.suppress(ValueError):
                self._listeners.remove(listener)

        return stop

    def _tell(self) -> None:
        for listener in tuple(self._listeners):
            listener()

    def _load(self) -> None:
        listing = list_voices(self.root, self._seen)
        self._profiles, self._broken, self._order = listing.profiles, listing.broken, listing.order
        self._seen = listing.seen

    def _token(self) -> str:
        if self._claim is None:
            self._claim = Claim(self.root)
        return self._claim.token

    def _draft_folder(self) -> Path:
        with disk("A new voice can't be made"):
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            folder = self.root / f".{DRAFT}{self._token()}-{secrets.token_hex(4)}"
            folder.mkdir(mode=0o700)
        return folder

    def _publish(self, folder: Path, profile: Profile, place: int | None = None) -> Profile:
        name = " ".join(profile.name.split())
        made = datetime.now(UTC).isoformat(timespec="seconds")
        profile = dataclasses.replace(profile, id=free_id(self.root, name), name=name, created=made)
        write_profile(folder, profile)
        with disk(f"The voice “{name}” can't be kept"):
            os.rename(folder, self.root / profile.id)
        sync_folder(self.root)
        self._profiles[profile.id] = profile
        self._order.insert(len(self._order) if place is None else place, profile.id)
        self._save_order()
        return profile

    def _save_order(self) -> None:
        with contextlib.suppress(VoiceError):  # only places are lost
            write_json(self.root / ORDER, self._order, "the order of the voices")
