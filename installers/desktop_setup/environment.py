"""The project's virtual environment in ``.venv``: its layout, its health, and what pip puts in."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from desktop_setup import stamp
from desktop_setup.machine import Machine
from desktop_setup.outcome import INSTALL_FAILED, NO_ENVIRONMENT, SetupError

# These would send packages elsewhere or make another Python's packages visible.
MISLEADING = (
    "PYTHONHOME", "PYTHONPATH", "PYTHONSAFEPATH", "PYTHONPLATLIBDIR", "__PYVENV_LAUNCHER__", "VIRTUAL_ENV",
    "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_PYTHON", "PIP_DRY_RUN", "PIP_NO_DEPS", "PIP_NO_BUILD_ISOLATION",
    "PIP_IGNORE_INSTALLED", "PIP_REQUIREMENT", "PIP_EDITABLE", "PIP_REQUIRE_HASHES", "PIP_REPORT",
)  # fmt: skip


def python_of(venv: Path, platform: str) -> Path:
    """The interpreter inside a virtual environment."""
    return venv / "Scripts" / "python.exe" if platform == "win32" else venv / "bin" / "python"


def clean(environment: Mapping[str, str]) -> dict[str, str]:
    """The user's environment without what leads Python or pip astray."""
    return {name: value for name, value in environment.items() if name not in MISLEADING}


def for_pip(environment: Mapping[str, str], constraints: Path) -> dict[str, str]:
    """The environment of pip: sources, proxies and certificates of the user's configuration, our locked versions.

    Our constraints replace the user's own, which could only contradict exact versions. As a URL, because pip splits the
    variable at spaces. The build constraints are for the isolated environment in which this project is built.
    """
    return {
        **clean(environment),
        "PIP_CONSTRAINT": constraints.as_uri(),
        "PIP_BUILD_CONSTRAINT": constraints.as_uri(),
        "PIP_USER": "0",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INPUT": "1",
        "PIP_NO_WARN_SCRIPT_LOCATION": "1",
        "PYTHONIOENCODING": "utf-8",
    }


def needs_making(venv: Path, root: Path, machine: Machine) -> str:
    """Why the environment has to be made from scratch; empty when the present one will do."""
    if not venv.exists() and not venv.is_symlink():
        return "there is none yet"
    if stamp.is_unfinished(venv):
        return "the last set-up was interrupted"
    made = stamp.read(venv)
    if made and made.root != str(root):
        return "the folder was moved"
    python = python_of(venv, machine.platform)
    if made and made.interpreter != os.path.realpath(python):
        return "the system's Python was replaced"
    if machine.ask([str(python), "-m", "pip", "--version"])[0] != 0:
        return "it doesn't work"
    return ""


def make(venv: Path, machine: Machine) -> None:
    """Make an empty environment, in place of what was there if that was an environment."""
    if venv.exists() or venv.is_symlink():
        _remove(venv)
    if machine.call([sys.executable, "-m", "venv", str(venv)], clean(machine.environment)) != 0:
        raise SetupError(
            NO_ENVIRONMENT,
            f"Python could not make the virtual environment {venv}; the messages above say why.",
        )


def _remove(venv: Path) -> None:
    if venv.is_symlink() or not venv.is_dir():
        raise SetupError(NO_ENVIRONMENT, f"{venv} is not a folder of ours: move it away, then run this again.")
    ours = (venv / "pyvenv.cfg").exists() or not any(path.is_file() for path in venv.rglob("*"))
    if not ours:
        raise SetupError(NO_ENVIRONMENT, f"{venv} holds something else: move it away, then run this again.")
    try:
        shutil.rmtree(venv)
    except OSError as error:
        raise SetupError(
            NO_ENVIRONMENT, f"The old {venv} can't be removed ({error.strerror}): remove it, then run this again."
        ) from error


def install(root: Path, venv: Path, extras: Sequence[str], constraints: Path, machine: Machine, quiet: bool) -> None:
    """Install this project, editable, and the locked versions of what it needs."""
    what = f".[{','.join(extras)}]" if extras else "."
    # -P: nothing in the project's folder is taken for a part of pip.
    command = [str(python_of(venv, machine.platform)), "-P", "-m", "pip", "install", "--editable", what]
    if quiet:
        command += ["--quiet", "--quiet"]  # only errors
    stamp.mark_unfinished(venv)
    # Run in the project's folder, since pip would take brackets in its path for extras.
    code = machine.call(command, for_pip(machine.environment, constraints), root)
    if code >= 0:  # below, a signal ended pip and the mark has to stay
        stamp.mark_whole(venv)
    if code != 0:
        raise SetupError(
            INSTALL_FAILED,
            "pip could not install the Python packages; its messages above say why. Is there a network and enough room"
            " on the disk? Running this again goes on from here.",
        )
