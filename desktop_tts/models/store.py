"""Where models lie and whether they're whole.

A model is used from our own folder or, in place, from an existing hub cache.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from desktop_tts import paths
from desktop_tts.errors import DesktopTTSError
from desktop_tts.models.catalog import Model

BLOCK = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Installed:
    """A model on this machine."""

    folder: Path
    shared: bool
    """It lies in the hub's own cache, which other programs use too."""


def folder(model: Model) -> Path:
    """Where our downloads of it go; complete as soon as it exists."""
    return paths.data_dir() / "models" / model.key


def installed(model: Model) -> Installed | None:
    """Where it is, all files there with the right sizes; None when it isn't."""
    if complete(model, folder(model)):
        return Installed(folder(model), shared=False)
    cached = _in_hub_cache(model)
    return Installed(cached, shared=True) if cached else None


def complete(model: Model, where: Path) -> bool:
    """All files there, each with its size."""
    return all(_size(where / file.path) == file.size for file in model.files)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return -1


def _in_hub_cache(model: Model) -> Path | None:
    try:
        from huggingface_hub import try_to_load_from_cache
    except ImportError:
        return None
    found = try_to_load_from_cache(model.repository, "config.json", revision=model.revision)
    if not isinstance(found, str):
        return None
    where = Path(found).parent
    return where if complete(model, where) else None


def verify(
    model: Model, where: Path, on_bytes: Callable[[int], None] = lambda _: None, cancel: Event | None = None
) -> tuple[str, ...]:
    """What is wrong with the files, as sentences; empty when every hash is right. ``on_bytes`` counts what was read."""
    problems = []
    for file in model.files:
        path = where / file.path
        size = _size(path)
        if size < 0:
            problems.append(f"{file.path} is missing.")
        elif size != file.size:
            problems.append(f"{file.path} has {size} bytes instead of {file.size}.")
        elif sha256(path, on_bytes, cancel) != file.sha256:
            problems.append(f"{file.path} is damaged.")
    return tuple(problems)


def sha256(path: Path, on_bytes: Callable[[int], None] = lambda _: None, cancel: Event | None = None) -> str:
    """Hex digest of a file; empty when cancelled."""
    digest = hashlib.sha256()
    with path.open("rb") as source:
        while block := source.read(BLOCK):
            if cancel is not None and cancel.is_set():
                return ""
            digest.update(block)
            on_bytes(len(block))
    return digest.hexdigest()


def remove(model: Model) -> int:
    """Delete our copy and what is left of unfinished downloads; bytes freed. Raises DesktopTTSError.

    A copy in the hub's own cache is left alone: other programs may use it.
    """
    freed = 0
    for place in (folder(model), staging(model)):
        if place.exists():
            freed += sum(_size(file) for file in place.rglob("*") if file.is_file())
            try:
                shutil.rmtree(place)
            except OSError as error:
                raise DesktopTTSError(
                    f"{place} can't be deleted: {error.strerror}.", "Close what uses it and try again."
                ) from error
    return freed


def staging(model: Model) -> Path:
    """Where an unfinished download is kept, to go on from."""
    return folder(model).with_name(model.key + ".part")
