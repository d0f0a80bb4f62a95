"""The set-up itself, step by step, telling what it does."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from desktop_setup import apt, environment, stamp, system_packages
from desktop_setup.machine import Machine, this_machine
from desktop_setup.outcome import INSTALL_FAILED, PACKAGES_FAILED, PACKAGES_MISSING, UNSUITABLE, SetupError
from desktop_setup.system_packages import DEBIAN, FOR_RUN, FOR_TEST, Need

# The oldest that PySide6's wheels work with.
GLIBC = (2, 34)
GLIBC_ARM = (2, 39)
LARGE = frozenset({"qwen", "test", "dev"})  # these have torch in them


def set_up(root: Path, venv: Path, constraints: Path, inputs: str, extras: frozenset[str], with_system: bool) -> None:
    """Bring system packages and ``.venv`` to what is wanted and stamp it. Extras installed before are kept."""
    machine = this_machine()
    start = time.monotonic()
    _say(f"Setting up Desktop TTS in {root}")
    if machine.environment.get("SUDO_USER"):
        _say("Note: run this as yourself, without sudo; it asks for sudo where it needs it.")
    check_system(machine)
    if with_system and machine.platform.startswith("linux"):
        needs = (*FOR_RUN, *FOR_TEST) if "test" in extras else FOR_RUN
        provide_system_packages(machine, needs, system_packages.is_there(machine))
    previous = stamp.read(venv)
    wanted = extras | frozenset(previous.extras if previous else ())
    check_room(root, wanted, shutil.disk_usage(root).free)
    reason = environment.needs_making(venv, root, machine)
    if reason:
        _say(f"Making the Python environment {venv} ({reason}).")
        environment.make(venv, machine)
    _say(f"Installing the Python packages{''.join(f', {name}' for name in sorted(wanted))}: {_duration(wanted)}.")
    environment.install(root, venv, sorted(wanted), constraints, machine, quiet=not sys.stdout.isatty())
    python = environment.python_of(venv, machine.platform)
    check_libraries(machine, python)
    stamp.write(venv, stamp.Stamp(inputs, str(root), os.path.realpath(python), tuple(sorted(wanted))))
    _say(f"Ready after {time.monotonic() - start:.0f} seconds.")


def check_system(machine: Machine) -> None:
    """Raise where no ready-made PySide6 exists, which pip would say in a way that nobody understands."""
    if not machine.platform.startswith("linux"):
        return
    _, libc = machine.ask(["getconf", "GNU_LIBC_VERSION"])
    version = tuple(int(part) for part in libc.removeprefix("glibc").strip().split(".") if part.isdigit())
    _, kind = machine.ask(["uname", "-m"])
    oldest = GLIBC_ARM if kind.strip() == "aarch64" else GLIBC
    if version < oldest:
        raise SetupError(
            UNSUITABLE,
            f"Desktop TTS needs glibc {oldest[0]}.{oldest[1]} or newer on {kind.strip()}, such as in Debian "
            f"{12 if oldest == GLIBC else 13}; this system has {libc.strip() or 'another C library'}.",
        )


def provide_system_packages(machine: Machine, needs: Iterable[Need], probe: Callable[[str], bool]) -> None:
    """Install the system packages that are missing, or raise with what a person has to do."""
    family = system_packages.family_of(machine.os_release)
    if family == DEBIAN and machine.which("dpkg-query") is None:
        family = ""
    needs = (*needs, *([venv_package()] if family == DEBIAN and not can_make_environments() else []))
    packages = system_packages.missing(needs, family, machine, probe)
    if not packages:
        return
    if family == DEBIAN:
        apt.install(machine, packages)
        still = system_packages.missing(needs, family, machine, probe)
        if still:
            raise SetupError(PACKAGES_FAILED, f"apt-get ended well, but these are still missing: {' '.join(still)}")
        return
    if family:
        line = system_packages.line_to_paste(family, packages, machine.which("sudo") is not None)
        advice = f"Paste this line, then run this again:\n    {line}"
    else:
        advice = f"These are Debian's names for them; install what your system calls so:\n    {' '.join(packages)}"
    raise SetupError(
        PACKAGES_MISSING,
        f"System packages are missing. {advice}\nIf they are there in another way: add --no-system-packages.",
    )


def can_make_environments() -> bool:
    """Whether this Python has venv with pip in it: Debian keeps that in a package of its own."""
    return all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))


def venv_package() -> Need:
    """Debian's package with ensurepip for the Python that runs this."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    return Need("-", name, name, name, name)


def check_room(folder: Path, extras: frozenset[str], free: int) -> None:
    """Raise if the disk is too full for what gets installed: .venv takes 0.5 GB, and with torch 2 GB or more."""
    needed = 4_000_000_000 if extras & LARGE else 800_000_000
    if free < needed and not (folder / ".venv").exists():
        raise SetupError(
            INSTALL_FAILED,
            f"There is too little room in {folder}: {needed / 1e9:.1f} GB are needed and {free / 1e9:.1f} GB are free.",
        )


def check_libraries(machine: Machine, python: Path) -> None:
    """Raise if Qt or PortAudio don't load with what the system has."""
    code, said = machine.ask([str(python), "-P", "-c", LOAD])
    if code != 0:
        raise SetupError(PACKAGES_MISSING, f"A library of the system is missing: {said.strip() or 'Qt does not load'}")


LOAD = """
try:
    import PySide6.QtWidgets, PySide6.QtNetwork, sounddevice
except (ImportError, OSError) as error:
    raise SystemExit(print(error) or 1)
"""


def _duration(extras: frozenset[str]) -> str:
    return "several minutes the first time" if extras & LARGE else "a minute or two the first time"


def _say(sentence: str) -> None:
    print(sentence, flush=True)
