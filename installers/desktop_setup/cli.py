"""The commands of ``bootstrap.py``. It is started daily, so what only a set-up needs is imported late."""

from __future__ import annotations

import argparse
import itertools
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from desktop_setup import outcome, stamp
from desktop_setup.outcome import SetupError

ROOT = Path(__file__).resolve().parents[2]
CONSTRAINTS = ROOT / "installers" / "constraints.txt"
FLAGS = {
    "--no-system-packages": "leave the operating system alone",
    "--qwen": "also install what Qwen3-TTS needs (torch, which is large)",
    "--dev": "also install the tests' packages, ruff, mypy and import-linter",
}


def parser() -> argparse.ArgumentParser:
    """The whole grammar."""
    codes = "\n".join(f"  {code:3}  {meaning}" for code, meaning in outcome.MEANING.items())
    top = argparse.ArgumentParser(
        prog="bootstrap.py",
        description="Set up Desktop TTS in this folder (.venv) and start it. Safe to repeat and to interrupt; when"
        " nothing has changed it needs no network and starts at once.",
        epilog=f"exit codes:\n{codes}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, help_, rest in (
        ("run", "set up what is missing, then start the tray app", "arguments for desktop-tts, such as: speak Hello"),
        ("test", "set up what the tests need, then run them all", "arguments for pytest"),
        ("setup", "set up what is missing and start nothing", ""),
    ):
        command = commands.add_parser(name, help=help_, description=help_.capitalize() + ".")
        for flag, meaning in FLAGS.items():
            command.add_argument(flag, action="store_true", help=meaning)
        if name == "setup":
            command.add_argument("--test", action="store_true", help="also install what the tests need")
        else:
            command.add_argument("arguments", nargs="*", metavar="...", help=rest)
    lock = commands.add_parser(
        "lock",
        help="write constraints.txt anew after a change of pyproject.toml (for developers)",
        description="Write installers/constraints.txt anew after a change of pyproject.toml.",
    )
    lock.add_argument("--upgrade", action="store_true", help="take the newest version of everything")
    return top


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Our own options stand first; from the first other word on, all of a run or test goes on as it is."""
    if arguments and arguments[0] in {"run", "test"}:
        own = list(itertools.takewhile(lambda word: word in FLAGS or word in {"-h", "--help"}, arguments[1:]))
        rest = list(arguments[1 + len(own) :])
        options = parser().parse_args([arguments[0], *own])
        options.arguments = rest[1:] if rest[:1] == ["--"] else rest
        return options
    return parser().parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    """Run a command; the exit code."""
    options = parse(arguments)
    try:
        return _run(options)
    except SetupError as error:
        print(error, file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print("\nInterrupted. Run it again to go on.", file=sys.stderr)
        return outcome.INTERRUPTED


def extras_of(options: argparse.Namespace) -> frozenset[str]:
    """The optional dependencies in pyproject.toml that a command needs."""
    extras = set()
    if options.qwen:
        extras.add("qwen")
    if options.dev:
        extras.add("dev")
    if options.command == "test" or getattr(options, "test", False) or options.dev:
        extras.add("test")
    return frozenset(extras)


def _run(options: argparse.Namespace) -> int:
    if options.command == "lock":
        from desktop_setup.machine import this_machine
        from desktop_setup.pins import lock

        return lock(ROOT, CONSTRAINTS, this_machine(), options.upgrade)
    python = _ready(extras_of(options), with_system=not options.no_system_packages)
    if options.command == "setup":
        print("Desktop TTS is set up. Start it with: python3 installers/bootstrap.py run")
        return outcome.OK
    if options.command == "test":
        os.chdir(ROOT)
        return _become([str(python), "-m", "pytest", *options.arguments])
    # -P: a folder called like one of our packages, where this was started, isn't taken for it.
    return _become([str(python), "-P", "-m", "desktop_tts", *options.arguments])


def _ready(extras: frozenset[str], with_system: bool) -> Path:
    """An environment with these extras; its Python."""
    venv = ROOT / ".venv"
    python = venv / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not stamp.fits(stamp.read(venv), _inputs(), ROOT, python, extras):
        from desktop_setup.guard import only_one
        from desktop_setup.steps import set_up

        with only_one(ROOT / ".venv.lock"):
            inputs = _inputs()
            # Another set-up may have done it while we waited.
            if not stamp.fits(stamp.read(venv), inputs, ROOT, python, extras):
                set_up(ROOT, venv, CONSTRAINTS, inputs, extras, with_system)
    return python


def _inputs() -> str:
    try:
        return stamp.inputs_of(ROOT)
    except (OSError, ValueError) as error:
        raise SetupError(outcome.DAMAGED, f"This copy of Desktop TTS is damaged, get it anew: {error}.") from error


def _become(command: Sequence[str]) -> int:
    """Go on as this program; on Windows, which has no such thing, wait for it."""
    environment = {name: value for name, value in os.environ.items() if name not in {"PYTHONHOME", "PYTHONPATH"}}
    sys.stdout.flush()
    if sys.platform != "win32":
        os.execve(command[0], [*command], environment)
    import subprocess

    return subprocess.call(command, env=environment)
