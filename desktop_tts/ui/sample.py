"""A reader and actions that do nothing but tell: for pictures of the windows, and for tests."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from desktop_tts.reader_state import ReaderState, ReaderStatus
from desktop_tts.speech import Span, Voice
from desktop_tts.ui.actions import Actions
from desktop_tts.ui.sample_voices import voice_actions
from desktop_tts.ui.voice_actions import VoiceActions

SENTENCE = "People who cannot read a screen for long rely on it every day."
READING = ReaderStatus(
    ReaderState.SPEAKING,
    SENTENCE,
    span=Span(0, len(SENTENCE)),
    word=Span(18, 22),
    word_in_text=Span(18, 22),
    progress=0.35,
    voice_name="Heart",
    source="selection",
)
VOICES = (
    Voice("builtin:heart", "Heart", "builtin", ("en",), "Built in, works offline. American English."),
    Voice("qwen:vivian", "Vivian", "qwen", ("en", "zh", "de", "fr", "ja"), "Bright and clear.", needs_download=True),
    *(
        Voice(f"espeak:{code}", f"{name} (espeak-ng)", "espeak", (code,), "Robotic.")
        for code, name in (
            *(("cs", "Czech"), ("de", "German"), ("en", "English"), ("es", "Spanish"), ("fi", "Finnish")),
            *(("fr", "French"), ("it", "Italian"), ("nl", "Dutch"), ("pl", "Polish"), ("tr", "Turkish")),
        )
    ),
)


class SampleReader(QObject):
    """Goes from state to state as it is told; ``calls`` lists what it was told."""

    status_changed = Signal(object)
    notice = Signal(str)

    def __init__(self, on_call: Callable[[str], None] = lambda name: None) -> None:
        super().__init__()
        self.status = ReaderStatus()
        self.calls: list[str] = []
        self._on_call = on_call

    def show(self, status: ReaderStatus) -> None:
        self.status = status
        self.status_changed.emit(status)

    def called(self, name: str) -> None:
        self.calls.append(name)
        self._on_call(name)

    def pause(self) -> None:
        self.called("pause")
        self.show(replace(self.status, state=ReaderState.PAUSED))

    def resume(self) -> None:
        self.called("resume")
        self.show(replace(self.status, state=ReaderState.SPEAKING))

    def toggle(self) -> None:
        if self.status.state is ReaderState.PAUSED:
            self.resume()
        else:
            self.pause()

    def stop(self) -> None:
        self.called("stop")
        self.show(ReaderStatus())

    def next(self) -> None:
        self.called("next")

    def previous(self) -> None:
        self.called("previous")


def sample_actions(
    reader: SampleReader, problems: dict[str, str] | None = None, mine: VoiceActions | None = None
) -> Actions:
    """Actions that are listed in ``reader.calls``. Without ``mine`` there are no voices of the user's own."""
    if mine is None:
        folder = Path(tempfile.mkdtemp(prefix="desktop-tts-"))
        weakref.finalize(reader, shutil.rmtree, folder, ignore_errors=True)
        mine = voice_actions(folder, reader, reader.called)

    def call(name: str) -> Callable[[], None]:
        return lambda: reader.called(name)

    return Actions(
        read_selection=call("read_selection"),
        read_clipboard=call("read_clipboard"),
        stop=reader.stop,
        quit=call("quit"),
        open_settings=lambda page="": reader.called(f"open_settings {page}".strip()),
        open_window=call("open_window"),
        voices=lambda: VOICES,
        output_devices=lambda: ("Built-in Speakers", "Headphones"),
        hotkey_problems=lambda: dict(problems or {}),
        suspend_hotkeys=call("suspend_hotkeys"),
        resume_hotkeys=call("resume_hotkeys"),
        preview=lambda voice_id: reader.called(f"preview {voice_id}"),
        mine=mine,
    )
