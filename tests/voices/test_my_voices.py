"""The user's own voices as an engine: on engines that need no download, and in readings."""

import threading
from dataclasses import replace

import numpy as np
import pytest

from desktop_tts.engines.catalog import Catalog
from desktop_tts.engines.fake import FakeEngine
from desktop_tts.engines.qwen import QwenEngine, instruct_obstacle
from desktop_tts.errors import NotInstalled
from desktop_tts.narrate import Manner, Script, load_quietly, narrate
from desktop_tts.speech import Span, SpeechRequest, Utterance
from desktop_tts.voices.engine import MyVoices
from desktop_tts.voices.profile import Kind, Profile
from desktop_tts.voices.store import VoiceStore

ANNA = Profile("", "Anna", Kind.SPEAKER, "fake:tone", language="de", instruct="Calmly.")
CLONE = Profile("", "Björn", Kind.CLONED, "qwen:0.6b-base", language="sv")


class Deep(FakeEngine):
    """A second engine, of other languages."""

    def __init__(self, **options):
        super().__init__(**options)
        self.id = "deep"

    def voices(self):
        return tuple(replace(voice, id="deep:tone", engine="deep", name="Deep") for voice in super().voices())


@pytest.fixture
def store(tmp_path):
    return VoiceStore(tmp_path / "voices")


@pytest.fixture
def fake():
    return FakeEngine(languages=("en", "de"))


@pytest.fixture
def mine(store, fake):
    return MyVoices(store, (fake, Deep(languages=("fr",)), QwenEngine(find_models=lambda: ())))


def speak(engine, voice, text="One two three.", cancel=None, **options):
    return list(engine.stream(SpeechRequest(text, "en", voice, **options), cancel or threading.Event()))


def joined(chunks):
    return np.concatenate([chunk.pcm for chunk in chunks])


def read(catalog, how, *pieces):
    at, made = 0, []
    for number, (text, language) in enumerate(pieces):
        made.append(Utterance(text, Span(at, at + len(text)), language, number, 0.0, ((0, at),)))
        at += len(text) + 1
    told = []
    return list(narrate(Script(made), catalog, lambda: how, threading.Event(), told.append)), told


def test_without_voices_it_says_how_to_make_one(mine, store):
    assert "Settings" in mine.available()
    assert mine.voices() == ()
    assert mine.capabilities().languages == frozenset()
    with pytest.raises(NotInstalled, match="Settings"):
        speak(mine, "")
    store.add(ANNA)
    assert mine.available() == ""
    assert speak(mine, "")


def test_each_profile_is_a_voice_in_the_user_s_order(mine, store):
    anna, bjorn = store.add(ANNA), store.add(CLONE)
    store.reorder([bjorn.id, anna.id])
    voices = mine.voices()
    assert [voice.name for voice in voices] == ["Björn", "Anna"]
    assert voices[1].id == f"my:{anna.id}"
    assert voices[1].languages == ("de", "en")
    assert voices[1].engine == "my"
    assert not voices[1].needs_download
    assert voices[0].needs_download
    assert voices[0].description == "Needs the model Qwen3-TTS 0.6B Base."
    assert "sv" not in voices[0].languages  # the model doesn't speak it


def test_the_base_speaks_in_the_voice_s_manner(mine, store, fake):
    anna = store.add(ANNA)
    assert np.array_equal(joined(speak(mine, anna.voice_id)), joined(speak(fake, "fake:tone")))
    assert (fake.requests[0].voice, fake.requests[0].instruct) == ("fake:tone", "Calmly.")
    speak(mine, anna.voice_id, instruct="Whisper.", seed=5)
    assert (fake.requests[-1].instruct, fake.requests[-1].seed) == ("Whisper.", 5)


@pytest.mark.parametrize("speed", [0.5, 0.8, 1.6, 2.0])
def test_speed_moves_the_words_with_the_sound(mine, store, fake, speed):
    anna = store.add(replace(ANNA, speed=speed))
    chunks = speak(mine, anna.voice_id)
    length = len(joined(chunks)) / 24_000
    assert length == pytest.approx(0.75 / speed, abs=0.04)
    at, words = 0.0, []
    for chunk in chunks:
        assert all(0 <= word.start_s <= word.end_s <= chunk.duration_s + 1e-6 for word in chunk.words)
        words += [(at + word.start_s, word.start, word.end) for word in chunk.words]
        at += chunk.duration_s
    assert [word[1:] for word in words] == [(0, 3), (4, 7), (8, 14)]
    assert [word[0] for word in words] == pytest.approx([0, 0.25 / speed, 0.5 / speed], abs=0.001)


