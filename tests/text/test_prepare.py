"""The whole pipeline: what holds for every text, for prose, for pieces of text and for texts without end."""

import itertools
import random
import subprocess
import sys
import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from text_checks import alphanumeric, check, source_of, spoken

from desktop_tts.text import TextOptions, prepare, prepare_stream

FRAGMENTS = [
    "Hello there. ", "Dr. Smith ", "e.g. ", "\n", "\n\n", "- ", "* ", "1. ",
    "2) ", "# ", "```\n", "```py\n", "~~~\n", "> ",
    "|a|b|\n", "---\n", "===\n", "word ", "imple-\nmentation ", "**bold** ",
    "[link text](http://x.com/a) ", "![i](u)",
    "https://www.example.com/a?b=c. ", "a@b.com ", "<p>", "</p>", "<b>x</b>", "<script>", "</script>", "<!-- ", "-->",
    "&amp;", "🎉", "👍🏽", "\u00ad", "\u200b", "\x1b[31m", "\x00", "\ud800", "\udc00", "é", "e\u0301", "ﬁ", "½",
    "これは文です。", "次の文です!", "你好，世界。", "한국어 문장입니다. ", "Это предложение. ",
    "مرحبا بالعالم. ", "Das ist ein Satz. ",
    "Bonjour. ", "C'est la vie. ",
    "x" * 50, "1" * 30, "@" * 20, "a-" * 30, "\t", "   ", "\r\n", "\r", "?! ", "... ", "… ",
    "“Quote. ", "” ", "(paren ", "). ", "3. ", "Oktober ", "\u2028", "\u3000", "\ue000", "ﷺ ", "A. B. C. ",
    "hello, world; and: more — yes. ", "`code` ", "_it_ ", "¿Qué? ", "The ", "Introduction\n", "\f", "\x1b]0;t",
    "word" * 100, "words " * 110, "汉字" * 310, "xyz" * 250,
]  # fmt: skip

texts = st.one_of(st.text(max_size=300), st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join))
option_sets = st.builds(
    TextOptions,
    emoji=st.sampled_from(["skip", "name"]),
    code=st.sampled_from(["skip", "announce", "read"]),
    first_limit=st.sampled_from([60, 30]),
    default_language=st.sampled_from(["en", "de", "ja"]),
)


@settings(max_examples=200, deadline=None)
@given(texts, option_sets)
def test_what_holds_for_any_text(text, options):
    check(text, prepare(text, options), options)


@settings(max_examples=200, deadline=None)
@given(texts, option_sets, st.integers(1, 40), st.randoms(use_true_random=False))
def test_a_text_in_pieces_gives_what_the_whole_gives(text, options, longest, rng):
    assert list(prepare_stream(pieces_of(text, longest, rng), options)) == list(prepare(text, options))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(["word " * 90, "汉字" * 200, "xyz" * 150, "end. Next ", "end.\n", "Dr. ", "a, b; "]), max_size=8
    ),
    st.integers(1, 700),
    st.randoms(use_true_random=False),
)
def test_a_long_text_in_pieces_gives_what_the_whole_gives(parts, longest, rng):
    text = "".join(parts)
    assert list(prepare_stream(pieces_of(text, longest, rng))) == list(prepare(text))


def test_the_rest_of_an_endless_word_is_left_out():
    assert spoken("Before it. " + "xyz" * 5000 + " after it.")[-1] == "after it."
    assert len(spoken("xyz" * 5000)) < 10


def pieces_of(text: str, longest: int, rng: random.Random) -> list[str]:
    pieces = []
    while text:
        size = rng.randint(0, longest)
        pieces.append(text[:size])
        text = text[size:]
    return pieces


# Words and marks of prose, none of which means anything but itself.
WORDS = st.text(
    st.sampled_from("abcdefghijklmnoprstuvwyzABCDEFGHKLMNäöüßéèñçøåłДвжяабгのはひ漢字語한국αβγעברית0123456789ﬁ"),
    min_size=1,
    max_size=12,
)
MARKS = st.sampled_from(
    [" ", " ", " ", " ", " ", ", ", ". ", "! ", "? ", "; ", ": ", "\n", "\n\n", "' ", " (", ") ", " — ", "’s ", "/"]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(WORDS, MARKS), min_size=1, max_size=60))
