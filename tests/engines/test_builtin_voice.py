"""The built-in voice, judged by ear (Whisper tiny.en) and by its samples."""

import statistics
import subprocess
import sys
import threading
import time
from itertools import pairwise

import numpy as np
import pyloudnorm
import pytest
from engines.ear import matching, plain_words, word_error_rate

from desktop_tts.engines import builtin as module
from desktop_tts.engines import builtin_model
from desktop_tts.engines.builtin import BuiltinEngine
from desktop_tts.engines.builtin_sound import finish, trim
from desktop_tts.errors import EngineFault, Unsupported
from desktop_tts.speech import SpeechRequest

SENTENCES = [
    # what is spoken, and how the ear writes it where that differs
    ("The quick brown fox jumps over the lazy dog.", None),
    ("Please open the window before the meeting starts, because the room is getting warm.", None),
    ("Reading for a long time makes my eyes hurt, so I listen instead.", None),
    ("What time does the next train to Boston leave?", None),
    ("Scientists have discovered a new species of frog in the rain forest.", None),
    ("He said: “I will never forget this” and left quietly.", None),
    ("Fresh fish, soft cheese and crisp toast.", None),
    ("Turn left at the first traffic light — then walk straight ahead for 10 minutes.", None),
    ("It costs $1,299.99, about 20% off.", None),
    ("On March 3rd, 2027, it was -5°C in Chicago.", "On March 3, 2027, it was minus 5 degrees Celsius in Chicago."),
    ("Dr. Smith lives at 221 Baker St. and owns 3 dogs.", "Dr. Smith lives at 221 Baker Street and owns three dogs."),
    ("The meeting is on 3/4/2027 at 9:30 p.m.", "The meeting is on March 4, 2027 at 9.30 p.m."),
    ("Call me at 555-0123 before the 2nd of May.", "Call me at 555-0123 before the 2nd of May."),
]
LONG = (
    "The old ferry, which had crossed the bay every morning for more than forty years, left the pier at seven, "
    "carrying workers, students and a few early tourists to the island on the other side."
)


@pytest.fixture(scope="session")
def spoken(builtin):
    made = {}
    for text, _ in SENTENCES:
        made[text] = list(builtin.stream(SpeechRequest(text), threading.Event()))
        assert len(made[text]) == 1
    return {text: chunks[0] for text, chunks in made.items()}


@pytest.fixture(scope="session")
def heard(spoken, hear):
    return {text: hear(chunk.pcm, chunk.sample_rate) for text, chunk in spoken.items()}


def test_every_sentence_is_understood(heard):
    rates = {text: word_error_rate(written or text, heard[text].text) for text, written in SENTENCES}
    assert statistics.mean(rates.values()) <= 0.05, rates
    assert all(rate <= 0.25 for rate in rates.values()), rates


def test_word_times_agree_with_what_is_heard(spoken, heard):
    differences = []
    for text, chunk in spoken.items():
        said = ["".join(plain_words(text[word.start : word.end])) for word in chunk.words]
        found = ["".join(plain_words(word)) for word, _, _ in heard[text].words]
        for own, other in matching(said, found):
            differences.append(abs(chunk.words[own].start_s - heard[text].words[other][1]))
            differences.append(abs(chunk.words[own].end_s - heard[text].words[other][2]))
    assert len(differences) > 150
    assert statistics.median(differences) < 0.1
    assert statistics.quantiles(differences, n=10)[-1] < 0.35


def test_every_word_of_the_text_has_a_time(spoken):
    for text, chunk in spoken.items():
        expected = [word.strip(".,:;?“”") for word in text.replace("—", " ").split()]
        assert [text[word.start : word.end] for word in chunk.words] == expected
        assert all(word.start_s < word.end_s <= chunk.duration_s for word in chunk.words)
        assert all(one.end_s <= two.start_s + 1e-6 for one, two in pairwise(chunk.words))


def test_silence_at_the_ends_is_short(spoken):
    for text, chunk in spoken.items():
        loud = np.flatnonzero(np.abs(chunk.pcm) > 0.01)
        assert loud[0] / chunk.sample_rate < 0.06, text
        assert (len(chunk.pcm) - loud[-1]) / chunk.sample_rate < 0.12, text


@pytest.mark.parametrize("text", ["The cats", "Fish hiss softly.", "He sniffs the cliffs!", "Push, catch and thrust"])
def test_trimming_takes_nothing_that_can_be_heard(builtin, text):
    model = builtin._loaded()
    sound = model.speak(model.tokens(text), 0)
    start, end = trim(sound.pcm, builtin_model.RATE)
    assert start > 0.2 * builtin_model.RATE
    assert end < len(sound.pcm) - 0.1 * builtin_model.RATE
    window = builtin_model.RATE // 100
    for outside in (sound.pcm[:start], sound.pcm[end:]):
        loudness = np.sqrt(np.convolve(outside**2, np.ones(window) / window, "valid"))
        assert loudness.max() < 0.003


def test_it_is_as_loud_as_other_voices_and_never_clips(spoken):
    meter = pyloudnorm.Meter(builtin_model.RATE)
    levels = [meter.integrated_loudness(chunk.pcm) for chunk in spoken.values()]
    assert all(-22 < level < -18 for level in levels), levels
    assert max(np.abs(chunk.pcm).max() for chunk in spoken.values()) <= 0.96


def test_the_limiter_bends_peaks_without_distorting():
    t = np.arange(24_000) / 24_000
    tone = (0.3 * np.sin(2 * np.pi * 200 * t)).astype(np.float32)
    tone[12_000:12_400] *= 3
    held = finish(tone, 24_000)
    assert np.abs(held).max() <= 0.96
    gain = held[100:-100] / np.where(np.abs(tone[100:-100]) > 0.05, tone[100:-100], np.nan)
    assert np.nanmax(gain) == pytest.approx(2, abs=0.01)
    assert np.nanmax(np.abs(np.diff(gain))) < 0.02, "the gain moves smoothly"


