"""``desktop-tts`` without a command: the tray app, or the window of the one that runs already."""

from __future__ import annotations

import os
import sys

from desktop_tts.control.client import NotRunning, ask
from desktop_tts.exit_codes import FAILED, OK


def run(*, debug: bool) -> int:
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        # Qt would abort the whole process here.
        print("There is no graphical session, so no tray. `desktop-tts speak TEXT` works without one.", file=sys.stderr)
        return FAILED
    try:
        ask({"command": "show"})
    except NotRunning:
        from desktop_tts import app

        code = app.run(debug=debug)
        if code == app.ALREADY_RUNNING:
            print("Desktop TTS is already running, but doesn't answer. End it, then start it again.", file=sys.stderr)
            return FAILED
        return code
    print("Desktop TTS is already running; its window is shown.")
    return OK
