"""Reading what was copied: text and nothing else, with one sentence for everything that isn't text."""

import pytest

from desktop_tts.desktop.selection import SelectedText
from desktop_tts.desktop.selection.html_text import text_of_html
from desktop_tts.errors import SelectionError
from support.x_program import Program, data, text

pytestmark = pytest.mark.desktop

PNG = data(b"\x89PNG\r\n" + bytes(range(256)))


def test_text(x_display, reader, took):
    x_display.own("clipboard", "Grüße «Привет» 你好")
    found, seconds = took(reader.read_clipboard)
    assert found == SelectedText("Grüße «Привет» 你好", "clipboard")
    print(f"{seconds * 1000:.1f} ms")


def test_text_beside_a_picture_and_html(x_display, reader):
    Program(x_display, {"CLIPBOARD": {"image/png": PNG, "text/html": data(b"<b>no</b>")} | text("yes")})
    assert reader.read_clipboard().text == "yes"


def test_the_text_of_html(x_display, reader):
    html = "<html><head><title>no</title></head><body><p>Grüße &amp; <b>Küsse</b></p><p>two</p></body></html>"
    Program(x_display, {"CLIPBOARD": {"text/html": data(html.encode())}})
    assert reader.read_clipboard() == SelectedText("Grüße & Küsse\ntwo", "clipboard")


@pytest.mark.parametrize(
    ("html", "plain"),
    [
        (b"<p>one<br>two</p>", "one\ntwo"),
        ("\ufeff<b>Grüße</b>".encode("utf-16"), "\ufeffGrüße"),
        ("<i>Grüße</i>".encode("utf-16"), "Grüße"),
        (b"<script>no()</script>yes<style>no{}</style>", "yes"),
        (b"a\n   b\tc", "a b c"),
        (b"<ul><li>1<li>2</ul>", "1\n2"),
        (b"a < b &lt; c", "a < b < c"),
        (b"", ""),
    ],
)
def test_html_as_text(html, plain):
    assert text_of_html(html) == plain


def test_what_is_no_text_is_one_sentence(x_display, reader):
    picture, nothing = "The clipboard holds a picture and no text.", "There's no text in the clipboard."
    for formats, sentence in [
        ({"image/png": PNG, "image/bmp": PNG}, picture),
        ({"text/html": data(b"<img src=x>"), "image/png": PNG}, picture),
        ({"application/x-private": data(b"\0\1")}, nothing),
        (text("  "), nothing),
        ({}, nothing),
    ]:
        Program(x_display, {"CLIPBOARD": formats})
        with pytest.raises(SelectionError) as problem:
            reader.read_clipboard()
        assert str(problem.value) == f"{sentence} Copy some text first."


def test_an_empty_clipboard(x_display, reader):
    with pytest.raises(SelectionError, match="no text in the clipboard"):
        reader.read_clipboard()


def test_a_program_that_hangs_takes_no_more_than_a_second(x_display, reader, took):
    x_display.freeze(x_display.own("clipboard", "frozen"))
    problem, seconds = took(reader.read_clipboard)
    assert str(problem).startswith("The program that owns the clipboard doesn't answer.")
    assert seconds < 1.3


def test_five_megabytes(x_display, reader, took):
    big = "many words " * 480_000
    Program(x_display, {"CLIPBOARD": text(big)})
    found, seconds = took(reader.read_clipboard)
    assert found.text == big
    print(f"{seconds:.2f} s")
