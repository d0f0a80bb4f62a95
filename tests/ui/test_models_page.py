"""The Models page as a person uses it: real downloads from a local server that is slow and cuts connections."""

import contextlib
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QScrollArea
from test_accessible_names import focusable, nameless, reached
from test_screenshots import assert_whole

from desktop_tts.engines.qwen import Model as UsableModel
from desktop_tts.engines.qwen import QwenEngine, QwenOptions, describe
from desktop_tts.engines.speeds import Speeds
from desktop_tts.errors import EngineFault
from desktop_tts.models import download as transfer
from desktop_tts.models import jobs as jobs_module
from desktop_tts.models import store as model_store
from desktop_tts.models.jobs import ModelJobs, Phase
from desktop_tts.reader_state import ReaderState, ReaderStatus
from desktop_tts.settings import SettingsStore, choices_for
from desktop_tts.speech import AudioChunk
from desktop_tts.ui.models import words
from desktop_tts.ui.models.speed import Measured, verdict
from desktop_tts.ui.models.words import Act
from desktop_tts.ui.pages.models import ModelsPage
from desktop_tts.ui.sample import sample_actions
from support import golden
from support.hub import CONTENT, TINY

BASE = replace(TINY, key="0.6b-base", repository="Qwen/Qwen3-TTS-12Hz-0.6B-Base")
SPEAKERS = replace(
    TINY, key="1.7b-custom-voice", repository="Qwen/Qwen3-TTS-12Hz-1.7B-CustomVoice", kind="custom_voice"
)


class Engine:
    """Speaks a second of sound in ``pace`` seconds, and does nothing else."""

    id, name = "qwen", "Qwen3-TTS"

    def __init__(self, pace=0.01):
        self.pace, self.loaded, self.where, self.problem = pace, "", "", None
        self.unloaded = 0
        self.usable = (UsableModel("1.7b-custom-voice", None, "custom_voice", ("ryan",), "1b7"),)

    def models(self):
        return self.usable

    def available(self):
        return ""

    @contextlib.contextmanager
    def turn(self, cancel, wait_s=None):
        yield True

    def stream(self, request, cancel):
        if self.problem:
            raise self.problem
        self.loaded, self.where = "1.7b-custom-voice", "cpu, int8"
        for _ in range(10):
            if cancel.wait(self.pace / 10):
                return
            yield AudioChunk(np.zeros(2400, np.float32), 24_000)

    def unload(self):
        self.unloaded += 1
        self.loaded = ""


@pytest.fixture
def engine():
    return Engine()


@pytest.fixture
def jobs(hub, monkeypatch):
    monkeypatch.setattr(transfer, "TELL_S", 0.02)
    monkeypatch.setattr(jobs_module, "TELL_S", 0.02)
    made = ModelJobs()
    yield made
    made.close()


@pytest.fixture
def make_page(qtbot, store, reader, jobs, engine):
    made = []

    def make(jobs=jobs, engine=engine):
        actions = sample_actions(reader)
        mine = replace(actions.mine, jobs=jobs, qwen=engine, unload_models=lambda: reader.called("unload_models"))
        page = ModelsPage(store, replace(actions, mine=mine), (BASE, SPEAKERS))
        area = QScrollArea()  # as in the window
        area.setWidgetResizable(True)
        area.setWidget(page)
        qtbot.addWidget(area)
        area.resize(650, 700)
        area.show()
        page.shown()
        made.append(area)
        qtbot.waitUntil(lambda: "kept in" in page.place.text(), timeout=20_000)
        return page

    yield make
    jobs.close()
    qtbot.waitUntil(lambda: not jobs.busy, timeout=30_000)


@pytest.fixture
def page(make_page):
    return make_page()


@pytest.fixture
def card(page):
    return page.cards[BASE.key]


def offered(card):
    return [act for act, button in card.buttons.items() if button.isVisibleTo(card)]


