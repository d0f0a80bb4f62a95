"""A machine of the test's making for the set-up, which is no part of the package."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "installers"))

from desktop_setup.machine import Machine

DEBIAN_12 = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n'


class Commands:
    """Plays the machine's commands: notes each, and answers by the longest start of it that has an answer."""

    def __init__(self):
        self.seen = []
        self.quiet = []
        self.folders = []
        self.environments = []
        self.answers = {}

    def answer(self, start, code=0, output=""):
        """From now on, commands that begin with the words of ``start`` end so. A list of codes is used up in turn."""
        self.answers[tuple(start.split())] = (code, output)

    def _answer_to(self, command):
        starts = [start for start in self.answers if tuple(command[: len(start)]) == start]
        if not starts:
            return 0, ""
        code, output = self.answers[max(starts, key=len)]
        return (code.pop(0) if isinstance(code, list) else code), output

    def call(self, command, environment=None, folder=None, quiet=False):
        self.seen.append(list(command))
        self.environments.append(environment)
        self.folders.append(folder)
        self.quiet.append(quiet)
        return self._answer_to(command)[0]

    def ask(self, command, environment=None):
        self.seen.append(list(command))
        return self._answer_to(command)

    def lines(self):
        """What was run, a line each."""
        return [" ".join(command) for command in self.seen]


@pytest.fixture
def commands():
    """The commands that the fake machine ran."""
    return Commands()


@pytest.fixture
def machine(commands):
    """A Debian 12 with no terminal, used by root, whose commands all succeed and print nothing."""
    return Machine(
        platform="linux",
        uid=0,
        has_terminal=False,
        os_release=DEBIAN_12,
        environment={"PATH": "/usr/bin"},
        which=lambda name: f"/usr/bin/{name}",
        call=commands.call,
        ask=commands.ask,
    )


@pytest.fixture
def without(machine):
    """The same machine without some programs: ``without("sudo", uid=1000)``."""

    def make(*programs, **changes):
        return replace(machine, which=lambda name: None if name in programs else f"/usr/bin/{name}", **changes)

    return make
