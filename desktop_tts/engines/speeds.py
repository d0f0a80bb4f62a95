"""How fast each model spoke on this machine when it was last loaded, kept so that it's known before the next time."""

from __future__ import annotations

import json
import logging
import os
import threading
from pathlib import Path

from desktop_tts import paths

log = logging.getLogger(__name__)


class Speeds:
    """Real-time factors (below 1 is faster than speech) by model key, in a small file. Any thread."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or paths.cache_dir() / "speeds.json"
        self._lock = threading.Lock()
        self._known: dict[str, float] | None = None

    def get(self, model: str) -> float | None:
        """None if it was never loaded here."""
        with self._lock:
            return self._read().get(model)

    def set(self, model: str, real_time_factor: float) -> None:
        with self._lock:
            known = self._read()
            known[model] = round(real_time_factor, 3)
            try:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                part = self._file.with_suffix(f".{os.getpid()}.part")
                part.write_text(json.dumps(known), encoding="utf-8")
                os.replace(part, self._file)
            except OSError as error:
                log.info("the speed of a model can't be kept: %s", type(error).__name__)

    def _read(self) -> dict[str, float]:
        if self._known is None:
            try:
                found = json.loads(self._file.read_text(encoding="utf-8"))
                self._known = {str(key): float(value) for key, value in found.items()}
            except (OSError, ValueError, TypeError, AttributeError):
                self._known = {}
        return self._known


def slowness(name: str, real_time_factor: float | None, *, smaller: bool) -> str:
    """A sentence about a model that speaks more slowly than it is heard; empty for others. ``smaller``: there's a
    smaller one to offer."""
    if real_time_factor is None or real_time_factor <= 1:
        return ""
    remedy = "Choose the 0.6B model or the built-in voice" if smaller else "Choose the built-in voice"
    return (
        f"{name} needs {real_time_factor:.1f} seconds for each second of speech on this computer, so it starts late "
        f"and pauses between sentences. {remedy} to hear text at once."
    )
