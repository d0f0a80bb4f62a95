"""Which model is in memory and where it runs, with the way to give the memory back."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent, QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QLabel, QPushButton, QWidget

from desktop_tts import settings
from desktop_tts.ui.models.words import model_name
from desktop_tts.ui.voice_actions import VoiceActions

LOOK_MS = 700


class LoadedModel(QWidget):
    """Looks at the engine while it is visible."""

    def __init__(self, mine: VoiceActions) -> None:
        super().__init__()
        self._mine = mine
        self.text = QLabel()
        self.text.setWordWrap(True)
        self.unload = QPushButton(self.tr("&Unload now"))
        self.unload.setAutoDefault(False)
        self.unload.setAccessibleDescription(self.tr("Gives the memory back, after what is being read"))
        self.unload.clicked.connect(self._unload)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.text, 1)
        row.addWidget(self.unload)
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.look)
        self.look()

    def look(self) -> None:
        engine = self._mine.qwen
        key = engine.loaded if engine else ""
        if engine and key:
            text = self.tr("{model}, on {where}").format(model=model_name(key), where=engine.where)
        else:
            text = self.tr("None")
        if text != self.text.text():
            self.text.setText(text)
        if not key and self.unload.hasFocus():
            self.unload.focusNextChild()
        self.unload.setEnabled(bool(key))

    def _unload(self) -> None:
        self._mine.unload_models()
        self.look()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.look()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()


class MinutesBox(QDoubleSpinBox):
    """Whole minutes mostly; the lowest value means never. The wheel changes it only when it has the focus."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self.setRange(*settings.range_for(key))
        self.setDecimals(2)
        self.setKeyboardTracking(False)
        self.setSpecialValueText(self.tr("never"))

    def textFromValue(self, value: float) -> str:
        return f"{value:g}"

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
