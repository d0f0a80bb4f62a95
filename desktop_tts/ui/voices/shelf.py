"""What can be done with the user's own voices, each with its way back or the reason why not. Knows no widgets."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop_tts.errors import DesktopTTSError
from desktop_tts.settings import SettingsStore, Voices
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.voices.rows import Row
from desktop_tts.voices.archive import export_voice, import_voice
from desktop_tts.voices.profile import Profile
from desktop_tts.voices.store import Deleted, VoiceStore


class Shelf(QObject):
    """Lives on the main thread; what copies files runs in the background."""

    failed = Signal(str)
    """A sentence on what could not be done."""
    done = Signal(str)
    """A sentence on what was done, where it can't be seen."""
    undoable = Signal(str, object)
    """A sentence on what was done, and the call that undoes it."""
    arrived = Signal(str)
    """Id of a voice that is new, or back."""

    def __init__(self, store: VoiceStore, settings: SettingsStore, parent: QObject) -> None:
        super().__init__(parent)
        self._store, self._settings = store, settings

    def make_default(self, voice_id: str) -> None:
        self._try(lambda: self._settings.set("voices.default", voice_id))

    def rename(self, voice_id: str, name: str) -> None:
        profile = self._profile(voice_id)
        if profile and name and name != profile.name:
            self._try(lambda: self._store.save(dataclasses.replace(profile, name=name)))

    def delete(self, row: Row) -> None:
        """Into the trash. A default voice hands over to the built-in one, and is the default again when it's back."""
        folder_id = row.profile.id if row.profile else row.broken.id if row.broken else ""
        was_default = self._settings.current.voices.default == row.id
        if not folder_id:
            return

        def delete() -> None:
            deleted = self._store.delete(folder_id)
            if was_default:
                self.make_default(Voices().default)
            text = self.tr("“{name}” is deleted.").format(name=row.name)
            self.undoable.emit(text, lambda: self._restore(deleted, row, was_default))

        self._try(delete)

    def _restore(self, deleted: Deleted, row: Row, was_default: bool) -> None:
        try:
            self._store.restore(deleted)
        except DesktopTTSError as error:
            if row.broken is None or not any(voice.id == deleted.id for voice in self._store.broken()):
                self.failed.emit(str(error))
                return
        if was_default:
            self.make_default(row.id)
        self.arrived.emit(row.id)

    def move(self, voice_id: str, neighbour: str, after: bool) -> None:
        """Put a voice before or after another one."""
        order = [profile.voice_id for profile in self._store.profiles()]
        if {voice_id, neighbour} <= set(order) and voice_id != neighbour:
            order.remove(voice_id)
            order.insert(order.index(neighbour) + after, voice_id)
            self._try(lambda: self._store.reorder([one.partition(":")[2] for one in order]))

    def duplicate(self, voice_id: str) -> None:
        profile = self._profile(voice_id)
        if profile:
            self._in_background(lambda: self._store.duplicate(profile.id), self._came)

    def bring_in(self, files: Sequence[Path]) -> None:
        """Import voice files, one after the other; what is wrong with one doesn't keep the others away."""

        def work() -> tuple[list[Profile], list[str]]:
            came, wrong = [], []
            for file in files:
                try:
                    came.append(import_voice(self._store, file))
                except DesktopTTSError as error:
                    wrong.append(str(error))
            return came, wrong

        self._in_background(work, self._brought)

    def _brought(self, outcome: tuple[list[Profile], list[str]]) -> None:
        came, wrong = outcome
        if came:
            names = ", ".join(f"“{profile.name}”" for profile in came)
            self.done.emit(self.tr("Imported: {names}.").format(names=names))
            self._came(came[-1])
        if wrong:
            others = len(wrong) - 1
            one, many = self.tr("Another file can't either."), self.tr("{n} more files can't either.")
            more = many.format(n=others) if others > 1 else one if others else ""
            self.failed.emit(f"{wrong[0]} {more}".strip())

    def hand_out(self, voice_id: str, file: Path, *, with_reference: bool) -> None:
        """Export to a voice file."""
        profile = self._profile(voice_id)
        if profile:
            text = self.tr("“{name}” is exported to {file}.").format(name=profile.name, file=file.name)
            self._in_background(
                lambda: export_voice(self._store, profile.id, file, with_reference=with_reference),
                lambda _: self.done.emit(text),
            )

    def _profile(self, voice_id: str) -> Profile | None:
        return next((profile for profile in self._store.profiles() if profile.voice_id == voice_id), None)

    def _came(self, profile: Profile) -> None:
        self.arrived.emit(profile.voice_id)

    def _in_background(self, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        BackgroundCall(self, work, done, lambda error: self.failed.emit(str(error)))

    def _try(self, work: Callable[[], None]) -> None:
        try:
            work()
        except DesktopTTSError as error:
            self.failed.emit(str(error))
