"""The settings: a list of pages at the left, the chosen page at the right. Pages are made when first looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop_tts.settings import SettingsStore
from desktop_tts.ui.actions import Actions
from desktop_tts.ui.icons import app_icon
from desktop_tts.ui.pages.about import AboutPage
from desktop_tts.ui.pages.audio import AudioPage
from desktop_tts.ui.pages.design import DesignPage
from desktop_tts.ui.pages.general import GeneralPage
from desktop_tts.ui.pages.models import ModelsPage
from desktop_tts.ui.pages.page import SettingsPage
from desktop_tts.ui.pages.reading import ReadingPage
from desktop_tts.ui.pages.shortcuts import ShortcutsPage
from desktop_tts.ui.pages.voices import VoicesPage
from desktop_tts.ui.sidebar import Sidebar

translate = QCoreApplication.translate
OLD_NAMES = {"voice": "voices"}
"""Page ids that are still asked for."""


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page in the list."""

    id: str
    picture: str
    title: str
    make: Callable[[SettingsStore, Actions], SettingsPage]


def page_entries() -> tuple[PageEntry, ...]:
    return (
        PageEntry("general", "general", translate("settings", "General"), GeneralPage),
        PageEntry("voices", "voice", translate("settings", "Voices"), VoicesPage),
        PageEntry("design", "design", translate("settings", "Design"), DesignPage),
        PageEntry("models", "models", translate("settings", "Models"), ModelsPage),
        PageEntry("shortcuts", "keyboard", translate("settings", "Shortcuts"), ShortcutsPage),
        PageEntry("reading", "reading", translate("settings", "Reading"), ReadingPage),
        PageEntry("audio", "audio", translate("settings", "Audio"), AudioPage),
        PageEntry("about", "about", translate("settings", "About"), AboutPage),
    )


class SettingsWindow(QDialog):
    """Every change takes effect at once, so there is nothing to confirm."""

    def __init__(self, settings: SettingsStore, actions: Actions) -> None:
        super().__init__()
        self._settings, self._actions = settings, actions
        self._entries = page_entries()
        self._pages: dict[str, SettingsPage] = {}
        self.setWindowTitle(self.tr("Settings: Desktop TTS"))
        self.setWindowIcon(app_icon())
        self.list = Sidebar([(entry.picture, entry.title) for entry in self._entries])
        self.list.setAccessibleName(self.tr("Pages"))
        self.stack = QStackedWidget()
        for _ in self._entries:
            self.stack.addWidget(_scrolling())
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        buttons.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)  # Return in a field would close
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addWidget(self.stack, 1)
        footer = QVBoxLayout()
        footer.setContentsMargins(20, 8, 20, 14)
        footer.addWidget(buttons)
        right.addLayout(footer)
        columns = QHBoxLayout(self)
        columns.setContentsMargins(0, 0, 0, 0)
        columns.setSpacing(0)
        columns.addWidget(self.list)
        columns.addLayout(right, 1)
        self.list.currentRowChanged.connect(self._turned)
        self.list.setCurrentRow(0)
        letter = self.fontMetrics().averageCharWidth()
        self.resize(min(letter * 104, self._room().width()), min(letter * 76, self._room().height()))

    def open_page(self, page: str) -> None:
        """Turn to the page with this id; an unknown one is ignored."""
        wanted = OLD_NAMES.get(page, page)
        for row, entry in enumerate(self._entries):
            if entry.id == wanted:
                self.list.setCurrentRow(row)

    def page(self, page: str) -> SettingsPage:
        """The page with this id, made if need be."""
        page = OLD_NAMES.get(page, page)
        if page not in self._pages:
            row = next(row for row, entry in enumerate(self._entries) if entry.id == page)
            made = self._pages[page] = self._entries[row].make(self._settings, self._actions)
            area = self.stack.widget(row)
            assert isinstance(area, QScrollArea)
            area.setWidget(made)
        return self._pages[page]

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._turned(self.list.currentRow())

    def _turned(self, row: int) -> None:
        page = self.page(self._entries[row].id)
        self.stack.setCurrentIndex(row)
        if self.isVisible():
            page.shown()

    def _room(self) -> QSize:
        """What the screen has, less a frame: at 200 % a small screen has little."""
        return self.screen().availableGeometry().size() - QSize(24, 60)


def _scrolling() -> QWidget:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what is in it has the focus, and is scrolled to
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area
