"""Ways of speaking to choose from: presets that come with the program, all changeable, and the user's own."""

from __future__ import annotations

import dataclasses
import secrets
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Final

from desktop_tts import paths
from desktop_tts.voices.errors import VoiceError
from desktop_tts.voices.files import JSON_LIMIT, disk, parse_json, read_bytes, write_json

SCHEMA: Final = 1
_WHAT: Final = "the list of presets"


@dataclass(frozen=True, slots=True)
class Preset:
    """An instruct with a name."""

    id: str
    name: str
    text: str


SHIPPED: Final = (
    Preset("calm", "Calm", "Speak calmly and evenly, with a relaxed voice."),
    Preset("newsreader", "Newsreader", "Speak like a newsreader: clear, neutral and steady."),
    Preset("excited", "Excited", "Speak with great excitement and energy."),
    Preset("whisper", "Whisper", "Speak in a soft whisper."),
    Preset("slow", "Slow and clear", "Speak slowly and pronounce every word clearly."),
    Preset("warm", "Warm", "Speak in a warm and friendly tone, as to a good friend."),
    Preset("serious", "Serious", "Speak in a serious, measured tone."),
    Preset("story", "Cheerful story", "Tell it like a cheerful story for children, lively and with a smile."),
)
"""In the order in which they are offered."""


class InstructPresets:
    """Keeps the presets in memory as they are in ``file``; any thread may call. Disk problems raise ``VoiceError``.

    A file that can't be read counts as none, and is replaced by the next change."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or paths.data_dir() / "instructs.json"
        self._lock = RLock()
        self._presets = _read(self._file)

    def list(self) -> tuple[Preset, ...]:
        with self._lock:
            return self._presets

    def add(self, name: str, text: str) -> Preset:
        """At the end."""
        with self._lock:
            added = Preset(secrets.token_hex(6), name, text)
            self._keep((*self._presets, added))
            return added

    def change(self, preset: Preset) -> None:
        """Name or text of the one with its id."""
        with self._lock:
            if all(known.id != preset.id for known in self._presets):
                raise VoiceError("This preset doesn't exist any more.", "Add it as a new one.")
            self._keep(tuple(preset if known.id == preset.id else known for known in self._presets))

    def delete(self, preset_id: str) -> None:
        """Nothing happens if it's gone."""
        with self._lock:
            self._keep(tuple(known for known in self._presets if known.id != preset_id))

    def reset(self) -> None:
        """Those that came with the program, as they were; the user's own are gone."""
        with self._lock:
            self._keep(SHIPPED)

    def replace(self, presets: tuple[Preset, ...]) -> None:
        """All of them, to undo a deletion or a reset."""
        with self._lock:
            self._keep(presets)

    def _keep(self, presets: tuple[Preset, ...]) -> None:
        with disk("The list of presets can't be saved"):
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        data = {"schema": SCHEMA, "presets": [dataclasses.asdict(preset) for preset in presets]}
        write_json(self._file, data, _WHAT)
        self._presets = presets


def _read(file: Path) -> tuple[Preset, ...]:
    try:
        data = parse_json(read_bytes(file, JSON_LIMIT))
    except (OSError, ValueError):
        return SHIPPED
    listed = data.get("presets") if isinstance(data, dict) else None
    if not isinstance(listed, list):
        return SHIPPED
    found = {}
    for entry in listed:
        values = [entry.get(key) for key in ("id", "name", "text")] if isinstance(entry, dict) else [None]
        if all(isinstance(value, str) for value in values):
            preset = Preset(*values)
            found[preset.id] = preset
    return tuple(found.values())
