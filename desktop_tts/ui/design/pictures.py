"""The Design page with some draws, and keeping one: for pictures."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QWidget

from desktop_tts.engines.qwen import Model, QwenEngine
from desktop_tts.settings import SettingsStore
from desktop_tts.ui.design.draw import RATE, Draw, Wish
from desktop_tts.ui.design.keep_dialog import KeepDialog
from desktop_tts.ui.design.words import SENTENCES, examples
from desktop_tts.ui.models.pictures import whole
from desktop_tts.ui.pages.design import DesignPage
from desktop_tts.ui.sample import SampleReader, sample_actions
from desktop_tts.ui.sample_voices import voice_actions
from desktop_tts.voices.making import MakerModel, VoiceMaker

BASES = (
    MakerModel("0.6b-base", "Qwen3-TTS 0.6B Base", True),
    MakerModel("1.7b-base", "Qwen3-TTS 1.7B Base", True),
)


def pictured_designs(folder: Path) -> Iterator[tuple[str, QWidget]]:
    """A name and a window; to be drawn before the next is asked for. Files go to ``folder``."""
    reader = SampleReader()
    mine = voice_actions(folder, reader)
    engine = QwenEngine(find_models=lambda: (Model("1.7b-voice-design", folder, "voice_design", ()),))
    mine = dataclasses.replace(mine, maker=VoiceMaker(mine.store, engine))
    page = DesignPage(SettingsStore(folder / "settings.json"), sample_actions(reader, mine=mine))
    text = examples()[0][1]
    page.description.setPlainText(text)
    for number, seconds in ((1, 4.2), (2, 4.6), (3, 3.9)):
        wish = Wish(text, "en", SENTENCES["en"], number, "1.7b-voice-design")
        page.add(Draw(wish, np.zeros(round(seconds * RATE), np.float32)))
    page.rows[1].show_playing(True)
    page.shown()
    window = whole(page)
    yield "design-draws", window
    for name, bases in (("design-keep", BASES), ("design-keep-no-base", ())):
        dialog = KeepDialog(page, "Evening narrator", bases, lambda name, base, cancel: None)
        yield name, dialog
        dialog.reject()
    window.close()