def press(qtbot, card, act):
    """With the keyboard."""
    button = card.buttons[act]
    button.setFocus()
    assert button.isVisibleTo(card)
    qtbot.keyClick(button, Qt.Key.Key_Space)


def wait_for(qtbot, card, *acts):
    qtbot.waitUntil(lambda: offered(card) == list(acts), timeout=30_000)


def answer(qtbot, page, text):
    """Press a button of the question."""
    qtbot.waitUntil(lambda: page.question is not None and page.question.isVisible())
    box = page.question
    assert isinstance(box, QMessageBox)
    button = next(button for button in box.buttons() if button.text().replace("&", "") == text)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.question is None)


def choose(combo, value):
    combo.setCurrentIndex(combo.findData(value))
    combo.activated.emit(combo.currentIndex())


def install(hub, model=BASE):
    return transfer.download(model)


# ---------------------------------------------------------------- downloads


def test_a_model_is_downloaded_with_the_keyboard_and_its_progress_is_told(qtbot, page, card, hub):
    assert card.state.text() == "Not installed."
    assert offered(card) == [Act.DOWNLOAD]
    hub.pace_s = 0.02
    press(qtbot, card, Act.DOWNLOAD)
    qtbot.waitUntil(lambda: "a second" in card.state.text(), timeout=20_000)
    shown = card.state.text()
    assert shown.startswith("Downloading ")
    assert " of 3.3 MB" in shown
    assert shown.endswith(" left")
    assert card.bar.isVisible()
    assert 0 < card.bar.value() < 1000
    assert card.buttons[Act.PAUSE].hasFocus()  # the focus went on to what can be done now
    hub.pace_s = 0.0
    wait_for(qtbot, card, Act.VERIFY, Act.REMOVE)
    assert str(model_store.folder(BASE)) in card.state.text()
    assert "current version" in card.state.text()
    assert not card.bar.isVisible()
    assert card.problem.text() == ""


def test_cuts_on_the_way_are_not_noticed(qtbot, card, hub):
    hub.cut_after = lambda path: 700_000
    press(qtbot, card, Act.DOWNLOAD)
    wait_for(qtbot, card, Act.VERIFY, Act.REMOVE)
    assert (model_store.folder(BASE) / "model.safetensors").read_bytes() == CONTENT["model.safetensors"]


def test_paused_and_resumed_after_a_restart_of_the_app(qtbot, page, card, hub, jobs, make_page):
    hub.pace_s = 0.02
    press(qtbot, card, Act.DOWNLOAD)
    qtbot.waitUntil(lambda: (job := jobs.job(BASE.key)) is not None and job.progress.done > 500_000, timeout=20_000)
    press(qtbot, card, Act.PAUSE)
    wait_for(qtbot, card, Act.RESUME, Act.CANCEL)
    assert card.buttons[Act.RESUME].hasFocus()  # not on another card
    assert card.state.text().startswith("Paused at ")
    came = model_store.came(BASE)
    assert came > 500_000
    hub.requests.clear()
    hub.pace_s = 0.0
    later = make_page(jobs=ModelJobs()).cards[BASE.key]
    assert later.state.text().startswith(f"Paused at {words.percent(came, BASE.size)} %:")
    press(qtbot, later, Act.RESUME)
    wait_for(qtbot, later, Act.VERIFY, Act.REMOVE)
    assert [wanted is not None for _, wanted in hub.requests] == [True]


def test_the_second_download_waits_for_the_first(qtbot, page, card, hub):
    other = page.cards[SPEAKERS.key]
    hub.pace_s = 0.02
    press(qtbot, card, Act.DOWNLOAD)
    wait_for(qtbot, card, Act.PAUSE, Act.CANCEL)
    press(qtbot, other, Act.DOWNLOAD)
    qtbot.waitUntil(lambda: other.state.text() == "Waits until another download has ended.")
    hub.pace_s = 0.0
    wait_for(qtbot, card, Act.VERIFY, Act.REMOVE)
    wait_for(qtbot, other, Act.VERIFY, Act.REMOVE)


