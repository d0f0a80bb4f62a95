"""Cloned and designed voices: tiny random models in a real process of their own."""

import shutil
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
import soundfile

from desktop_tts.engines import qwen as qwen_module
from desktop_tts.engines.catalog import Catalog
from desktop_tts.engines.fake import FakeEngine
from desktop_tts.engines.qwen import QwenEngine, QwenOptions, describe
from desktop_tts.errors import EngineError, EngineFault, NotInstalled, Unsupported
from desktop_tts.narrate import Manner, Script, narrate
from desktop_tts.qwen3tts.model import Qwen3TTSModel
from desktop_tts.qwen3tts.voice_prompt import load_prompt
from desktop_tts.speech import Span, SpeechRequest, Utterance
from desktop_tts.voices.engine import MyVoices
from desktop_tts.voices.errors import VoiceError
from desktop_tts.voices.making import VoiceMaker
from desktop_tts.voices.profile import PROMPT, REFERENCE, Kind, Profile
from desktop_tts.voices.store import VoiceStore
from support import golden

KINDS = ("custom_voice", "custom_voice_0b6", "voice_design", "base")
SAID = "The quick brown fox."
TEXT = "Hello there."


@pytest.fixture(autouse=True)
def small_and_private(monkeypatch, tmp_path):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # tiny tensors
    monkeypatch.setenv("DESKTOP_TTS_HOME", str(tmp_path / "home"))


@pytest.fixture
def engine():
    models = tuple(describe(kind, golden.checkpoint(kind)) for kind in KINDS)
    made = QwenEngine(lambda: QwenOptions("cpu", "float32"), find_models=lambda: models)
    yield made
    made.unload()


@pytest.fixture
def store(tmp_path):
    return VoiceStore(tmp_path / "voices")


@pytest.fixture
def maker(store, engine):
    return VoiceMaker(store, engine)


@pytest.fixture
def mine(store, engine):
    return MyVoices(store, (engine,))


def load(kind):
    return Qwen3TTSModel.from_pretrained(golden.checkpoint(kind), dtype="float32", threads=1)


def speak(engine, voice, text=TEXT, cancel=None, language="en", seed=3, **options):
    request = SpeechRequest(text, language, voice, seed=seed, **options)
    return joined(engine.stream(request, cancel or threading.Event()))


def joined(chunks):
    return np.concatenate([np.zeros(0, np.float32), *(chunk.pcm for chunk in chunks)])


def direct(speech):
    return np.concatenate(list(speech))


def recorded(store, **changes):
    """A draft with a recording of two seconds."""
    draft = store.new_draft(replace(Profile("", "", Kind.CLONED, ""), **changes))
    seconds = np.arange(48_000, dtype=np.float32) / 24_000
    sound = 0.3 * np.sin(2 * np.pi * 180 * seconds) * (1 + 0.5 * np.sin(2 * np.pi * 3 * seconds))
    soundfile.write(store.folder(draft.id) / REFERENCE, sound, 24_000)
    return draft


def files(store, voice_id):
    return sorted(path.name for path in store.folder(voice_id).iterdir())


@pytest.mark.parametrize("x_vector_only", [False, True])
def test_a_clone_sounds_as_the_model_makes_it(store, maker, mine, x_vector_only):
    draft = recorded(store, instruct="Ignored.")
    assert maker.clone(draft.id, "base", f" {SAID} ", x_vector_only, threading.Event())
    kept = store.keep(draft.id, "Björn")
    assert (kept.base, kept.kind, kept.transcript) == ("qwen:base", Kind.CLONED, "" if x_vector_only else SAID)
    assert (store.folder(kept.id) / PROMPT).stat().st_mode & 0o077 == 0
    model = load("base")
    prompt = load_prompt(store.folder(kept.id) / PROMPT, model.identity)
    assert prompt.x_vector_only_mode == x_vector_only
    heard = speak(mine, kept.voice_id)
    assert np.array_equal(heard, direct(model.stream_voice_clone(TEXT, "English", voice_clone_prompt=[prompt], seed=3)))
    again = model.create_voice_clone_prompt(store.folder(kept.id) / REFERENCE, SAID, x_vector_only)
    assert np.allclose(again[0].ref_spk_embedding, prompt.ref_spk_embedding, atol=1e-5)


