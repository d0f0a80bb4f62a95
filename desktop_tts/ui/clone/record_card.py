"""Records: which microphone, how loud it is, a countdown, and a take of up to half a minute."""

from __future__ import annotations

import threading
from collections.abc import Callable
from enum import Enum, auto

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from desktop_tts.audio.clip import LONGEST_S, SHORTEST_S, Clip
from desktop_tts.audio.recorder import InputDevice, Recorder, input_devices
from desktop_tts.errors import DesktopTTSError
from desktop_tts.ui.announce import announce
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.clone.meter import LOUD_DB, QUIET_DB, LevelMeter
from desktop_tts.ui.clone.read_aloud import ReadAloud
from desktop_tts.ui.clone.words import seconds_text
from desktop_tts.ui.pages.page import Problem
from desktop_tts.ui.steady import SteadyComboBox
from desktop_tts.ui.surfaces import Card

COUNT_MS = 900
"""How long each of the numbers before a recording is shown."""
_LOOK_MS = 40
_LEAST_S = 0.2
"""Anything shorter is no recording."""


class _State(Enum):
    IDLE = auto()
    OPENING = auto()
    COUNTING = auto()
    RECORDING = auto()
    FETCHING = auto()


class RecordCard(Card):
    """The microphone is open only after one was chosen here or recording was asked for, until the take is done."""

    recorded = Signal(object)
    """A Clip."""
    began = Signal()
    """An earlier recording is given up."""

    def __init__(self, find_devices: Callable[[], tuple[InputDevice, ...]] = input_devices) -> None:
        super().__init__()
        self._find_devices = find_devices
        self._state = _State.IDLE
        self._recorder: Recorder | None = None
        self._count = 0
        self._loudest_db = QUIET_DB
        self.to_read = ReadAloud()
        self.language = self.to_read.languages
        self.device = SteadyComboBox()
        self.device.setAccessibleName(self.tr("Microphone"))
        self.device.addItem(self.tr("The system's microphone"), "")
        self.device.activated.connect(lambda _: self._listen())
        self.meter = LevelMeter()
        self.button = QPushButton()
        self.button.clicked.connect(self._pressed)
        self.status = QLabel()
        self.status.setWordWrap(True)
        self.problem = Problem()
        self._lay_out()
        self._look = QTimer(self)
        self._look.setInterval(_LOOK_MS)
        self._look.timeout.connect(self._show_sound)
        self._counting = QTimer(self)
        self._counting.timeout.connect(self._count_down)
        self._enter(_State.IDLE)

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setHorizontalSpacing(14)
        for text, field in (
            (self.tr("&Language"), self.language),
            (self.tr("&Microphone"), self.device),
            (self.tr("Loudness"), self.meter),
        ):
            label = QLabel(text)
            label.setBuddy(field)
            form.addRow(label, field)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self.button)
        row.addWidget(self.status, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(10)
        column.addLayout(form)
        column.addWidget(self.to_read)
        column.addLayout(row)
        column.addWidget(self.problem)

    # ------------------------------------------------------------ what the step asks

    def look_for_devices(self) -> None:
        """In the background; the list is filled when they are known."""
        BackgroundCall(self, self._find_devices, self._found, self._fail)

    @property
    def busy(self) -> bool:
        """The microphone is being opened, or records."""
        return self._state is not _State.IDLE

    def shut(self) -> None:
        """Free the microphone; a take that isn't done is given up."""
        self._free()
        self._enter(_State.IDLE)

    # ------------------------------------------------------------ devices

    def _found(self, devices: tuple[InputDevice, ...]) -> None:
        chosen = self.device.currentData()
        self.device.clear()
        self.device.addItem(self.tr("The system's microphone"), "")
        for device in devices:
            self.device.addItem(device.name, device.name)
        self.device.setCurrentIndex(max(self.device.findData(chosen), 0))
        if not devices and not self.busy:
            self.problem.show_text(self.tr("No microphone was found. Connect one, or choose a file."))

    def _listen(self) -> None:
        """Open the chosen microphone, to see how loud it is."""
        self._free()
        self.problem.show_text("")
        self._enter(_State.OPENING)
        recorder = self._recorder = Recorder(self.device.currentData(), LONGEST_S)
        self._open(recorder, lambda: self._enter(_State.IDLE))

    def _open(self, recorder: Recorder, then: Callable[[], None]) -> None:
        def opened(_: object) -> None:
            if recorder is self._recorder:
                self._look.start()
                then()

        def failed(error: DesktopTTSError) -> None:
            if recorder is self._recorder:
                self._fail(error)

        BackgroundCall(self, recorder.open, opened, failed)

    def _fail(self, error: DesktopTTSError) -> None:
        self._free()
        self._enter(_State.IDLE)
        self.problem.show_text(str(error))

    def _free(self) -> None:
        self._look.stop()
        self._counting.stop()
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            threading.Thread(target=recorder.close, name="microphone closes", daemon=True).start()
        self.meter.setValue(self.meter.minimum())

    # ------------------------------------------------------------ a take

    def _pressed(self) -> None:
        if self._state is _State.IDLE:
            self._begin()
        elif self._state is _State.RECORDING:
            self._end()
        else:
            self.shut()

    def _begin(self) -> None:
        self.began.emit()
        self.problem.show_text("")
        if self._recorder is not None and self._recorder.ready and not self._recorder.problem():
            self._start_counting()
            return
        self._free()
        self._enter(_State.OPENING)
        recorder = self._recorder = Recorder(self.device.currentData(), LONGEST_S)
        self._open(recorder, self._start_counting)

    def _start_counting(self) -> None:
        self._count = 3
        self._enter(_State.COUNTING)
        self._counting.start(COUNT_MS)

    def _count_down(self) -> None:
        self._count -= 1
        if self._count:
            self._enter(_State.COUNTING)
            return
        self._counting.stop()
        assert self._recorder is not None
        self._loudest_db = QUIET_DB
        self._recorder.start()
        self._enter(_State.RECORDING)

    def _show_sound(self) -> None:
        recorder = self._recorder
        if recorder is None:
            return
        level = recorder.level()
        self.meter.show_level(level)
        trouble = recorder.problem()
        if self._state is _State.RECORDING:
            self._loudest_db = max(self._loudest_db, level.peak_db)
            self._show_status()
            if trouble or not recorder.recording:
                self._end()
        elif trouble:
            self._free()
            self._enter(_State.IDLE)
        if trouble:
            self.problem.show_text(trouble)

    def _end(self) -> None:
        """Stop, free the microphone, and fetch what was recorded."""
        self._look.stop()
        recorder, self._recorder = self._recorder, None
        self.meter.setValue(self.meter.minimum())
        assert recorder is not None
        recorder.stop()
        self._enter(_State.FETCHING)

        def fetch() -> Clip:
            recorder.close()
            return recorder.clip()

        BackgroundCall(self, fetch, self._fetched, self._fail)

    def _fetched(self, clip: Clip) -> None:
        if self._state is not _State.FETCHING:
            return  # it was given up meanwhile
        self._enter(_State.IDLE)
        if clip.duration_s < _LEAST_S:
            self.status.setText(self.tr("Nothing was recorded. Try again."))
            return
        self.button.setText(self.tr("&Record again"))
        announce(self, self.tr("Recorded {0}.").format(seconds_text(clip.duration_s)))
        self.recorded.emit(clip)

    # ------------------------------------------------------------ what is shown

    def _enter(self, state: _State) -> None:
        self._state = state
        self.button.setText(
            {
                _State.IDLE: self.tr("&Record"),
                _State.RECORDING: self.tr("S&top"),
                _State.FETCHING: self.tr("&Record"),
            }.get(state, self.tr("&Cancel recording"))
        )
        self.button.setEnabled(state is not _State.FETCHING)
        self.device.setEnabled(state is _State.IDLE)
        if state is _State.COUNTING:
            announce(self, str(self._count), urgent=True)
        elif state is _State.RECORDING:
            announce(self, self.tr("Speak now."), urgent=True)
        self._show_status()

    def _show_status(self) -> None:
        font = self.font()
        font.setBold(self._state in (_State.COUNTING, _State.RECORDING))
        self.status.setFont(font)
        self.status.setText(
            {
                _State.OPENING: self.tr("Opening the microphone…"),
                _State.COUNTING: self.tr("Get ready… {0}").format(self._count),
                _State.RECORDING: self._progress_text(),
                _State.FETCHING: self.tr("One moment…"),
            }.get(self._state, self.tr("{0} to {1} seconds; 10 or more are best.").format(
                f"{SHORTEST_S:.0f}", f"{LONGEST_S:.0f}"
            ))
        )  # fmt: skip

    def _progress_text(self) -> str:
        seconds = self._recorder.seconds if self._recorder else 0.0
        hint = ""
        if self.meter.value() >= LOUD_DB:
            hint = self.tr("Too loud: move away.")
        elif seconds > 2.0 and self._loudest_db <= QUIET_DB:
            hint = self.tr("Very quiet: move closer.")
        elif seconds < SHORTEST_S:
            hint = self.tr("Speak now.")
        return self.tr("{0} of {1} s   {2}").format(int(seconds), int(LONGEST_S), hint).strip()
