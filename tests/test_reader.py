"""The reader's states and controls, with an ear that the test moves."""

import re
import threading

import pytest

from desktop_tts.engines.catalog import Catalog
from desktop_tts.engines.fake import FakeEngine
from desktop_tts.narrate import Manner
from desktop_tts.reader import NOTHING, Reader
from desktop_tts.reader_state import ReaderState
from desktop_tts.speech import Span, Utterance
from desktop_tts.text.feed import TextFeed
from support.fake_player import FakePlayer


def sentences(text):
    for number, found in enumerate(re.finditer(r"[^.]*\w[^.]*\.?", text)):
        yield Utterance(found.group().strip(), Span(*found.span()), "en", number, 0.0, ((0, found.start()),))


def growing(pieces):
    yield from sentences("".join(pieces))


@pytest.fixture
def make(qtbot):
    made = []

    def build(engine=None, room_s=1e9):
        engine = engine or FakeEngine()
        reader = Reader(
            Catalog([engine]),
            lambda on_event: FakePlayer(on_event, room_s),
            sentences,
            growing,
            lambda: Manner(voice="fake:tone"),
        )
        reader.engine = engine
        reader.seen, reader.notices, reader.over = [], [], []
        reader.status_changed.connect(lambda s: reader.seen.append(s.state))
        reader.notice.connect(reader.notices.append)
        reader.finished.connect(reader.over.append)
        made.append(reader)
        return reader

    yield build
    for reader in made:
        reader.shut_down()


def wait_for(qtbot, reader, state):
    qtbot.waitUntil(lambda: reader.status.state is state, timeout=5000)


def heard(reader):
    reader._follow()
    return reader.status.text


def all_written(qtbot, reader):
    qtbot.waitUntil(lambda: reader._job is not None and reader._job.written, timeout=5000)
    qtbot.waitUntil(lambda: reader.player._finished, timeout=5000)


def test_a_text_is_read_to_its_end(qtbot, make):
    reader = make()
    reading = reader.read("One two. Three.", "selection")
    assert reader.status.state is ReaderState.PREPARING
    wait_for(qtbot, reader, ReaderState.SPEAKING)
    assert reader.status.source == "selection"
    assert heard(reader) == "One two."
    assert reader.status.span == Span(0, 8)
    assert reader.status.word == Span(0, 3)
    assert reader.status.word_in_text == Span(0, 3)
    assert reader.status.voice_name == "Tone"
    all_written(qtbot, reader)
    reader.player.hear(0.6)
    assert heard(reader) == "Three."
    assert reader.status.progress == pytest.approx(8 / 15)
    reader.player.hear(1)
    wait_for(qtbot, reader, ReaderState.IDLE)
    assert reader.over == [reading]
    assert set(reader.timings_ms()) == {"text", "first_pcm", "started"}


def test_an_empty_text_is_told_and_leaves_it_idle(qtbot, make):
    reader = make()
    reading = reader.read("...")
    wait_for(qtbot, reader, ReaderState.IDLE)
    assert reader.notices == [NOTHING]
    assert reading.problem == NOTHING


def test_pause_and_go_on(qtbot, make):
    reader = make()
    reader.read("One. Two.")
    wait_for(qtbot, reader, ReaderState.SPEAKING)
    reader.toggle()
    assert reader.status.state is ReaderState.PAUSED
    assert reader.player.paused
    reader.toggle()
    assert reader.status.state is ReaderState.SPEAKING
    assert not reader.player.paused
    reader.pause()
    reader.stop()
    assert reader.status.state is ReaderState.IDLE


def test_stop_is_silent_at_once_even_while_an_engine_works(qtbot, make):
    reader = make(FakeEngine(delay_s=0.2))
    reader.read("one two three four five six seven eight nine ten.")
    wait_for(qtbot, reader, ReaderState.SPEAKING)
    clears = reader.player.clears
    reader.stop()
    assert reader.player.clears > clears
    assert reader.status.state is ReaderState.IDLE
    qtbot.wait(500)
    assert reader.player.written == []


def test_a_new_text_replaces_the_old_one(qtbot, make):
    reader = make()
    first = reader.read("Old one. Old two.")
    wait_for(qtbot, reader, ReaderState.SPEAKING)
    reader.read("New.")
    assert reader.over == [first]
    wait_for(qtbot, reader, ReaderState.SPEAKING)
    assert heard(reader) == "New."


