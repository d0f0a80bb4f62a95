"""Both windows by themselves, for a screen reader's tests: tells on stdout what was asked of the app."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication

from desktop_tts.settings import SettingsStore
from desktop_tts.ui.control_window import ControlWindow
from desktop_tts.ui.sample import READING, SampleReader, sample_actions
from desktop_tts.ui.settings_window import SettingsWindow


def say(text):
    print(text, flush=True)


def main():
    app = QApplication(sys.argv[:1])
    app.setApplicationName("desktop-tts")
    settings = SettingsStore(Path(sys.argv[1]))
    reader = SampleReader(say)
    actions = sample_actions(reader)
    windows = ControlWindow(reader, settings, actions), SettingsWindow(settings, actions)
    for window in windows:
        window.show()
    reader.show(READING)
    settings.on_change(lambda now: say(f"settings {now.reading.speed} {now.general.notifications}"))
    say("ready")
    app.exec()


if __name__ == "__main__":
    main()