def test_equal_seeds_give_equal_samples(builtin, speak):
    one, two, other = (speak(builtin, LONG, seed=seed)[0].pcm for seed in (0, 0, 7))
    fresh = speak(BuiltinEngine(), LONG)[0].pcm
    assert np.array_equal(one, two)
    assert np.array_equal(one, fresh)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(
    "text",
    [
        "a-" * 90,
        "@" * 180,
        "#" * 180 + " number",
        "1" * 180,
        "9" * 39 + "," + "8" * 41 + " is a number",
        "x" * 180,
        "£3.2." * 36,
        "24:00/" * 30,
        "Hello\0world \ud800 again",
        "[one](/two/) [three](four)",
        "<|im_end|> `rm -rf /` {x: [1, 2]}",
        "0/0 1/0 99:99 2027-13-45 IV XVIII v1.2.3 .5 5. 1,,2",
        "I love 北京 and Москва, π and λ.",
        "naïve Straße Ærø Ÿ ½ x² H₂O №5 ™ ℡ ﬁne １２３ ٣",
    ],
)
def test_hard_text_is_spoken_in_good_time(builtin, speak, text):
    began = time.perf_counter()
    chunks = speak(builtin, text)
    assert time.perf_counter() - began < 10
    assert sum(chunk.duration_s for chunk in chunks) > 0.2
    for chunk in chunks:
        assert np.isfinite(chunk.pcm).all()
        assert np.abs(chunk.pcm).max() > 0.05


def test_nothing_of_a_long_text_is_lost(builtin, speak, hear):
    text = " ".join([LONG.replace(". ", ", ")] * 3)
    chunks = speak(builtin, text)
    assert len(chunks) > 1
    words = [word for chunk in chunks for word in chunk.words]
    assert [text[word.start : word.end] for word in words] == [word.strip(".,") for word in text.split()]
    pcm = np.concatenate([chunk.pcm for chunk in chunks])
    assert word_error_rate(text, hear(pcm, builtin_model.RATE).text) <= 0.1


def test_a_long_unknown_word_is_said_to_its_end(builtin, speak):
    text = "Say Zabrakadorimilonatesuverikatomelis now."
    (chunk,) = speak(builtin, text)
    assert [text[word.start : word.end] for word in chunk.words] == text.strip(".").split()
    assert chunk.words[1].end_s - chunk.words[1].start_s > 1.2


@pytest.mark.parametrize("text", ["", "  \n\t ", "?!?!... --- ***", "🎉🎉", "\u200b\ufeff", "\0"])
def test_text_without_anything_to_say_makes_no_sound(builtin, speak, text):
    assert speak(builtin, text) == []


@pytest.mark.parametrize("text", ["Это предложение на русском языке.", "北京是首都", "مرحبا", "안녕하세요 OK"])
def test_other_scripts_are_refused_not_garbled(builtin, speak, text):
    with pytest.raises(Unsupported, match="English only"):
        speak(builtin, text)


def test_other_languages_are_refused(builtin, speak):
    with pytest.raises(Unsupported, match="English only"):
        speak(builtin, "Das ist ein Satz.", "de")


def test_cancel_before_and_between_pieces(builtin):
    cancel = threading.Event()
    stream = builtin.stream(SpeechRequest(LONG * 4), cancel)
    next(stream)
    cancel.set()
    assert list(stream) == []
    assert list(builtin.stream(SpeechRequest(LONG), cancel)) == []


def test_text_may_come_in_parts(builtin, speak):
    assert np.array_equal(speak(builtin, iter(["Hello ", "there."]))[0].pcm, speak(builtin, "Hello there.")[0].pcm)


def test_a_failing_voice_says_so_in_a_sentence(monkeypatch, speak):
    engine = BuiltinEngine()

    def broken(*_):
        raise IndexError("deep inside")

    monkeypatch.setattr(module.builtin_model, "load_model", broken)
    with pytest.raises(EngineFault, match="can't be loaded") as failure:
        engine.load()
    assert "deep inside" not in str(failure.value)
    monkeypatch.undo()
    engine.load()
    monkeypatch.setattr(builtin_model.Model, "tokens", broken)
    with pytest.raises(EngineFault, match="failed on a piece"):
        speak(engine, "Hello.")


def test_loading_is_light():
    """In a new process, because others load much: no scipy, torch or Qt, and no parsing of whole word lists, which
    would keep every other thread waiting."""
    script = """
import json, sys
from desktop_tts.engines.builtin import BuiltinEngine
assert not {"onnxruntime", "hibari"} & set(sys.modules), "loaded before it is needed"
sizes, loads = [], json.loads
json.loads = lambda text, *rest, **more: sizes.append(len(text)) or loads(text, *rest, **more)
BuiltinEngine().load()
assert max(sizes) < 1_000_000, sizes
assert not {"scipy", "torch", "PySide6"} & set(sys.modules), sys.modules.keys()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_unloading_gives_memory_back(speak):
    import psutil

    process = psutil.Process()
    engine = BuiltinEngine()
    engine.load()
    speak(engine, LONG)
    before = process.memory_info().rss
    engine.unload()
    assert process.memory_info().rss < before - 20_000_000
    assert speak(engine, "Back again.")


def test_progress_goes_up_to_one():
    told = []
    BuiltinEngine().load(told.append)
    fractions = [news.fraction for news in told]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert all(news.message for news in told)