def test_giving_up_asks_first_and_leaves_nothing(qtbot, page, card, hub, jobs):
    hub.pace_s = 0.05
    press(qtbot, card, Act.DOWNLOAD)
    qtbot.waitUntil(lambda: (job := jobs.job(BASE.key)) is not None and job.progress.done > 1_000_000, timeout=20_000)
    press(qtbot, card, Act.CANCEL)
    answer(qtbot, page, "Keep")
    assert jobs.job(BASE.key).phase is Phase.RUNNING
    press(qtbot, card, Act.CANCEL)
    assert "0.6B Base" in page.question.text()
    assert "MB that are here" in page.question.text()
    answer(qtbot, page, "Delete")
    wait_for(qtbot, card, Act.DOWNLOAD)
    assert card.state.text() == "Not installed."
    assert card.buttons[Act.DOWNLOAD] is page.window().focusWidget()
    assert not list(model_store.folder(BASE).parent.glob("*.part"))


def test_what_goes_wrong_is_one_sentence_below_and_nothing_is_lost(qtbot, page, card, hub, store):
    choose(page.source, "huggingface")
    hub.status = lambda path: 404 if path == "model.safetensors" else 200
    press(qtbot, card, Act.DOWNLOAD)
    qtbot.waitUntil(lambda: card.problem.text() != "", timeout=20_000)
    assert card.problem.text() == "The server refuses model.safetensors (HTTP 404). Try another source."
    assert card.problem.isVisible()
    wait_for(qtbot, card, Act.RESUME, Act.CANCEL)
    hub.status = lambda path: 200
    press(qtbot, card, Act.RESUME)
    wait_for(qtbot, card, Act.VERIFY, Act.REMOVE)
    assert card.problem.text() == ""


def test_a_disk_that_is_too_small_is_said_before_anything_comes(qtbot, page, card, hub, monkeypatch):
    usage = transfer.shutil.disk_usage("/")
    monkeypatch.setattr(transfer.shutil, "disk_usage", lambda _: usage._replace(free=1_000_000))
    press(qtbot, card, Act.DOWNLOAD)
    qtbot.waitUntil(lambda: "GB are free" in card.problem.text(), timeout=20_000)
    assert hub.requests == []
    wait_for(qtbot, card, Act.DOWNLOAD)


def test_the_source_is_chosen_and_kept(qtbot, page, card, hub, store, monkeypatch):
    monkeypatch.setenv("MODELSCOPE_ENDPOINT", hub.url)
    choose(page.source, "modelscope")
    assert SettingsStore(store.file).current.models.source == "modelscope"
    press(qtbot, card, Act.DOWNLOAD)
    wait_for(qtbot, card, Act.VERIFY, Act.REMOVE)
    assert all(path.startswith("/models/") for path, _ in hub.requests)


# ---------------------------------------------------------------- what is installed


def test_a_check_finds_nothing_and_then_damage(qtbot, hub, make_page):
    install(hub)
    card = make_page().cards[BASE.key]
    press(qtbot, card, Act.VERIFY)
    qtbot.waitUntil(lambda: card.state.text().startswith("All files are complete and undamaged."), timeout=20_000)
    with (model_store.folder(BASE) / "model.safetensors").open("r+b") as file:
        file.write(b"X")
    press(qtbot, card, Act.VERIFY)
    qtbot.waitUntil(lambda: "model.safetensors is damaged." in card.problem.text(), timeout=20_000)
    assert card.problem.text().endswith("Remove the model and download it again.")


