"""The one error of voices of the user's own."""

from __future__ import annotations

from desktop_tts.errors import DesktopTTSError


class VoiceError(DesktopTTSError):
    """A voice can't be read, kept or changed."""

    def __init__(self, message: str, hint: str = "", *, newer: bool = False) -> None:
        super().__init__(message, hint)
        self.newer = newer
        """The files are of a newer version of this program, and stay as they are."""
