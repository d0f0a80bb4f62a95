"""What the set-up needs to know and to do on a machine, as one value that tests replace."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from desktop_setup.outcome import ToldToEnd

OS_RELEASE = Path("/etc/os-release")


class Call(Protocol):
    """Runs a command in this environment and folder, or in our own. If quiet, its output is shown only on failure."""

    def __call__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        quiet: bool = False,
    ) -> int: ...


class Ask(Protocol):
    """Runs a command in this environment, or in our own."""

    def __call__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> tuple[int, str]: ...


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine, and who is asking."""

    platform: str
    """As ``sys.platform``."""
    uid: int | None
    """Effective user; None on Windows."""
    has_terminal: bool
    """Whether somebody could type a password."""
    os_release: str
    """Text of /etc/os-release; empty where there is none."""
    environment: Mapping[str, str]
    which: Callable[[str], str | None]
    call: Call
    """Run a command that reads nothing; its exit code, negative if a signal ended it."""
    ask: Ask
    """Run a command silently; its exit code and what it printed."""


def this_machine() -> Machine:
    """The real one."""
    return Machine(
        platform=sys.platform,
        uid=os.geteuid() if hasattr(os, "geteuid") else None,
        has_terminal=sys.stdin is not None and sys.stdin.isatty(),
        os_release=OS_RELEASE.read_text(encoding="utf-8", errors="replace") if OS_RELEASE.is_file() else "",
        environment=os.environ,
        which=shutil.which,
        call=_call,
        ask=_ask,
    )


def _call(
    command: Sequence[str],
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    quiet: bool = False,
) -> int:
    if not quiet:
        return _wait(command, environment, folder, None)
    with tempfile.TemporaryFile() as output:
        code = _wait(command, environment, folder, output)
        if code != 0:
            output.seek(0)
            print(output.read().decode(errors="replace"), end="", file=sys.stderr, flush=True)
    return code


def _wait(
    command: Sequence[str], environment: Mapping[str, str] | None, folder: Path | None, output: IO[bytes] | None
) -> int:
    try:
        child = subprocess.Popen(
            command,
            env=environment,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output and subprocess.STDOUT,
            # The child inherits the lock file (guard.py): should we be killed, the lock lives as long as the child.
            close_fds=os.name == "nt",
        )
    except OSError:
        return 127
    with child:
        try:
            return child.wait()
        except KeyboardInterrupt as interrupt:
            # Not killed: a package manager has to come to a clean end. A second Ctrl+C gives up waiting.
            if isinstance(interrupt, ToldToEnd) and os.name != "nt":
                with contextlib.suppress(PermissionError):  # sudo's child; the terminal told it
                    child.send_signal(signal.SIGINT)
            child.wait()
            raise


def _ask(command: Sequence[str], environment: Mapping[str, str] | None = None) -> tuple[int, str]:
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError:
        return 127, ""
    return done.returncode, done.stdout
