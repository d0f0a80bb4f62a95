"""The first step: only characters that can be read come through, in whatever pieces they arrive."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from desktop_tts.text.characters import located, readable
from desktop_tts.text.offsets import Mapped


def read(*pieces: str) -> tuple[str, list[int]]:
    text = Mapped.joined(readable(located(pieces)))
    return text.text, list(text.index)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("plain text\twith a tab\n", "plain text\twith a tab\n"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;window title\x07text", "text"),
        ("\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("a\x00b", "a b"),
        ("bell\x07", "bell "),
        ("zero\u200bwidth", "zerowidth"),
        ("\u2066bidi\u2069 \u202eoverride\u202c", "bidi override"),
        ("\ufeffmark", "mark"),
        ("Donau\u00addampf", "Donaudampf"),
        ("imple\u00ad\nmentation", "imple-\nmentation"),
        ("imple\u00ad \r\nmentation", "imple-\nmentation"),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("page\x0cpage", "page\npage"),
        ("one\u2029two", "one\n\ntwo"),
        ("half \ud800 pair", "half   pair"),
        ("\ud83d\ude00 whole", "😀 whole"),
        ("icon \ue0b0 font", "icon   font"),
        ("not\ufffda\ufffecharacter", "nota character"),
        ("\x1b[", ""),
    ],
)
def test_what_comes_through(source, expected):
    assert read(source)[0] == expected


def test_places_are_those_of_the_source():
    text, places = read("a\x1b[0mb\r\nc")
    assert (text, places) == ("ab\nc", [0, 5, 6, 8])


parts = st.lists(
    st.sampled_from(
        [
            "a",
            "é",
            "\x1b[3",
            "1m",
            "\x1b]0;t",
            "\x07",
            "\x1b",
            "\\",
            "\r",
            "\n",
            "\ud83d",
            "\ude00",
            "\u00ad",
            " ",
            "\u200b",
        ]
    ),
    max_size=12,
)


@given(parts)
@example(["\u00ad", "\u00ad", "\r", "\n"])
@example(["\u00ad", "\r", "\n"])
def test_the_cut_of_the_input_makes_no_difference(pieces):
    assert read(*pieces) == read("".join(pieces))
