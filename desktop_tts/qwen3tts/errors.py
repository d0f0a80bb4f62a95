"""The one error that files on disk can cause; bad arguments are plain ``ValueError``s, as upstream has them."""

from __future__ import annotations

from desktop_tts.errors import EngineError


class CheckpointError(EngineError):
    """The model's files can't be used: missing, damaged, or of another kind."""
