"""The note in ``.venv`` that says what it was made from, so that an unchanged one is used at once.

On the way of every start: few imports, no child process.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Set
from dataclasses import asdict, dataclass
from pathlib import Path

NAME = "desktop-tts-setup.json"
UNFINISHED = "desktop-tts-setup-unfinished"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a finished ``.venv`` was made from."""

    inputs: str
    """Hash over everything that decides what gets installed."""
    root: str
    """The project's folder. The programs in .venv hold its path, so a moved one is made anew."""
    interpreter: str
    """The Python behind .venv, links resolved; another after an upgrade of the system."""
    extras: tuple[str, ...] = ()


def inputs_of(files: Iterable[Path]) -> str:
    """One hash over the content of these files."""
    total = hashlib.sha256()
    for file in files:
        total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()


def fits(stamp: Stamp | None, inputs: str, root: Path, python: Path, extras: Set[str]) -> bool:
    """Whether the environment that carries this stamp can be used as it is."""
    return (
        stamp is not None
        and stamp.inputs == inputs
        and stamp.root == str(root)
        and extras <= set(stamp.extras)
        and python.exists()
        and stamp.interpreter == os.path.realpath(python)
    )


def read(venv: Path) -> Stamp | None:
    """The stamp of this environment; None when it has none that can be understood."""
    try:
        found = json.loads((venv / NAME).read_text(encoding="utf-8"))
        return Stamp(**{**found, "extras": tuple(found["extras"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def write(venv: Path, stamp: Stamp) -> None:
    """Stamp a finished environment, in one step."""
    new = venv / (NAME + ".new")
    new.write_text(json.dumps(asdict(stamp), indent=1), encoding="utf-8")
    new.replace(venv / NAME)


def is_unfinished(venv: Path) -> bool:
    """Whether packages were being written when the last set-up was killed."""
    return (venv / UNFINISHED).exists()


def mark_unfinished(venv: Path) -> None:
    """From now on this environment isn't to be trusted."""
    (venv / NAME).unlink(missing_ok=True)
    (venv / UNFINISHED).touch()


def mark_whole(venv: Path) -> None:
    """The installer has ended by itself, well or not: it left nothing half-written."""
    (venv / UNFINISHED).unlink(missing_ok=True)
