"""The clone wizard, used as a person would, with files: each step, what stands in the way, and leaving at any time."""

import threading
from dataclasses import replace

import numpy as np
import pytest
import soundfile
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QLabel, QLineEdit, QRadioButton
from test_accessible_names import focusable, nameless, reached
from test_screenshots import assert_whole

from desktop_tts.audio.clip import LONGEST_S, Clip
from desktop_tts.audio.loudness import loudness
from desktop_tts.ui.clone import passages, source_step
from desktop_tts.voices.profile import Kind
from support.cloning import Model, StandIn, Wizard
from support.microphone import RATE, speech_like
from support.sound import alignment

SPEECH = np.concatenate([np.zeros(RATE, np.float32), speech_like(8.0), np.zeros(RATE, np.float32)])
SPEECH = (SPEECH + 2e-4 * np.random.default_rng(1).standard_normal(len(SPEECH))).astype(np.float32)
STEPS = ("source", "trim", "words", "model", "progress", "audition")


@pytest.fixture
def recording(tmp_path):
    path = tmp_path / "Grandma Ann.flac"
    soundfile.write(path, np.stack([SPEECH, SPEECH], axis=1), RATE)
    return path


@pytest.fixture
def wizard(qtbot, tmp_path):
    made = Wizard(qtbot, tmp_path / "voices")
    yield made
    made.maker.go_on.set()
    made.window.reject()


# ---------------------------------------------------------------- the whole way


def test_a_file_becomes_a_voice(wizard, recording):
    window = wizard.window
    wizard.take_file(recording)
    assert "Grandma Ann.flac: 10.0 s" in window.source.result.text()
    wizard.next(window.trim)
    start, end = window.trim.part()
    assert 0.6 < start < 1.3
    assert 8.0 < end < 9.4
    wizard.qtbot.waitUntil(lambda: window.trim.quality.text().startswith("Good"))
    wizard.next(window.words)
    window.words.words.setFocus()
    QTest.keyClicks(window.words.words, "These are")
    wizard.key(Qt.Key.Key_Return)
    QTest.keyClicks(window.words.words, "the words.")
    wizard.next(window.model)
    wizard.qtbot.waitUntil(lambda: window.model.model() == "0.6b-base")
    wizard.press(window.model.consent.box)
    wizard.next(window.audition)
    assert wizard.maker.calls == [("0.6b-base", "These are the words.", False)]
    draft = wizard.folders()
    assert len(draft) == 1
    own = passages.own_language()
    wizard.press(window.audition.play)
    assert wizard.heard == [(f"my:{draft[0][1:]}", passages.sentence(own), own)]
    assert draft[0].startswith(".draft-")
    assert wizard.store.profiles() == ()
    assert window.audition.name.text() == "Grandma Ann"
    window.audition.sentence.setFocus()
    window.audition.sentence.selectAll()
    QTest.keyClicks(window.audition.sentence, "Is it you?")
    wizard.press(window.audition.play)
    assert wizard.heard[1:] == [(f"my:{draft[0][1:]}", "Is it you?", "")]
    window.audition.name.setFocus()
    window.audition.name.selectAll()
    QTest.keyClicks(window.audition.name, "  Ann  of old ")
    wizard.key(Qt.Key.Key_Return)  # in a line of text it goes on
    wizard.qtbot.waitUntil(lambda: bool(wizard.saved))
    assert not window.isVisible()
    assert wizard.stopped == [True]
    (voice,) = wizard.store.profiles()
    assert voice.id == wizard.saved[0]
    assert (voice.name, voice.kind, voice.base) == ("Ann of old", Kind.CLONED, "qwen:0.6b-base")
    assert voice.transcript == "These are the words."
    assert voice.language == passages.own_language()
    assert voice.consent.sentence == window.model.consent.sentence
    assert "agreed" in voice.consent.sentence
    assert voice.consent.given.startswith("20")
    kept, rate = soundfile.read(wizard.store.folder(voice.id) / "reference.flac", dtype="float32")
    assert rate == RATE
    assert len(kept) / RATE == pytest.approx(end - start, abs=0.02)
    assert loudness(kept, RATE) == pytest.approx(-20.0, abs=0.5)
    at, likeness = alignment(SPEECH, kept[RATE : 3 * RATE])
    assert likeness > 0.999
    assert at / RATE == pytest.approx(start + 1, abs=0.02)
    assert not [name for name in wizard.folders() if "draft" in name]


