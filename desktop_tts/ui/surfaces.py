"""Painted backgrounds in the colours of the system's palette: a card for content and a banner for notices."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QSizePolicy, QToolButton, QWidget

from desktop_tts.reader_state import ReaderState
from desktop_tts.ui.icons import glyph, state_icon

RADIUS = 8.0
NOTICE_TINT = QColor("#e08a00")


def blend(over: QColor, under: QColor, share: float) -> QColor:
    """``share`` of ``over`` on ``under``, both opaque."""
    pairs = ((over.red(), under.red()), (over.green(), under.green()), (over.blue(), under.blue()))
    return QColor(*(round(a * share + b * (1 - share)) for a, b in pairs))


def muted(palette: QPalette) -> QColor:
    """Colour of secondary text: quieter than the main text, but well readable."""
    return blend(palette.color(QPalette.ColorRole.WindowText), palette.color(QPalette.ColorRole.Window), 0.72)


class MutedLabel(QLabel):
    """Secondary text."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.setWordWrap(True)
        self.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._recolour()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.ParentChange):
            self._recolour()

    def _recolour(self) -> None:
        colour = muted(self.palette())
        palette = self.palette()
        if palette.color(QPalette.ColorRole.PlaceholderText) != colour:
            palette.setColor(QPalette.ColorRole.PlaceholderText, colour)
            self.setPalette(palette)


class Card(QFrame):
    """A rounded surface in the colour of text fields."""

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        window, text = palette.color(QPalette.ColorRole.Window), palette.color(QPalette.ColorRole.WindowText)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(blend(text, window, 0.22))
        painter.setBrush(palette.color(QPalette.ColorRole.Base))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)


class ThinProgress(QProgressBar):
    """A bar of a few pixels, without words."""

    HEIGHT = 6

    def __init__(self) -> None:
        super().__init__()
        self.setTextVisible(False)
        self.setFixedHeight(self.HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        base, text = palette.color(QPalette.ColorRole.Base), palette.color(QPalette.ColorRole.Text)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        track = QRectF(self.rect())
        painter.setBrush(blend(text, base, 0.12))
        painter.drawRoundedRect(track, self.HEIGHT / 2, self.HEIGHT / 2)
        share = (self.value() - self.minimum()) / max(self.maximum() - self.minimum(), 1)
        if share > 0:
            track.setWidth(max(track.width() * share, self.HEIGHT))
            painter.setBrush(palette.color(QPalette.ColorRole.Highlight))
            painter.drawRoundedRect(track, self.HEIGHT / 2, self.HEIGHT / 2)


class Banner(QFrame):
    """A sentence that the user should see, until it is dismissed."""

    dismissed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._sign = QLabel()
        self._text = QLabel()
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._text.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._close = QToolButton()
        self._close.setAutoRaise(True)
        self._close.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._close.setAccessibleName(self.tr("Dismiss this notice"))
        self._close.setToolTip(self._close.accessibleName())
        self._close.clicked.connect(self.dismiss)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 8, 6, 8)
        row.setSpacing(10)
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._text, 1)
        row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self._recolour()
        self.hide()

    def text(self) -> str:
        """What is shown, or empty."""
        return self._text.text() if not self.isHidden() else ""

    def show_text(self, text: str, state: ReaderState = ReaderState.ERROR) -> None:
        """``state`` gives the picture beside it."""
        self._sign.setPixmap(state_icon(state).pixmap(22, 22))
        self._text.setText(text)
        self.setVisible(bool(text))

    def dismiss(self) -> None:
        if not self.isHidden():
            self.hide()
            self.dismissed.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._recolour()

    def paintEvent(self, event: QPaintEvent) -> None:
        window = self.palette().color(QPalette.ColorRole.Window)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(blend(NOTICE_TINT, window, 0.55))
        painter.setBrush(blend(NOTICE_TINT, window, 0.14))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)

    def _recolour(self) -> None:
        self._close.setIcon(glyph("close", self.palette()))


def heading(text: str, parent: QWidget | None = None) -> QLabel:
    """A title in larger, bold letters."""
    label = QLabel(text, parent)
    font = label.font()
    font.setPointSizeF(font.pointSizeF() * 1.3)
    font.setBold(True)
    label.setFont(font)
    return label
