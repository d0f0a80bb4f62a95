"""The Design page as a person uses it: describe, draw, hear, keep; with real files, and nothing left behind."""

import threading
import time
from dataclasses import replace

import numpy as np
import pytest
import soundfile
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QScrollArea
from test_accessible_names import focusable, nameless, reached
from test_screenshots import assert_whole

from desktop_tts.engines.qwen import QwenEngine, QwenOptions, describe
from desktop_tts.engines.speeds import Speeds
from desktop_tts.errors import EngineFault
from desktop_tts.reader_state import ReaderState, ReaderStatus
from desktop_tts.ui.design import hearing
from desktop_tts.ui.design.words import SENTENCES, examples
from desktop_tts.ui.pages.design import DesignPage
from desktop_tts.ui.sample import sample_actions
from desktop_tts.ui.sample_voices import voice_actions
from desktop_tts.voices.making import MakerModel, VoiceMaker
from desktop_tts.voices.profile import PREVIEW, PROMPT, REFERENCE, Kind
from support import golden

RATE = 24_000
DESIGN = MakerModel("1.7b-voice-design", "Qwen3-TTS 1.7B VoiceDesign", True)
BASE = MakerModel("0.6b-base", "Qwen3-TTS 0.6B Base", True)


class Maker:
    """Draws a second of sound in ten pieces."""

    def __init__(self, store):
        self.store = store
        self.pace_s = 0.0
        self.designs, self.bases = (DESIGN,), (BASE,)
        self.asked, self.frozen = [], []
        self.problem = None
        self.freeze_waits = False

    def design_models(self):
        return self.designs

    def clone_models(self):
        return self.bases

    def design(self, description, language, sentence, seed, model, cancel, on_audio=lambda _: None):
        self.asked.append((description, language, sentence, seed, model))
        if self.problem:
            raise self.problem
        pieces = [np.zeros(0, np.float32)]
        for _ in range(10):
            if cancel.wait(self.pace_s):
                break
            pieces.append(np.full(RATE // 10, 0.1 * seed, np.float32))
            on_audio(pieces[-1])
        return np.concatenate(pieces)

    def freeze(self, draft_id, pcm, sentence, model, cancel):
        if self.problem:
            raise self.problem
        if self.freeze_waits and cancel.wait(30):
            return False
        folder = self.store.folder(draft_id)
        (folder / PROMPT).write_bytes(b"prompt")
        self.frozen.append((len(pcm), sentence, model))
        self.store.save(replace(self.store.get(draft_id), base=f"qwen:{model}", transcript=sentence))
        return True


class Player(QObject):
    """Plays until it is told to stop."""

    stopped = Signal()
    failed = Signal(str)
    heard = []  # noqa: RUF012

    def __init__(self, device, parent):
        super().__init__(parent)

    def play(self, pcm):
        self.heard.append(round(float(pcm[0]), 2))

    def stop(self):
        self.stopped.emit()


@pytest.fixture
def mine(tmp_path, reader):
    made = voice_actions(tmp_path / "files", reader, reader.called)
    return replace(made, maker=Maker(made.store))


@pytest.fixture
def make_page(qtbot, store, reader, mine, monkeypatch):
    monkeypatch.setattr(hearing, "PiecePlayer", Player)
    monkeypatch.setattr(Player, "heard", [])

    made = []

    def make(mine=mine):
        page = DesignPage(store, replace(sample_actions(reader), mine=mine))
        area = QScrollArea()  # as in the window
        area.setWidgetResizable(True)
        area.setWidget(page)
        qtbot.addWidget(area)
        area.resize(650, 700)
        area.show()
        page.shown()
        made.append(area)
        page.language.setCurrentIndex(page.language.findData("en"))
        page.sentence.setPlainText(SENTENCES["en"])
        return page

    return make


@pytest.fixture
def page(qtbot, make_page):
    page = make_page()
    qtbot.waitUntil(page.draw.isEnabled)
    qtbot.keyClicks(page.description, "An old man with a deep voice.")
    return page


def draw(qtbot, page):
    before = len(page.rows)
    page.draw.setFocus()
    qtbot.keyClick(page.draw, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: len(page.rows) == before + 1 and not page.quiet.running, timeout=20_000)
    return page.rows[0]


def keep(qtbot, row, page):
    qtbot.mouseClick(row.keep, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.dialog is not None and page.dialog.isVisible())
    return page.dialog


def drafts(mine):
    return list(mine.store.root.glob(".draft-*"))


def nothing_left(mine):
    assert mine.store.profiles() == ()
    assert drafts(mine) == []


def choose(combo, value):
    combo.setCurrentIndex(combo.findData(value))
    combo.activated.emit(combo.currentIndex())


# ---------------------------------------------------------------- drawing and hearing


def test_each_press_draws_the_next_number_and_it_is_heard(qtbot, page, mine):
    first = draw(qtbot, page)
    assert Player.heard == [0.1]
    assert first.title == "Draw 1"
    assert first.play.text() == "Stop"
    second = draw(qtbot, page)
    assert [row.title for row in page.rows] == ["Draw 2", "Draw 1"]
    assert Player.heard == [0.1, 0.2]
    assert first.play.text() == "Play"
    qtbot.keyClick(first.play, Qt.Key.Key_Space)
    assert Player.heard == [0.1, 0.2, 0.1]
    assert (first.play.text(), second.play.text()) == ("Stop", "Play")
    qtbot.keyClick(first.play, Qt.Key.Key_Space)
    assert first.play.text() == "Play"
    sentence = SENTENCES["en"]
    assert mine.maker.asked == [
        ("An old man with a deep voice.", "en", sentence, number, "1.7b-voice-design") for number in (1, 2)
    ]


def test_an_example_is_taken_and_can_be_undone(qtbot, page):
    choose(page.examples, examples()[1][1])
    assert page.description.toPlainText() == examples()[1][1]
    page.description.undo()
    assert page.description.toPlainText() == "An old man with a deep voice."


def test_the_sentence_follows_the_language_unless_it_is_the_user_s(qtbot, page):
    choose(page.language, "de")
    assert page.sentence.toPlainText() == SENTENCES["de"]
    page.sentence.setPlainText("Mein Satz.")
    choose(page.language, "fr")
    assert page.sentence.toPlainText() == "Mein Satz."


def test_what_is_missing_is_said_and_gets_the_focus(qtbot, page, mine):
    page.sentence.clear()
    page.draw.click()
    assert page.problem.text() == "Write a sentence to hear."
    page.description.clear()
    page.draw.click()
    assert page.problem.text() == "Describe the voice first."
    assert page.focusWidget() is page.description
    assert mine.maker.asked == []


def test_drawing_can_be_stopped_and_leaves_nothing(qtbot, page, mine):
    mine.maker.pace_s = 0.2
    page.draw.click()
    qtbot.waitUntil(lambda: page.state.text().endswith("s so far…"), timeout=10_000)
    page.draw.click()
    qtbot.waitUntil(lambda: not page.quiet.running)
    assert page.rows == []
    assert Player.heard == []
    assert page.draw.text().replace("&", "") == "Draw a voice"
    nothing_left(mine)
    mine.maker.pace_s = 0.0
    assert draw(qtbot, page).title == "Draw 1"


def test_drawing_waits_for_a_reading_and_begins_again_after_one(qtbot, page, mine, reader):
    reader.show(ReaderStatus(ReaderState.SPEAKING))
    page.draw.click()
    assert page.state.text() == "Waits until nothing is being read."
    assert mine.maker.asked == []
    mine.maker.pace_s = 0.2
    reader.show(ReaderStatus())
    qtbot.waitUntil(lambda: len(mine.maker.asked) == 1)
    reader.show(ReaderStatus(ReaderState.PREPARING))
    qtbot.waitUntil(lambda: not page.quiet.running)
    assert page.rows == []
    mine.maker.pace_s = 0.0
    reader.show(ReaderStatus())
    qtbot.waitUntil(lambda: len(page.rows) == 1)
    assert [asked[3] for asked in mine.maker.asked] == [1, 1]


def test_a_reading_ends_the_playing_and_the_other_way_round(qtbot, page, reader):
    row = draw(qtbot, page)
    reader.show(ReaderStatus(ReaderState.SPEAKING))
    assert row.play.text() == "Play"
    row.play.click()
    assert "stop" in reader.calls
    assert row.play.text() == "Stop"


def test_a_draw_that_fails_says_why(qtbot, page, mine):
    mine.maker.problem = EngineFault("Qwen3-TTS is reading aloud.", "Stop that first, then try again.")
    page.draw.click()
    qtbot.waitUntil(lambda: page.problem.text() == "Qwen3-TTS is reading aloud. Stop that first, then try again.")
    assert page.draw.isEnabled()
    mine.maker.problem = None
    draw(qtbot, page)
    assert page.problem.text() == ""


def test_a_draw_is_removed(qtbot, page):
    draw(qtbot, page)
    draw(qtbot, page)
    qtbot.mouseClick(page.rows[0].remove, Qt.MouseButton.LeftButton)
    assert [row.title for row in page.rows] == ["Draw 1"]
    assert page.focusWidget() is page.rows[0].play
    qtbot.mouseClick(page.rows[0].remove, Qt.MouseButton.LeftButton)
    assert page.focusWidget() is page.draw
    assert draw(qtbot, page).title == "Draw 3"


# ---------------------------------------------------------------- keeping


def test_a_draw_is_kept_frozen_under_a_name(qtbot, page, mine, reader):
    draw(qtbot, page)
    dialog = keep(qtbot, draw(qtbot, page), page)
    assert dialog.name.text() == "Designed voice"
    assert dialog.base.currentText() == "Qwen3-TTS 0.6B Base"
    dialog.name.clear()
    assert not dialog.keep_button.isEnabled()
    qtbot.keyClicks(dialog.name, "Evening narrator")
    qtbot.keyClick(dialog.name, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(mine.store.profiles()) == 1 and page.to_voices.isVisible())
    (profile,) = mine.store.profiles()
    assert (profile.name, profile.kind, profile.base) == ("Evening narrator", Kind.DESIGNED, "qwen:0.6b-base")
    assert (profile.description, profile.seed, profile.language) == ("An old man with a deep voice.", 2, "en")
    assert mine.maker.frozen == [(RATE, SENTENCES["en"], "0.6b-base")]
    preview, rate = soundfile.read(mine.store.folder(profile.id) / PREVIEW)
    assert (rate, len(preview)) == (RATE, RATE)
    assert preview[100] == pytest.approx(0.2, abs=1e-3)
    assert page.state.text() == "“Evening narrator” is among your voices now."
    page.to_voices.click()
    assert reader.calls[-1] == "open_settings voices"


def test_without_a_base_model_the_description_is_kept_and_it_says_so(qtbot, make_page, mine, reader):
    mine.maker.bases = (replace(BASE, installed=False),)
    page = make_page()
    qtbot.waitUntil(page.draw.isEnabled)
    page.description.setPlainText("A bright young woman.")
    dialog = keep(qtbot, draw(qtbot, page), page)
    assert not dialog.base.isVisible()
    assert dialog.get_model.isVisible()
    qtbot.mouseClick(dialog.get_model, Qt.MouseButton.LeftButton)
    assert reader.calls[-1] == "open_settings models"
    nothing_left(mine)
    dialog = keep(qtbot, page.rows[0], page)
    qtbot.mouseClick(dialog.keep_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(mine.store.profiles()) == 1)
    (profile,) = mine.store.profiles()
    assert (profile.base, profile.seed, profile.description) == (
        *("qwen:1.7b-voice-design", 1, "A bright young woman."),
    )
    assert mine.maker.frozen == []
    assert not (mine.store.folder(profile.id) / PROMPT).exists()


def test_cancelling_while_it_is_frozen_leaves_nothing(qtbot, page, mine):
    mine.maker.freeze_waits = True
    dialog = keep(qtbot, draw(qtbot, page), page)
    dialog.keep_button.click()
    assert dialog.state.text() == "Freezing the voice…"
    qtbot.waitUntil(lambda: bool(drafts(mine)))
    qtbot.mouseClick(dialog.buttons.button(QDialogButtonBox.StandardButton.Cancel), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not drafts(mine))
    nothing_left(mine)
    assert len(page.rows) == 1  # still there to keep later
    mine.maker.freeze_waits = False
    keep(qtbot, page.rows[0], page).keep_button.click()
    qtbot.waitUntil(lambda: len(mine.store.profiles()) == 1)


def test_what_goes_wrong_when_keeping_is_said_and_can_be_tried_again(qtbot, page, mine):
    dialog = keep(qtbot, draw(qtbot, page), page)
    mine.maker.problem = EngineFault("There isn't enough memory.", "Close other programs.")
    dialog.keep_button.click()
    qtbot.waitUntil(lambda: dialog.problem.text() == "There isn't enough memory. Close other programs.")
    assert dialog.isVisible()
    nothing_left(mine)
    mine.maker.problem = None
    dialog.keep_button.click()
    qtbot.waitUntil(lambda: len(mine.store.profiles()) == 1)


# ---------------------------------------------------------------- what isn't there


def test_a_missing_model_is_said_with_the_way_to_it(qtbot, make_page, mine, reader):
    mine.maker.designs = (replace(DESIGN, installed=False),)
    page = make_page()
    qtbot.waitUntil(lambda: "VoiceDesign model, which isn't installed" in page.missing.text())
    assert not page.draw.isEnabled()
    qtbot.mouseClick(page.to_models, Qt.MouseButton.LeftButton)
    assert reader.calls[-1] == "open_settings models"
    mine.maker.designs = (DESIGN,)
    page.shown()
    qtbot.waitUntil(page.draw.isEnabled)
    assert page.missing.text() == ""
    assert not page.to_models.isVisible()


def test_without_qwen_it_is_said(make_page, mine):
    page = make_page(replace(mine, maker=None))
    assert "isn't set up" in page.missing.text()
    assert not page.draw.isEnabled()


def test_a_page_that_is_gone_stops_drawing(qtbot, store, reader, mine):
    mine.maker.pace_s = 1.0
    page = DesignPage(store, replace(sample_actions(reader), mine=mine))
    page.shown()
    qtbot.waitUntil(page.draw.isEnabled)
    page.description.setPlainText("Anyone.")
    page.draw.click()
    threads = [thread for thread in threading.enumerate() if thread.name == "ui background call"]
    page.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    began = time.monotonic()
    qtbot.waitUntil(lambda: not any(thread.is_alive() for thread in threads), timeout=9_000)
    assert time.monotonic() - began < 8


def test_every_control_has_a_name_and_no_words_are_cut_off_in_large_letters(qtbot, qapp, make_page):
    before = qapp.font()
    font = qapp.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    qapp.setFont(font)
    try:
        page = make_page()
        qtbot.waitUntil(page.draw.isEnabled)
        page.description.setPlainText("An old man with a deep voice. " * 5)
        draw(qtbot, page)
        dialog = keep(qtbot, page.rows[0], page)
        for window in (page, dialog):
            assert nameless(window) == []
            assert_whole(window)
        dialog.reject()
        assert reached(qtbot, page.window()) >= focusable(page)
    finally:
        qapp.setFont(before)


# ---------------------------------------------------------------- the real engine and a real sound server


def test_the_real_engine_draws_freezes_and_is_heard(qtbot, store, reader, mine, tmp_path, monkeypatch, sound_here):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    models = (
        describe("1.7b-voice-design", golden.checkpoint("voice_design")),
        describe("0.6b-base", golden.checkpoint("base")),
    )
    engine = QwenEngine(
        lambda: QwenOptions("cpu", "float32"), find_models=lambda: models, speeds=Speeds(tmp_path / "speeds.json")
    )
    mine = replace(mine, maker=VoiceMaker(mine.store, engine), qwen=engine)
    page = DesignPage(store, replace(sample_actions(reader), mine=mine))
    qtbot.addWidget(page)
    page.show()
    page.shown()
    qtbot.waitUntil(page.draw.isEnabled, timeout=20_000)
    page.description.setPlainText("A calm old woman.")
    page.sentence.setPlainText("Hello there.")
    try:
        with sound_here.record() as recording:
            page.draw.click()
            qtbot.waitUntil(lambda: len(page.rows) == 1, timeout=90_000)
            recording.wait_for_sound(20)
        row = page.rows[0]
        assert row.draw.duration_s > 0.3
        page.hearing.stop()
        dialog = keep(qtbot, row, page)
        dialog.keep_button.click()
        qtbot.waitUntil(lambda: len(mine.store.profiles()) == 1, timeout=90_000)
        (profile,) = mine.store.profiles()
        folder = mine.store.folder(profile.id)
        assert (folder / PROMPT).stat().st_size > 0
        assert (folder / REFERENCE).stat().st_size > 0
        assert profile.base == "qwen:0.6b-base"
        assert profile.transcript == "Hello there."
    finally:
        engine.unload()
