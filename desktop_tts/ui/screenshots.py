"""``python -m desktop_tts.ui.screenshots DIR``: pictures of every window, without a screen."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

LOOKS = ("light", "dark", "light-200")
SCREEN = {"name": "pictures", "x": 0, "y": 0, "width": 2560, "height": 1600, "logicalDpi": 96, "dpr": 1.0}


def main() -> int:
    if len(sys.argv) == 3:
        return draw(Path(sys.argv[1]), sys.argv[2])
    if len(sys.argv) != 2:
        print("usage: python -m desktop_tts.ui.screenshots DIR", file=sys.stderr)  # noqa: T201
        return 2
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        screen = Path(temporary) / "screen.json"
        screen.write_text(json.dumps({"screens": [SCREEN]}))
        for look in LOOKS:  # each in a process of its own: Qt reads the scale once
            scale = {"QT_SCALE_FACTOR": "2"} if look.endswith("-200") else {}
            environment = os.environ | {"QT_QPA_PLATFORM": f"offscreen:configfile={screen}", **scale}
            subprocess.run([sys.executable, "-m", __spec__.name, str(folder), look], env=environment, check=True)
    return 0


def draw(folder: Path, look: str) -> int:
    """All pictures in one look."""
    from PySide6.QtGui import QFont
    from PySide6.QtWidgets import QApplication, QWidget

    from desktop_tts.reader_state import ReaderState
    from desktop_tts.settings import SettingsStore
    from desktop_tts.ui.clone.sample import pictured_steps
    from desktop_tts.ui.control_window import ControlWindow
    from desktop_tts.ui.design.pictures import pictured_designs
    from desktop_tts.ui.models.pictures import pictured_models
    from desktop_tts.ui.palettes import dark_palette, light_palette
    from desktop_tts.ui.sample import READING, SampleReader, sample_actions
    from desktop_tts.ui.settings_window import SettingsWindow, page_entries
    from desktop_tts.ui.voices.pictures import pictured_voices

    app = QApplication([])
    app.setStyle("Fusion")
    app.setFont(QFont("DejaVu Sans", 10))
    app.setPalette(dark_palette() if look.startswith("dark") else light_palette())
    with tempfile.TemporaryDirectory() as home:
        store = SettingsStore(Path(home) / "settings.json")
        reader = SampleReader()
        actions = sample_actions(reader, {"stop": "Super+Alt+X is taken by another program. Choose other keys."})

        def picture(window: QWidget, name: str) -> None:
            window.show()
            for _ in range(8):  # lets background look-ups arrive
                app.processEvents()
                app.thread().msleep(10)
            window.grab().save(str(folder / f"{name}-{look}.png"))

        window = ControlWindow(reader, store, actions)
        picture(window, "control-idle")
        reader.show(READING)
        picture(window, "control-reading")
        reader.show(replace(READING, state=ReaderState.PAUSED))
        window.show_notice("Vivian can't read this text. Heart reads instead.")
        picture(window, "control-notice")
        reader.show(
            replace(
                READING,
                state=ReaderState.IDLE,
                text="",
                word=None,
                word_in_text=None,
                progress=0.0,
                voice_name="",
                source="",
            )
        )
        window.stand_in_for_tray()
        picture(window, "control-no-tray")
        settings = SettingsWindow(store, actions)
        for entry in page_entries():
            settings.open_page(entry.id)
            picture(settings, f"settings-{entry.id}")
        states: tuple[Callable[[Path], Iterator[tuple[str, QWidget]]], ...]
        states = pictured_voices, pictured_models, pictured_designs, pictured_steps
        for name, shown in chain.from_iterable(make(Path(home) / make.__name__) for make in states):
            picture(shown, name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
