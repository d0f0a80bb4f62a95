"""Errors that a person may meet. Each carries one sentence for the user and what to do next.

The message is shown as it is, in a notification or on the terminal, so it names the thing
and the remedy and never holds the text that was being read.
"""


class DesktopTTSError(Exception):
    """Base of all expected errors. ``str(error)`` is a sentence for the user."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class EngineError(DesktopTTSError):
    """An engine can't speak this request."""


class NotInstalled(EngineError):
    """A program, package or model that the engine needs isn't on this machine."""


class OutOfMemory(EngineError):
    """The device has no room for the model or for this request."""


class Unsupported(EngineError):
    """The engine is fine but can't do this: language, instruct, cloning."""


class EngineFault(EngineError):
    """The engine failed in a way that isn't the request's fault; another may go on."""


class AudioError(DesktopTTSError):
    """Sound can't be played or read."""


class NoAudioDevice(AudioError):
    """There's nothing to play on."""


class SelectionError(DesktopTTSError):
    """The selected or copied text can't be had."""


class HotkeyError(DesktopTTSError):
    """A hotkey can't be registered."""


class SettingsError(DesktopTTSError):
    """A setting doesn't exist or a value isn't allowed."""