def test_the_voice_alone_needs_no_words(wizard, recording):
    window = wizard.window
    wizard.go_to("words", recording)
    wizard.press(window.words.voice_only.button)
    assert not window.words.words.isEnabled()
    wizard.next(window.model)
    wizard.qtbot.waitUntil(lambda: bool(window.model.choices))
    wizard.press(window.model.consent.box)
    wizard.next(window.audition)
    assert wizard.maker.calls == [("0.6b-base", "", True)]
    wizard.press(window.next)
    wizard.qtbot.waitUntil(lambda: bool(wizard.saved))
    assert wizard.store.profiles()[0].transcript == ""


def test_only_keys_are_needed(wizard, recording):
    """From a chosen file to a saved voice, with Tab, Space, arrows, Return and letters."""
    window = wizard.window
    wizard.take_file(recording)

    def focus(widget):
        for _ in range(40):
            if QApplication.focusWidget() is widget:
                return
            wizard.key(Qt.Key.Key_Tab)
        raise AssertionError(f"Tab doesn't reach {widget}")

    focus(window.next)
    wizard.key(Qt.Key.Key_Return)
    wizard.arrive(window.trim)
    focus(window.trim.waveform.start)
    before = window.trim.part()
    wizard.key(Qt.Key.Key_Right)
    wizard.key(Qt.Key.Key_Right)
    assert window.trim.part()[0] == pytest.approx(before[0] + 0.1, abs=0.011)
    wizard.key(Qt.Key.Key_PageUp)
    assert window.trim.part()[0] == pytest.approx(before[0] + 0.6, abs=0.011)
    focus(window.trim.waveform.end)
    wizard.key(Qt.Key.Key_Left)
    assert window.trim.part()[1] == pytest.approx(before[1] - 0.05, abs=0.011)
    focus(window.next)
    wizard.key(Qt.Key.Key_Space)
    wizard.arrive(window.words)
    focus(window.words.words)
    QTest.keyClicks(window.words.words, "Words.")
    focus(window.next)
    wizard.key(Qt.Key.Key_Space)
    wizard.arrive(window.model)
    wizard.qtbot.waitUntil(lambda: bool(window.model.choices))
    focus(window.model.consent.box)
    wizard.key(Qt.Key.Key_Space)
    focus(window.next)
    wizard.key(Qt.Key.Key_Space)
    wizard.arrive(window.audition)
    focus(window.audition.name)
    wizard.key(Qt.Key.Key_Return)
    wizard.qtbot.waitUntil(lambda: bool(wizard.saved))


# ---------------------------------------------------------------- the recording


def test_a_file_is_chosen_in_a_dialog(wizard, recording):
    window = wizard.window
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    wizard.press(window.source.choose)
    dialog = window.findChild(QFileDialog)
    wizard.qtbot.waitUntil(dialog.isVisible)
    field = dialog.findChild(QLineEdit, "fileNameEdit")
    field.setText(str(recording))  # typed, a list of suggestions would be in the way
    QTest.keyClick(field, Qt.Key.Key_Return)
    wizard.qtbot.waitUntil(lambda: window.source.clip is not None)
    assert window.isVisible()


def test_nothing_is_no_recording(wizard):
    wizard.refused("Record something or choose a file first.")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.wav", b"nothing", "a.wav can't be read as sound."),
        ("a.m4a", b"nothing", "M4A files can't be read here. Convert it"),
    ],
)
def test_a_file_that_cant_be_read_is_told(wizard, tmp_path, monkeypatch, name, content, words):
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / name).write_bytes(content)
    wizard.drop(tmp_path / name)
    wizard.qtbot.waitUntil(lambda: words in wizard.window.source.problem.text())
    wizard.refused("choose a file first")


def test_folders_and_addresses_are_told(wizard, tmp_path):
    wizard.drop(tmp_path)
    wizard.qtbot.waitUntil(lambda: "folder" in wizard.window.source.problem.text())
    wizard.drop(QUrl("https://example.org/a.wav"))
    assert "from this computer" in wizard.window.source.problem.text()


def test_the_last_of_two_files_counts(wizard, recording, tmp_path):
    other = tmp_path / "other.wav"
    soundfile.write(other, speech_like(5.0), RATE)
    wizard.drop(recording)
    wizard.drop(other)
    wizard.qtbot.waitUntil(lambda: wizard.window.source.clip is not None)
    QTest.qWait(100)
    assert wizard.window.source.name == "other"
    assert wizard.window.source.clip.duration_s == pytest.approx(5.0, abs=0.01)


