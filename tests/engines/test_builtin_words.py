"""Spoken words find their source words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_tts.engines.builtin_words import match_words, words_of


def test_words_stand_without_the_marks_round_them():
    text = "“Hello,” she said — (quietly): -5°C & $1,299.99, *well-known*…"
    words = [text[word.start : word.end] for word in words_of(text)]
    assert words == ["Hello", "she", "said", "quietly", "-5°C", "&", "$1,299.99", "well-known"]


@pytest.mark.parametrize(
    ("source", "spoken", "owners"),
    [
        ("at 9:30 p.m. on Monday", "at nine thirty P.M. on Monday", [0, 1, 1, 2, 3, 4]),
        ("on Jan. 5th he left", "on January fifth he left", [0, 1, 2, 3, 4]),
        ("£3.2 billion was paid", "3.2 billion pounds was paid", [0, 1, 1, 2, 3]),
        ("call 555-0123 now", "call 5 5 5, 0 1 2 3 now", [0, 1, 1, 1, 1, 1, 1, 1, 2]),
        ("due 3/4/2027 again", "due March fourth, 2027 again", [0, 1, 1, 1, 2]),
        ("12 March", "the twelfth of March", [0, 0, 0, 1]),
        ("a a a b", "a a a b", [0, 1, 2, 3]),
        ("run 5km", "run 5 kilometers", [0, 1, 1]),
    ],
)
def test_rewritten_words(source, spoken, owners):
    assert match_words(source.split(), spoken.split()) == owners


WORDS = st.lists(st.text(st.sampled_from("ab1$."), min_size=1, max_size=4), min_size=1, max_size=12)


@given(WORDS, WORDS)
def test_every_spoken_word_has_an_owner_and_none_goes_back(source, spoken):
    owners = match_words(source, spoken)
    assert len(owners) == len(spoken)
    assert owners == sorted(owners)
    assert all(0 <= owner < len(source) for owner in owners)
