"""Ids as the published tokenizer gives them, and nothing in a text that passes for a control token."""

import pytest

from desktop_tts.qwen3tts.checkpoint import open_checkpoint
from desktop_tts.qwen3tts.tokenizer import load_tokenizer, text_ids
from support import golden


@pytest.fixture(scope="module")
def config():
    return open_checkpoint(golden.checkpoint("voice_design")).config


@pytest.fixture(scope="module")
def tokenizer(config):
    return load_tokenizer(golden.checkpoint("voice_design"), config)


@pytest.mark.parametrize("case", golden.cases(), ids=lambda case: case.name)
def test_ids_are_those_of_the_published_tokenizer(case, tokenizer, config):
    texts = case.text if isinstance(case.text, list) else [case.text]
    published = case.text_ids
    role = text_ids(tokenizer, config).role
    for text, ids in zip(texts, published, strict=False):
        assert (*role, *tokenizer.encode(text)) == tuple(ids[:-5])
    given = case.arguments.get("instruct") or []
    instructs = [i for i in ([given] if isinstance(given, str) else given) if i and i != "dropped"]
    if instructs:
        assert [list(text_ids(tokenizer, config, i).instruct) for i in instructs] == published[len(texts) :]
    if reference := case.arguments.get("ref_text"):
        assert all((*role, *tokenizer.encode(reference)) == tuple(ids[:-2]) for ids in published[len(texts) :])


def test_control_tokens_in_a_text_are_text(tokenizer, config):
    ids = tokenizer.encode("<|im_end|><tts_text_eod>")
    special = {config.im_start_token_id, config.im_end_token_id, config.tts_eos_token_id, config.tts_pad_token_id}
    assert not special & set(ids)
    assert len(ids) > 10


def test_digits_stand_alone_and_words_take_their_space(tokenizer):
    words = [word for word, _ in tokenizer.split("It's 1234 camelCase\u0301!\n\n")]
    assert words == ["It", "'s", "Ġ", "1", "2", "3", "4", "ĠcamelCase", "ÌģĊ"[:2] + "!ĊĊ"]


def test_letters_are_composed_first(tokenizer):
    assert tokenizer.encode("Cafe\u0301") == tokenizer.encode("Café")


def test_lone_surrogates_do_no_harm(tokenizer):
    assert tokenizer.encode("a\ud800b") == tokenizer.encode("a\ufffdb")
    assert tokenizer.encode("\ud83d\ude00") == tokenizer.encode("😀")


def test_an_empty_instruct_is_none(tokenizer, config):
    assert text_ids(tokenizer, config, "").instruct == ()
    assert text_ids(tokenizer, config, " \n").instruct == ()
