"""What is said of the characters and marks within a sentence."""

import unicodedata

import pytest
from text_checks import sentences, source_of, spoken

from desktop_tts.text import TextOptions, prepare


def say(text: str, **options: object) -> str:
    return " ".join(spoken(text, **options))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("The ﬁrst oﬃce ﬂoor", "The first office floor"),
        ("cafe\u0301 and naı̈ve", "café and naı̈ve"),
        ("ＦＵＬＬ width", "FULL width"),
        ("𝐛𝐨𝐥𝐝 letters", "bold letters"),
        ("ｶﾞｷﾞ", "ガギ"),
        ("10² m, 1½ cups, H₂O", "10² m, 1½ cups, H2O"),
        ("你好，世界！", "你好，世界！"),
        ("It is 5 ℃ warm", "It is 5 °C warm"),
        ("№", "No"),
        ("⒜", "(a)"),
    ],
)
def test_characters_get_the_form_that_engines_know(source, expected):
    assert say(source) == expected


def test_letters_under_a_heap_of_accents_are_relieved():
    said = unicodedata.normalize("NFD", say("Z" + "\u0337\u0322" * 400 + "algo"))
    assert said.startswith("Z")
    assert said.endswith("algo")
    assert len(said) < 15


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("See https://www.example.com/a/b?x=1&y=2#frag for details.", "See example dot com for details."),
        ("See http://sub.example.co.uk:8080/path.", "See sub dot example dot co dot uk."),
        ("See www.example.org, now.", "See example dot org, now."),
        ("Go to example.com today.", "Go to example dot com today."),
        ("Go to example.com/a/b.html today.", "Go to example dot com today."),
        ("(see https://en.wikipedia.org/wiki/A_(letter))", "(see en dot wikipedia dot org)"),
        ("Is it https://example.com?", "Is it example dot com?"),
        ("<https://example.com/x>", "example dot com"),
        ("Write to jane.doe@example.org today.", "Write to jane dot doe at example dot org today."),
        ("Write to mailto:joe_b+x@mail.example.com.", "Write to joe_b+x at mail dot example dot com."),
        (
            "Schreiben Sie bitte an anna@beispiel.de oder www.beispiel.de, danke.",
            "Schreiben Sie bitte an anna ät beispiel Punkt de oder beispiel Punkt de, danke.",
        ),
        (
            "Voyez la page https://www.exemple.fr/page pour en savoir plus.",
            "Voyez la page exemple point fr pour en savoir plus.",
        ),
        ("An image data:image/png;base64,iVBORw0KGgoAAAANSUhEUg== here", "An image here"),
        ("Version 1.2.3 of main.py, e.g. here", "Version 1.2.3 of main.py, e.g. here"),
        ("The user @anna and a @ b", "The user @anna and a @ b"),
        ("http:// alone", "http:// alone"),
    ],
)
def test_addresses_are_said_as_people_say_them(source, expected):
    assert sentences(source) == [expected]


def test_the_words_of_an_address_stand_for_its_parts():
    source = "See https://www.example.com/a?b and jane.doe@site.org now."
    (made,) = prepare(source, TextOptions(first_limit=180))
    assert made.text == "See example dot com and jane dot doe at site dot org now."
    assert source_of(source, made, "example") == "example"
    assert source_of(source, made, "com") == "com/a?b"
    assert [source_of(source, made, word) for word in ("jane", "doe", "site", "now")] == ["jane", "doe", "site", "now"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("some **bold** and *italic* and __under__ and _line_ text", "some bold and italic and under and line text"),
        ("***both*** and ~~struck~~ and ==marked==", "both and struck and marked"),
        ("un**frigging**believable", "unfriggingbelievable"),
        ("**Note:** this", "Note: this"),
        ("`code` and ``more``", "code and more"),
        ('a [link](https://example.com/a_(b) "title") here', "a link here"),
        ("a [link][ref] or [link][]", None),
        ("![a picture](x.png) here", "a picture here"),
        ("[![badge](b.svg)](https://ci.example.com) here", "badge here"),
        ("a note[^1] here", "a note here"),
        (r"not \*emphasis\* here", "not *emphasis* here"),
        ("press <kbd>Ctrl</kbd> and<br>go <b>on</b>", "press Ctrl and go on"),
        ('<div align="center"> <img src="x.png" width="600"/> </div> Text', "Text"),
        ("2 * 3 * 4 and 2*3 and 2**3", "2 * 3 * 4 and 2*3 and 2**3"),
        ("snake_case_name and C++ and C#", "snake_case_name and C++ and C#"),
        ("see [12] and [3, 4] and a[i]", "see [12] and [3, 4] and a[i]"),
        ("a && b, c == d", "a && b, c == d"),
        ("#hashtag and issue #5", "#hashtag and issue #5"),
    ],
)
def test_markdown_marks_are_not_said(source, expected):
    assert say(source) == expected if expected else "link" in say(source)


