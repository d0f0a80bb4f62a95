"""Controls that the mouse wheel changes only when they have the focus, so that scrolling past them changes nothing."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSizePolicy, QSlider, QWidget

STEP = 5
"""Percent."""
PACE_MS = 120
"""While a handle is dragged, its value is told no more often than this: each one is saved."""


class SteadyComboBox(QComboBox):
    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(12)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class _Slider(QSlider):
    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class FactorSlider(QWidget):
    """A slider for a factor, in steps of five percent, with its value in words beside it."""

    chosen = Signal(float)

    def __init__(self, name: str, low: float, high: float, show: Callable[[float], str]) -> None:
        """``name`` is what a screen reader calls it; it should say that the value is in percent."""
        super().__init__()
        self.slider = _Slider()
        self.slider.setAccessibleName(name)
        self.slider.setRange(round(low * 100), round(high * 100))
        self.slider.setSingleStep(STEP)
        self.slider.setPageStep(STEP * 5)
        self._show = show
        self._value = QLabel()
        self._value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._value.setMinimumWidth(self._value.fontMetrics().horizontalAdvance("100 %0"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.slider, 1)
        row.addWidget(self._value)
        self.setFocusProxy(self.slider)
        self._pace = QTimer(self)
        self._pace.setSingleShot(True)
        self._pace.setInterval(PACE_MS)
        self._pace.timeout.connect(self._tell)
        self._told = -1.0
        self._untold = False
        self.slider.valueChanged.connect(self._moved)

    def value(self) -> float:
        return round(self.slider.value() / STEP) * STEP / 100

    def set_value(self, value: float) -> None:
        """Show a value without telling about it. Ignored while the user moves the handle."""
        if self.slider.isSliderDown() or self._untold:
            return
        self._told = value
        self.slider.blockSignals(True)
        self.slider.setValue(round(value * 100))
        self.slider.blockSignals(False)
        self._value.setText(self._show(value))

    def _moved(self) -> None:
        self._value.setText(self._show(self.value()))
        self._untold = True
        if not self._pace.isActive():
            self._tell()

    def _tell(self) -> None:
        value = self.value()
        self._untold = False
        if value != self._told:
            self._told = value
            self._pace.start()
            self.chosen.emit(value)
