"""Text that keeps the place in the source of each of its characters."""

import re

from hypothesis import given
from hypothesis import strategies as st

from desktop_tts.speech import Span, Utterance
from desktop_tts.text.offsets import EMPTY, Mapped


def test_a_replacement_stands_for_the_place_of_what_it_replaces():
    text = Mapped.at("a & b", 10).sub(re.compile("&"), "and")
    assert text.text == "a and b"
    assert list(text.index) == [10, 11, 12, 12, 12, 13, 14]


def test_an_edit_keeps_the_places_of_what_stays():
    text = Mapped.at("see [link](url) now", 0).sub(re.compile(r"\[(\w+)\]\(\w+\)"), lambda match: [match.span(1)])
    assert text.text == "see link now"
    assert list(text.index)[4:9] == [5, 6, 7, 8, 15]


def test_new_text_after_a_kept_part_stands_for_what_follows_it():
    text = Mapped.at("a.b", 0).sub(re.compile(r"(a)\."), lambda match: [match.span(1), " dot "])
    assert text.text == "a dot b"
    assert list(text.index) == [0, 1, 1, 1, 1, 1, 2]


def test_an_edit_at_the_end_stands_for_the_place_after_it():
    assert list(Mapped.at("ab", 5).sub(re.compile(r"\Z"), "!").index) == [5, 6, 7]


def test_no_match_changes_nothing():
    text = Mapped.at("abc", 0)
    assert text.sub(re.compile("x"), "y") is text


def test_stripping_moves_both_ends():
    text = Mapped.at("  ab ", 0).stripped()
    assert (text.text, list(text.index), text.end) == ("ab", [2, 3], 4)
    assert Mapped.at("  ", 0).stripped().text == ""


def test_joining_with_nothing_is_neutral():
    text = Mapped.at("ab", 3)
    assert (EMPTY + text).text == "ab"
    assert list(Mapped.joined([text, EMPTY, Mapped.at("c", 9)]).index) == [3, 4, 9]


@given(st.text("ab.-", max_size=40), st.sampled_from(["", "x", "long"]), st.integers(0, 1000))
def test_offsets_give_back_the_place_of_every_character(source, replacement, start):
    text = Mapped.at(source, start).sub(re.compile(r"[.-]+"), replacement)
    utterance = Utterance(text.text, Span(start, start + len(source)), "en", 0, 0.0, text.offsets())
    assert [utterance.source_index(at) for at in range(len(text))] == list(text.index)
    assert list(text.index) == sorted(text.index)
