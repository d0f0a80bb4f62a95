"""How a voice is drawn in the list: a card with a button to hear it, a star for the default, and two lines of words."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QHelpEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionFocusRect,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from desktop_tts.ui.icons import glyph
from desktop_tts.ui.surfaces import NOTICE_TINT, RADIUS, blend
from desktop_tts.ui.voices.rows import Row

ROW: Final = Qt.ItemDataRole.UserRole.value
"""Data of an item: its ``Row``; None for a heading."""
DEFAULT: Final = Qt.ItemDataRole.UserRole.value + 1
SOUNDING: Final = Qt.ItemDataRole.UserRole.value + 2
GAP, PADDING, CIRCLE, STAR = 3, 9, 34, 22
PLAY_ZONE, STAR_ZONE = "play", "star"
AnyIndex = QModelIndex | QPersistentModelIndex


class VoiceCard(QStyledItemDelegate):
    """Draws rows and headings; its ``zone`` tells what a click hits."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        self.initStyleOption(option, index)
        row = index.data(ROW)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(row, Row):
            _draw_card(painter, option, row, bool(index.data(DEFAULT)), bool(index.data(SOUNDING)))
        else:
            painter.setFont(_bold(option.font))
            group, role = (
                QPalette.ColorGroup.Active,
                QPalette.ColorRole,
            )  # a heading can't be chosen, but is no less true
            palette = option.palette
            painter.setPen(blend(palette.color(group, role.WindowText), palette.color(group, role.Window), 0.72))
            place = option.rect.adjusted(GAP, 0, 0, -GAP)
            painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, index.data())
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        line = option.fontMetrics.lineSpacing()
        if isinstance(index.data(ROW), Row):
            return QSize(100, max(line * 2, CIRCLE) + (PADDING + GAP) * 2)
        return QSize(100, line + PADDING + GAP)

    def zone(self, rect: QRect, at: QPoint, row: Row) -> str:
        """``PLAY_ZONE``, ``STAR_ZONE`` or empty, of a point in the view."""
        if row.usable and _play_place(rect).contains(at):
            return PLAY_ZONE
        if row.usable and _star_place(rect).adjusted(-6, -6, 6, 6).contains(at):
            return STAR_ZONE
        return ""

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: AnyIndex
    ) -> bool:
        row = index.data(ROW)
        if event.type() != QEvent.Type.ToolTip or not isinstance(row, Row):
            return False
        tips = {PLAY_ZONE: self.tr("Listen"), STAR_ZONE: self.tr("Make it the default voice")}
        text = tips.get(self.zone(option.rect, event.pos(), row)) or row.problem or row.about
        QToolTip.showText(event.globalPos(), f"<p>{_escaped(text)}</p>" if text else "", view)
        return True

    # ------------------------------------------------------------ the new name, typed in place

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> QWidget:
        field = QLineEdit(parent)
        field.setAccessibleName(self.tr("Name of the voice"))
        field.setFont(_bold(option.font))
        field.setMaxLength(80)
        return field

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        words = _words_place(option.rect)
        editor.setGeometry(words.left() - 6, words.top() - 4, words.width(), editor.sizeHint().height())

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: AnyIndex) -> None:
        assert isinstance(editor, QLineEdit)
        if name := " ".join(editor.text().split()):
            model.setData(index, name, Qt.ItemDataRole.EditRole)


