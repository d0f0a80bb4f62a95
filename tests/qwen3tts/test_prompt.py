"""Prompts as tables, one for each way of speaking. Letters stand for ids: text in upper case, codec in lower case."""

from dataclasses import replace

import pytest

from desktop_tts.qwen3tts.checkpoint import open_checkpoint
from desktop_tts.qwen3tts.prompt import (
    Frame,
    Reference,
    Row,
    Speaker,
    TextIds,
    fed_text_prompt,
    needed_before_start,
    start_rows,
    whole_text_prompt,
)
from support import golden

IDS = TextIds(role=(901, 902, 903), instruct=())
TEXT = (11, 12, 13)


@pytest.fixture(scope="module")
def config():
    return open_checkpoint(golden.checkpoint("custom_voice")).config


def table(rows, config):
    """Rows as words."""
    talker = config.talker
    text = {
        config.tts_pad_token_id: "PAD", config.tts_bos_token_id: "BOS", config.tts_eos_token_id: "EOS",
        901: "R1", 902: "R2", 903: "R3", 801: "I1", 802: "I2", 11: "T1", 12: "T2", 13: "T3", 21: "X1", 22: "X2",
    }  # fmt: skip
    codec = {
        talker.codec_pad_id: "pad", talker.codec_bos_id: "bos", talker.codec_think_id: "think",
        talker.codec_nothink_id: "nothink", talker.codec_think_bos_id: "(", talker.codec_think_eos_id: ")",
        None: "-", Speaker.X_VECTOR: "x-vector", Frame(0): "f0", Frame(1): "f1", Frame(2): "f2", Frame(3): "f3",
    }  # fmt: skip
    codec |= {number: name for name, number in talker.codec_language_id.items()}
    codec |= {number: name for name, number in talker.spk_id.items()}
    return " ".join(f"{text[row.text]}/{codec[row.codec]}" for row in rows)


@pytest.mark.parametrize(
    ("language", "speaker", "expected"),
    [
        ("english", "ryan", "R1/- R2/- R3/- PAD/think PAD/( PAD/english PAD/) PAD/ryan BOS/pad"),
        ("auto", "ryan", "R1/- R2/- R3/- PAD/nothink PAD/( PAD/) PAD/ryan BOS/pad"),
        ("german", None, "R1/- R2/- R3/- PAD/think PAD/( PAD/german PAD/) BOS/pad"),
        ("auto", None, "R1/- R2/- R3/- PAD/nothink PAD/( PAD/) BOS/pad"),
        ("auto", "eric", "R1/- R2/- R3/- PAD/think PAD/( PAD/sichuan_dialect PAD/) PAD/eric BOS/pad"),
        ("chinese", "dylan", "R1/- R2/- R3/- PAD/think PAD/( PAD/beijing_dialect PAD/) PAD/dylan BOS/pad"),
        ("english", "dylan", "R1/- R2/- R3/- PAD/think PAD/( PAD/english PAD/) PAD/dylan BOS/pad"),
        ("auto", Speaker.X_VECTOR, "R1/- R2/- R3/- PAD/nothink PAD/( PAD/) PAD/x-vector BOS/pad"),
    ],
)
def test_start(config, language, speaker, expected):
    assert table(start_rows(config, IDS, language, speaker), config) == expected


def test_an_instruct_goes_first(config):
    rows = start_rows(config, replace(IDS, instruct=(801, 802)), "auto", None)
    assert table(rows, config).startswith("I1/- I2/- R1/- R2/- R3/- PAD/nothink")


def test_whole_text(config):
    prompt = whole_text_prompt(config, [], TEXT)
    assert table(prompt.rows, config) == "T1/pad T2/pad T3/pad EOS/pad PAD/bos"
    assert prompt.fed == ()


def test_fed_text(config):
    prompt = fed_text_prompt(config, [], TEXT)
    assert table(prompt.rows, config) == "T1/bos"
    assert prompt.fed == (12, 13, config.tts_eos_token_id)
    assert fed_text_prompt(config, [], TEXT[:1]).fed == (config.tts_eos_token_id,)


def test_rows_before_the_first_frame_are_as_many_as_published(config):
    start = start_rows(config, IDS, "english", "ryan")
    assert len(fed_text_prompt(config, start, TEXT).rows) == 10
    assert len(whole_text_prompt(config, start, range(16)).rows) == 27


def test_whole_text_after_a_reference(config):
    prompt = whole_text_prompt(config, [], TEXT[:2], Reference((21, 22), frames=3))
    assert table(prompt.rows, config) == "X1/pad X2/pad T1/pad T2/pad EOS/pad PAD/bos PAD/f0 PAD/f1 PAD/f2"
    assert prompt.fed == ()


def test_a_long_text_beside_a_reference_goes_on(config):
    prompt = fed_text_prompt(config, [], TEXT, Reference((21,), frames=2))
    assert table(prompt.rows, config) == "X1/bos T1/f0 T2/f1"
    assert prompt.fed == (13, config.tts_eos_token_id)


def test_a_short_text_beside_a_reference_is_read_at_once(config):
    prompt = fed_text_prompt(config, [], TEXT[:1], Reference((21,), frames=4))
    assert table(prompt.rows, config) == "X1/bos T1/f0 EOS/f1 PAD/f2 PAD/f3"
    assert prompt.fed == ()
    exact = fed_text_prompt(config, [], TEXT[:1], Reference((21,), frames=2))
    assert table(exact.rows, config) == "X1/bos T1/f0 EOS/f1"


@pytest.mark.parametrize("frames", range(6))
@pytest.mark.parametrize("reference_ids", range(1, 5))
def test_a_text_that_goes_on_is_shown_as_the_whole_would_be(config, frames, reference_ids):
    reference, text = Reference(tuple(range(50, 50 + reference_ids)), frames), tuple(range(100, 120))
    whole = fed_text_prompt(config, [Row(1)], text, reference)
    needed = needed_before_start(reference)
    for known in range(needed, len(text)):
        begun = fed_text_prompt(config, [Row(1)], text[:known], reference, ended=False)
        assert begun.rows == whole.rows
        assert whole.fed == (*begun.fed, *text[known:], config.tts_eos_token_id)


def test_without_a_reference_one_id_is_needed():
    assert needed_before_start(None) == 1
