"""Logs: rotating files for the app, nothing on the terminal, and never a word of the user's text."""

from __future__ import annotations

import faulthandler
import logging
import logging.handlers
import sys
import threading
from types import TracebackType

from desktop_tts import __version__, paths

KEEP_BYTES, KEEP_FILES = 512 * 1024, 3


def set_up(*, debug: bool = False) -> None:
    """Send the package's log to a rotating file, and unexpected exceptions too.

    A log that can't be written is no reason to fail.
    """
    root = logging.getLogger("desktop_tts")
    root.setLevel(logging.DEBUG if debug else logging.INFO)
    try:
        folder = paths.log_dir()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = logging.handlers.RotatingFileHandler(
            folder / "desktop-tts.log", maxBytes=KEEP_BYTES, backupCount=KEEP_FILES, encoding="utf-8", delay=True
        )
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        root.addHandler(handler)
        crash = open(folder / "crash.log", "a", encoding="utf-8")  # noqa: SIM115 - stays open for the process's life
        faulthandler.enable(crash)
    except OSError:
        root.addHandler(logging.NullHandler())
    root.info("version %s, Python %s, %s", __version__, sys.version.split()[0], sys.platform)

    def unexpected(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        # Only where it happened: an exception's own words may quote the text that was being read.
        places = []
        while trace is not None:
            places.append(f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}")
            trace = trace.tb_next
        root.error("unexpected %s at %s", kind.__name__, " < ".join(reversed(places)))

    sys.excepthook = unexpected
    threading.excepthook = lambda args: unexpected(args.exc_type, args.exc_value or args.exc_type(), args.exc_traceback)
