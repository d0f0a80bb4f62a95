"""Which voice reads."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from desktop_tts.errors import DesktopTTSError
from desktop_tts.settings import Settings, SettingsStore
from desktop_tts.speech import Voice
from desktop_tts.ui.actions import Actions
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.icons import glyph
from desktop_tts.ui.pages.page import Problem, SettingsPage
from desktop_tts.ui.surfaces import muted
from desktop_tts.ui.voice_choice import describe

KEY = "voices.default"
ID, NAME, ABOUT = (Qt.ItemDataRole.UserRole.value + number for number in range(3))
PADDING = 7


class VoicePage(SettingsPage):
    """A click or an arrow key chooses; the preview speaks the chosen one."""

    def __init__(self, settings: SettingsStore, actions: Actions) -> None:
        super().__init__(self.tr("Voice"), settings, actions)
        self._voices: tuple[Voice, ...] = ()
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Search by name or language"))
        self.search.setAccessibleName(self.tr("Search voices"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._filter)
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Voices"))
        self.list.setItemDelegate(_TwoLines(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setMinimumHeight(self.fontMetrics().lineSpacing() * 9)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentItemChanged.connect(self._picked)
        self.preview = QPushButton(self.tr("&Listen"))
        self.preview.setAutoDefault(False)
        self.preview.setToolTip(self.tr("Reads a sentence in this voice"))
        self.preview.clicked.connect(lambda: actions.preview(self.settings.current.voices.default))
        label = QLabel(self.tr("&Voice to read with"))
        label.setBuddy(self.list)
        self.problems[KEY] = Problem()
        row = QHBoxLayout()
        row.addWidget(label)
        row.addStretch(1)
        row.addWidget(self.preview)
        self.column.addLayout(row)
        self.column.addWidget(self.search)
        self.column.addWidget(self.list, 1)
        self.column.addWidget(self.problems[KEY])
        self.follow(self._show)

    def shown(self) -> None:
        BackgroundCall(self, self.app.voices, self._found, self._failed)

    def _failed(self, error: DesktopTTSError) -> None:
        self.problems[KEY].show_text(str(error))

    def _found(self, voices: tuple[Voice, ...]) -> None:
        if voices == self._voices:
            return
        self._voices = voices
        self.list.blockSignals(True)
        self.list.clear()
        for voice in voices:
            self.list.addItem(self._item(voice))
        self.list.blockSignals(False)
        self._filter(self.search.text())
        self._show(self.settings.current)

    def _item(self, voice: Voice) -> QListWidgetItem:
        about = describe(voice)
        if voice.needs_download:
            about = self.tr("Needs a download first · {about}").format(about=about)
        item = QListWidgetItem(f"{voice.name}: {about}")  # what a screen reader says
        item.setData(ID, voice.id)
        item.setData(NAME, voice.name)
        item.setData(ABOUT, about)
        if voice.needs_download:
            item.setFlags(Qt.ItemFlag.NoItemFlags)
        return item

    def _filter(self, words: str) -> None:
        wanted = words.casefold().split()
        for item in self._items():
            item.setHidden(not all(word in item.text().casefold() for word in wanted))

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    def _show(self, now: Settings) -> None:
        """Select the voice in effect."""
        chosen = next((item for item in self._items() if item.data(ID) == now.voices.default), None)
        if chosen is self.list.currentItem():
            return
        self.list.blockSignals(True)
        if chosen:
            self.list.setCurrentItem(chosen)
        else:
            self.list.setCurrentRow(-1)
        self.list.blockSignals(False)
        if chosen:
            self.list.scrollToItem(chosen)

    def _picked(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.keep(KEY, item.data(ID))


class _TwoLines(QStyledItemDelegate):
    """The name in bold, what is known about the voice below it."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        self.initStyleOption(option, index)
        palette, rect, state = option.palette, option.rect, option.state
        option.widget.style().drawPrimitive(
            QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget
        )
        selected = bool(state & QStyle.StateFlag.State_Selected)
        enabled = bool(state & QStyle.StateFlag.State_Enabled)
        group = QPalette.ColorGroup.Active if enabled else QPalette.ColorGroup.Disabled
        name_colour = palette.color(group, QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text)
        about_colour = name_colour if selected or not enabled else muted(palette)
        line = option.fontMetrics.lineSpacing()
        inside = rect.adjusted(PADDING + 3, PADDING, -PADDING, -PADDING)
        sign = 20 if selected else 0
        if selected:
            icon = glyph("voice", palette, QPalette.ColorRole.HighlightedText)
            icon.paint(painter, QRect(inside.right() - 20, rect.center().y() - 10, 20, 20))
        painter.save()
        font = option.font
        width = inside.width() - sign - (PADDING if sign else 0)
        for text, colour, bold, top in (
            (index.data(NAME), name_colour, True, inside.top()),
            (index.data(ABOUT), about_colour, False, inside.top() + line),
        ):
            font.setBold(bold)
            painter.setFont(font)
            painter.setPen(colour)
            place = QRect(inside.left(), top, width, line)
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, width)
            painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        metrics = option.fontMetrics
        return QSize(100, metrics.lineSpacing() * 2 + PADDING * 2)
