"""Set up Desktop TTS in this folder, start it or test it: ``python3 installers/bootstrap.py --help``.

This file keeps to what Python 3.6 understands, so that an old Python can look for a newer one or say what is missing.
Everything else is in ``desktop_setup`` beside it.
"""

import os
import subprocess
import sys

OLDEST = (3, 11)
NO_PYTHON = 10  # the same as in desktop_setup/outcome.py, which an old Python can't read
NAMES = ("python3.14", "python3.13", "python3.12", "python3.11", "python3", "python")
# Where macOS installers put it without telling the PATH of a program that isn't started from a shell.
MORE_FOLDERS = ("/opt/homebrew/bin", "/usr/local/bin")


def newer_python(folders: "list[str]") -> str:
    """The first Python in these folders that is new enough, tried by running it; empty when there is none."""
    question = "import sys; sys.exit(sys.version_info < " + repr(OLDEST) + ")"
    for name in NAMES:
        for folder in folders:
            program = os.path.join(folder, name + (".exe" if os.name == "nt" else ""))
            if not os.access(program, os.X_OK):
                continue
            try:
                found = subprocess.call(
                    [program, "-c", question],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            except OSError:
                continue
            if found == 0:
                return program
    return ""


def go_on_with_newer_python(arguments: "list[str]") -> int:
    """Start this again with a newer Python, or say that there is none. Returns the exit code, if it returns."""
    python = newer_python(os.environ.get("PATH", "").split(os.pathsep) + list(MORE_FOLDERS))
    if not python:
        this = ".".join(str(number) for number in sys.version_info[:3])
        sys.stderr.write(
            "Desktop TTS needs Python 3.11 or newer and this is "
            + this
            + ": install a newer one (Ubuntu 22.04: sudo apt install python3.11-venv; others: your system's packages or"
            " python.org) and run this again.\n"
        )
        return NO_PYTHON
    command = [python, os.path.abspath(__file__)] + arguments  # noqa: RUF005 - for an old Python
    if os.name != "nt":
        os.execv(python, command)
    return subprocess.call(command)


def main() -> int:
    if sys.version_info < OLDEST:
        return go_on_with_newer_python(sys.argv[1:])
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from desktop_setup.cli import main as set_up

    return set_up(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