def test_removing_names_the_size_and_asks(qtbot, hub, make_page, engine):
    install(hub)
    page = make_page()
    card = page.cards[BASE.key]
    engine.loaded = BASE.key
    press(qtbot, card, Act.REMOVE)
    assert page.question.text() == "Remove Qwen3-TTS 0.6B Base and free 3.3 MB?"
    qtbot.keyClick(page.question, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: page.question is None)
    assert model_store.installed(BASE)
    press(qtbot, card, Act.REMOVE)
    answer(qtbot, page, "Remove")
    wait_for(qtbot, card, Act.DOWNLOAD)
    assert model_store.installed(BASE) is None
    assert engine.unloaded == 1


def test_a_model_that_is_reading_aloud_is_not_removed(qtbot, hub, make_page, engine, reader):
    install(hub)
    page = make_page()
    card = page.cards[BASE.key]
    engine.loaded = BASE.key
    reader.show(ReaderStatus(ReaderState.PAUSED))
    press(qtbot, card, Act.REMOVE)
    answer(qtbot, page, "Remove")
    qtbot.waitUntil(lambda: "is reading aloud. Stop that first" in card.problem.text(), timeout=20_000)
    assert model_store.installed(BASE)


def test_what_lies_in_the_shared_cache_is_said_and_not_removed(qtbot, hub, home, make_page):
    snapshot = home / "hub" / "models--Qwen--Qwen3-TTS-12Hz-0.6B-Base" / "snapshots" / BASE.revision
    for path, data in CONTENT.items():
        (snapshot / path).parent.mkdir(parents=True, exist_ok=True)
        (snapshot / path).write_bytes(data)
    card = make_page().cards[BASE.key]
    assert offered(card) == [Act.VERIFY]
    assert "which other programs share" in card.state.text()
    assert str(snapshot) in card.state.text()


def test_an_older_revision_is_offered_the_update(qtbot, hub, make_page):
    install(hub, replace(BASE, revision="0" * 40))
    card = make_page().cards[BASE.key]
    assert offered(card) == [Act.UPDATE, Act.VERIFY, Act.REMOVE]
    assert "There is a newer version" in card.state.text()
    press(qtbot, card, Act.UPDATE)
    wait_for(qtbot, card, Act.VERIFY, Act.REMOVE)
    assert "current version" in card.state.text()


def test_a_folder_of_the_user_s_own(qtbot, page, store, tmp_path, monkeypatch):
    monkeypatch.setattr(QFileDialog, "open", lambda dialog: dialog.fileSelected.emit(str(golden.checkpoint("base"))))
    qtbot.mouseClick(page.own.choose, Qt.MouseButton.LeftButton)
    assert store.current.models.folder == str(golden.checkpoint("base"))
    qtbot.waitUntil(lambda: page.own.state.text().endswith(": speaks with voices of your own."))
    store.set("models.folder", str(tmp_path))
    qtbot.waitUntil(lambda: "can't be read" in page.own.problem.text())
    qtbot.mouseClick(page.own.forget, Qt.MouseButton.LeftButton)
    assert store.current.models.folder == ""
    assert page.own.problem.text() == ""
    assert not page.own.forget.isVisible()


# ---------------------------------------------------------------- how they run


def test_device_format_and_idle_time_are_kept(qtbot, page, store):
    assert [page.dtype.itemData(row) for row in range(page.dtype.count())] == list(choices_for("models.dtype"))
    choose(page.device, "cpu")
    choose(page.dtype, "float32")
    page.minutes.setFocus()
    page.minutes.selectAll()
    qtbot.keyClicks(page.minutes, "25")
    qtbot.keyClick(page.minutes, Qt.Key.Key_Tab)
    models = SettingsStore(store.file).current.models
    assert (models.device, models.dtype, models.unload_after_min) == ("cpu", "float32", 25.0)
    store.set("models.device", "cuda:3")
    assert page.device.currentText() == "cuda:3"
    store.set("models.unload_after_min", 0.0)
    assert page.minutes.text() == "never"