def test_a_file_that_comes_too_late_is_ignored(wizard, recording, monkeypatch):
    """It could not be given up any more, but another one was dropped meanwhile."""
    late = threading.Event()

    def read(path, cancel):
        if path.name == "late.wav":
            late.wait(10)
        return Clip(SPEECH if path.name == "late.wav" else SPEECH[: 4 * RATE])

    monkeypatch.setattr(source_step, "read_clip", read)
    wizard.drop(recording.with_name("late.wav"))
    wizard.drop(recording)
    wizard.qtbot.waitUntil(lambda: wizard.window.source.clip is not None)
    late.set()
    QTest.qWait(200)
    assert wizard.window.source.clip.duration_s == 4.0
    assert wizard.window.source.name == "Grandma Ann"


def test_a_long_file_is_cut_before_it_is_used(wizard, tmp_path):
    path = tmp_path / "long.wav"
    soundfile.write(path, speech_like(50.0), RATE)
    window = wizard.window
    wizard.take_file(path)
    wizard.next(window.trim)
    start, end = window.trim.part()
    assert 5 < end - start <= 20
    wizard.press(window.trim.whole)
    wizard.refused("too long")
    wizard.press(window.trim.suggest)
    wizard.next(window.words)


def test_files_are_dropped_only_where_they_are_asked_for(wizard, recording):
    wizard.go_to("trim", recording)
    assert not wizard.drop(recording)


# ---------------------------------------------------------------- the part


def test_handles_are_dragged_with_the_mouse(wizard, recording):
    wizard.go_to("trim", recording)
    picture = wizard.window.trim.waveform
    start, end = picture.part()
    handle, middle = picture.start, QPoint(11, picture.height() // 2)
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseMove(handle, middle + QPoint(60, 0))
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=middle)
    moved = picture.part()[0] - start
    assert moved == pytest.approx(60 / (picture.width() - 22) * 10.0, abs=0.1)
    assert picture.part()[1] == end
    assert f"{picture.part()[0]:.1f} s" in wizard.window.trim.length.text()


def test_handles_never_cross(wizard, recording):
    wizard.go_to("trim", recording)
    picture = wizard.window.trim.waveform
    picture.start.setFocus()
    wizard.key(Qt.Key.Key_End)
    start, end = picture.part()
    assert end - start == pytest.approx(0.5, abs=0.011)
    wizard.refused("too short")
    picture.end.setFocus()
    wizard.key(Qt.Key.Key_Home)
    assert picture.part() == (start, end)


@pytest.mark.parametrize(
    ("pcm", "words"),
    [
        (speech_like(2.0), "too short"),
        (np.zeros(5 * RATE, np.float32), "No speech is heard"),
    ],
)
def test_what_is_unusable_is_refused(wizard, tmp_path, pcm, words):
    soundfile.write(tmp_path / "a.wav", pcm, RATE)
    wizard.go_to("trim", tmp_path / "a.wav")
    wizard.refused(words)


@pytest.mark.parametrize(
    ("pcm", "words"),
    [
        (np.clip(speech_like(6.0) * 12, -1, 1), "distorted"),
        (speech_like(6.0, noise=0.06), "Noise drowns"),
        (speech_like(6.0, noise=0.012), "There is noise"),
        (speech_like(6.0) * 0.05, "very quiet"),
    ],
)
def test_what_is_bad_is_told_but_may_be_used(wizard, tmp_path, pcm, words):
    soundfile.write(tmp_path / "a.wav", pcm, RATE, subtype="FLOAT")
    wizard.go_to("trim", tmp_path / "a.wav")
    wizard.qtbot.waitUntil(lambda: words in wizard.window.trim.quality.text())
    assert not wizard.window.trim.quality.text().startswith("Good")
    wizard.next(wizard.window.words)


# ---------------------------------------------------------------- words, model, consent


def test_words_are_needed_for_the_closest_voice(wizard, recording):
    wizard.go_to("words", recording)
    wizard.refused("Type what is said")
    wizard.window.words.words.setPlainText(" \n ")
    wizard.refused("Type what is said")
    wizard.window.words.words.setPlainText("far too many " * 200)
    wizard.refused("more words than half a minute")


def test_without_a_recogniser_nothing_is_offered(wizard, recording):
    wizard.go_to("words", recording)
    QTest.qWait(100)
    assert not wizard.window.words.write.isVisible()
    assert not wizard.window.words.as_read.isVisible()  # it was not recorded here


