"""From utterances to sound: the right voice, notices, and nothing lost when an engine fails."""

import threading
from dataclasses import replace

import numpy as np
import pytest

from desktop_tts.engines.catalog import Catalog
from desktop_tts.engines.fake import FakeEngine
from desktop_tts.errors import EngineFault, Unsupported
from desktop_tts.narrate import Manner, Script, narrate
from desktop_tts.speech import Span, Utterance


class Named(FakeEngine):
    def __init__(self, id_, **options):
        super().__init__(**options)
        self.id = id_

    def voices(self):
        return tuple(type(v)(f"{self.id}:{v.name}", v.name, self.id, v.languages) for v in super().voices())


def utterances(*texts, language="en"):
    at, made = 0, []
    for number, text in enumerate(texts):
        made.append(Utterance(text, Span(at, at + len(text)), language, number, 0.1, ((0, at),)))
        at += len(text) + 1
    return made


def run(made, *engines, voice="", cancel=None, start=0):
    notices = []
    cancel = cancel or threading.Event()
    spoken = list(
        narrate(Script(made), Catalog(engines), lambda: Manner(voice=voice), cancel, notices.append, start=start)
    )
    return spoken, notices


def test_every_utterance_is_spoken_with_its_pause_and_words_in_source_places():
    engine = FakeEngine()
    spoken, notices = run(utterances("One two.", "Three."), engine)
    assert [request.text for request in engine.requests] == ["One two.", "Three."]
    assert sum(len(s.pcm) / s.sample_rate for s in spoken) == pytest.approx(3 * 0.25 + 2 * 0.1)
    assert [w.span for s in spoken for w in s.words] == [Span(0, 3), Span(4, 8), Span(9, 15)]
    assert [n for n in notices if "voice" not in n] == []


def test_a_language_without_a_voice_is_told_once_and_announced_aloud():
    engine = Named("a")
    made = utterances("Hello.") + utterances("Привет.", "Пока.", language="ru") + utterances("Bye.")
    spoken, notices = run(made, engine, voice="a:Tone")
    assert [r.text for r in engine.requests if "Russian" not in r.text] == ["Hello.", "Bye."]
    assert len([r for r in engine.requests if "Russian" in r.text]) == 1
    assert len(notices) == 1
    assert "Russian" in notices[0]
    assert any(np.abs(s.pcm).max() > 0 for s in spoken if s.utterance.language == "ru")


def test_a_failing_engine_is_replaced_and_the_sentence_is_said_whole():
    bad, good = Named("bad", fail_at=1), Named("good")
    _, notices = run(utterances("One two three.", "Four."), bad, good, voice="bad:Tone")
    assert [r.text for r in good.requests] == ["One two three.", "Four."]
    assert len(bad.requests) == 1
    assert sum("goes on with another voice" in n for n in notices) == 1


def test_a_failure_that_is_known_is_not_told_again():
    notices, faults = [], set()
    how = Manner(voice="bad:Tone")
    for _ in range(2):
        engines = Catalog([Named("bad", fail_at=0), Named("good")])
        cancel = threading.Event()
        list(narrate(Script(utterances("One.")), engines, lambda: how, cancel, notices.append, told_faults=faults))
    assert len(notices) == 1


def test_the_last_engine_s_failure_is_raised():
    with pytest.raises(EngineFault):
        run(utterances("One."), Named("bad", fail_at=0))


def test_without_any_engine_the_error_says_what_to_do():
    with pytest.raises(Unsupported):
        run(utterances("One."))


def test_cancel_ends_it_between_chunks():
    cancel = threading.Event()
    made = narrate(Script(utterances("a b c d", "e")), Catalog([FakeEngine()]), Manner, cancel, lambda _: None)
    next(made)
    cancel.set()
    assert len(list(made)) <= 1


def test_it_starts_where_it_is_told():
    engine = FakeEngine()
    run(utterances("One.", "Two.", "Three."), engine, start=2)
    assert [r.text for r in engine.requests] == ["Three."]


def test_sentences_before_the_wanted_one_are_left_out():
    engine = FakeEngine()
    made = utterances("One,", "Two.", "Three.")
    made[1] = replace(made[1], sentence=0)
    notices = []
    list(narrate(Script(made), Catalog([engine]), Manner, threading.Event(), notices.append, start=1, sentence=1))
    assert [request.text for request in engine.requests] == ["Three."]


def test_a_script_makes_utterances_only_when_asked():
    made = []

    def source():
        for piece in utterances("a", "b", "c"):
            made.append(piece.text)
            yield piece

    script = Script(source())
    assert script.get(0).text == "a"
    assert made == ["a"]
    assert script.first_of_sentence(1) is None
    assert script.get(2).text == "c"
    assert script.first_of_sentence(1) == 1
    assert script.get(3) is None