def test_what_is_in_memory_is_shown_and_unloaded(qtbot, page, engine, reader):
    assert page.loaded.text.text() == "None"
    assert not page.loaded.unload.isEnabled()
    engine.loaded, engine.where = BASE.key, "cpu, int8"
    qtbot.waitUntil(lambda: page.loaded.text.text() == "Qwen3-TTS 0.6B Base, on cpu, int8", timeout=10_000)
    qtbot.mouseClick(page.loaded.unload, Qt.MouseButton.LeftButton)
    assert reader.calls[-1] == "unload_models"
    engine.loaded = ""
    qtbot.waitUntil(lambda: page.loaded.text.text() == "None", timeout=10_000)


def test_without_a_model_the_speed_test_says_what_to_do(make_page, engine):
    engine.usable = ()
    page = make_page()
    assert not page.speed.button.isEnabled()
    assert page.speed.result.text() == "Download a model first."


def test_the_speed_is_told_in_words(qtbot, page, engine):
    page.speed.button.setFocus()
    qtbot.keyClick(page.speed.button, Qt.Key.Key_Space)
    assert page.speed.button.text().replace("&", "") == "Stop the test"
    qtbot.waitUntil(lambda: "real-time factor" in page.speed.result.text(), timeout=20_000)
    assert "times as fast as speech: reads without waiting." in page.speed.result.text()
    assert "on cpu, int8" in page.speed.result.text()
    assert page.speed.button.text().replace("&", "") == "Test the speed"


def test_the_speed_test_waits_for_a_reading_and_gives_way_to_one(qtbot, page, engine, reader):
    engine.pace = 3.0
    reader.show(ReaderStatus(ReaderState.SPEAKING))
    page.speed.button.click()
    assert page.speed.result.text() == "Waits until nothing is being read."
    assert engine.loaded == ""
    reader.show(ReaderStatus())
    qtbot.waitUntil(lambda: page.speed.result.text().startswith("Testing"))
    qtbot.waitUntil(lambda: engine.loaded != "")
    reader.show(ReaderStatus(ReaderState.PREPARING))
    qtbot.waitUntil(lambda: not page.speed.quiet.running)
    assert page.speed.result.text() == "Waits until nothing is being read."
    engine.pace = 0.01
    reader.show(ReaderStatus())
    qtbot.waitUntil(lambda: "real-time factor" in page.speed.result.text(), timeout=20_000)


def test_the_speed_test_can_be_stopped(qtbot, page, engine):
    engine.pace = 30.0
    page.speed.button.click()
    qtbot.waitUntil(lambda: engine.loaded != "")
    page.speed.button.click()
    qtbot.waitUntil(lambda: not page.speed.quiet.running)
    assert page.speed.result.text() == "The speed test was stopped."
    assert page.speed.button.text().replace("&", "") == "Test the speed"


def test_a_speed_test_that_fails_says_why(qtbot, page, engine):
    engine.problem = EngineFault("Qwen3-TTS failed.", "Choose another device.")
    page.speed.button.click()
    qtbot.waitUntil(lambda: page.speed.problem.text() == "Qwen3-TTS failed. Choose another device.")
    assert not page.speed.quiet.running


@pytest.mark.parametrize("kind", ["custom_voice", "base", "voice_design"])
def test_the_real_engine_is_measured(qtbot, make_page, monkeypatch, tmp_path, kind):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    tiny = describe("tiny", golden.checkpoint(kind))
    engine = QwenEngine(
        lambda: QwenOptions("cpu", "float32"), find_models=lambda: (tiny,), speeds=Speeds(tmp_path / "s")
    )
    page = make_page(engine=engine)
    try:
        page.speed.button.click()
        qtbot.waitUntil(lambda: not page.speed.quiet.running, timeout=90_000)
        assert page.speed.problem.text() == ""
        assert "real-time factor" in page.speed.result.text()
        page.loaded.look()
        assert page.loaded.text.text() == "tiny, on cpu, float32"
        assert engine.loaded == "tiny"
    finally:
        engine.unload()


