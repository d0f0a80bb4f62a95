"""Where sentences end, and where long ones are cut."""

import pytest
from text_checks import sentences, spoken

from desktop_tts.text import TextOptions, prepare


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Dr. Smith paid $3.50 at 9:30 p.m. on Main St. in Washington, D.C. Then she left.",
            ["Dr. Smith paid $3.50 at 9:30 p.m. on Main St. in Washington, D.C.", "Then she left."],
        ),
        (
            "Mr. Jones met Mrs. Lee and Prof. Kim. They talked.",
            ["Mr. Jones met Mrs. Lee and Prof. Kim.", "They talked."],
        ),
        ("It is approx. 5 million, i.e. a lot. Is it?", ["It is approx. 5 million, i.e. a lot.", "Is it?"]),
        ("See https://example.com/a. Then stop.", ["See example dot com.", "Then stop."]),
        ('"Really?" he asked. "Yes!" she said.', ['"Really?" he asked.', '"Yes!" she said.']),
        ("He said, “Maybe tomorrow?” and left. Good.", ["He said, “Maybe tomorrow?” and left.", "Good."]),
        (
            "Version 2.0 is out. It uses Node.JS and System.Out here.",
            ["Version 2.0 is out.", "It uses Node.JS and System.Out here."],
        ),
        ("The text has no space.Yet it goes on.", ["The text has no space.", "Yet it goes on."]),
        ("Wait… what? No! Yes.", ["Wait… what?", "No!", "Yes."]),
        ("(This is one.) That is two.", None),
        (
            "Am 3. Oktober kommt Dr. Müller. Danach gehen wir z.B. essen.",
            ["Am 3. Oktober kommt Dr. Müller.", "Danach gehen wir z.B. essen."],
        ),
        ("M. Dupont est là. « Oui », dit-il. C'est bien.", ["M. Dupont est là.", "« Oui », dit-il.", "C'est bien."]),
        ("¿Cómo estás? ¡Muy bien! Gracias a todos.", ["¿Cómo estás?", "¡Muy bien!", "Gracias a todos."]),
        (
            "Я живу в г. Москва, ул. Ленина, д. 5. Это большой город.",
            ["Я живу в г. Москва, ул. Ленина, д. 5.", "Это большой город."],
        ),
        (
            "今日は雨です。2023年に始まる。「はい。」と言った。終わり!",
            ["今日は雨です。", "2023年に始まる。", "「はい。」と言った。", "終わり!"],
        ),
        ("你好吗？我很好！“好。”他说。", ["你好吗？", "我很好！", "“好。”", "他说。"]),
        ("كيف حالك؟ أنا بخير.", ["كيف حالك؟", "أنا بخير."]),
        ("नमस्ते। मेरा नाम राम है।", ["नमस्ते।", "मेरा नाम राम है।"]),
    ],
)
def test_where_sentences_end(text, expected):
    assert sentences(text, limit=300) == expected if expected else len(sentences(text)) <= 2


@pytest.mark.parametrize("ending", ["Dr.", "p.m.", "St.", "e.g.", "3.", "approx.", "vs.", "Mr."])
def test_no_piece_ends_in_an_abbreviation_within_a_sentence(ending):
    text = f"The man whom they call {ending} seven came to the town in the evening and stayed there for a long time."
    assert not [part for part in spoken(text) if part.endswith(ending)]


@pytest.mark.parametrize("limit", range(20, 80, 3))
def test_no_limit_cuts_after_an_abbreviation(limit):
    text = (
        "Dr. Smith paid $3.50 at 9:30 p.m. on Main St. in Washington, D.C. Then she left with Mr. Jones for St. Louis."
    )
    ends = [part.split()[-1] for part in spoken(text, first_limit=limit, limit=limit)]
    assert not {"Dr.", "3.", "p.m.", "St.", "Mr."} & set(ends)


def test_the_first_piece_is_short_and_ends_where_one_breathes():
    text = "The quick brown fox jumps over the lazy dog, and then it goes on to do many other things that foxes do."
    first, second = prepare(text)
    assert first.text == "The quick brown fox jumps over the lazy dog,"
    assert first.pause_s == pytest.approx(0.12)
    assert first.sentence == second.sentence == 0


def test_only_the_first_piece_is_short():
    text = (
        "A short start. " + "This is a sentence that has quite a few words, yet it is not so long that it needs a cut."
    )
    assert len(spoken(text)[1]) > 60


def test_long_sentences_are_cut_between_words():
    text = "word " * 200
    made = list(prepare(text))
    assert all(len(u.text) <= 180 for u in made)
    assert " ".join(u.text for u in made).split() == text.split()
    assert not any(u.pause_s for u in made[:-1])


def test_a_cut_leaves_more_than_a_word_over():
    text = "These are words that make the sentence just a little bit longer, x."
    assert [len(part) >= 10 for part in spoken(text)] == [True, True]


def test_the_parts_after_the_first_may_be_long():
    first, second = spoken("A beginning of a sentence, " + "which goes on and on without any mark and " * 4)[:2]
    assert (len(first) <= 60, len(second) > 100) == (True, True)


def test_what_one_character_stands_for_stays_together():
    made = spoken("㍿" * 30, first_limit=35, limit=55)
    assert len(made) > 1
    assert {len(part) % len("株式会社") for part in made} == {0}


def test_limits_are_options():
    made = list(prepare("one two three four five six seven eight nine ten", TextOptions(first_limit=10, limit=20)))
    assert len(made[0].text) <= 10
    assert all(len(u.text) <= 20 for u in made)


def test_languages_that_say_more_in_a_character_get_fewer():
    assert all(len(part) <= 60 for part in spoken("这是一个很长的句子，" * 30))


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_absurd_limits_do_no_harm(limit):
    made = spoken(
        "Some words, ﷺ 🎉 e\u0301e\u0301e\u0301 and 汉字汉字汉字.", first_limit=limit, limit=limit, emoji="name"
    )
    assert made
    assert all(len(part) <= limit for part in made)


def test_pieces_of_a_sentence_share_its_number():
    made = list(prepare("One, " * 80 + "end. Two is here."))
    assert [u.sentence for u in made] == [0] * (len(made) - 1) + [1]


def test_a_text_without_any_end_has_sentences_to_skip():
    assert prepare_count("word " * 1000) > 5


def prepare_count(text: str) -> int:
    return len({u.sentence for u in prepare(text)})
