"""The clone wizard by itself, for a screen reader's tests: opens at a recording, tells on stdout what was done."""

import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication

from desktop_tts.ui.clone.sample import SampleCloner
from desktop_tts.ui.clone.wizard import CloneWizard
from desktop_tts.voices.store import VoiceStore


def say(text):
    print(text, flush=True)


def main():
    app = QApplication(sys.argv[:1])
    app.setApplicationName("desktop-tts")
    store = VoiceStore(Path(sys.argv[1]))
    wizard = CloneWizard(
        store,
        SampleCloner(),
        lambda voice_id, sentence, language: say(f"listen {sentence}"),
        lambda: say("models"),
        find_recogniser=lambda language: None,
    )
    wizard.saved.connect(lambda voice_id: say(f"saved {store.get(voice_id).name}"))
    wizard.source.taken.connect(lambda clip: say("taken") if clip else None)
    wizard.stack.currentChanged.connect(lambda number: say(f"step {number + 1}"))
    wizard.show()
    wizard.source.read(Path(sys.argv[2]))
    app.exec()


if __name__ == "__main__":
    main()