def test_an_appended_text_waits_for_its_turn(qtbot, make):
    reader = make()
    reader.read("First.")
    wait_for(qtbot, reader, ReaderState.SPEAKING)
    second = reader.read("Second.", append=True)
    third = reader.read("Third.", append=True)
    all_written(qtbot, reader)
    reader.player.hear(5)
    wait_for(qtbot, reader, ReaderState.SPEAKING)
    qtbot.waitUntil(lambda: heard(reader) == "Second.")
    reader.abandon(third)
    reader.abandon(second)
    assert reader.status.state is ReaderState.IDLE
    assert len(reader.over) == 3


def test_next_and_previous_go_by_sentences(qtbot, make):
    reader = make()
    reader.read("One. Two. Three.")
    wait_for(qtbot, reader, ReaderState.SPEAKING)
    all_written(qtbot, reader)
    reader.next()
    assert heard(reader) == "Two."
    reader.previous()
    qtbot.waitUntil(lambda: heard(reader) == "One.")
    reader.next()
    reader.next()
    qtbot.waitUntil(lambda: heard(reader) == "Three.")
    all_written(qtbot, reader)
    reader.next()
    wait_for(qtbot, reader, ReaderState.IDLE)


def test__next_reaches_a_sentence_that_was_not_yet_made(qtbot, make):
    reader = make(FakeEngine(delay_s=0.05), room_s=0.3)
    reader.read("One a b. Two a b. Three a b.")
    wait_for(qtbot, reader, ReaderState.SPEAKING)
    reader.next()
    qtbot.waitUntil(lambda: heard(reader).startswith("Two"), timeout=5000)


def test_an_engine_without_a_replacement_ends_in_error_with_a_sentence(qtbot, make):
    reader = make(FakeEngine(fail_at=0))
    reading = reader.read("One.")
    wait_for(qtbot, reader, ReaderState.ERROR)
    assert reader.status.message == "The test engine failed as it was told to."
    assert reading.problem
    reader.read("Two.")  # still alive
    wait_for(qtbot, reader, ReaderState.ERROR)


def test_a_growing_text_is_read_as_it_comes(qtbot, make):
    reader = make()
    feed = TextFeed()
    reader.read_stream(feed)
    feed.put("One. Two.")
    feed.end()
    wait_for(qtbot, reader, ReaderState.SPEAKING)
    assert heard(reader) == "One."


def test_stop_frees_a_worker_that_waits_for_text(qtbot, make):
    reader = make()
    reader.read_stream(TextFeed())
    qtbot.wait(50)
    reader.stop()
    reader.read("Next.")
    wait_for(qtbot, reader, ReaderState.SPEAKING)


def test_a_bug_in_an_engine_does_not_end_the_worker(qtbot, make, caplog):
    engine = FakeEngine()
    reader = make(engine)
    whole, engine.stream = engine.stream, lambda request, cancel: 1 / 0
    reader.read("Secret words.")
    wait_for(qtbot, reader, ReaderState.ERROR)
    assert "Secret" not in caplog.text
    engine.stream = whole
    reader.read("Again.")
    wait_for(qtbot, reader, ReaderState.SPEAKING)


def test_a_speed_of_its_own_ends_with_the_reading(qtbot, make):
    reader = make()
    reader.read("One.", speed=2.0)
    assert reader.player.speed == 2.0
    reader.set_speed(1.5)
    assert reader.player.speed == 2.0
    reader.read("Two.")
    assert reader.player.speed == 1.5


def test__commands_return_at_once_while_the_engine_is_stuck(qtbot, make):
    stuck, free = threading.Event(), threading.Event()
    engine = FakeEngine()
    whole = engine.stream

    def stream(request, cancel):
        stuck.set()
        free.wait(10)
        yield from whole(request, cancel)

    engine.stream = stream
    reader = make(engine)
    reader.read("One.")
    assert stuck.wait(5)
    for command in (reader.pause, reader.resume, reader.next, reader.previous, reader.stop):
        command()
    assert reader.status.state is ReaderState.IDLE
    free.set()
    reader.read("Two.")
    wait_for(qtbot, reader, ReaderState.SPEAKING)
