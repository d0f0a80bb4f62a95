"""However a text is cut into pieces, its ids are those of the whole text, and they come early."""

import itertools
import json
import random
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from desktop_tts.qwen3tts.text_stream import IncrementalEncoder
from desktop_tts.qwen3tts.tokenizer import TextTokenizer
from support import golden

PROSE = " ".join([
    "The lighthouse keeper counted the ships at dawn, and nobody knew why; it's a story that he'd tell over and over.",
    "今天天气很好，我们去公园散步吧。天气预报说明天会下雨，所以今天要多走走。公园里有很多人，天天都有人在那里散步。",
    "東京の天気は晴れです。かけがえのない友達。 Der Zug fährt über die Brücke. Où êtes-vous allés?",
    "안녕하세요 여러분, 오늘 날씨가 좋아요.",
    "\r\n\r\n  Numbers: 1234567, 3.14!!! ... (see [12]) — \"quoted\" 'single' l'eau d'été it'll we've I'm 'Tis ",
])  # fmt: skip


TRICKY = (
    " \t\n\r'\u00a0\u3000\x1c\u180e\u200b\u2028\ud83d\ude00.!?-\"(sStTrReEvmldLabcehinoqu0139今天气很好公园散步かけ"
    "\u0301\u0323\u0338=éàùöß\u1100\u1161\u11a8\uac00안녕\u09c7\u09be\u3099\u212b\u2000😀ſ\u02bc\u16d67"
)
NARROW = [" \n\r", " a'sred\n", "!.?a\n ", "天气公\u0301 e.", "\u1100\u1161\u11a8 가\u0301"]
"""In which the same few characters meet in every way."""
tricky_pieces = st.one_of(st.lists(st.text(st.sampled_from(s), max_size=9), max_size=6) for s in [TRICKY, *NARROW])


@pytest.fixture(scope="module")
def tokenizer() -> TextTokenizer:
    directory = golden.checkpoint("base")
    return TextTokenizer(directory / "vocab.json", directory / "merges.txt")


@pytest.fixture(scope="module")
def rich_tokenizer(tmp_path_factory) -> TextTokenizer:
    """With tokens for parts of letters, runs of white space and signs, and whole words, as a large vocabulary has.

    It is trained on text that isn't split, so it has tokens over borders, which show a border in the wrong place.
    """
    directory: Path = tmp_path_factory.mktemp("vocabulary")
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=2000, initial_alphabet=alphabet, show_progress=False, max_token_length=12)
    chance = random.Random(1)
    noise = ["".join(chance.choices(letters, k=6)) for letters in NARROW * 400]
    noise += ["===", "?a"] * 400
    prose = [PROSE[i : i + n] for n in (3, 5, 9, 16) for i in range(0, len(PROSE), n)]
    trained.train_from_iterator([unicodedata.normalize("NFC", piece) for piece in prose + noise], trainer)
    model = json.loads(trained.to_str())["model"]
    (directory / "vocab.json").write_text(json.dumps(model["vocab"]))
    merges = "".join(f"{a} {b}\n" for a, b in model["merges"])
    (directory / "merges.txt").write_text("#version: 0.2\n" + merges)
    return TextTokenizer(directory / "vocab.json", directory / "merges.txt")


def ids(tokenizer, pieces):
    encoder = IncrementalEncoder(tokenizer)
    return [number for piece in pieces for number in encoder.feed(piece)] + encoder.finish()


def cut(text, lengths):
    at, pieces = 0, []
    for length in lengths:
        pieces.append(text[at : at + length])
        at += length
    return [*pieces, text[at:]]


@settings(max_examples=2500, deadline=None)
@given(tricky_pieces)
@pytest.mark.parametrize("which", ["tokenizer", "rich_tokenizer"])
def test_any_pieces_of_anything_give_the_ids_of_the_whole(which, tokenizer, rich_tokenizer, pieces):
    chosen = tokenizer if which == "tokenizer" else rich_tokenizer
    assert ids(chosen, pieces) == chosen.encode("".join(pieces).lstrip())


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(PROSE)), st.integers(0, 60), st.lists(st.integers(0, 7), max_size=30))
@pytest.mark.parametrize("which", ["tokenizer", "rich_tokenizer"])
def test_any_cut_of_prose_gives_the_ids_of_the_whole(which, tokenizer, rich_tokenizer, start, length, lengths):
    chosen = tokenizer if which == "tokenizer" else rich_tokenizer
    text = PROSE[start : start + length]
    assert ids(chosen, cut(text, lengths)) == chosen.encode(text.lstrip())


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(PROSE)), tricky_pieces)
def test_what_was_given_out_stays_whatever_follows(rich_tokenizer, length, following):
    encoder = IncrementalEncoder(rich_tokenizer)
    given_out = encoder.feed(PROSE[:length])
    assert rich_tokenizer.encode(PROSE[:length] + "".join(following))[: len(given_out)] == given_out


@pytest.mark.parametrize("letters", ["!?a", "=?a", " \na", "'red", "天气!", "e\u0301 ", "\u1100\u1161\u11a8"])
def test_every_short_text_letter_by_letter(rich_tokenizer, letters):
    for text in map("".join, itertools.product(letters, repeat=6)):
        assert ids(rich_tokenizer, text) == rich_tokenizer.encode(text.lstrip()), text


def test_words_are_complete_with_what_ends_them(tokenizer):
    encoder = IncrementalEncoder(tokenizer)
    assert encoder.feed("The") == [] == encoder.feed("")
    assert encoder.feed(" ") == tokenizer.encode("The")
    assert encoder.feed("dawn, ") == tokenizer.encode(" dawn,")


def test_a_long_clause_without_spaces_comes_in_time(rich_tokenizer):
    clause = "我们今天去公园散步天气很好公园里有很多人天天都有人在那里散步"
    encoder = IncrementalEncoder(rich_tokenizer)
    behind, given_out = 0, 0
    whole = rich_tokenizer.encode(clause)
    for number, character in enumerate(clause, start=1):
        given_out += len(encoder.feed(character))
        complete = len(rich_tokenizer.encode(clause[:number]))
        behind = max(behind, complete - given_out)
    assert given_out + len(encoder.finish()) == len(whole)
    assert behind <= 6 < len(whole)


def test_white_space_before_the_text_is_dropped(tokenizer):
    assert ids(tokenizer, [" ", "\n", "\t Hello"]) == tokenizer.encode("Hello")
    assert ids(tokenizer, [" ", "\n "]) == []


def test_a_character_may_come_in_halves(tokenizer):
    assert ids(tokenizer, ["a\ud83d", "\ude00b"]) == tokenizer.encode("a😀b")