def test_a_designed_voice_is_drawn_frozen_and_spoken_with(store, maker, mine):
    cancel, pieces = threading.Event(), []
    draw = maker.design("A calm woman.", "en", SAID, 7, "voice_design", cancel, pieces.append)
    assert draw.dtype == np.float32
    assert np.array_equal(draw, np.concatenate(pieces))
    model = load("voice_design")
    assert np.array_equal(draw, direct(model.stream_voice_design(SAID, "A calm woman.", "English", seed=7)))

    profile = Profile("", "", Kind.DESIGNED, "qwen:voice_design", description="A calm woman.", seed=7)
    draft = store.new_draft(profile)
    assert np.array_equal(speak(mine, draft.voice_id, SAID), draw)  # as it is without a prompt file
    manner = direct(model.stream_voice_design(SAID, "A calm woman. Whisper.", "English", seed=7))
    assert np.array_equal(speak(mine, draft.voice_id, SAID, instruct="Whisper."), manner)

    draw = np.tile(draw, 1 + 30_000 // len(draw))  # a tiny model may stop early
    assert maker.freeze(draft.id, draw, SAID, "base", cancel)
    kept = store.keep(draft.id, "Calm")
    assert files(store, kept.id) == [PROMPT, REFERENCE, "voice.json"]
    assert (kept.base, kept.kind, kept.description) == ("qwen:base", Kind.DESIGNED, "A calm woman.")
    sound, rate = soundfile.read(store.folder(kept.id) / REFERENCE, dtype="float32")
    assert rate == 24_000
    assert np.allclose(sound, np.clip(draw, -1, 1), atol=1e-4)
    base = load("base")
    prompt = load_prompt(store.folder(kept.id) / PROMPT, base.identity)
    assert (prompt.icl_mode, prompt.ref_text) == (True, SAID)
    expected = direct(base.stream_voice_clone(TEXT, "English", voice_clone_prompt=[prompt], seed=3))
    assert np.array_equal(speak(mine, kept.voice_id), expected)


def test_a_text_in_two_languages_is_read_by_two_of_them(store, engine, mine):
    ryan = store.add(Profile("", "Reader", Kind.SPEAKER, "qwen:custom_voice/ryan", "en", instruct="Calmly."))
    draft = recorded(store)
    VoiceMaker(store, engine).clone(draft.id, "base", SAID, True, threading.Event())
    clone = store.keep(draft.id, "Sprecher")
    how = Manner(ryan.voice_id, (("de", clone.voice_id),), seed=3)
    made = [
        Utterance(text, Span(0, len(text)), language, number)
        for number, (text, language) in enumerate((("Hello.", "en"), ("Guten Tag.", "de"), ("Goodbye.", "en")))
    ]
    told = []
    spoken = list(narrate(Script(made), Catalog([engine, mine]), lambda: how, threading.Event(), told.append))
    assert told == []
    assert list(dict.fromkeys((piece.number, piece.voice.name) for piece in spoken)) == [
        (0, "Reader"),
        (1, "Sprecher"),
        (2, "Reader"),
    ]
    heard = {number: joined(piece for piece in spoken if piece.number == number) for number in range(3)}
    custom = load("custom_voice")
    for number in (0, 2):
        expected = direct(custom.stream_custom_voice(made[number].text, "ryan", "English", "Calmly.", seed=3))
        assert np.array_equal(heard[number], expected)


def test_the_small_model_is_not_told_of_instructs(engine):
    plain = speak(engine, "qwen:custom_voice_0b6/ryan")
    assert np.array_equal(speak(engine, "qwen:custom_voice_0b6/ryan", instruct="Whisper."), plain)
    assert engine.instruct_obstacle("qwen:custom_voice_0b6/ryan")
    assert not engine.instruct_obstacle("qwen:custom_voice/ryan")
    assert not engine.instruct_obstacle("qwen:voice_design/")


def test_what_a_model_lacks_is_told_without_loading_it(engine):
    with pytest.raises(Unsupported, match="cloned voices only"):
        speak(engine, "qwen:base/")
    with pytest.raises(Unsupported, match="description"):
        speak(engine, "qwen:voice_design/")
    with pytest.raises(NotInstalled, match="missing isn't installed"):
        speak(engine, "qwen:missing/ryan")
    assert engine._process is None


def test_a_missing_model_keeps_the_loaded_one(engine):
    speak(engine, "qwen:custom_voice/ryan")
    process = engine._process
    with pytest.raises(NotInstalled):
        engine.load(voice="qwen:missing/ryan")
    assert engine._process is process
    assert process.alive


def test_the_model_of_a_voice_is_warmed_up(engine, store, mine):
    engine.load(voice="qwen:custom_voice_0b6/ryan")
    assert engine._loaded == "custom_voice_0b6"
    voice = store.add(Profile("", "Reader", Kind.SPEAKER, "qwen:custom_voice/ryan"))
    mine.load(voice=voice.voice_id)
    assert engine._loaded == "custom_voice"


def test_one_model_that_fails_does_not_keep_another_from_speaking(tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(golden.checkpoint("custom_voice"), folder)
    with (folder / "model.safetensors").open("r+b") as file:
        file.truncate(1000)
    models = (describe("broken", folder), describe("whole", golden.checkpoint("custom_voice")))
    engine = QwenEngine(lambda: QwenOptions("cpu", "float32"), find_models=lambda: models)
    with pytest.raises(EngineError):
        speak(engine, "qwen:broken/ryan")
    assert len(speak(engine, "qwen:whole/ryan"))
    engine.unload()


def test_models_to_make_voices_with(maker):
    clone, design = maker.clone_models(), maker.design_models()
    assert [(model.key, model.installed) for model in clone] == [
        ("0.6b-base", False),
        ("1.7b-base", False),
        ("base", True),
    ]
    assert [model.key for model in design] == ["1.7b-voice-design", "voice_design"]
    assert clone[0].name == "Qwen3-TTS 0.6B Base"


def test_a_missing_model_reads_with_another_voice_and_is_named(store, engine):
    fake = FakeEngine()
    clone = store.add(Profile("", "Björn", Kind.CLONED, "qwen:1.7b-base", "en"))
    told = []
    made = Script([Utterance(TEXT, Span(0, len(TEXT)), "en", 0)])
    catalog = Catalog([fake, engine, MyVoices(store, (fake, engine))])
    spoken = list(narrate(made, catalog, lambda: Manner(clone.voice_id), threading.Event(), told.append))
    assert {piece.voice.id for piece in spoken} == {"fake:tone"}
    assert told == [
        "The voice Björn needs the model Qwen3-TTS 1.7B Base, which has to be downloaded first. Tone reads instead."
    ]
    assert engine._process is None


def test_a_damaged_prompt_is_one_sentence(store, maker, mine):
    draft = recorded(store)
    maker.clone(draft.id, "base", "", True, threading.Event())
    (store.folder(draft.id) / PROMPT).write_bytes(b"nothing")
    with pytest.raises(EngineFault, match="damaged. Clone the voice again"):
        speak(mine, draft.voice_id)


@pytest.mark.parametrize("after_s", [0.0, 0.3])
def test_a_cancelled_clone_leaves_no_file(store, maker, mine, after_s):
    draft = recorded(store)
    before = files(store, draft.id)
    cancel = threading.Event()
    threading.Timer(after_s, cancel.set).start()
    if not after_s:
        cancel.set()
    begun = time.monotonic()
    assert not maker.clone(draft.id, "base", SAID, False, cancel)
    assert time.monotonic() - begun < 2
    assert not maker.freeze(draft.id, np.full(48_000, 0.1, np.float32), SAID, "base", cancel)
    assert len(maker.design("A man.", "en", SAID, 1, "voice_design", cancel)) == 0
    time.sleep(0.3)
    assert files(store, draft.id) == before
    assert maker.clone(draft.id, "base", SAID, False, threading.Event())


def test_a_clone_cancelled_while_the_model_listens_leaves_no_file(store, maker, engine, mine, monkeypatch):
    draft = recorded(store)
    engine.load(voice="qwen:base/")
    cancel, sent = threading.Event(), []
    real = qwen_module.QwenProcess.send

    def send(self, request):
        real(self, request)
        sent.append(request["op"])
        if request["op"] == "clone":
            cancel.set()

    monkeypatch.setattr(qwen_module.QwenProcess, "send", send)
    before = files(store, draft.id)
    assert not maker.freeze(draft.id, np.sin(np.arange(48_000) / 20).astype(np.float32), SAID, "base", cancel)
    assert files(store, draft.id) == before
    assert sent == ["clone", "cancel"]
    monkeypatch.undo()
    assert maker.clone(draft.id, "base", SAID, False, threading.Event())
    assert len(speak(mine, draft.voice_id))


def test_a_bad_recording_is_one_sentence_and_leaves_no_file(store, maker):
    draft = store.new_draft(Profile("", "", Kind.CLONED, ""))
    with pytest.raises(VoiceError, match="recording of this voice is missing"):
        maker.clone(draft.id, "base", SAID, False, threading.Event())
    with pytest.raises(EngineFault, match="can't clone this voice: .* seconds long"):
        maker.freeze(draft.id, np.full(2400, 0.1, np.float32), SAID, "base", threading.Event())
    with pytest.raises(Unsupported, match="can't clone"):
        maker.freeze(draft.id, np.full(48_000, 0.1, np.float32), SAID, "custom_voice", threading.Event())
    assert files(store, draft.id) == ["voice.json"]


def test_making_waits_for_a_reading_and_says_so(store, maker, engine, monkeypatch):
    monkeypatch.setattr(qwen_module, "BUSY_S", 0.2)
    reading = engine.stream(SpeechRequest(TEXT, "en", "qwen:custom_voice/ryan", seed=3), threading.Event())
    next(reading)
    draft, told = recorded(store), []

    def make():
        try:
            maker.clone(draft.id, "base", SAID, False, threading.Event())
        except EngineFault as error:
            told.append(str(error))

    thread = threading.Thread(target=make)
    thread.start()
    thread.join(5)
    reading.close()
    assert told == ["Qwen3-TTS is reading aloud. Stop that first, then try again."]
