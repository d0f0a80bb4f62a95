"""The small window: what is read, and every control. It stands in for the tray icon where a desktop shows none."""

from __future__ import annotations

import os
from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QCloseEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from desktop_tts.errors import SettingsError
from desktop_tts.reader_state import ReaderState, ReaderStatus
from desktop_tts.settings import Settings, SettingsStore
from desktop_tts.ui.actions import Actions, ReaderControls
from desktop_tts.ui.announce import announce
from desktop_tts.ui.icons import app_icon, glyph, state_icon
from desktop_tts.ui.spoken_text import SpokenText
from desktop_tts.ui.steady import FactorSlider
from desktop_tts.ui.surfaces import Banner, Card, MutedLabel, ThinProgress, heading
from desktop_tts.ui.texts import APP_NAME, details, keys_text, speed_text, state_title
from desktop_tts.ui.transport import GAP, Transport
from desktop_tts.ui.voice_combo import VoiceCombo

STATE_ICON = QSize(36, 36)
SMALL_ICON = 16
PROGRESS_STEPS = 1000


class ControlWindow(QMainWindow):
    """Closing it hides it; the app goes on."""

    def __init__(self, reader: ReaderControls, settings: SettingsStore, actions: Actions) -> None:
        super().__init__()
        self._reader, self._settings, self._actions = reader, settings, actions
        self._shown: ReaderState | None = None
        self._stands_in = False
        self.setWindowTitle(APP_NAME)
        self.setWindowIcon(app_icon())
        self.banner = Banner()
        self.spoken = SpokenText()
        self.progress = ThinProgress()
        self.transport = Transport(reader, actions)
        self.speed = FactorSlider(self.tr("Speed in percent"), 0.5, 3.0, speed_text)
        self.speed.chosen.connect(lambda value: self._set("reading.speed", value))
        self.voice = VoiceCombo(settings, actions)
        self.voice.failed.connect(self.show_notice)
        self._state_icon, self._title, self._details = QLabel(), heading(""), MutedLabel()
        self._settings_button = self._button("settings", self.tr("S&ettings…"), actions.open_settings)
        self._quit_button = self._button("quit", self.tr("&Quit"), actions.quit)
        self._quit_button.hide()
        self.setCentralWidget(self._arranged())
        self.transport.read_selection.setFocus()
        reader.status_changed.connect(self._show_status)
        settings.on_change(self._show_settings)
        self._show_settings(settings.current)
        self._show_status(reader.status)

    # ------------------------------------------------------------ notices and the tray

    def show_notice(self, text: str) -> None:
        """A sentence for the user, until it is dismissed or the next reading begins. Where there is no tray icon and
        the user wants notices, the window comes up for it, without taking the focus."""
        self.banner.show_text(text)
        announce(self.banner, text, urgent=True)
        if self._stands_in and not self.isVisible() and self._settings.current.general.notifications:
            self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
            self.show()
            self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating, False)

    def stand_in_for_tray(self) -> None:
        """There is no tray: show the window, say why, and offer what the tray's menu would."""
        self._stands_in = True
        self._quit_button.show()
        text = self.tr(
            "This desktop shows no tray icon, so this window takes its place. Hotkeys work as usual, also when it is "
            "closed; start Desktop TTS again to bring it back."
        )
        if "GNOME" in os.environ.get("XDG_CURRENT_DESKTOP", "").upper():
            text += " " + self.tr("The GNOME extension “AppIndicator and KStatusNotifierItem Support” adds the icon.")
        self.banner.show_text(text, ReaderState.IDLE)
        self.show()

    def tray_came(self) -> None:
        """The tray icon is there: the window is one of two ways again, and stays where it is until it is closed."""
        if self._stands_in:
            self._stands_in = False
            self._quit_button.hide()
            self.banner.dismiss()

    # ------------------------------------------------------------ keys and window

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Only what the control with the focus had no use for."""
        calls: dict[int, Callable[[], None]] = {Qt.Key.Key_Escape: self._actions.stop}
        if self._reader.status.busy:
            calls |= {
                Qt.Key.Key_Space: self._reader.toggle,
                Qt.Key.Key_Left: self._reader.previous,
                Qt.Key.Key_Right: self._reader.next,
            }
        call = calls.get(event.key())
        if call is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        elif not event.isAutoRepeat():
            call()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.voice.refresh()

    def closeEvent(self, event: QCloseEvent) -> None:
        event.ignore()
        self.hide()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_settings_button"):
            self._settings_button.setIcon(glyph("settings", self.palette(), gap=GAP))
            self._quit_button.setIcon(glyph("quit", self.palette(), gap=GAP))

    # ------------------------------------------------------------ inside

    def _show_status(self, status: ReaderStatus) -> None:
        if status.state is not self._shown:
            self._state_icon.setPixmap(state_icon(status.state).pixmap(STATE_ICON, self.devicePixelRatio()))
            self._title.setText(state_title(status.state))
            self._show_advice(status)
            self.transport.show_status(status)
            if self.isActiveWindow():
                announce(self._title, self._title.text())
            if status.state is ReaderState.PREPARING and not self._stands_in:
                self.banner.dismiss()
            self._shown = status.state
        if status.state is ReaderState.ERROR and status.message:
            self.banner.show_text(status.message)
        self._details.setText(details(status) or ("" if status.busy else self.tr("Nothing is being read.")))
        self.spoken.show_status(status)
        self.progress.setValue(round(status.progress * PROGRESS_STEPS))

    def _show_settings(self, now: Settings) -> None:
        self.speed.set_value(now.reading.speed)
        self.transport.show_keys(now)
        self._show_advice(self._reader.status)

    def _show_advice(self, status: ReaderStatus) -> None:
        """What to do, while nothing is read."""
        key = keys_text(self._settings.current.hotkeys.read_selection)
        if status.busy:
            self.spoken.setPlaceholderText("")
        elif key:
            self.spoken.setPlaceholderText(self.tr("Select text in any program and press {key}.").format(key=key))
        else:
            self.spoken.setPlaceholderText(self.tr("Select text in any program, then press “Read selection” here."))

    def _set(self, key: str, value: object) -> None:
        try:
            self._settings.set(key, value)
        except SettingsError as error:
            self.show_notice(str(error))

    def _button(self, picture: str, text: str, on_press: Callable[[], None]) -> QPushButton:
        button = QPushButton(glyph(picture, self.palette(), gap=GAP), text)
        button.setIconSize(QSize(round(SMALL_ICON * (1 + GAP)), SMALL_ICON))
        button.setAutoDefault(False)
        button.clicked.connect(lambda: on_press())
        return button

    def _arranged(self) -> QWidget:
        titles = QVBoxLayout()
        titles.setSpacing(0)
        titles.addWidget(self._title)
        titles.addWidget(self._details)
        header = QHBoxLayout()
        header.setSpacing(12)
        header.addWidget(self._state_icon)
        header.addLayout(titles, 1)
        self.progress.setRange(0, PROGRESS_STEPS)
        self.progress.setAccessibleName(self.tr("Progress"))
        card = Card()
        inside = QVBoxLayout(card)
        inside.setContentsMargins(12, 10, 12, 12)
        inside.addWidget(self.spoken, 1)
        inside.addWidget(self.progress)
        card.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setHorizontalSpacing(14)
        form.setVerticalSpacing(10)
        for text, field, buddy in (
            (self.tr("Spee&d"), self.speed, self.speed.slider),
            (self.tr("&Voice"), self.voice, self.voice),
        ):
            label = QLabel(text)
            label.setBuddy(buddy)
            form.addRow(label, field)
        footer = QHBoxLayout()
        footer.addWidget(self._quit_button)
        footer.addStretch(1)
        footer.addWidget(self._settings_button)
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(16, 16, 16, 14)
        column.setSpacing(12)
        column.addWidget(self.banner)
        column.addLayout(header)
        column.addWidget(card, 1)
        column.addWidget(self.transport)
        column.addLayout(form)
        column.addLayout(footer)
        return page
