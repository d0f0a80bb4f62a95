"""Where the recording comes from: a microphone or a file."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QUrl, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QPushButton, QWidget

from desktop_tts.audio.clip import Clip
from desktop_tts.audio.clip_file import Cancelled, read_clip
from desktop_tts.audio.recorder import InputDevice, input_devices
from desktop_tts.errors import DesktopTTSError
from desktop_tts.ui.announce import announce
from desktop_tts.ui.background import BackgroundCall
from desktop_tts.ui.clone.record_card import RecordCard
from desktop_tts.ui.clone.step import Step
from desktop_tts.ui.clone.words import seconds_text
from desktop_tts.ui.pages.page import Problem
from desktop_tts.ui.surfaces import MutedLabel

_ENDINGS = "*.wav *.flac *.mp3 *.ogg *.oga *.opus *.m4a *.aac *.aif *.aiff *.au *.caf *.webm"


class SourceStep(Step):
    taken = Signal(object)
    """A Clip is there, or None: the last one isn't to be used."""

    def __init__(self, find_devices: Callable[[], tuple[InputDevice, ...]] = input_devices) -> None:
        super().__init__(self.tr("Record a voice, or choose a file"))
        self.clip: Clip | None = None
        self.name = ""
        """What the voice may be called, from the file's name."""
        self.read_text = ""
        """What was probably read aloud, if it was recorded here."""
        self._reading: threading.Event | None = None
        self.record = RecordCard(find_devices)
        self.record.recorded.connect(self._recorded)
        self.record.began.connect(lambda: self._take(None))
        self.choose = QPushButton(self.tr("Choose a &file…"))
        self.choose.clicked.connect(self._choose)
        self.result = QLabel()
        self.result.setWordWrap(True)
        self.problem = Problem()
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self.choose)
        row.addWidget(MutedLabel(self.tr("or drop one here: a recording of one person, without music.")), 1)
        self.column.addWidget(self.record)
        self.column.addLayout(row)
        self.column.addWidget(self.problem)
        self.column.addWidget(self.result)
        self.column.addStretch(1)

    def entered(self) -> None:
        self.record.look_for_devices()

    def left(self) -> None:
        self.record.shut()
        self._stop_reading()

    def first_control(self) -> QWidget:
        return self.record.button

    def obstacle(self) -> str:
        if self.record.busy:
            return self.tr("Stop the recording first.")
        if self._reading is not None:
            return self.tr("The file is still being read.")
        if self.clip is None:
            return self.tr("Record something or choose a file first.")
        return ""

    # ------------------------------------------------------------ files

    def drop(self, urls: list[QUrl]) -> None:
        """Files that were dropped on the window; the first counts."""
        if not urls or not urls[0].isLocalFile():
            self.problem.show_text(self.tr("Drop a file from this computer."))
            return
        self.read(Path(urls[0].toLocalFile()))

    def read(self, path: Path) -> None:
        """Read a file in the background."""
        self.record.shut()
        self._take(None)
        self._stop_reading()
        cancel = self._reading = threading.Event()
        self.problem.show_text("")
        self.result.setText(self.tr("Reading {0}…").format(path.name))

        def done(clip: Clip) -> None:
            if cancel is self._reading:
                self._reading = None
                self.name, self.read_text = path.stem, ""
                self._take(clip, path.name)

        def failed(error: DesktopTTSError) -> None:
            if cancel is self._reading and not isinstance(error, Cancelled):
                self._reading = None
                self.result.setText("")
                self.problem.show_text(str(error))

        BackgroundCall(self, lambda: read_clip(path, cancel), done, failed)

    def _choose(self) -> None:
        dialog = QFileDialog(self.window(), self.tr("Choose a recording"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("Sound ({0})").format(_ENDINGS), self.tr("All files (*)")])
        dialog.fileSelected.connect(lambda file: self.read(Path(file)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _stop_reading(self) -> None:
        if self._reading is not None:
            self._reading.set()
            self._reading = None
            self.result.setText("")

    # ------------------------------------------------------------ what is taken

    def _recorded(self, clip: Clip) -> None:
        self._stop_reading()
        self.problem.show_text("")
        self.name, self.read_text = "", self.record.to_read.text()
        self._take(clip, self.tr("Your recording"))

    def _take(self, clip: Clip | None, name: str = "") -> None:
        self.clip = clip
        text = ""
        if clip is not None:
            text = self.tr("✓ {0}: {1}. Go on to listen to it and cut it.").format(name, seconds_text(clip.duration_s))
            if clip.cut_short:
                text += " " + self.tr("Only the first five minutes of the file are used.")
            announce(self, text)
        self.result.setText(text)
        self.taken.emit(clip)