@pytest.mark.parametrize("volume", [0.0, 0.5, 2.0])
def test_volume_is_the_voice_s_own_and_never_clips(mine, store, fake, volume):
    quiet = joined(speak(fake, "fake:tone"))
    loud = joined(speak(mine, store.add(replace(ANNA, volume=volume)).voice_id))
    assert np.allclose(loud, quiet * volume, atol=1e-6)
    anna = store.add(replace(ANNA, volume=2.0))
    fake.stream = lambda request, cancel: iter([replace(chunk, pcm=chunk.pcm * 3) for chunk in speak(Deep(), "")])
    assert np.abs(joined(speak(mine, anna.voice_id))).max() <= 1


def test_cancel_ends_it_also_at_another_speed(mine, store):
    anna = store.add(replace(ANNA, speed=1.5))
    cancel = threading.Event()
    stream = mine.stream(SpeechRequest("one two three four five six", "en", anna.voice_id), cancel)
    next(stream)
    cancel.set()
    assert list(stream) == []


def test_what_is_gone_is_one_sentence(mine, store):
    anna = store.add(ANNA)
    store.delete(anna.id)
    with pytest.raises(NotInstalled, match="doesn't exist any more"):
        speak(mine, anna.voice_id)
    with pytest.raises(NotInstalled, match="Clone it again"):
        speak(mine, store.add(CLONE).voice_id)
    with pytest.raises(NotInstalled, match="isn't on this machine"):
        speak(mine, store.add(replace(ANNA, base="other:voice")).voice_id)
    assert not load_quietly(mine, "my:nobody")


def test_loading_warms_up_what_speaks(mine, store, fake):
    anna = store.add(ANNA)
    assert load_quietly(mine, anna.voice_id)
    assert fake.loaded


def test_a_draft_speaks_though_it_is_not_listed(mine, store, fake):
    draft = store.new_draft(ANNA)
    assert mine.voices() == ()
    spoken, told = read(Catalog([Deep(languages=("en",)), mine]), Manner(draft.voice_id), ("Hello.", "en"))
    assert (len(fake.requests), told) == (1, [])
    assert spoken[0].voice.id == draft.voice_id
    assert mine.unlisted("other:" + draft.id) is None


def test_two_of_them_share_a_text_by_language(mine, store, fake):
    anna = store.add(replace(ANNA, instruct="A"))
    bert = store.add(replace(ANNA, name="Bert", language="en", instruct="B"))
    how = Manner(anna.voice_id, (("en", bert.voice_id), ("de", anna.voice_id)))
    spoken, told = read(Catalog([mine]), how, ("Hello.", "en"), ("Hallo.", "de"), ("Bye.", "en"))
    assert [request.instruct for request in fake.requests] == ["B", "A", "B"]
    assert [piece.voice.name for piece in spoken] == ["Bert", "Anna", "Bert"]
    assert told == []


def test_a_missing_model_is_named_and_another_voice_reads(mine, store, fake):
    clone = store.add(replace(CLONE, language="en"))
    spoken, told = read(Catalog([fake, mine]), Manner(clone.voice_id), ("Hello.", "en"), ("Bye.", "en"))
    assert told == [
        "The voice Björn needs the model Qwen3-TTS 0.6B Base, which has to be downloaded first. Tone reads instead."
    ]
    assert {piece.voice.id for piece in spoken} == {"fake:tone"}


def test_a_voice_that_fails_leaves_the_others_alone(store):
    good, bad = FakeEngine(("en", "de", "fr")), Deep(languages=("en", "de"), fail_at=0)
    mine = MyVoices(store, (good, bad))
    fine = store.add(replace(ANNA, name="Fine"))
    broken = store.add(replace(ANNA, name="Broken", base="deep:tone"))
    how = Manner(broken.voice_id, (("de", fine.voice_id),))
    spoken, told = read(Catalog([good, bad, mine]), how, ("Hello.", "en"), ("Hallo.", "de"), ("Bye.", "en"))
    assert [piece.voice.id for piece in spoken] == ["fake:tone", fine.voice_id, "fake:tone"]
    assert told == ["The test engine failed as it was told to. Reading goes on with another voice."]


def test_who_follows_instructs(mine, store):
    assert instruct_obstacle("qwen:1.7b-custom-voice/vivian") == ""
    assert instruct_obstacle("qwen:1.7b-voice-design/") == ""
    assert "0.6B" in instruct_obstacle("qwen:0.6b-custom-voice/vivian")
    assert "cloned" in instruct_obstacle("qwen:1.7b-base/")
    assert "Qwen3-TTS" in instruct_obstacle("builtin:heart")
    assert "isn't installed" in instruct_obstacle("qwen:own/vivian")
    assert "Qwen3-TTS" in mine.instruct_obstacle(store.add(ANNA).voice_id)
    assert "cloned" in mine.instruct_obstacle(store.add(CLONE).voice_id)
    assert mine.instruct_obstacle(store.add(replace(CLONE, base="qwen:1.7b-voice-design")).voice_id) == ""
    assert "exist" in mine.instruct_obstacle("my:nobody")