@pytest.mark.parametrize(
    ("source", "skipped", "named"),
    [
        ("Great job 🎉🎉🎉 see you 👍🏽", "Great job see you", "Great job party popper see you thumbs up sign"),
        ("A family 👨‍👩‍👧 here", "A family here", "A family man, woman, girl here"),
        ("Flag 🇩🇪 here", "Flag here", "Flag flag DE here"),
        ("Key 1️⃣ here", "Key 1 here", "Key 1 here"),
        ("Done ✔️ here ❤️", "Done here", "Done heavy check mark here heavy black heart"),
        ("🎉🎉", "", "party popper"),
        ("5 × 3 → 15 ©", "5 × 3 → 15 ©", "5 × 3 → 15 ©"),
    ],
)
def test_emoji_are_skipped_or_named_once(source, skipped, named):
    assert say(source) == skipped
    assert say(source, emoji="name") == named


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Wait... what??? Oh!!!", "Wait… what? Oh!"),
        ("well -- yes", "well — yes"),
        ("word--word", "word — word"),
        ("a-" * 300, "a-a"),
        ("@" * 300 + " x", "@ x"),
        ("# " * 300 + "x", "# x"),
        ("x" * 5000, "xxx"),
        ("Nooooooo way", "Nooooooo way"),
        ("ha" * 200, "hahahahahaha"),
        ("=-=-=-=-=-=-=-= end", "=- end"),
        ("card 1234567890123456", "card 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6"),
        ("card 123456789012345", "card 123456789012345"),
        ("─────── end", "end"),
    ],
)
def test_repeats_and_long_numbers_are_tamed(source, expected):
    assert say(source) == expected


@pytest.mark.parametrize(
    "token",
    [
        "supercalifragilisticexpialidocious" * 16,
        "/usr/lib/python3/dist-packages/some_package/with/a/long/path/module_name.py",
        "averylongidentifier_with_many_parts_and_even_more_parts_in_it",
        "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20",
        '{"key":"value","other":[1,2,3],"nested":{"a":true,"b":null}}',
        "d41d8cd98f00b204e9800998ecf8427ed41d8cd98f00b204e9800998ecf8427e",
    ],
)
def test_long_tokens_are_cut_and_nothing_is_lost(token):
    made = say(token)
    assert max(map(len, made.split())) <= 40
    assert made.replace(" ", "") == token


def test_chinese_and_thai_are_no_long_tokens():
    for text in (
        "这是一个很长的段落它有很多内容而且没有换行也没有标点符号所以它是一个很长的词但是不应该被切断的",
        "ภาษาไทยไม่มีช่องว่างระหว่างคำดังนั้นข้อความนี้จึงดูเหมือนคำเดียวที่ยาวมาก",
    ):
        assert "".join(u.text for u in prepare(text)).replace(" ", "") == text


@pytest.mark.parametrize(
    "text",
    [
        "It costs $1,299.99, about 20% off; call 555-0123 by 3/4/2027 at 07:05.",
        "WARNING: DO NOT OPEN. NASA and the FBI agree.",
        "At -5°C, 3.5 kg of H2O cost £12 (€14) each; see §4 & pp. 5–7.",
        "Henry VIII ruled 1509–1547; e.g. Mr. O'Brien's co-op, i.e. it's \"theirs\".",
    ],
)
def test_what_the_engine_normalises_itself_stays_as_it_is(text):
    assert say(text) == text


@pytest.mark.parametrize(
    "text", ["", " \n\t \u00a0\u2003 ", "?!?!... --- ***", "🎉🎉", "\x00\x1b[0m\u200b", "---\n***\n", "```\ncode\n```"]
)
def test_nothing_to_say_is_nothing(text):
    assert spoken(text) == []


def test_control_characters_part_words():
    assert spoken("Hello\x00world") == ["Hello world"]
