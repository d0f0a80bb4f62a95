"""The list of pages at the side of a window."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionFocusRect,
    QStyleOptionViewItem,
)

from desktop_tts.ui.icons import glyph
from desktop_tts.ui.surfaces import blend

ICON = 20
MARGIN = 8
PADDING = 10


class Sidebar(QListWidget):
    """Pages by picture and title; one is current."""

    def __init__(self, entries: Sequence[tuple[str, str]]) -> None:
        """``entries`` are pairs of glyph and title."""
        super().__init__()
        self._pictures = [picture for picture, _ in entries]
        self.setItemDelegate(_Rounded(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.setViewportMargins(0, MARGIN, 0, MARGIN)
        for _, title in entries:
            self.addItem(QListWidgetItem(title))
        widest = max(self.fontMetrics().horizontalAdvance(title) for _, title in entries)
        self.setFixedWidth(widest + ICON + PADDING * 3 + MARGIN * 2 + 12)
        self._recolour()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_pictures"):
            self._recolour()

    def _recolour(self) -> None:
        for row, picture in enumerate(self._pictures):
            self.item(row).setIcon(glyph(picture, self.palette(), QPalette.ColorRole.WindowText))


class _Rounded(QStyledItemDelegate):
    """The current page on a rounded patch of the system's highlight colour."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        self.initStyleOption(option, index)
        palette, state = option.palette, option.state
        patch = QRect(option.rect).adjusted(MARGIN, 1, -MARGIN // 2, -1)
        selected = bool(state & QStyle.StateFlag.State_Selected)
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if selected or hovered:
            highlight = palette.color(QPalette.ColorGroup.Active, QPalette.ColorRole.Highlight)
            window = palette.color(QPalette.ColorRole.Window)
            painter.setBrush(highlight if selected else blend(highlight, window, 0.15))
            painter.drawRoundedRect(QRectF(patch), 6, 6)
        inside = patch.adjusted(PADDING, 0, -PADDING, 0)
        mode = option.icon.Mode.Selected if selected else option.icon.Mode.Normal
        option.icon.paint(
            painter,
            QRect(inside.left(), inside.center().y() - ICON // 2 + 1, ICON, ICON),
            Qt.AlignmentFlag.AlignCenter,
            mode,
        )
        role = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.WindowText
        painter.setPen(palette.color(QPalette.ColorGroup.Active, role))
        painter.drawText(inside.adjusted(ICON + PADDING, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, index.data())
        painter.restore()
        if state & QStyle.StateFlag.State_HasFocus and state & QStyle.StateFlag.State_KeyboardFocusChange:
            ring = QStyleOptionFocusRect()
            ring.rect, ring.palette = patch.adjusted(2, 2, -2, -2), palette
            option.widget.style().drawPrimitive(QStyle.PrimitiveElement.PE_FrameFocusRect, ring, painter)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(ICON, max(ICON, option.fontMetrics.lineSpacing()) + 16)
