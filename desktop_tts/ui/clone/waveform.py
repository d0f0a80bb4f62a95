"""A recording as a picture, with a handle at either end of the part that is taken."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QSlider, QWidget

from desktop_tts.audio.clip import Clip
from desktop_tts.ui.surfaces import RADIUS, blend

UNIT_S = 0.01
"""Of the handles."""
LEAST_S = 0.5
"""Between the handles."""
_BARS = 600
_STEP, _PAGE = 5, 50


class Waveform(QWidget):
    """Handles are moved with the mouse or, when they have the focus, with the arrow and page keys."""

    part_changed = Signal(float, float)
    """Start and end in seconds."""

    def __init__(self) -> None:
        super().__init__()
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # time runs so everywhere
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(max(self.fontMetrics().height() * 8, 120))
        self._heights = np.zeros(0)
        self._duration_s = 0.0
        self._cursor_s: float | None = None
        self.start = _Handle(self, self.tr("Start of the part in hundredths of a second"))
        self.end = _Handle(self, self.tr("End of the part in hundredths of a second"))
        self.start.valueChanged.connect(self._start_moved)
        self.end.valueChanged.connect(self._end_moved)

    def set_clip(self, clip: Clip) -> None:
        """Show another recording, all of it taken."""
        self._duration_s = clip.duration_s
        bars = min(_BARS, max(len(clip.pcm), 1))
        if len(clip.pcm):
            edges = np.linspace(0, len(clip.pcm), bars, endpoint=False).astype(np.int64)
            peaks = np.maximum.reduceat(np.abs(clip.pcm), edges)
            self._heights = np.sqrt(peaks / max(float(peaks.max()), 1e-6))  # so that soft speech is seen too
        else:
            self._heights = np.zeros(0)
        self.set_part(0.0, self._duration_s)

    def part(self) -> tuple[float, float]:
        """Start and end in seconds."""
        return self.start.value() * UNIT_S, min(self.end.value() * UNIT_S, self._duration_s)

    def set_part(self, start_s: float, end_s: float) -> None:
        last = max(round(self._duration_s / UNIT_S), 1)
        for handle, seconds in ((self.start, start_s), (self.end, end_s)):
            handle.blockSignals(True)
            handle.setRange(0, last)
            handle.setValue(round(seconds / UNIT_S))
            handle.blockSignals(False)
        self._place()
        self.part_changed.emit(*self.part())

    def set_cursor(self, seconds: float | None) -> None:
        """Where it is being played; None hides the line."""
        if seconds != self._cursor_s:
            self._cursor_s = seconds
            self.update()

    # ------------------------------------------------------------ handles

    def _start_moved(self, value: int) -> None:
        self._moved(self.start, min(value, self.end.value() - self._least()))

    def _end_moved(self, value: int) -> None:
        self._moved(self.end, max(value, self.start.value() + self._least()))

    def _least(self) -> int:
        return min(round(LEAST_S / UNIT_S), self.end.maximum())

    def _moved(self, handle: _Handle, value: int) -> None:
        handle.blockSignals(True)
        handle.setValue(value)
        handle.blockSignals(False)
        self._place()
        self.part_changed.emit(*self.part())

    def drag(self, handle: _Handle, x: float) -> None:
        """The mouse holds a handle at this place."""
        inside = self._inside()
        handle.setValue(round((x - inside.left()) / max(inside.width(), 1.0) * handle.maximum()))

    def _inside(self) -> QRectF:
        side = _Handle.WIDTH / 2
        return QRectF(self.rect()).adjusted(side, 4, -side, -4)

    def _x(self, seconds: float) -> float:
        inside = self._inside()
        return inside.left() + inside.width() * seconds / max(self._duration_s, UNIT_S)

    def _place(self) -> None:
        for handle in (self.start, self.end):
            x = self._x(handle.value() * UNIT_S)
            handle.setGeometry(round(x - _Handle.WIDTH / 2), 0, _Handle.WIDTH, self.height())
            handle.setAccessibleDescription(self.tr("{0} seconds").format(f"{handle.value() * UNIT_S:.2f}"))
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    # ------------------------------------------------------------ the picture

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        window, text = palette.color(QPalette.ColorRole.Window), palette.color(QPalette.ColorRole.WindowText)
        base, accent = palette.color(QPalette.ColorRole.Base), palette.color(QPalette.ColorRole.Highlight)
        inside = self._inside()
        start, end = (self._x(seconds) for seconds in self.part())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(blend(text, window, 0.22))
        painter.setBrush(base)
        painter.drawRoundedRect(inside.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        painter.fillRect(QRectF(start, inside.top() + 1, end - start, inside.height() - 2), blend(accent, base, 0.14))
        self._draw_bars(painter, inside, (start, end), (blend(accent, text, 0.8), blend(text, base, 0.35)))
        if self._cursor_s is not None:
            x = self._x(self._cursor_s)
            painter.setPen(QPen(text, 1.5))
            painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()))

    def _draw_bars(
        self, painter: QPainter, inside: QRectF, part: tuple[float, float], colours: tuple[QColor, QColor]
    ) -> None:
        count = max(min(len(self._heights), round(inside.width() / 3)), 1)
        if not len(self._heights):
            return
        edges = np.linspace(0, len(self._heights), count, endpoint=False).astype(np.int64)
        step, middle = inside.width() / count, inside.center().y()
        painter.setPen(Qt.PenStyle.NoPen)
        for number, height in enumerate(np.maximum.reduceat(self._heights, edges)):
            x = inside.left() + number * step
            painter.setBrush(colours[0] if part[0] <= x + step / 2 <= part[1] else colours[1])
            half = max(float(height) * (inside.height() / 2 - 8), 0.75)
            painter.drawRoundedRect(QRectF(x + step * 0.15, middle - half, step * 0.7, 2 * half), 1, 1)


class _Handle(QSlider):
    """Is a slider, so that keys and screen readers know it, but looks like a grip on the picture."""

    WIDTH = 22

    def __init__(self, picture: Waveform, name: str) -> None:
        super().__init__(Qt.Orientation.Horizontal, picture)
        self._picture = picture
        self.setAccessibleName(name)
        self.setToolTip(self.tr("Drag, or use the arrow keys"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        self.setSingleStep(_STEP)
        self.setPageStep(_PAGE)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setSliderDown(True)
        self.raise_()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self._picture.drag(self, self.mapToParent(event.position()).x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.setSliderDown(False)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.raise_()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        focused = self.hasFocus()
        colour = palette.color(QPalette.ColorRole.Highlight if focused else QPalette.ColorRole.WindowText)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle, height = self.width() / 2, self.height()
        painter.setPen(QPen(colour, 2.0))
        painter.drawLine(QPointF(middle, 4), QPointF(middle, height - 4))
        grip = QRectF(middle - 6, height / 2 - 14, 12, 28)
        painter.setPen(QPen(colour, 2.5 if focused else 1.5))
        painter.setBrush(palette.color(QPalette.ColorRole.Base))
        painter.drawRoundedRect(grip, 5, 5)
        painter.setPen(QPen(colour, 1.0))
        for x in (middle - 2, middle + 2):
            painter.drawLine(QPointF(x, grip.top() + 8), QPointF(x, grip.bottom() - 8))
