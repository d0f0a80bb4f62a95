"""Text that is the source of a web page is read as the page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_checks import sentences, source_of, spoken

from desktop_tts.text import prepare
from desktop_tts.text.characters import located
from desktop_tts.text.html_source import without_html
from desktop_tts.text.offsets import Mapped

PAGE = """<!DOCTYPE html>
<html><head><title>Tab title</title><style>p { color: red }</style></head>
<body class="x" data-y="1 > 0">
<nav><ul><li>Home<li>About us</ul></nav>
<h1>The heading</h1>
<p>A first paragraph with <b>bold</b>, <a href="https://example.com/x?a=1&amp;b=2" title="t">a link</a>
and a wrapped	line. It&rsquo;s 5 &lt; 6&nbsp;&amp; more.</p>
<!-- a comment <p>not shown</p> -->
<script type="text/javascript">if (a < b && c > d) { alert("no"); }</script>
<table><tr><th>Name</th><th>Age</th></tr><tr><td>Ann</td><td>30</td></tr></table>
<p>The end.</p></body></html>"""


def test_a_page_is_read_as_a_browser_shows_it():
    read = sentences(PAGE)
    assert "The heading" in read
    assert "A first paragraph with bold, a link and a wrapped line." in read
    assert "It’s 5 < 6 & more." in read
    assert "About us" in read
    assert "Name, Age" in read
    assert "Ann, 30" in read
    assert read[-1] == "The end."
    assert not [
        part for part in read if any(word in part for word in ("alert", "color", "comment", "href", "Tab title"))
    ]


def test_fragments_count_as_html_when_they_close_a_tag():
    assert spoken("<p>Hello &amp; welcome</p><script>alert(1)</script>") == ["Hello & welcome"]
    assert spoken("\ufeff  <div>One</div><div>Two</div>") == ["One", "Two"]


@pytest.mark.parametrize(
    "text",
    [
        "<3 you all",
        "<b is less than c",
        "a <b> c",
        "The <b> tag makes text bold.",
        "<unknown>thing</unknown>",
        "x < y and y > z",
        "Tom & Jerry; AT&amp;T",
    ],
)
def test_other_text_keeps_its_signs(text):
    assert "".join(spoken(text)).replace(" ", "") == text.replace(" ", "")


def test_the_words_of_a_page_are_found_in_its_source():
    for utterance in prepare(PAGE):
        for word in ("heading", "bold", "wrapped", "Ann", "end"):
            if word in utterance.text:
                assert source_of(PAGE, utterance, word).startswith(word)


@given(
    st.lists(
        st.sampled_from(
            [
                "<p>",
                "</p>",
                "<b",
                ">",
                "<",
                "&",
                "amp;",
                "&lt;",
                "text ",
                "\n",
                "<!--",
                "-->",
                "<script>",
                "</scr",
                "ipt>",
                "<li>",
            ]
        ),
        max_size=14,
    ),
    st.booleans(),
)
def test_the_cut_of_the_input_makes_no_difference(pieces, opened):
    pieces = (["<p></", "p>"] if opened else []) + pieces
    cut = Mapped.joined(without_html(located(pieces)))
    whole = Mapped.joined(without_html(located(["".join(pieces)])))
    assert (cut.text, list(cut.index)) == (whole.text, list(whole.index))