def test_no_letter_of_prose_is_lost_and_each_stands_for_itself(pairs):
    source = "".join(word + mark for word, mark in pairs)
    made = list(prepare(source))
    assert alphanumeric("".join(u.text for u in made)) == alphanumeric(source)
    for utterance in made:
        for at, char in enumerate(utterance.text):
            if char.isalnum():
                assert char in alphanumeric(source[utterance.source_index(at)])


def test_words_are_found_in_their_source():
    source = "# Title\n\nA **bold** word, an imple-\nmentation and [a link](http://x.org/y) with oﬃce &c.\n- last item"
    made = list(prepare(source, TextOptions(first_limit=180)))
    assert source_of(source, made[0], "Title") == "Title"
    assert source_of(source, made[1], "bold").startswith("bold")
    assert source_of(source, made[1], "implementation") == "imple-\nmentation"
    assert source_of(source, made[1], "link").startswith("link]")
    assert source_of(source, made[1], "office") == "oﬃce"
    assert source[made[1].span.start : made[1].span.end].startswith("A **bold**")
    assert source_of(source, made[2], "item") == "item"


def test_all_words_of_a_name_stand_for_the_emoji():
    source = "Well done 🎉 today"
    (made,) = prepare(source, TextOptions(emoji="name"))
    assert made.text == "Well done party popper today"
    assert [source_of(source, made, word) for word in ("done", "party", "popper", "today")] == [
        "done",
        "🎉",
        "🎉",
        "today",
    ]


# ---------------------------------------------------------------- texts that grow


def arrivals(pieces: list[str], options: TextOptions | None = None) -> list[tuple[str, int]]:
    """Each utterance with the number of pieces that were read when it came."""
    read = 0

    def counted():
        nonlocal read
        for piece in pieces:
            read += 1
            yield piece

    return [(utterance.text, read) for utterance in prepare_stream(counted(), options or TextOptions())]


def test_a_sentence_is_spoken_when_the_next_begins():
    assert arrivals(["Hello there. ", "How are you? ", "I am fine."]) == [
        ("Hello there.", 2),
        ("How are you?", 3),
        ("I am fine.", 3),
    ]


def test_a_sentence_is_spoken_when_its_line_ends():
    assert arrivals(["The first line is done.\n", "And the second one.\n", "Third"]) == [
        ("The first line is done.", 1),
        ("And the second one.", 2),
        ("Third", 3),
    ]


def test_a_paragraph_is_spoken_when_it_ends():
    assert arrivals(["No full stop here\n", "\n", "More"])[0] == ("No full stop here", 2)


def test_a_sentence_comes_out_of_the_middle_of_a_piece():
    assert arrivals(["One is here. Two is here. Thr", "ee is here."])[:2] == [("One is here.", 1), ("Two is here.", 1)]


def test_an_abbreviation_is_not_spoken_as_a_sentence():
    assert arrivals(["I met Dr. ", "Smith at 5 p.m. ", "on Main St. ", "today. ", "Then I left."])[0] == (
        "I met Dr. Smith at 5 p.m. on Main St. today.",
        5,
    )


def test_typed_text_is_spoken_with_the_first_letter_of_the_next_sentence():
    text = "Hello there. How are you? Fine."
    assert arrivals(list(text)) == [("Hello there.", 14), ("How are you?", 27), ("Fine.", len(text))]


def test_chinese_needs_no_space_to_go_on():
    assert arrivals(["我的名字是李明。", "我住在北京。", "好"])[0] == ("我的名字是李明。", 2)


def test_a_wrapped_line_waits_for_the_next():
    assert arrivals(["This line was wrapped\n", "by a program.\n", "x"]) == [
        ("This line was wrapped by a program.", 3),
        ("x", 3),
    ]


def test_errors_of_the_source_come_through():
    def broken():
        yield "One is here. Two"
        raise OSError("pipe")

    made = prepare_stream(broken())
    assert next(made).text == "One is here."
    with pytest.raises(OSError, match="pipe"):
        list(made)


