"""Whether the desktop has a place for tray icons: there may be none, or it comes later than the app."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QSystemTrayIcon

WATCHER = "org.kde.StatusNotifierWatcher"
PATIENCE_MS = 6000
"""A panel that starts with the session may take that long."""
FIRST_LOOKS_MS = 1000
LATER_LOOKS_MS = 5000
FEW_LOOKS = 30


class TrayHost(QObject):
    """Looks for a tray until there is one; after that, only new D-Bus hosts matter, and those call."""

    came = Signal()
    """There is a tray, and there was none when the search began."""
    notifier_came = Signal()
    """A StatusNotifierItem host has appeared, perhaps beside an older kind of tray."""
    missing = Signal()
    """There is no tray, and it isn't worth waiting longer to tell. Once at most."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._looks = 0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._look)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.timeout.connect(self._give_up)
        self._watch = self._notifier_watch()

    def start(self, patience_ms: int = PATIENCE_MS) -> None:
        if not QSystemTrayIcon.isSystemTrayAvailable():
            self._timer.start(FIRST_LOOKS_MS)
            self._patience.start(patience_ms)

    def has_notifier(self) -> bool:
        """A StatusNotifierItem host runs now. Asks the bus only, never the host."""
        if self._watch is None:
            return False
        from PySide6.QtDBus import QDBusConnection

        answer = QDBusConnection.sessionBus().interface().isServiceRegistered(WATCHER)
        return bool(answer.value())

    def _notifier_watch(self) -> QObject | None:
        if not sys.platform.startswith("linux"):
            return None
        from PySide6.QtDBus import QDBusConnection, QDBusServiceWatcher

        bus = QDBusConnection.sessionBus()
        if not bus.isConnected():
            return None
        watch = QDBusServiceWatcher(WATCHER, bus, QDBusServiceWatcher.WatchModeFlag.WatchForRegistration, self)
        watch.serviceRegistered.connect(self._notifier_registered)
        return watch

    def _notifier_registered(self) -> None:
        self.notifier_came.emit()
        if self._timer.isActive():
            self._look()

    def _look(self) -> None:
        if QSystemTrayIcon.isSystemTrayAvailable():
            self._timer.stop()
            self._patience.stop()
            self.came.emit()
            return
        self._looks += 1
        if self._looks == FEW_LOOKS:
            self._timer.setInterval(LATER_LOOKS_MS)

    def _give_up(self) -> None:
        if not QSystemTrayIcon.isSystemTrayAvailable():
            self.missing.emit()
