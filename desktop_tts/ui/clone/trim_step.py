"""Which part of the recording is used, and whether it is good enough."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from desktop_tts.audio.clip import Clip, suggested_part
from desktop_tts.audio.clip_check import Quality, Report, check
from desktop_tts.reader_state import ReaderState
from desktop_tts.ui.announce import announce
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.clone.playing import PiecePlayer
from desktop_tts.ui.clone.step import Step
from desktop_tts.ui.clone.waveform import Waveform
from desktop_tts.ui.clone.words import advice_text, report_text, seconds_text
from desktop_tts.ui.icons import state_icon
from desktop_tts.ui.pages.page import Problem
from desktop_tts.ui.surfaces import MutedLabel

_PAUSE_MS = 150
"""The part is looked at when the handles have been still for so long."""


class TrimStep(Step):
    def __init__(self, output_device: str) -> None:
        super().__init__(self.tr("Keep the best part"))
        self._clip = Clip.empty()
        self._suggested = (0.0, 0.0)
        self._report: Report | None = None
        self._asked = 0
        self._played_from = 0.0
        self._waiting: Callable[[], None] | None = None
        self.waveform = Waveform()
        self.waveform.part_changed.connect(self._part_changed)
        self.length = QLabel()
        self.play = QPushButton()
        self.play.clicked.connect(self._toggle)
        self.suggest = QPushButton(self.tr("Only the &speech"))
        self.suggest.clicked.connect(lambda: self.waveform.set_part(*self._suggested))
        self.whole = QPushButton(self.tr("&Whole recording"))
        self.whole.clicked.connect(lambda: self.waveform.set_part(0.0, self._clip.duration_s))
        self.sign, self.quality = QLabel(), QLabel()
        self.quality.setWordWrap(True)
        self.problem = Problem()
        self.player = PiecePlayer(output_device, self)
        self.player.moved.connect(lambda seconds: self.waveform.set_cursor(self._played_from + seconds))
        self.player.stopped.connect(self._stopped)
        self.player.failed.connect(self.problem.show_text)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(_PAUSE_MS)
        self._settle.timeout.connect(self._look)
        buttons = QHBoxLayout()
        for button in (self.play, self.suggest, self.whole):
            buttons.addWidget(button)
        buttons.addStretch(1)
        verdict = QHBoxLayout()
        verdict.setSpacing(10)
        verdict.addWidget(self.sign, 0, Qt.AlignmentFlag.AlignTop)
        verdict.addWidget(self.quality, 1)
        self.column.addWidget(
            MutedLabel(self.tr("Steady speech of one person, 10 to 20 seconds, without noise at its ends, is best."))
        )
        self.column.addWidget(self.waveform)
        self.column.addWidget(self.length)
        self.column.addLayout(buttons)
        self.column.addLayout(verdict)
        self.column.addWidget(self.problem)
        self.column.addStretch(1)
        self._stopped()

    def set_clip(self, clip: Clip) -> None:
        """Another recording."""
        self._clip = clip
        self._suggested = suggested_part(clip)
        self.waveform.set_clip(clip)
        self.waveform.set_part(*self._suggested)

    def part(self) -> tuple[float, float]:
        """Start and end in seconds."""
        return self.waveform.part()

    def left(self) -> None:
        self.player.stop()

    def first_control(self) -> QWidget:
        return self.play

    def obstacle(self) -> str:
        report = self._report
        if report is None or report.quality is not Quality.UNUSABLE:
            return ""
        return advice_text(report.troubles[0])

    def when_settled(self, go_on: Callable[[], None]) -> None:
        if self._report is not None:
            go_on()
        else:
            self._waiting = go_on

    def _part_changed(self, start_s: float, end_s: float) -> None:
        self.player.stop()
        self._report = None
        self._asked += 1
        self.length.setText(
            self.tr("From {0} to {1}: {2}").format(*map(seconds_text, (start_s, end_s, end_s - start_s)))
        )
        self._settle.start()

    def _look(self) -> None:
        clip, part, asked = self._clip, self.part(), self._asked

        def found(report: Report) -> None:
            if asked == self._asked:
                self._show(report)

        BackgroundCall(self, lambda: check(clip, *part), found)

    def _show(self, report: Report) -> None:
        self._report = report
        good = report.quality in (Quality.GOOD, Quality.USABLE)
        picture = state_icon(ReaderState.SPEAKING if good else ReaderState.ERROR)
        self.sign.setPixmap(picture.pixmap(22, 22))
        text = report_text(report)
        if text != self.quality.text():
            self.quality.setText(text)
            announce(self, text)
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting()

    def _toggle(self) -> None:
        if self.player.playing:
            self.player.stop()
            return
        self.problem.show_text("")
        start, end = self.part()
        self._played_from = start
        self.player.play(self._clip.part(start, end))
        self.play.setText(self.tr("S&top playing"))

    def _stopped(self) -> None:
        self.play.setText(self.tr("&Play this part"))
        self.waveform.set_cursor(None)
