"""How the app behaves on the desktop."""

from __future__ import annotations

from desktop_tts.settings import SettingsStore
from desktop_tts.ui.actions import Actions
from desktop_tts.ui.pages.page import SettingsPage


class GeneralPage(SettingsPage):
    def __init__(self, settings: SettingsStore, actions: Actions) -> None:
        super().__init__(self.tr("General"), settings, actions)
        self.autostart = self.check_row(
            "general.autostart",
            self.tr("&Start when I log in"),
            self.tr("The hotkeys work from the moment your desktop is there."),
        )
        self.notifications = self.check_row(
            "general.notifications",
            self.tr("Show &notices when something needs me"),
            self.tr("For example when nothing is selected, or when another voice has to read."),
        )
        self.column.addStretch(1)
