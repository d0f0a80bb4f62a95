"""``desktop-tts bench``."""

from __future__ import annotations

import argparse
import json
import sys

from desktop_tts.errors import Unsupported
from desktop_tts.exit_codes import OK


def run(options: argparse.Namespace) -> int:
    """Measure and print one JSON object."""
    if not sys.platform.startswith("linux"):
        raise Unsupported("The measurement of the path runs on Linux only.")
    from desktop_tts.bench import path

    print(json.dumps(path.measure(options.runs), indent=2))
    return OK
