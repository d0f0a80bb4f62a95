"""What the built-in voice is given, and the way back to the source."""

import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from desktop_tts.engines.builtin_text import LONGEST_PIECE, other_script, pieces, prepare


def prepared(text, known=lambda word: False):
    return prepare(text, known).text


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("Plain text, with $1,299.99 and (marks).", "Plain text, with $1,299.99 and (marks)."),
        ("Hello\0world", "Hello world"),
        ("co\u00adopera\u200btion", "cooperation"),
        ("[word](/foo/)", "[word] /foo/)"),
        ("!!!!! ------ ....", "! --- ..."),
        ("1234567890123456", " ".join("1234567890123456")),
        ("123,456,789,012,345", "123,456,789,012,345"),
        ("٣ １２", "3 12"),
        ("ﬁne ＡＢＣ", "fine ABC"),
        ("x² and ½", "x² and ½"),
        ("50 € or €50", "50 euros or €50"),
        ("10⁻⁶ ≤ x", "10 to the minus 6  at most  x"),
        ("π is 3.14", " pi  is 3.14"),
        ("the word λόγος here", "the word       here"),
        ("I love 北京.", "I love   ."),
        ("cafe\u0301", "cafe"),
        ("a" * 30, "a" * 15 + " " + "a" * 15),
    ],
)
def test_what_is_changed(text, spoken):
    assert prepared(text) == spoken


def test_known_words_may_be_long():
    word = "antidisestablishmentarianism"
    assert prepared(word, lambda known: known == word) == word


@given(st.text(max_size=300))
def test_origins_go_forward_and_stay_inside(text):
    made = prepare(text, lambda word: False)
    assert len(made.text) == len(made.origin)
    assert all(one <= two for one, two in pairwise(made.origin))
    assert all(0 <= at < len(text) for at in made.origin)


@given(st.text(st.sampled_from("abc019,.-/@#$ \u0301北"), max_size=400))
@example("a-" * 100)
@example("http://a/b?c=1&" * 20)
@example("a1" * 150)
@example("1,2" * 100)
def test_nothing_stays_that_the_voice_can_not_take(text):
    made = prepared(text)
    assert max(map(len, made.split()), default=0) <= 42
    assert max((len(run) for run in re.findall(r"[a-z]+", made)), default=0) <= 24
    assert max((len(run) for run in re.findall(r"\d+", made)), default=0) <= 15
    assert not re.search(r"\](?=\()", made)


@given(st.text(st.sampled_from("abc., \n"), max_size=2000))
def test_pieces_cover_the_text_and_are_short(text):
    found = pieces(text)
    assert "".join(text[start:end] for start, end in found) == text
    assert all(end - start <= LONGEST_PIECE for start, end in found)


def test_pieces_end_with_a_sentence_where_they_can():
    text = ("One sentence of some length is here. " * 20).strip()
    assert all(text[:end].rstrip().endswith(".") for _, end in pieces(text))


def test_other_script_counts_letters():
    assert other_script("Привет, world")
    assert not other_script("Hello, мир")
    assert not other_script("123 !?")
    assert not other_script("Ærøskøbing naïve")
