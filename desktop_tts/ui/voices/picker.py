"""Choosing a voice, or a language, from a list that drops down."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QLabel

from desktop_tts.speech import LANGUAGE_NAMES, Voice, language_name
from desktop_tts.ui.steady import SteadyComboBox


class Picker(SteadyComboBox):
    """Entries with a value each; one is always chosen, though it may not be among those offered."""

    chosen = Signal(str)
    """The value that the user picked."""

    def __init__(self, name: str) -> None:
        """``name`` is what a screen reader calls it."""
        super().__init__()
        self.setAccessibleName(name)
        self.setMaxVisibleItems(20)
        self.activated.connect(lambda row: self.chosen.emit(self.itemData(row)))

    def value(self) -> str:
        return str(self.currentData() or "")

    def offer(self, entries: Sequence[tuple[str, str]], value: str, unknown: str = "") -> None:
        """``entries`` are pairs of words and value. A ``value`` that isn't among them is shown as ``unknown``."""
        offered = list(entries)
        if value not in (entry for _, entry in offered):
            offered.insert(0, (unknown or value.partition(":")[2] or value, value))
        if offered != [(self.itemText(row), self.itemData(row)) for row in range(self.count())]:
            self.clear()
            for words, data in offered:
                self.addItem(words, data)
        self.setCurrentIndex(self.findData(value))


def name_by_label(combo: QComboBox) -> None:
    """Name a combo without a label beside it, once it is in its place: on Unix a screen reader takes its name from a
    label alone, and finds one that isn't shown, too."""
    label = QLabel(combo.accessibleName(), combo.parentWidget())
    label.setBuddy(combo)
    label.hide()
    combo.destroyed.connect(label.deleteLater)


def voice_entries(voices: Iterable[Voice], language: str = "") -> list[tuple[str, str]]:
    """The voices that can speak here and now, and speak ``language`` if it is given."""
    return [
        (voice.name, voice.id)
        for voice in voices
        if not voice.needs_download and (not language or language in voice.languages)
    ]


def language_entries(codes: Iterable[str] = LANGUAGE_NAMES) -> list[tuple[str, str]]:
    """By name."""
    return sorted((language_name(code), code) for code in codes)
