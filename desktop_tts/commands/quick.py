"""Bare commands to the running app, such as ``desktop-tts pause``, as fast as Python starts.

A hotkey of the desktop may be bound to them, so they must not import Qt, numpy or even argparse.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from desktop_tts.exit_codes import FAILED, NOT_RUNNING, OK

CONTROLS = ("pause", "resume", "toggle", "stop", "next", "previous")
READS = ("read-selection", "read-clipboard")


def run(arguments: Sequence[str]) -> int | None:
    """Exit code, or None when this isn't such a command or (for reading) no app is running."""
    match arguments:
        case [command] if command in CONTROLS + READS:
            request = {"command": command}
        case [command, "--voice", voice] if command in READS:
            request = {"command": command, "voice": voice}
        case _:
            return None
    from desktop_tts.control.client import NotRunning, ask

    try:
        return report(ask(request))
    except NotRunning:
        if command in READS:
            return None
        return not_running()


def report(answer: dict[str, object]) -> int:
    """Print what the app says is wrong; the exit code."""
    if answer.get("ok"):
        return OK
    print(answer.get("error", "The app could not do that."), file=sys.stderr)
    return int(str(answer.get("code", FAILED)))


def not_running() -> int:
    print("Desktop TTS isn't running. Start it with: desktop-tts", file=sys.stderr)
    return NOT_RUNNING