# ---------------------------------------------------------------- texts without end


def endless(pieces: str, most: int = 200):
    """A stream that fails the test when it's read to the end."""
    for count in itertools.count():
        assert count < most, "the text is read further than the first utterance needs"
        yield pieces


@pytest.mark.parametrize(
    "piece", ["A sentence goes here. ", "word ", "A line is here\n", "汉字", "x, ", "- item\n", "- ", "x"]
)
def test_the_first_utterance_needs_only_the_start(piece):
    if piece in ("- ", "x"):
        assert not list(itertools.islice(prepare_stream(iter([piece] * 5000)), 1)) or piece == "x"
        return
    assert next(iter(prepare_stream(endless(piece, 1000)))).text


def peak_of(run) -> int:
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


LONG = "".join(
    f"This is sentence number {n} of a long text, which has some more words. " + "\n\n" * (n % 7 == 0)
    for n in range(4300)
)


@pytest.mark.parametrize(
    "text",
    [LONG, "word " * 2_000_000, "x" * 10_000_000, "汉字" * 3_000_000],
    ids=["prose", "words", "one word", "chinese"],
)
def test_the_first_utterance_of_a_long_text_comes_soon_and_takes_no_memory(text):
    next(prepare("Warm up."))
    started = time.perf_counter()
    assert peak_of(lambda: next(prepare(text))) < 2_000_000
    assert time.perf_counter() - started < 2.0


def test_sixty_thousand_words_in_flat_memory():
    assert len(LONG.split()) > 60_000
    kept = {}

    def run():
        for count, utterance in enumerate(prepare(LONG)):
            kept["first" if count == 0 else "last"] = utterance

    assert peak_of(run) < 3_000_000
    assert kept["first"].text.startswith("This is sentence number 0")
    assert "4299" in LONG[kept["last"].span.start - 60 : kept["last"].span.end]
    assert kept["last"].sentence == 4299


HOSTILE = [
    "a", "1", "@", "*", "_", "[", "](", "![", "<", "<p>", "</p>", "<a ", "&", "&a", "`", "```\n", "~~~\n",
    "~~~\n```\n", "-", "- ", "a-", "a- ", "ab-\n", "a@", "a@b.", "a.", "a. ", ". ", "A. B. ", "Dr. ", "3. ",
    "Yahoo! ", "? ", "…", "https://", "www.", "http://a.b/(", "|", "| ", "\\", "é", "\u0301", "\u1161", "🎉",
    "\U0001f1e9", "(", "(a. ", '"', '"a. ', "“", "ab", "a1", " ", "\t", "\n", " \n", "\r", "=", "#", "# ",
    "#\n", "> ", ">", "1. a\n", "1.\n", "\x1b[", "\x1b]", "\x00", "\ud800", "\udc00", "\u00ad", "\u00ad\n",
    "\u200b", "ﷺ", "汉", "汉。", "ひ", "ไ", "Ａ", "½", "abc def. ghi. ", "x, ", "data:a/a;base64,", "mailto:",
    "<!-- ", "<p></p><script>", "['", "Hello <b>", "ı", "ſ", "㍿", "\u2028", "\ufffe", "Bonjour. ",
    "C'est la vie. ", "東京。", "O.K. ", "a…b ", "--", "a--", "..", "^1", "[^1]", "\U000e0001",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE, ids=ascii)
def test_no_text_stalls(unit):
    text = (unit * 8_000)[:8_000]
    for source in (text, "Hello there. " + text + " The end.", "<p></p>" + text):
        started = time.perf_counter()
        check(source, prepare(source), TextOptions())
        assert time.perf_counter() - started < 20


def test_importing_costs_little():
    code = (
        "import sys, desktop_tts.text;"
        "heavy = {'sentencex', 'pycld2', 'torch', 'PySide6', 'onnxruntime', 'sounddevice'} & set(sys.modules);"
        "sys.exit(', '.join(heavy) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_options_of_other_kinds_do_no_harm():
    assert spoken("One 🎉 is here.", emoji="skip", code="skip", default_language="xx") == ["One is here."]
