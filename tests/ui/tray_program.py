"""The tray icon and the control window with a reader that only notes calls. Told what to do by lines on stdin, tells
what happens by lines on stdout; both are JSON."""

import json
import os
import sys
from pathlib import Path

from PySide6.QtCore import QSocketNotifier
from PySide6.QtWidgets import QApplication

from desktop_tts.reader_state import ReaderState, ReaderStatus
from desktop_tts.settings import SettingsStore
from desktop_tts.ui.control_window import ControlWindow
from desktop_tts.ui.sample import SampleReader, sample_actions
from desktop_tts.ui.tray import TrayIcon


def tell(**what):
    print(json.dumps(what), flush=True)


class Program:
    def __init__(self, settings_file, patience_ms):
        self.store = SettingsStore(Path(settings_file))
        self.reader = SampleReader(lambda name: tell(called=name))
        actions = sample_actions(self.reader)
        self.tray = TrayIcon(self.reader, self.store, actions)
        self.window = ControlWindow(self.reader, self.store, actions)
        self.tray.noticed.connect(self.window.show_notice)
        self.tray.no_host.connect(self.window.stand_in_for_tray)
        self.tray.host_came.connect(self.window.tray_came)
        self.tray.no_host.connect(lambda: tell(event="no host"))
        self.tray.host_came.connect(lambda: tell(event="host came"))
        self.tray.start(int(patience_ms))
        self.lines = b""
        self.stdin = QSocketNotifier(0, QSocketNotifier.Type.Read)
        self.stdin.activated.connect(self.read)
        tell(event="ready")

    def read(self):
        data = os.read(0, 65536)
        if not data:
            QApplication.quit()
        self.lines += data
        while b"\n" in self.lines:
            line, self.lines = self.lines.split(b"\n", 1)
            self.do(json.loads(line))

    def do(self, command):
        match command["do"]:
            case "status":
                self.reader.show(
                    ReaderStatus(
                        ReaderState(command["state"]), command.get("text", ""), message=command.get("message", "")
                    )
                )
            case "set":
                self.store.set(command["key"], command["value"])
            case "notify":
                self.tray.notify(command["text"])
            case "geometry":
                place = self.tray._icon.geometry()
                tell(x=place.center().x(), y=place.center().y(), width=place.width())
                return
            case "window":
                tell(visible=self.window.isVisible(), banner=self.window.banner.text())
                return
        tell(done=command["do"])


app = QApplication(sys.argv[:1])
app.setQuitOnLastWindowClosed(False)
program = Program(*sys.argv[1:3])
sys.exit(app.exec())
