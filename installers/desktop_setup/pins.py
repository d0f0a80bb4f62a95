"""``bootstrap.py lock``: writes constraints.txt, the exact version of every package on every system.

The work is done by uv, which resolves for all systems and Pythons at once; pip can only do it for its own. uv comes
from the Python package index into a temporary environment. It doesn't read pip's configuration: for another index, set
UV_DEFAULT_INDEX.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from desktop_setup.environment import clean, python_of
from desktop_setup.machine import Machine
from desktop_setup.outcome import INSTALL_FAILED, OK, SetupError

UV = "uv==0.13.9"
EXTRAS = ("qwen", "test", "dev")
# One version of torch for everybody: where a package source has a CPU build of it (2.13.0+cpu), this pin takes that.
# setuptools builds this project, in an environment that pip's build constraints pin.
ALSO = "torch==2.13.0\nsetuptools>=77\n"
# Systems that no test of ours runs on: every package must at least have a ready-made wheel there.
SYSTEMS = ("x86_64-manylinux_2_34", "aarch64-manylinux_2_39", "windows", "aarch64-apple-darwin")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def lock(root: Path, constraints: Path, machine: Machine, upgrade: bool) -> int:
    """Rewrite ``constraints`` after pyproject.toml. Versions stay as they are unless ``upgrade`` or a conflict."""
    environment = {**clean(machine.environment), "MACOSX_DEPLOYMENT_TARGET": "14.0"}  # the oldest with every wheel
    with tempfile.TemporaryDirectory(prefix="desktop-tts-lock-") as name:
        folder = Path(name)
        python = python_of(folder / "venv", machine.platform)
        uv = str(python.with_name("uv" + python.suffix))
        for command in (
            [sys.executable, "-m", "venv", str(folder / "venv")],
            [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", UV],
        ):
            if machine.call(command, environment) != 0:
                raise SetupError(INSTALL_FAILED, f"{UV} could not be installed; the messages above say why.")
        new = folder / "constraints.txt"
        if constraints.exists():
            shutil.copyfile(constraints, new)
        (folder / "also.in").write_text(ALSO, encoding="utf-8")
        command = [
            uv, "pip", "compile", "pyproject.toml", str(folder / "also.in"), "--output-file", str(new),
            "--universal", "--python-version", "3.11", "--fork-strategy", "fewest", "--strip-extras", "--quiet",
            "--no-annotate", "--custom-compile-command", "python3 installers/bootstrap.py lock",
            *[part for extra in EXTRAS for part in ("--extra", extra)], *(["--upgrade"] if upgrade else []),
        ]  # fmt: skip
        if machine.call(command, environment, root) != 0:
            raise SetupError(INSTALL_FAILED, "uv could not find versions that go together; its messages say why.")
        beside = constraints.with_suffix(".new")
        shutil.copyfile(new, beside)
        os.replace(beside, constraints)
        print(f"Wrote {constraints}.")
        _look_for_wheels(uv, folder, root, constraints, machine, environment)
    return OK


def _look_for_wheels(
    uv: str, folder: Path, root: Path, constraints: Path, machine: Machine, environment: dict[str, str]
) -> None:
    """Say for each system and Python whether the app can be installed there without a compiler."""
    for system in SYSTEMS:
        for version in PYTHONS:
            code, _ = machine.ask(
                [
                    uv, "pip", "install", "--dry-run", "--quiet", "--only-binary", ":all:",
                    "--target", str(folder / "target"), "--python-platform", system, "--python-version", version,
                    "--constraint", str(constraints), "--requirement", str(root / "pyproject.toml"),
                ],
                environment,
            )  # fmt: skip
            print(f"  {system}, Python {version}: {'every package has a wheel' if code == 0 else 'A WHEEL IS MISSING'}")
