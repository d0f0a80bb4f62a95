"""How texts are read."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel

from desktop_tts.errors import DesktopTTSError
from desktop_tts.settings import SettingsStore
from desktop_tts.ui.actions import Actions
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.pages.page import SettingsPage
from desktop_tts.ui.texts import speed_text
from desktop_tts.ui.voices.language_rules import LanguageRules

RULES = "voices.by_language"


class ReadingPage(SettingsPage):
    def __init__(self, settings: SettingsStore, actions: Actions) -> None:
        super().__init__(self.tr("Reading"), settings, actions)
        self.speed = self.factor_row(
            "reading.speed", self.tr("S&peed"), self.tr("Speed in percent"), 0.5, 3.0, speed_text
        )
        self.volume = self.factor_row(
            "reading.volume",
            self.tr("&Volume"),
            self.tr("Volume in percent"),
            0.0,
            1.5,
            lambda value: f"{round(value * 100)} %",
        )
        self.when_busy = self.choice_row(
            "reading.when_busy",
            self.tr("&While reading, a new text"),
            (
                ("restart", self.tr("is read at once instead")),
                ("append", self.tr("waits until the current one is finished")),
            ),
        )
        self.emoji = self.choice_row(
            "reading.emoji",
            self.tr("&Emoji are"),
            (("skip", self.tr("left out")), ("name", self.tr("read by their names"))),
        )
        self.code = self.choice_row(
            "reading.code",
            self.tr("Blocks of &code are"),
            (
                ("skip", self.tr("left out")),
                ("announce", self.tr("mentioned, but not read")),
                ("read", self.tr("read aloud")),
            ),
        )
        self.simulate_copy = self.check_row(
            "reading.simulate_copy",
            self.tr("&Fetch the selection by a copy where a program doesn't offer it"),
            self.tr("Presses the keys for Copy in the program in front. What you had copied before is put back."),
        )
        self.rules = LanguageRules()
        self.rules.wanted.connect(lambda rules: self.keep(RULES, rules))
        self.form.addRow(QLabel(self.tr("Voices by language")))
        note = self.tr("Each sentence in one of these languages is read by its voice, all others by the default voice.")
        self.form.addRow(self.with_notes(self.rules, RULES, note))
        self.follow(lambda now: self.rules.show_rules(now.voices.by_language))
        self.column.addStretch(1)

    def shown(self) -> None:
        BackgroundCall(self, self.app.voices, self.rules.show_voices, self._failed)

    def _failed(self, error: DesktopTTSError) -> None:
        self.problems[RULES].show_text(str(error))
