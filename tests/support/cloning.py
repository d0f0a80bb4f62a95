"""What the tests of the clone wizard share: a maker that stands in for the model, and hands that use the window."""

import threading
from dataclasses import dataclass

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop_tts.errors import EngineFault
from desktop_tts.ui.clone.wizard import CloneWizard
from desktop_tts.voices.store import VoiceStore
from support.display import wait_until

THREADS = ("ui background call", "microphone closes", "voice given up", "piece to play", "end of a piece", "player")


@dataclass(frozen=True)
class Model:
    key: str = "0.6b-base"
    name: str = "Qwen3-TTS 0.6B Base"
    installed: bool = True


class StandIn:
    """Makes a prompt of the recording as fast as it's allowed to, or fails."""

    def __init__(self, store):
        self._store = store
        self.models = (Model(), Model("1.7b-base", "Qwen3-TTS 1.7B Base", installed=False))
        self.go_on = threading.Event()
        self.go_on.set()
        self.working = threading.Event()
        self.fails = 0
        self.heeds = True
        self.calls = []

    def clone_models(self):
        return self.models

    def clone(self, draft_id, model, transcript, x_vector_only, cancel):
        self.calls.append((model, transcript, x_vector_only))
        folder = self._store.folder(draft_id)
        (folder / "prompt.safetensors").write_bytes((folder / "reference.flac").read_bytes()[:64])
        self.working.set()
        while not self.go_on.wait(0.01):
            if cancel.is_set() and self.heeds:
                return False
        if self.fails:
            self.fails -= 1
            raise EngineFault("The model can't be loaded.", "Close other programs.")
        return not (cancel.is_set() and self.heeds)


class Wizard:
    """The window, with what it was told and what it told."""

    def __init__(self, qtbot, folder, maker=None, **options):
        self.qtbot = qtbot
        self.store = VoiceStore(folder)
        self.maker = maker(self.store) if maker else StandIn(self.store)
        self.heard, self.saved, self.opened, self.stopped = [], [], [], []
        self.window = CloneWizard(
            self.store,
            self.maker,
            lambda voice_id, sentence, language: self.heard.append((voice_id, sentence, language)),
            lambda: self.opened.append(True),
            stop_listening=lambda: self.stopped.append(True),
            **({"find_recogniser": lambda language: None} | options),
        )
        self.window.saved.connect(self.saved.append)
        qtbot.addWidget(self.window)
        self.window.show()
        qtbot.waitExposed(self.window)

    def press(self, button):
        where = QPoint(12, button.height() // 2) if button.isCheckable() else button.rect().center()
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton, pos=where)

    def key(self, key, modifier=Qt.KeyboardModifier.NoModifier):
        QTest.keyClick(QApplication.focusWidget() or self.window, key, modifier)

    def next(self, step):
        """Press Next and wait for the step."""
        self.press(self.window.next)
        self.arrive(step)

    def arrive(self, step):
        self.qtbot.waitUntil(lambda: self.window.step is step, timeout=15_000)

    def refused(self, words):
        """Next stays here and says why."""
        before = self.window.step
        self.window.problem.show_text("")
        self.press(self.window.next)
        self.qtbot.waitUntil(lambda: words in self.window.problem.text(), timeout=10_000)
        assert self.window.step is before

    def drop(self, *urls):
        data = QMimeData()
        data.setUrls([url if isinstance(url, QUrl) else QUrl.fromLocalFile(str(url)) for url in urls])
        where, action = QPoint(50, 50), Qt.DropAction.CopyAction
        none = (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
        enter = QDragEnterEvent(where, action, data, *none)
        QApplication.sendEvent(self.window, enter)
        if enter.isAccepted():
            QApplication.sendEvent(self.window, QDropEvent(QPointF(where), action, data, *none))
        return enter.isAccepted()

    def take_file(self, path):
        assert self.drop(path)
        self.qtbot.waitUntil(lambda: self.window.source.clip is not None, timeout=10_000)

    def go_to(self, name, path):
        """Through the steps to ``source``, ``trim``, ``words``, ``model``, ``progress`` or ``audition``."""
        window = self.window
        steps = ["source", "trim", "words", "model", "progress", "audition"]
        for step in steps[1 : steps.index(name) + 1]:
            if step == "trim":
                self.take_file(path)
            elif step == "model":
                window.words.words.setPlainText("What is said.")
            elif step == "progress":
                self.qtbot.waitUntil(lambda: bool(window.model.choices))
                if not window.model.consent.box.isChecked():
                    window.model.consent.box.click()
                self.press(window.next)
                continue
            if step == "audition":
                self.arrive(window.audition)
            else:
                self.next(getattr(window, step))
        if name == "progress":
            self.arrive(window.progress)

    def nothing_is_left(self):
        """No draft, no voice, no thread."""
        wait_until(lambda: not self.folders(), what="the end of the draft")
        wait_until(lambda: not threads(), what="the end of its threads")
        assert self.store.profiles() == ()

    def folders(self):
        """Of voices and drafts."""
        root = self.store.root
        return (
            [entry.name for entry in root.iterdir() if "draft-" in entry.name or entry.name[0] != "."]
            if root.exists()
            else []
        )


def threads():
    """Those that the window started."""
    return [thread.name for thread in threading.enumerate() if thread.name in THREADS]
