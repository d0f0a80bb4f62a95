"""The big buttons of the control window: what to read, and how to move in it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from desktop_tts.reader_state import ReaderState, ReaderStatus
from desktop_tts.settings import Settings
from desktop_tts.ui.actions import Actions, ReaderControls
from desktop_tts.ui.icons import glyph
from desktop_tts.ui.texts import keys_text

ICON = 20
GAP = 0.3
"""Room between a glyph and its text, in glyphs."""


class BigButton(QPushButton):
    """A button with a glyph. Left and right go to the window, which moves by sentences, and not to the next button."""

    def __init__(self, picture: str, text: str, on_press: Callable[[], None]) -> None:
        super().__init__(text)
        self._picture = ""
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumHeight(self.fontMetrics().height() * 2 + 10)
        self.setIconSize(QSize(round(ICON * (1 + GAP)), ICON))
        self.clicked.connect(lambda: on_press())
        self.set_picture(picture)

    def set_picture(self, picture: str) -> None:
        if picture != self._picture:
            self._picture = picture
            self.setIcon(glyph(picture, self.palette(), gap=GAP))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.setIcon(glyph(self._picture, self.palette(), gap=GAP))


class Transport(QWidget):
    """Two rows of buttons."""

    def __init__(self, reader: ReaderControls, actions: Actions) -> None:
        super().__init__()
        self.read_selection = BigButton("selection", self.tr("Read &selection"), actions.read_selection)
        self.read_clipboard = BigButton("clipboard", self.tr("Read &clipboard"), actions.read_clipboard)
        self.previous = BigButton("previous", self.tr("P&revious"), reader.previous)
        self.pause = BigButton("pause", self.tr("&Pause"), reader.toggle)
        self.next = BigButton("next", self.tr("&Next"), reader.next)
        self.stop = BigButton("stop", self.tr("S&top"), actions.stop)
        self.previous.setAccessibleName(self.tr("Previous sentence"))
        self.next.setAccessibleName(self.tr("Next sentence"))
        moving = (self.previous, self.pause, self.next, self.stop)
        width = max(button.sizeHint().width() for button in moving)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(8)
        for buttons, least in (((self.read_selection, self.read_clipboard), width * 2 + 8), (moving, width)):
            row = QHBoxLayout()
            row.setSpacing(8)
            for button in buttons:
                button.setMinimumWidth(least)
                row.addWidget(button, 1)
            rows.addLayout(row)
        self._reading = (self.read_selection, self.read_clipboard)
        self._moving = moving

    def show_status(self, status: ReaderStatus) -> None:
        """The focus follows, so that the space bar does what is meant: pause what has begun, read what is next."""
        focus = self.window().focusWidget()
        if status.busy and focus in self._reading:
            self.pause.setEnabled(True)
            self.pause.setFocus()
        elif not status.busy and focus in self._moving:
            self.read_selection.setFocus()
        for button in self._moving:
            button.setEnabled(status.busy)
        paused = status.state is ReaderState.PAUSED
        self.pause.setText(self.tr("Res&ume") if paused else self.tr("&Pause"))
        self.pause.set_picture("play" if paused else "pause")

    def show_keys(self, settings: Settings) -> None:
        """Hotkeys in the tool tips."""
        keys = settings.hotkeys
        for button, text, hotkey in (
            (self.read_selection, self.tr("Reads the text that is selected in any program"), keys.read_selection),
            (self.read_clipboard, self.tr("Reads the text that was copied"), keys.read_clipboard),
            (self.previous, self.tr("To the sentence before (left arrow)"), ""),
            (self.pause, self.tr("Pauses, and goes on (space bar)"), keys.pause),
            (self.next, self.tr("To the next sentence (right arrow)"), ""),
            (self.stop, self.tr("Stops reading (Escape)"), keys.stop),
        ):
            button.setToolTip(f"{text}\n{keys_text(hotkey)}".strip())
