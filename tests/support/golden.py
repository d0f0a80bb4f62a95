"""The tiny models and what the published implementation computed from them (see ``tests/golden/README.md``)."""

import atexit
import functools
import shutil
import sys
import tempfile
from pathlib import Path

_GOLDEN = Path(__file__).parents[1] / "golden"
sys.path.insert(0, str(_GOLDEN))

import tiny_model  # noqa: E402

DATA = _GOLDEN / "data"
CHECKPOINTS = tuple(tiny_model.SPECS)


@functools.cache
def _directory() -> Path:
    directory = Path(tempfile.mkdtemp(prefix="desktop-tts-tiny-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


@functools.cache
def checkpoint(name: str) -> Path:
    """A model directory in the published layout, made on first use; treat it as read-only.

    Names: ``custom_voice``, ``custom_voice_0b6``, ``voice_design``, ``base``, ``base_0b6``. The ``_0b6`` ones have
    equal talker and predictor widths, so no input projection, and drop the instruct text.
    """
    return tiny_model.write(_directory() / name, tiny_model.SPECS[name])