def test_consent_must_be_ticked(wizard, recording):
    window = wizard.window
    wizard.go_to("model", recording)
    wizard.refused("has agreed")
    words = window.model.consent.layout().itemAtPosition(0, 1).widget()
    QTest.mouseClick(words, Qt.MouseButton.LeftButton)  # the sentence ticks it too
    assert window.model.consent.box.isChecked()
    wizard.next(window.audition)


def test_a_missing_model_offers_the_models_page_and_is_found_once_it_is_there(wizard, recording):
    window = wizard.window
    wizard.maker.models = (Model(installed=False),)
    wizard.go_to("model", recording)
    wizard.refused("No model is chosen")
    assert not window.model.choices["0.6b-base"].isEnabled()
    wizard.press(window.model.get_models)
    assert wizard.opened == [True]
    other = Wizard(wizard.qtbot, wizard.store.root.parent / "other").window  # the user turns to another window
    wizard.qtbot.waitUntil(other.isActiveWindow)
    wizard.maker.models = (Model(),)
    other.reject()
    window.activateWindow()
    wizard.qtbot.waitUntil(window.isActiveWindow)
    wizard.qtbot.waitUntil(lambda: window.model.model() == "0.6b-base")
    wizard.press(window.model.consent.box)
    wizard.next(window.audition)


# ---------------------------------------------------------------- making


def test_a_failure_is_told_and_can_be_tried_again(wizard, recording):
    window = wizard.window
    wizard.maker.fails = 1
    wizard.go_to("progress", recording)
    wizard.qtbot.waitUntil(lambda: window.progress.problem.text() != "")
    assert window.progress.problem.text() == "The model can't be loaded. Close other programs."
    assert wizard.folders() == []
    wizard.press(window.progress.stop)
    wizard.arrive(window.audition)


def test_making_can_be_stopped(wizard, recording):
    window = wizard.window
    wizard.maker.go_on.clear()
    wizard.go_to("progress", recording)
    wizard.qtbot.waitUntil(wizard.maker.working.is_set)
    wizard.press(window.progress.stop)
    assert window.step is window.model
    wizard.nothing_is_left()
    wizard.maker.go_on.set()
    wizard.next(window.audition)


def test_a_maker_that_doesnt_heed_is_not_believed(wizard, recording):
    """It was told to stop, and says that all is well."""
    wizard.maker.heeds = False
    wizard.maker.go_on.clear()
    wizard.go_to("progress", recording)
    wizard.qtbot.waitUntil(wizard.maker.working.is_set)
    wizard.press(wizard.window.cancel)
    wizard.maker.go_on.set()
    wizard.nothing_is_left()


def test_going_back_from_the_end_starts_anew(wizard, recording):
    window = wizard.window
    wizard.go_to("audition", recording)
    first = wizard.folders()
    wizard.press(window.audition.play)
    window.audition.name.setText("Kept")
    window.audition.name.setModified(True)
    wizard.press(window.back)
    assert window.step is window.model
    assert wizard.stopped == [True]
    wizard.nothing_is_left()
    for step in (window.words, window.trim, window.source):
        wizard.press(window.back)
        assert window.step is step
    assert not window.back.isEnabled()
    for step in (window.trim, window.words, window.model, window.audition):
        wizard.next(step)
    assert wizard.folders() != first
    assert window.audition.name.text() == "Kept"
    assert wizard.maker.calls == [("0.6b-base", "What is said.", False)] * 2


def test_a_name_is_needed(wizard, recording):
    wizard.go_to("audition", recording)
    wizard.window.audition.name.setText("   ")
    wizard.refused("Give the voice a name.")


def test_a_full_disk_at_the_end_is_told_and_nothing_is_lost(wizard, recording, monkeypatch):
    from desktop_tts.voices.errors import VoiceError

    wizard.go_to("audition", recording)

    def fail(*_):
        raise VoiceError("The voice can't be kept: the disk is full.", "Make room.")

    with monkeypatch.context() as patch:
        patch.setattr(wizard.store, "keep", fail)
        wizard.refused("the disk is full. Make room.")
    wizard.press(wizard.window.next)
    wizard.qtbot.waitUntil(lambda: bool(wizard.saved))


# ---------------------------------------------------------------- leaving


@pytest.mark.parametrize("how", ["cancel", "escape", "close"])
@pytest.mark.parametrize("name", STEPS)
def test_leaving_leaves_nothing_behind(wizard, recording, name, how):
    window = wizard.window
    if name == "progress":
        wizard.maker.go_on.clear()
    wizard.go_to(name, recording)
    if name == "audition":
        wizard.press(window.audition.play)
    if how == "cancel":
        wizard.press(window.cancel)
    elif how == "escape":
        wizard.key(Qt.Key.Key_Escape)
    else:
        window.close()
    assert not window.isVisible()
    wizard.nothing_is_left()
    assert wizard.saved == []
    assert wizard.stopped == ([True] if name == "audition" else [])


