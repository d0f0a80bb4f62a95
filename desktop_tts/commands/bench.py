"""``desktop-tts bench``: measure this machine and print one JSON object."""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import platform
import sys
from typing import Any

from desktop_tts.engines.qwen_process import ENVIRONMENT
from desktop_tts.errors import NotInstalled, Unsupported
from desktop_tts.exit_codes import OK


def run(options: argparse.Namespace) -> int:
    found = _path(options.runs) if options.what == "path" else _random(options)
    print(json.dumps(found, indent=2))
    return OK


def _path(runs: int) -> dict[str, Any]:
    if not sys.platform.startswith("linux"):
        raise Unsupported("The measurement of the path runs on Linux only.")
    from desktop_tts.bench import path

    return path.measure(runs)


def _random(options: argparse.Namespace) -> dict[str, Any]:
    if importlib.util.find_spec("torch") is None:
        raise NotInstalled("Qwen3-TTS needs PyTorch.", "Install it with: python3 installers/bootstrap.py setup --qwen")
    for name, value in ENVIRONMENT.items():  # as the app sets it for the model's process
        os.environ.setdefault(name, value)
    from desktop_tts.bench.path import processor
    from desktop_tts.qwen3tts.measure import measure_random

    dtypes = [name.strip() for name in options.dtype.split(",") if name.strip()]
    try:
        found = measure_random(
            options.random,
            options.kind,
            options.device,
            dtypes,
            max(options.frames, 3),
            options.threads,
            options.quality,
            options.long,
        )
    except ValueError as error:
        raise Unsupported(str(error)) from error
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else math.nan
    machine = {"cpu": processor(), "cores": os.cpu_count(), "python": platform.python_version(), "load": round(load, 2)}
    return {"machine": machine} | found
