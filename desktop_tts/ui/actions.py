"""What the windows and the tray ask of the app, and what they need of its reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import SignalInstance

from desktop_tts.reader_state import ReaderStatus
from desktop_tts.speech import Voice
from desktop_tts.ui.voice_actions import VoiceActions


class OpenSettings(Protocol):
    def __call__(self, page: str = "") -> None:
        """Show the settings, at the page with this id if one is given."""


class ReaderControls(Protocol):
    """The part of the reader that the user interface knows."""

    status: ReaderStatus

    @property
    def status_changed(self) -> SignalInstance:
        """Emits a ReaderStatus; many times a second while speaking."""

    def resume(self) -> None: ...

    def pause(self) -> None: ...

    def toggle(self) -> None: ...

    def next(self) -> None: ...

    def previous(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Actions:
    """Calls of the app. All return at once, but for ``voices`` and ``output_devices``, which may start programs or
    libraries: these two are called in a thread of their own and may raise DesktopTTSError."""

    read_selection: Callable[[], None]
    read_clipboard: Callable[[], None]
    stop: Callable[[], None]
    quit: Callable[[], None]
    open_settings: OpenSettings
    open_window: Callable[[], None]
    voices: Callable[[], tuple[Voice, ...]]
    output_devices: Callable[[], tuple[str, ...]]
    hotkey_problems: Callable[[], dict[str, str]]
    """A sentence for each hotkey that isn't in effect, by its name in the settings; "" for all of them."""
    suspend_hotkeys: Callable[[], None]
    """While a new hotkey is typed."""
    resume_hotkeys: Callable[[], None]
    preview: Callable[[str], None]
    """Speak a sample with the voice of this id."""
    mine: VoiceActions
