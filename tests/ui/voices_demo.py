"""Every page of the settings in a window of its own, and the dialogs about voices, for a screen reader's tests."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication

from desktop_tts.settings import SettingsStore
from desktop_tts.ui.sample import SampleReader, sample_actions
from desktop_tts.ui.settings_window import SettingsWindow, page_entries
from desktop_tts.ui.voices.pictures import pictured_voices
from desktop_tts.ui.voices.presets_dialog import PresetsDialog


def say(text):
    print(text, flush=True)


def main():
    app = QApplication(sys.argv[:1])
    app.setApplicationName("desktop-tts")
    folder = Path(sys.argv[1])
    reader = SampleReader(say)
    actions = sample_actions(reader)
    windows = []
    for entry in page_entries():
        window = SettingsWindow(SettingsStore(folder / "settings.json"), actions)
        window.open_page(entry.id)
        windows.append(window)
    own = next(window for name, window in pictured_voices(folder / "voices") if name == "voices-damaged")
    page = own.page("voices")
    page.dialogs.edit(page.app.mine.store.profiles()[0])
    windows += [own, page.dialogs.current, PresetsDialog(page.app.mine.presets, own)]
    for window in windows:
        window.show()
    say("ready")
    app.exec()


if __name__ == "__main__":
    main()
