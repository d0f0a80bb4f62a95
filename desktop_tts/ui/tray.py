"""The tray icon: what the reader does, at a glance, and every command by its menu. Where notices come from, too."""

from __future__ import annotations

import sys
import time

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QSystemTrayIcon

from desktop_tts.errors import SettingsError
from desktop_tts.reader_state import ReaderState, ReaderStatus
from desktop_tts.settings import Settings, SettingsStore
from desktop_tts.speech import Voice
from desktop_tts.ui.actions import Actions, ReaderControls
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.icons import app_icon, state_icon
from desktop_tts.ui.texts import APP_NAME, shorten, state_title
from desktop_tts.ui.tray_host import PATIENCE_MS, TrayHost
from desktop_tts.ui.tray_menu import TrayMenu

TOOLTIP_CHARACTERS = 110
NOTICE_MS = 8000
SAME_NOTICE_S = 2.0
"""The same sentence isn't shown again within so long."""


class TrayIcon(QObject):
    """A left click pauses and goes on, or reads the selection when nothing is read; a middle click stops. A double
    click is one click."""

    no_host = Signal()
    """There is no tray on this desktop. Once at most."""
    host_came = Signal()
    """A tray has appeared after all."""
    noticed = Signal(str)
    """A sentence for the user, shown as a notice or not."""

    def __init__(self, reader: ReaderControls, settings: SettingsStore, actions: Actions) -> None:
        super().__init__()
        self._reader, self._settings, self._app = reader, settings, actions
        self._voices: tuple[Voice, ...] = ()
        self._shown: tuple[ReaderState, str] | None = None
        self._last_notice = ("", 0.0)
        self._icons: dict[ReaderState, QIcon] = {}
        self._host = TrayHost(self)
        self._host.notifier_came.connect(self._notifier_came)
        self._host.came.connect(self.host_came)
        self._host.missing.connect(self.no_host)
        self._on_notifier = False
        self._icon: QSystemTrayIcon | None = None
        self._menu: TrayMenu | None = None
        reader.status_changed.connect(self._show_status)
        settings.on_change(self._show_settings)

    def start(self, patience_ms: int = PATIENCE_MS) -> None:
        """Show the icon, or wait for a tray to show it in. ``no_host`` comes after ``patience_ms`` without one."""
        self._build()
        self._host.start(patience_ms)
        self.refresh_voices()

    @property
    def available(self) -> bool:
        """There is a tray now."""
        return QSystemTrayIcon.isSystemTrayAvailable()

    def refresh_voices(self) -> None:
        """Look up which voices there are; the menu follows."""
        BackgroundCall(self, self._app.voices, self._found_voices)

    def notify(self, text: str) -> None:
        """Tell the user something that needs them, if they want notices."""
        self.noticed.emit(text)
        now = time.monotonic()
        again = self._last_notice[0] == text and now - self._last_notice[1] < SAME_NOTICE_S
        self._last_notice = (text, now)
        if self._icon and not again and self._settings.current.general.notifications:
            self._icon.showMessage(APP_NAME, text, app_icon(), NOTICE_MS)

    # ------------------------------------------------------------ the icon

    def _build(self) -> None:
        """A new icon: one that was made before its D-Bus host came never shows there."""
        if self._icon:
            self._icon.hide()
            self._icon.deleteLater()
        if self._menu:
            self._menu.deleteLater()
        self._on_notifier = self._host.has_notifier()
        self._menu = TrayMenu(self._reader, self._app, self._keep, keys_in_labels=self._on_notifier)
        self._icon = QSystemTrayIcon(self)
        self._icon.activated.connect(self._activated)
        self._icon.messageClicked.connect(self._app.open_window)
        self._shown = None
        self._show_status(self._reader.status)
        self._icon.setContextMenu(self._menu)
        self._icon.show()

    def _notifier_came(self) -> None:
        """An icon that already lives on D-Bus comes back by itself."""
        if self._icon and not self._on_notifier:
            self._build()

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason is QSystemTrayIcon.ActivationReason.MiddleClick:
            self._app.stop()
        elif reason is QSystemTrayIcon.ActivationReason.Trigger and sys.platform != "darwin":
            if self._reader.status.busy:
                self._reader.toggle()
            else:
                self._app.read_selection()

    # ------------------------------------------------------------ what it shows

    def _show_status(self, status: ReaderStatus) -> None:
        tooltip = self._tooltip(status)
        if not (self._icon and self._menu) or (status.state, tooltip) == self._shown:
            return
        if self._shown is None or self._shown[0] is not status.state:
            self._icon.setIcon(self._state_icon(status.state))
            self._menu.show_status(status)
            self._menu.show_settings(self._settings.current, self._voices)
        self._icon.setToolTip(tooltip)
        self._shown = (status.state, tooltip)

    def _tooltip(self, status: ReaderStatus) -> str:
        text = status.message if status.state is ReaderState.ERROR else status.text
        title = APP_NAME if status.state is ReaderState.IDLE else f"{APP_NAME}: {state_title(status.state)}"
        return f"{title}\n{shorten(text, TOOLTIP_CHARACTERS)}".strip()

    def _state_icon(self, state: ReaderState) -> QIcon:
        if state not in self._icons:
            self._icons[state] = state_icon(state)
        return self._icons[state]

    def _show_settings(self, now: Settings) -> None:
        if self._menu:
            self._menu.show_settings(now, self._voices)

    def _found_voices(self, voices: tuple[Voice, ...]) -> None:
        self._voices = voices
        self._show_settings(self._settings.current)

    def _keep(self, key: str, value: object) -> None:
        try:
            self._settings.set(key, value)
        except SettingsError as error:
            self.notify(str(error))
        self._show_settings(
            self._settings.current
        )  # also when nothing changed: a click on the chosen entry unchecks it