@pytest.mark.parametrize(
    ("factor", "smaller", "expected"),
    [
        (0.625, True, "1.6 times as fast as speech: reads without waiting."),
        (1.0, True, "About as fast as speech"),
        (2.5, True, "0.4 times as fast as speech: reads with pauses. Choose a 0.6B model or the built-in voice"),
        (2.5, False, "0.4 times as fast as speech: reads with pauses. Choose the built-in voice"),
    ],
)
def test_verdicts(qapp, factor, smaller, expected):
    text = verdict(Measured(0.52, 10.0, 10.0 * factor, "cpu, int8"), smaller=smaller)
    assert text.startswith(expected)
    assert f"The first sound comes after 0.52 s; real-time factor {factor:.2f}, on cpu, int8." in text


# ---------------------------------------------------------------- the window


def test_the_window_goes_on_while_disks_are_slow(qtbot, store, reader, jobs, engine):
    go = threading.Event()

    def slow(model):
        go.wait(20)
        return words.Facts(model)

    actions = sample_actions(reader)
    page = ModelsPage(store, replace(actions, mine=replace(actions.mine, jobs=jobs, qwen=engine)), (BASE,), slow)
    qtbot.addWidget(page)
    began = time.monotonic()
    page.show()
    page.shown()
    QApplication.processEvents()
    assert time.monotonic() - began < 5
    go.set()
    qtbot.waitUntil(lambda: "kept in" in page.place.text())


def test_the_main_thread_is_never_held_up(qtbot, page, card, hub):
    """By a download, a check and a removal: a timer of 10 ms never waits long."""
    beats = []
    timer = QTimer(page)
    timer.timeout.connect(lambda: beats.append(time.perf_counter()))
    timer.start(10)
    press(qtbot, card, Act.DOWNLOAD)
    wait_for(qtbot, card, Act.VERIFY, Act.REMOVE)
    press(qtbot, card, Act.VERIFY)
    wait_for(qtbot, card, Act.VERIFY, Act.REMOVE)
    press(qtbot, card, Act.REMOVE)
    answer(qtbot, page, "Remove")
    wait_for(qtbot, card, Act.DOWNLOAD)
    longest = max(np.diff(beats))
    assert longest < 1.0, f"held up for {longest:.3f} s"


def test_every_control_has_a_name_and_no_words_are_cut_off_in_large_letters(qtbot, qapp, make_page, hub, jobs):
    before = qapp.font()
    font = qapp.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    qapp.setFont(font)
    try:
        install(hub)
        page = make_page()
        hub.status = lambda path: 404
        press(qtbot, page.cards[SPEAKERS.key], Act.DOWNLOAD)
        qtbot.waitUntil(lambda: page.cards[SPEAKERS.key].problem.isVisible(), timeout=20_000)
        QApplication.processEvents()
        assert nameless(page) == []
        assert_whole(page)
        assert reached(qtbot, page.window()) >= focusable(page)
    finally:
        qapp.setFont(before)


def test_a_page_that_is_gone_hears_nothing_more(qtbot, store, reader, hub, jobs, engine):
    actions = sample_actions(reader)
    page = ModelsPage(store, replace(actions, mine=replace(actions.mine, jobs=jobs, qwen=engine)), (BASE,))
    hub.pace_s = 0.01
    jobs.download(BASE)
    page.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    hub.pace_s = 0.0
    qtbot.waitUntil(lambda: not jobs.busy, timeout=30_000)
    assert model_store.installed(BASE)
    assert jobs._listeners == []


def test_words_of_sizes_and_times():
    assert [words.size_text(n) for n in (300, 3_300_027, 999_900_000, 4_500_000_000)] == [
        *("1 kB", "3.3 MB", "1.0 GB", "4.5 GB"),
    ]
    assert [words.time_text(n) for n in (0.2, 40, 61, 7500)] == ["1 s", "40 s", "2 min", "2 h 5 min"]
    assert words.percent(99.9, 100) == 99
