"""Holding the clipboard when the app has ended: what we put back belongs to another program and mustn't end with us.

Only where no clipboard manager runs. A small process of its own, started at the end, lives until something else is
copied or the session ends: ``python -m desktop_tts.desktop.selection.x11_holder``, with the contents on its input.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Mapping
from typing import IO

from Xlib import error

from desktop_tts.desktop.selection.x11_connection import Connection
from desktop_tts.desktop.selection.x11_owner import ClipboardOwner
from desktop_tts.desktop.selection.x11_transfer import Data

_READY = b"holding\n"


def start(contents: Mapping[int, Data], seconds: float) -> bool:
    """Start the process; whether it has the clipboard within that time."""
    if getattr(sys, "frozen", False):  # then sys.executable is the app, not Python
        return False
    command = [sys.executable, "-m", "desktop_tts.desktop.selection.x11_holder"]
    try:
        holder = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert holder.stdin is not None
        assert holder.stdout is not None
        with holder.stdin as out:
            write(out, contents)
    except OSError:
        return False
    with holder.stdout as said:
        ready, _, _ = select.select([said], [], [], seconds)
        return bool(ready) and said.readline() == _READY


def write(out: IO[bytes], contents: Mapping[int, Data]) -> None:
    """A line that says what comes, then the contents one after the other. Atoms are numbers of this X server."""
    heads = [[target, data.type, data.format, len(data.content)] for target, data in contents.items()]
    out.write(json.dumps(heads).encode() + b"\n")
    for data in contents.values():
        out.write(data.content)


def read(source: IO[bytes]) -> dict[int, Data]:
    """What ``write`` wrote."""
    heads = json.loads(source.readline())
    return {target: Data(kind, size, source.read(length)) for target, kind, size, length in heads}


def main() -> None:
    """Until the clipboard has another owner or the X server is gone."""
    contents = read(sys.stdin.buffer)
    try:
        x = Connection()
        owner = ClipboardOwner(x)
        if not owner.own(contents, x.server_time()):
            return
        os.write(1, _READY)
        os.close(1)
        x.handle_while(lambda: owner.owning)
    except (error.DisplayError, error.ConnectionClosedError, OSError):
        return


if __name__ == "__main__":
    main()
