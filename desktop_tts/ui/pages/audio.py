"""Where the sound goes."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QPushButton

from desktop_tts.errors import DesktopTTSError
from desktop_tts.settings import Settings, SettingsStore
from desktop_tts.ui.actions import Actions
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.pages.page import SettingsPage
from desktop_tts.ui.steady import SteadyComboBox

KEY = "audio.device"


class AudioPage(SettingsPage):
    def __init__(self, settings: SettingsStore, actions: Actions) -> None:
        super().__init__(self.tr("Audio"), settings, actions)
        self._devices: tuple[str, ...] = ()
        self.device = SteadyComboBox()
        self.device.setAccessibleName(self.tr("Output device"))
        self.device.activated.connect(lambda row: self.keep(KEY, self.device.itemData(row)))
        self.labelled(
            self.tr("&Output device"),
            self.with_notes(
                self.device,
                KEY,
                self.tr("The system's default follows what you plug in or choose in the sound settings."),
            ),
            self.device,
        )
        self.test = QPushButton(self.tr("&Play a test sentence"))
        self.test.setAutoDefault(False)
        self.test.clicked.connect(lambda: actions.preview(self.settings.current.voices.default))
        row = QHBoxLayout()
        row.addWidget(self.test)
        row.addStretch(1)
        self.form.addRow("", row)
        self.column.addStretch(1)
        self.follow(self._fill)

    def shown(self) -> None:
        BackgroundCall(self, self.app.output_devices, self._found, self._failed)

    def _found(self, devices: tuple[str, ...]) -> None:
        self.problems[KEY].show_text("")
        self._devices = tuple(dict.fromkeys(devices))
        self._fill(self.settings.current)

    def _failed(self, error: DesktopTTSError) -> None:
        self.problems[KEY].show_text(str(error))

    def _fill(self, now: Settings) -> None:
        chosen = now.audio.device
        entries = [(self.tr("System default"), ""), *((name, name) for name in self._devices)]
        if chosen and chosen not in self._devices:
            missing = self.tr("{device} (not connected)") if self._devices else "{device}"
            entries.append((missing.format(device=chosen), chosen))
        if entries != [(self.device.itemText(row), self.device.itemData(row)) for row in range(self.device.count())]:
            self.device.clear()
            for text, name in entries:
                self.device.addItem(text, name)
        self.device.setCurrentIndex(self.device.findData(chosen))
