"""The Voices page, what it opens and the voices by language, with voices that are made up: for pictures."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from desktop_tts.engines.qwen import LANGUAGES, SPEAKERS
from desktop_tts.settings import SettingsStore
from desktop_tts.speech import Voice
from desktop_tts.ui.pages.reading import ReadingPage
from desktop_tts.ui.pages.voices import VoicesPage
from desktop_tts.ui.sample import VOICES, SampleReader, sample_actions
from desktop_tts.ui.sample_voices import CLONE, NARRATOR, NEWS, voice_actions
from desktop_tts.ui.settings_window import SettingsWindow
from desktop_tts.ui.voices.presets_dialog import PresetsDialog
from desktop_tts.voices.profile import MANIFEST

LARGE = "1.7b-custom-voice"
NIGHT = dataclasses.replace(
    NEWS, name="Night reading", base=f"qwen:{LARGE}/ryan", speed=0.9, notes="", instruct="Speak in a soft whisper."
)


def pictured_voices(folder: Path) -> Iterator[tuple[str, QWidget]]:
    """A name and a window; to be drawn before the next is asked for. Files go to ``folder``."""
    reader = SampleReader()
    mine = voice_actions(folder, reader, profiles=(NIGHT, NARRATOR, CLONE, NEWS))
    for name, content in (("old-recording", "{"), ("from-the-future", '{"schema": 99}')):
        (mine.store.root / name).mkdir()
        (mine.store.root / name / MANIFEST).write_text(content)
    mine.store.refresh()
    night, narrator, clone, _ = mine.store.profiles()
    lacking = Voice(clone.voice_id, clone.name, "my", ("de",), needs_download=True, needs="the model 0.6b-base")
    voices = (*(voice for voice in VOICES if voice.engine != "qwen"), *_speakers(), lacking)
    settings = SettingsStore(folder / "settings.json")
    settings.set("voices.default", night.voice_id)
    actions = dataclasses.replace(sample_actions(reader, mine=mine), voices=lambda: voices)
    window = SettingsWindow(settings, actions)
    window.open_page("voices")
    window.show()
    page = window.page("voices")
    assert isinstance(page, VoicesPage)
    _wait(lambda: any(row.id == lacking.id and row.problem for row in page.list.rows()))
    yield "voices-own", window
    page.list.listen.emit(night.voice_id)
    page.list.select(clone.voice_id)
    yield "voices-model-missing", window
    page.list.select(narrator.voice_id)
    page.bar.wanted.emit("delete")
    yield "voices-undo", window
    page.list.setCurrentRow(page.list.count() - 1)
    yield "voices-damaged", window
    page.undo.undo()
    page.search.setText("zebra")
    yield "voices-none-found", window
    page.search.clear()
    yield "voices-menu-add", _popped(page.add.menu())
    page.list.select(night.voice_id)
    yield "voices-menu-more", _popped(page.bar.menu)
    for name, profile in (("voices-adapted", night), ("voices-cloned", clone)):
        page.dialogs.edit(profile)
        dialog = page.dialogs.current
        assert dialog is not None
        yield name, dialog
        dialog.reject()
    presets = PresetsDialog(mine.presets, window)
    yield "voices-presets", presets
    presets.reject()
    settings.set("voices.by_language", {"de": clone.voice_id, "fr": "espeak:fr"})
    window.show()
    window.open_page("reading")
    reading = window.page("reading")
    assert isinstance(reading, ReadingPage)
    _wait(reading.rules.add.isEnabled)
    reading.rules.add.setFocus()
    yield "reading-by-language", window
    window.close()


def _speakers() -> tuple[Voice, ...]:
    return tuple(
        Voice(
            f"qwen:{LARGE}/{key}", f"{key.replace('_', ' ').title()} (Qwen3-TTS 1.7B)", "qwen", tuple(LANGUAGES), about
        )
        for key, (_, about) in SPEAKERS.items()
    )


def _popped(menu: QMenu | None) -> QMenu:
    assert menu is not None
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    return menu


def _wait(condition: Callable[[], bool]) -> None:
    """For what is looked up in the background."""
    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        QApplication.processEvents()
        time.sleep(0.01)
