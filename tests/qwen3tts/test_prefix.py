"""What all texts in one voice begin with is run once, and nothing sounds different for it."""

import numpy as np
import pytest
import torch

from desktop_tts.qwen3tts.model import Qwen3TTSModel
from desktop_tts.qwen3tts.talker import Talker
from support import golden

TEXT = "The same words."


@pytest.fixture
def rows_run(monkeypatch):
    """Rows of each prompt that went through the talker."""
    lengths = []
    start = Talker.start
    monkeypatch.setattr(
        Talker, "start", lambda t, rows, *rest: (lengths.append(len(rows[0])), start(t, rows, *rest))[1]
    )
    return lengths


def load(kind, dtype="float32"):
    return Qwen3TTSModel.from_pretrained(golden.checkpoint(kind), dtype=dtype)


def heard(speech):
    return np.concatenate(list(speech))


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_the_second_text_starts_after_the_prefix_and_sounds_as_in_a_fresh_model(rows_run, whole, dtype):
    def say(model):
        return heard(model.stream_custom_voice(TEXT, "ryan", "English", "calm", whole, seed=2, max_new_tokens=16))

    model = load("custom_voice", dtype)
    first, second = say(model), say(model)
    assert rows_run[1] < rows_run[0]
    if not whole:
        assert rows_run[1] == 1
    assert np.array_equal(second, first)
    fresh = load("custom_voice", dtype)
    assert np.array_equal(say(fresh), first)


def test_another_voice_language_or_instruct_has_its_own(rows_run):
    model = load("custom_voice")
    ways = [
        ("ryan", "English", None),
        ("vivian", "English", None),
        ("ryan", "Chinese", None),
        ("ryan", "English", "sad"),
    ]
    alone = [
        heard(load("custom_voice").stream_custom_voice(TEXT, *way, False, seed=2, max_new_tokens=6)) for way in ways
    ]
    rows_run.clear()
    for _ in range(2):
        for way, expected in zip(ways, alone, strict=True):
            sound = heard(model.stream_custom_voice(TEXT, *way, False, seed=2, max_new_tokens=6))
            np.testing.assert_allclose(sound, expected, atol=1e-4)
    assert all(length > 1 for length in rows_run[:4])
    assert rows_run[4:] == [1, 1, 1, 1]


def test_two_cloned_voices_do_not_share_one(rows_run):
    model = load("base")
    voices = [model.blank_voice(), model.blank_voice()]
    voices[1].ref_spk_embedding = torch.ones_like(voices[1].ref_spk_embedding)
    sounds = [
        heard(model.stream_voice_clone(TEXT, "English", voice_clone_prompt=[v], seed=2, max_new_tokens=6))
        for v in (*voices, *voices)
    ]
    assert not np.array_equal(sounds[0], sounds[1])
    np.testing.assert_allclose(sounds[2], sounds[0], atol=1e-4)
    np.testing.assert_allclose(sounds[3], sounds[1], atol=1e-4)
    assert rows_run == [rows_run[0], rows_run[0], 1, 1]


def test_few_are_kept():
    model = load("custom_voice")
    for number in range(20):
        heard(model.stream_custom_voice(TEXT, "ryan", "English", f"way {number}", seed=1, max_new_tokens=2))
    assert len(model._synthesizer._prefixes) == 16


def test_a_batch_has_none(rows_run):
    model = load("custom_voice")
    model.generate_custom_voice([TEXT, TEXT], "ryan", seed=1, max_new_tokens=3)
    assert not model._synthesizer._prefixes
