"""Where models lie and whether they're whole.

A model is used from our own folder or, in place, from an existing hub cache.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Event

from desktop_tts import paths
from desktop_tts.errors import DesktopTTSError
from desktop_tts.models.catalog import Model, ModelFile

BLOCK = 4 * 1024 * 1024
ORIGIN = "desktop-tts-origin.json"
"""In a folder of ours: which revision it is, so that an older one is still known and used after the pin has moved."""
INCOMPLETE = ".incomplete"
"""Ending of a file that is still coming."""


@dataclass(frozen=True, slots=True)
class Installed:
    """A model on this machine."""

    folder: Path
    shared: bool
    """It lies in the hub's own cache, which other programs use too."""
    outdated: bool = False
    """It's whole, but of another revision than the catalogue's."""


def folder(model: Model) -> Path:
    """Where our downloads of it go; complete as soon as it exists."""
    return paths.data_dir() / "models" / model.key


def installed(model: Model) -> Installed | None:
    """Where it is, all files there with the right sizes; None when it isn't."""
    own, here = folder(model), as_installed(model)
    whole = complete(here, own)
    if whole and here.revision == model.revision:
        return Installed(own, shared=False)
    cached = _in_hub_cache(model)
    if cached:
        return Installed(cached, shared=True)
    return Installed(own, shared=False, outdated=True) if whole else None


def as_installed(model: Model) -> Model:
    """The model as its revision in our folder has it; as in the catalogue if that folder doesn't tell."""
    try:
        origin = json.loads((folder(model) / ORIGIN).read_text(encoding="utf-8"))
        files = tuple(ModelFile(str(file["path"]), int(file["size"]), str(file["sha256"])) for file in origin["files"])
        return replace(model, revision=str(origin["revision"]), files=files)
    except (OSError, ValueError, TypeError, KeyError):
        return model


def note_origin(model: Model, where: Path) -> None:
    """Write down what the folder ``where`` holds."""
    origin = {"revision": model.revision, "files": [asdict(file) for file in model.files]}
    (where / ORIGIN).write_text(json.dumps(origin, indent=1), encoding="utf-8")


def came(model: Model) -> int:
    """Bytes of an unfinished download that are here."""
    places = (staging(model) / file.path for file in model.files)
    return sum(max(_size(place), _size(place.with_name(place.name + INCOMPLETE)), 0) for place in places)


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
    """What is wrong with the files, as sentences; empty when every hash is right. ``on_bytes`` counts what was read.
    Ends early when cancelled."""
    problems = []
    for file in as_installed(model).files if where == folder(model) else model.files:
        if cancel is not None and cancel.is_set():
            break
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
    return _delete(folder(model)) + discard(model)


def discard(model: Model) -> int:
    """Delete what is left of unfinished downloads; bytes freed. Raises DesktopTTSError."""
    models = folder(model).parent
    left = [*models.glob(f"{model.key}.part"), *models.glob(f"{model.key}-????????.part")]  # of any revision
    return sum(_delete(place) for place in left)


def _delete(place: Path) -> int:
    freed = sum(_size(file) for file in place.rglob("*") if file.is_file()) if place.exists() else 0
    try:
        if place.exists():
            shutil.rmtree(place)
    except OSError as error:
        raise DesktopTTSError(
            f"{place} can't be deleted: {error.strerror}.", "Close what uses it and try again."
        ) from error
    return freed


def staging(model: Model) -> Path:
    """Where an unfinished download is kept, to go on from: one of another revision is not gone on with."""
    return folder(model).with_name(f"{model.key}-{model.revision[:8]}.part")