def test_leaving_at_the_moment_it_is_made_leaves_nothing(qtbot, tmp_path, recording):
    """The draft is finished, but the window doesn't know yet."""
    wizard = Wizard(qtbot, tmp_path / "voices")
    wizard.maker.go_on.clear()
    wizard.go_to("progress", recording)
    wizard.maker.working.wait(10)
    wizard.maker.go_on.set()
    making = wizard.window._making
    deadline = 500
    while making._draft is None and deadline:
        deadline -= 1
        QTest.qSleep(10)  # without events
    assert making._draft is not None
    wizard.window.reject()
    wizard.nothing_is_left()


# ---------------------------------------------------------------- for everybody


@pytest.mark.parametrize("name", STEPS)
def test_every_control_has_a_name_and_is_reached_by_tab(wizard, recording, name):
    if name == "progress":
        wizard.maker.go_on.clear()
    wizard.go_to(name, recording)
    assert nameless(wizard.window) == []
    unchecked = {button for button in wizard.window.findChildren(QRadioButton) if not button.isChecked()}  # by arrows
    assert reached(wizard.qtbot, wizard.window) >= focusable(wizard.window) - unchecked


@pytest.mark.parametrize("name", STEPS)
def test_each_letter_stands_for_one_thing(wizard, recording, name):
    if name == "progress":
        wizard.maker.go_on.clear()
    wizard.go_to(name, recording)
    window = wizard.window
    texts = [button.text() for button in window.findChildren(QAbstractButton) if button.isVisibleTo(window)]
    texts += [label.text() for label in window.findChildren(QLabel) if label.buddy() and label.isVisibleTo(window)]
    letters = [text[text.index("&") + 1].lower() for text in texts if "&" in text]
    assert len(letters) > 1
    assert len(set(letters)) == len(letters), letters


def test_ways_are_chosen_with_arrows(wizard, recording):
    wizard.go_to("words", recording)
    wizard.window.words.closest.button.setFocus()
    wizard.key(Qt.Key.Key_Down)
    assert wizard.window.words.voice_only.button.isChecked()
    wizard.key(Qt.Key.Key_Up)
    assert wizard.window.words.closest.button.isChecked()


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_no_words_are_cut_off(qtbot, qapp, tmp_path, recording, factor):
    before = qapp.font()
    font = qapp.font()
    font.setPointSizeF(font.pointSizeF() * factor)
    qapp.setFont(font)
    wizard = Wizard(qtbot, tmp_path / "voices", find_recogniser=lambda language: tmp_path)
    try:
        for name in STEPS:
            if name == "audition":
                wizard.maker.go_on.set()
                wizard.arrive(wizard.window.audition)
            else:
                wizard.maker.go_on.clear()
                walk_on(wizard, name, recording)
            QTest.qWait(50)
            assert_whole(wizard.window)
            assert wizard.window.stack.currentWidget().horizontalScrollBar().maximum() == 0
    finally:
        wizard.maker.go_on.set()
        wizard.window.reject()
        qapp.setFont(before)


def walk_on(wizard, name, recording):
    """From the step before to this one."""
    window = wizard.window
    if name == "trim":
        wizard.take_file(recording)
    if name == "model":
        window.words.words.setPlainText("Words.")
    if name == "progress":
        wizard.qtbot.waitUntil(lambda: bool(window.model.choices))
        window.model.consent.box.click()
    if name != "source":
        wizard.next(getattr(window, name))


def test_every_language_has_its_text():
    for language in passages.LANGUAGES:
        assert 40 < len(passages.passage(language)) < 400
        assert passages.sentence(language)
    assert passages.passage("") == ""
    assert passages.sentence("xx") == passages.sentence("en")


def test_the_stand_in_is_what_the_wizard_asks_for(tmp_path):
    """So that tests with it mean something."""
    import inspect

    from desktop_tts.voices.making import VoiceMaker

    for name in ("clone", "clone_models"):
        real, ours = (inspect.signature(getattr(kind, name)).parameters for kind in (VoiceMaker, StandIn))
        assert list(real) == list(ours)
    assert replace(Model(), installed=False).key == "0.6b-base"
    assert LONGEST_S == 30
