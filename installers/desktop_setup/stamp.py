"""The note in ``.venv`` that says what it was made from, so that an unchanged one is used at once.

On the way of every start: few imports, no child process.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Set
from dataclasses import asdict, dataclass
from pathlib import Path

NAME = "desktop-tts-setup.json"
OTHER_INPUTS = ("installers/constraints.txt", "installers/desktop_setup/system_packages.py")
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


def inputs_of(root: Path) -> str:
    """One hash over all that decides what a set-up installs. Settings of other tools in pyproject.toml don't."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    parts = [project.get("project"), project.get("build-system"), project.get("tool", {}).get("setuptools")]
    total = hashlib.sha256(json.dumps(parts, sort_keys=True).encode())
    for name in OTHER_INPUTS:
        total.update(hashlib.sha256((root / name).read_bytes()).digest())
    return total.hexdigest()


def fits(stamp: Stamp | None, inputs: str, root: Path, python: Path, extras: Set[str]) -> bool:
    """Whether the environment that carries this stamp can be used as it is."""
    return (
        stamp is not None
        and stamp.inputs == inputs
        and stamp.root == str(root)
        and extras <= set(stamp.extras)
        and os.access(python, os.X_OK)
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
