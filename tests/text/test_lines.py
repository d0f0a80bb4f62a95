"""Lines become paragraphs, headings, list items, table rows and code."""

import pytest
from text_checks import sentences, spoken

from desktop_tts.text import TextOptions, prepare


def test_hard_wrapped_lines_are_one_paragraph_without_a_pause():
    made = list(prepare("This line was wrapped\nby the mail program.\n\nThis is a new paragraph."))
    assert [u.text for u in made] == ["This line was wrapped by the mail program.", "This is a new paragraph."]
    assert [u.pause_s for u in made] == [0.5, 0.5]


def test_sentences_pause_less_than_paragraphs():
    assert [u.pause_s for u in prepare("One is here. Two is here.\n\nThree is here.")] == [0.25, 0.5, 0.5]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "The imple-\nmentation of the algo-\nrithm was straight-\nforward.",
            "The implementation of the algorithm was straightforward.",
        ),
        ("The imple\u00ad\nmentation works.", "The implementation works."),
        ("A state-of-the-\nart method.", "A state-of-the-art method."),
        ("Die Haupt-\nund Nebensachen sind da.", "Die Haupt- und Nebensachen sind da."),
        ("He met Jean-\nPaul there.", "He met Jean-Paul there."),
        ("In the years 1990-\n1995 it rained.", "In the years 1990-1995 it rained."),
        ("He is self-\nemployed now.", "He is self-employed now."),
        ("The imple-  \n   mentation works.", "The implementation works."),
        ("Thinking - \nhe left.", "Thinking - he left."),
        ("これはコピーした\nテキストです。", "これはコピーしたテキストです。"),
    ],
)
def test_words_cut_at_the_end_of_a_line_are_joined(source, expected):
    assert sentences(source) == [expected]


@pytest.mark.parametrize("bullet", ["-", "*", "+", "•", "–", "◦", "▪", "●", "- [ ]", "- [x]", "> -", "  -"])
def test_bullets_are_not_spoken_and_items_are_pieces(bullet):
    assert spoken(f"{bullet} first item\n{bullet} second item") == ["first item", "second item"]


def test_numbers_of_items_are_spoken_with_them():
    assert spoken("1. Download it\n2. Install it\n10) Enjoy it\n(11) Stop") == [
        "1, Download it",
        "2, Install it",
        "10, Enjoy it",
        "11, Stop",
    ]


def test_a_number_that_begins_a_wrapped_line_is_no_item():
    assert sentences("They came in the summer of the year and there were\n12. Nobody knew why.")[0].endswith(
        "there were 12."
    )


def test_emoji_and_dots_may_be_bullets():
    assert spoken("✅ Done it\n🚀 Next one") == ["Done it", "Next one"]
    assert spoken("News · Sport • Weather") == ["News, Sport, Weather"]


def test_wrapped_items_are_joined():
    assert sentences("- an item that is\n  longer than a line\n- another one") == [
        "an item that is longer than a line",
        "another one",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "# Title\nThe text starts.",
        "# Title #\nThe text starts.",
        "Title\n=====\nThe text starts.",
        "Title\n\nThe text starts.",
        "Title\n---\nThe text starts.",
    ],
)
def test_headings_are_pieces(text):
    made = list(prepare(text))
    assert [u.text for u in made] == ["Title", "The text starts."]
    assert made[0].pause_s == 0.5


def test_a_title_over_a_paragraph_is_a_piece():
    text = "Introduction\nThis paper shows how a title is told from a line that a program wrapped."
    assert sentences(text)[0] == "Introduction"


def test_short_lines_are_pieces():
    assert spoken("File\nEdit\nView") == ["File", "Edit", "View"]


def test_headers_of_mails_are_pieces():
    assert spoken("From: Ann\nTo: Bob and all the others who read this\nSubject: Lunch at the usual place") == [
        "From: Ann",
        "To: Bob and all the others who read this",
        "Subject: Lunch at the usual place",
    ]


def test_rules_are_silent():
    for rule in ("---", "***", "___", "* * *", "=====", "+-----+----+", "├──┼──┤", ":---|:--:|---:"):
        assert spoken(f"One is here.\n\n{rule}\n\nTwo is here.") == ["One is here.", "Two is here."], rule


def test_tables_are_read_by_row():
    table = "| Name | Age |\n|------|:---:|\n| Ann  | 30  |\n| Bob  |     |\n"
    assert spoken(table) == ["Name, Age", "Ann, 30", "Bob"]
    assert spoken("Name | Age\n--- | ---\nAnn | 30") == ["Name, Age", "Ann, 30"]
    assert spoken("Name\tAge\nAnn\t30\n") == ["Name, Age", "Ann, 30"]


def test_quoted_mail_is_read_without_its_marks():
    assert sentences("> I think so.\n> > Did you?\n> Yes!\nI did.") == ["I think so.", "Did you?", "Yes!", "I did."]


CODE = "Before it.\n\n```python\nprint('x')\n# a comment\n```\n\nAfter it."


def test_code_is_skipped_announced_or_read():
    assert spoken(CODE) == ["Before it.", "After it."]
    assert spoken(CODE, code="announce") == ["Before it.", "Code block.", "After it."]
    assert spoken(CODE, code="read") == ["Before it.", "print('x')", "# a comment", "After it."]


def test_an_announcement_stands_for_the_fence():
    announced = next(u for u in prepare(CODE, TextOptions(code="announce")) if u.text == "Code block.")
    assert CODE[announced.span.start :].startswith("```python")


def test_an_announcement_is_in_the_language_of_the_text():
    text = "Das ist ein deutscher Satz.\n\n```\nx = 1\n```\nDas ist noch ein Satz."
    assert "Codeblock." in spoken(text, code="announce")


@pytest.mark.parametrize("code", ["skip", "announce"])
def test_a_fence_that_ends_code_before_the_selection_hides_nothing(code):
    text = "x = 1\n```\nThe text after it.\n\n```python\ny = 2\n```\nThe end."
    assert [part for part in spoken(text, code=code) if part != "Code block."] == [
        "x = 1",
        "The text after it.",
        "The end.",
    ]
    assert "The text after it." in spoken("x = 1\n```\nThe text after it.", code=code)


@pytest.mark.parametrize("fence", ["~~~", "````", "  ```", "> ```"])
def test_all_fences_are_known(fence):
    assert spoken(f"One is here.\n{fence}\ncode\n{fence}\nTwo is here.") == ["One is here.", "Two is here."]


def test_code_to_the_end_of_the_text_is_code():
    assert spoken("One is here.\n```js\nlet x = 1;\nlet y = 2;") == ["One is here."]
