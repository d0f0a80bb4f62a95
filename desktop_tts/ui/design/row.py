"""A draw in the list of the Design page."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QVBoxLayout

from desktop_tts.speech import language_name
from desktop_tts.ui.design.draw import Draw
from desktop_tts.ui.icons import glyph
from desktop_tts.ui.surfaces import Card, MutedLabel
from desktop_tts.ui.texts import shorten


class DrawRow(Card):
    """Tells what the user wants of it."""

    play_wanted = Signal()
    """To hear it, or to hear no more of it."""
    keep_wanted = Signal()
    remove_wanted = Signal()

    def __init__(self, draw: Draw) -> None:
        super().__init__()
        self.draw = draw
        self.playing = False
        self.title = self.tr("Draw {number}").format(number=draw.wish.seed)
        self.setAccessibleName(self.title)
        about = self.tr("{language}, {seconds} s. {description}").format(
            language=language_name(draw.wish.language),
            seconds=f"{draw.duration_s:.1f}",
            description=shorten(draw.wish.description, 100),
        )
        self.play = QPushButton()
        self.keep = QPushButton(self.tr("Keep…"))
        self.keep.setAccessibleName(self.tr("Keep {title}").format(title=self.title))
        self.remove = QToolButton()
        self.remove.setAutoRaise(True)
        self.remove.setAccessibleName(self.tr("Remove {title}").format(title=self.title))
        self.remove.setToolTip(self.remove.accessibleName())
        self.play.clicked.connect(self.play_wanted)
        self.keep.clicked.connect(self.keep_wanted)
        self.remove.clicked.connect(self.remove_wanted)
        name = QLabel(self.title)
        font = name.font()
        font.setBold(True)
        name.setFont(font)
        top = QHBoxLayout()
        top.addWidget(name, 1)
        top.addWidget(self.remove)
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in (self.play, self.keep):
            button.setAutoDefault(False)
            row.addWidget(button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 6, 8, 10)
        column.setSpacing(4)
        column.addLayout(top)
        column.addWidget(MutedLabel(about))
        column.addLayout(row)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.show_playing(False)

    def show_playing(self, on: bool) -> None:
        """Whether it is heard now."""
        self.playing = on
        text = self.tr("Stop") if on else self.tr("Play")
        self.play.setText(text)
        self.play.setAccessibleName(f"{text}: {self.title}")
        self._recolour()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._recolour()

    def _recolour(self) -> None:
        self.play.setIcon(glyph("stop" if self.playing else "play", self.palette()))
        self.remove.setIcon(glyph("close", self.palette()))
