"""How loud the microphone is, as a bar."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QProgressBar

from desktop_tts.audio.recorder import Level
from desktop_tts.ui.surfaces import NOTICE_TINT, blend

FLOOR_DB = -60
LOUD_DB, QUIET_DB = -3.0, -40.0


class LevelMeter(QProgressBar):
    """From ``FLOOR_DB`` to full scale; what is too loud is marked. Falls slowly, so that the eye can follow."""

    FALL_DB = 3.0
    """At most, from one level to the next."""

    def __init__(self) -> None:
        super().__init__()
        self.setRange(FLOOR_DB, 0)
        self.setValue(FLOOR_DB)
        self.setTextVisible(False)
        self.setAccessibleName(self.tr("Loudness of the microphone in decibels"))
        self.setFixedHeight(self.fontMetrics().height())

    def show_level(self, level: Level) -> None:
        wanted = max(level.peak_db, self.value() - self.FALL_DB, FLOOR_DB)
        self.setValue(round(min(wanted, 0.0)))

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        base, text = palette.color(QPalette.ColorRole.Base), palette.color(QPalette.ColorRole.Text)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        gap = self.height() / 5
        track, radius = QRectF(self.rect()).adjusted(0, gap, 0, -gap), self.height() / 4
        painter.setBrush(blend(text, base, 0.12))
        painter.drawRoundedRect(track, radius, radius)
        share = (self.value() - FLOOR_DB) / -FLOOR_DB
        if share > 0:
            loud = self.value() >= LOUD_DB
            painter.setBrush(NOTICE_TINT if loud else palette.color(QPalette.ColorRole.Highlight))
            painter.setClipRect(QRectF(0, 0, track.width() * share, self.height()))
            painter.drawRoundedRect(track, radius, radius)
