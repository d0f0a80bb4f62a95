"""The list of voices: cards under headings. One stop for the Tab key; arrows go from voice to voice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QFrame, QListWidget, QListWidgetItem, QWidget

from desktop_tts.ui.voices.card import DEFAULT, GAP, PLAY_ZONE, ROW, SOUNDING, STAR_ZONE, VoiceCard
from desktop_tts.ui.voices.rows import Group, Row, group_title
from desktop_tts.voices.archive import SUFFIX

SPOKEN = Qt.ItemDataRole.AccessibleTextRole


class VoiceList(QListWidget):
    """Shows rows and tells what is wished of them. Holds no voice itself."""

    listen = Signal(str)
    """Space, or the round button: the id of the voice."""
    chosen = Signal(str)
    """Return, a double click, or the star: make it the default."""
    renamed = Signal(str, str)
    """Id and new name, typed in place."""
    edited = Signal()
    """The field for a new name is closed."""
    moved = Signal(str, str, bool)
    """Ids of one of the user's own voices and of another; whether it is to follow that one, or to precede it."""
    files_dropped = Signal(list)
    """Paths of voice files."""

    def __init__(self) -> None:
        super().__init__()
        self._card = VoiceCard(self)
        self._drop_y: int | None = None
        self._default, self._sounding = "", ""
        self.setAccessibleName(self.tr("Voices"))
        self.setItemDelegate(self._card)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragDrop)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setDropIndicatorShown(False)
        self.setMinimumHeight(self.fontMetrics().lineSpacing() * 9)

    # ------------------------------------------------------------ what is shown

    def show_rows(self, rows: Sequence[Row], default: str) -> None:
        """Under their headings. The same voice stays current, or the one that takes its place."""
        current, place = self.current_id(), self.currentRow()
        offset = self.verticalScrollBar().value()
        self._default = default
        self.blockSignals(True)
        self.clear()
        group: Group | None = None
        for row in rows:
            if row.group is not group:
                group = row.group
                self._add_heading(group)
            self.addItem(self._item(row))
        self.blockSignals(False)
        self.set_default(default)
        self.set_sounding(self._sounding)
        self.verticalScrollBar().setValue(offset)
        if not self.select(current):
            self._select_near(place)

    def set_default(self, voice_id: str) -> None:
        self._default = voice_id
        for item in self.voice_items():
            row = item.data(ROW)
            item.setData(DEFAULT, row.id == voice_id)
            item.setData(SPOKEN, row.spoken(voice_id))

    def set_sounding(self, voice_id: str) -> None:
        """Which voice is being heard, or empty."""
        self._sounding = voice_id
        for item in self.voice_items():
            item.setData(SOUNDING, bool(voice_id) and item.data(ROW).id == voice_id)

    def voice_items(self) -> list[QListWidgetItem]:
        """Those with a voice."""
        every = (self.item(number) for number in range(self.count()))
        return [item for item in every if isinstance(item.data(ROW), Row)]

    def rows(self) -> list[Row]:
        """What is shown, from top to bottom."""
        return [item.data(ROW) for item in self.voice_items()]

    def current(self) -> Row | None:
        item = self.currentItem()
        row = item.data(ROW) if item else None
        return row if isinstance(row, Row) else None

    def current_id(self) -> str:
        row = self.current()
        return row.id if row else ""

    def select(self, voice_id: str) -> bool:
        """False when it isn't shown."""
        item = next((item for item in self.voice_items() if item.data(ROW).id == voice_id), None)
        if item:
            self.setCurrentItem(item)
            self.scrollToItem(item)
        return item is not None

    def rename(self) -> None:
        """Type a new name for the current voice, in place."""
        row = self.current()
        if row and row.profile:
            self.editItem(self.currentItem())

    def is_editing(self) -> bool:
        """Whether a name is being typed, which new rows would take away."""
        return self.state() == QAbstractItemView.State.EditingState

    def _add_heading(self, group: Group) -> None:
        heading = QListWidgetItem(group_title(group))
        heading.setFlags(Qt.ItemFlag.NoItemFlags)
        self.addItem(heading)

    def _item(self, row: Row) -> QListWidgetItem:
        item = QListWidgetItem(row.name)
        item.setData(ROW, row)
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if row.profile:
            flags |= Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsDragEnabled
        item.setFlags(flags)
        return item

    def _select_near(self, place: int) -> None:
        items = self.voice_items()
        if items:
            near = min(items, key=lambda item: (abs(self.row(item) - place), self.row(item) < place))
            self.setCurrentItem(near)

    # ------------------------------------------------------------ keys and mouse

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.current()
        if self.is_editing() or event.modifiers() or row is None:
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Space and row.usable:
            self.listen.emit(row.id)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row.usable:
            self.chosen.emit(row.id)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        zone, row = self._hit(event.position().toPoint())
        if row and event.button() == Qt.MouseButton.LeftButton:
            if zone == PLAY_ZONE:
                self.listen.emit(row.id)
            elif zone == STAR_ZONE:
                self.chosen.emit(row.id)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        zone, row = self._hit(event.position().toPoint())
        if row and row.usable and not zone:
            self.chosen.emit(row.id)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        zone, _ = self._hit(event.position().toPoint())
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if zone else Qt.CursorShape.ArrowCursor)

    def _hit(self, at: QPoint) -> tuple[str, Row | None]:
        item = self.itemAt(at)
        row = item.data(ROW) if item else None
        if item is None or not isinstance(row, Row):
            return "", None
        return self._card.zone(self.visualItemRect(item), at, row), row

    def commitData(self, editor: QWidget) -> None:
        row = self.current()
        super().commitData(editor)
        item = self.currentItem()
        if row and item and item.text() != row.name:
            self.renamed.emit(row.id, item.text())

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        super().closeEditor(editor, QAbstractItemDelegate.EndEditHint.NoHint)
        self.setFocus()
        self.edited.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What appears below the list must not hide the voice that it is about."""
        super().resizeEvent(event)
        if event.size().height() < event.oldSize().height() and self.currentItem():
            self.scrollToItem(self.currentItem())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.viewport().update()

    # ------------------------------------------------------------ dragging

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self._consider(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self._consider(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._mark(None)
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        self._mark(None)
        if files := voice_files(event):
            event.acceptProposedAction()
            self.files_dropped.emit(files)
        elif event.source() is self and (row := self.current()) and row.profile:
            event.setDropAction(Qt.DropAction.CopyAction)  # a move would make the view drop the item
            event.accept()
            self.drop_at(row.id, event.position().toPoint().y())
        else:
            event.ignore()

    def drop_at(self, voice_id: str, y: int) -> None:
        """Put one of the user's voices between those above and below ``y``, in the view."""
        mine = [item for item in self.voice_items() if item.data(ROW).profile]
        above = [item.data(ROW).id for item in mine if self.visualItemRect(item).center().y() < y]
        below = [item.data(ROW).id for item in mine if self.visualItemRect(item).center().y() >= y]
        if voice_id in (*above[-1:], *below[:1]):
            return  # it is there already
        if below:
            self.moved.emit(voice_id, below[0], False)
        else:
            self.moved.emit(voice_id, above[-1], True)

    def move_current(self, steps: int) -> None:
        """The current voice, past the one above (-1) or below (1) that is shown."""
        mine = [row.id for row in self.rows() if row.profile]
        current = self.current_id()
        if current in mine and 0 <= mine.index(current) + steps < len(mine):
            self.moved.emit(current, mine[mine.index(current) + steps], steps > 0)

    def _consider(self, event: QDragMoveEvent) -> None:
        row = self.current()
        if voice_files(event):
            event.acceptProposedAction()
        elif event.source() is self and row and row.profile:
            event.accept()
            self._mark(self._gap_near(event.position().toPoint().y()))
        else:
            event.ignore()

    def _gap_near(self, y: int) -> int | None:
        rects = [self.visualItemRect(item) for item in self.voice_items() if item.data(ROW).profile]
        gaps = [rect.top() for rect in rects] + [rect.bottom() for rect in rects[-1:]]
        return min(gaps, key=lambda gap: abs(gap - y)) if gaps else None

    def _mark(self, y: int | None) -> None:
        if y != self._drop_y:
            self._drop_y = y
            self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._drop_y is not None:
            painter = QPainter(self.viewport())
            width = self.viewport().width() - GAP * 2
            painter.fillRect(
                GAP, max(self._drop_y - 1, 0), width, 3, self.palette().color(QPalette.ColorRole.Highlight)
            )


def voice_files(event: QDropEvent) -> list[Path]:
    """The voice files among what is dragged."""
    urls = event.mimeData().urls() if event.mimeData().hasUrls() else []
    return [Path(url.toLocalFile()) for url in urls if url.isLocalFile() and url.toLocalFile().endswith(SUFFIX)]