def _draw_card(painter: QPainter, option: QStyleOptionViewItem, row: Row, is_default: bool, sounding: bool) -> None:
    palette, state = option.palette, option.state
    selected = bool(state & QStyle.StateFlag.State_Selected)
    hovered = bool(state & QStyle.StateFlag.State_MouseOver)
    window, base = palette.color(QPalette.ColorRole.Window), palette.color(QPalette.ColorRole.Base)
    accent = palette.color(QPalette.ColorGroup.Active, QPalette.ColorRole.Highlight)
    text = palette.color(QPalette.ColorGroup.Active, QPalette.ColorRole.Text)
    fill = blend(accent, base, 0.16) if selected else blend(accent, base, 0.06) if hovered else base
    card = QRectF(option.rect).adjusted(1.5, GAP, -1.5, -GAP)
    painter.setPen(QColor(accent) if selected else blend(text, window, 0.2))
    painter.setBrush(fill)
    painter.drawRoundedRect(card, RADIUS, RADIUS)
    _draw_button(painter, palette, _play_place(option.rect), row, accent, fill, sounding)
    if is_default or (row.usable and (selected or hovered)):
        role = QPalette.ColorRole.Highlight if is_default else QPalette.ColorRole.Text
        picture = glyph("star-full" if is_default else "star", palette, role)
        picture.paint(painter, _star_place(option.rect))
    _draw_words(painter, option, row, text, fill)
    if state & QStyle.StateFlag.State_HasFocus and state & QStyle.StateFlag.State_KeyboardFocusChange:
        ring = QStyleOptionFocusRect()
        ring.rect, ring.palette = card.toRect().adjusted(2, 2, -2, -2), palette
        option.widget.style().drawPrimitive(QStyle.PrimitiveElement.PE_FrameFocusRect, ring, painter)


def _draw_button(
    painter: QPainter, palette: QPalette, place: QRect, row: Row, accent: QColor, fill: QColor, sounding: bool
) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    if row.usable:
        painter.setBrush(accent if sounding else blend(accent, fill, 0.22))
        painter.drawEllipse(place)
        role = QPalette.ColorRole.HighlightedText if sounding else QPalette.ColorRole.Text
        name = "stop" if sounding else "play"
    else:
        painter.setBrush(blend(NOTICE_TINT, fill, 0.2))
        painter.drawEllipse(place)
        name, role = ("download" if row.needs_model else "close"), QPalette.ColorRole.Text
    side = CIRCLE // 2
    middle = QRect(0, 0, side, side)
    middle.moveCenter(place.center())
    glyph(name, palette, role).paint(painter, middle)


def _draw_words(painter: QPainter, option: QStyleOptionViewItem, row: Row, text: QColor, fill: QColor) -> None:
    words = _words_place(option.rect)
    line = option.fontMetrics.lineSpacing()
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    bold = QFontMetrics(_bold(option.font))
    chip = option.fontMetrics.horizontalAdvance(row.kind) + 14 if row.kind else 0
    name = bold.elidedText(row.name, Qt.TextElideMode.ElideRight, max(words.width() - chip - 8, 40))
    painter.setFont(_bold(option.font))
    painter.setPen(text)
    painter.drawText(QRect(words.left(), words.top(), words.width(), line), left, name)
    painter.setFont(option.font)
    if chip:
        place = QRect(words.left() + bold.horizontalAdvance(name) + 8, words.top(), chip, line)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(blend(text, fill, 0.12))
        painter.drawRoundedRect(QRectF(place).adjusted(0, 0.5, 0, -0.5), line / 2, line / 2)
        painter.setPen(blend(text, fill, 0.8))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, row.kind)
    painter.setPen(blend(text, fill, 0.74))
    place = QRect(words.left(), words.bottom() - line + 1, words.width(), line)
    painter.drawText(
        place, left, option.fontMetrics.elidedText(row.second_line, Qt.TextElideMode.ElideRight, place.width())
    )


def _play_place(rect: QRect) -> QRect:
    return QRect(rect.left() + GAP + PADDING, rect.center().y() - CIRCLE // 2 + 1, CIRCLE, CIRCLE)


def _star_place(rect: QRect) -> QRect:
    return QRect(rect.right() - GAP - PADDING - STAR, rect.center().y() - STAR // 2 + 1, STAR, STAR)


def _words_place(rect: QRect) -> QRect:
    left, right = _play_place(rect).right() + 12, _star_place(rect).left() - 8
    return QRect(left, rect.top() + GAP + PADDING, right - left, rect.height() - (GAP + PADDING) * 2)


def _bold(font: QFont) -> QFont:
    bold = QFont(font)
    bold.setBold(True)
    return bold


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
