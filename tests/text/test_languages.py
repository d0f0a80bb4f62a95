"""Each sentence gets the language in which it's written."""

import sys

import pytest
from text_checks import languages

TEXTS = {
    "de": "Dies ist ein Text über das Wetter. Heute ist es schön, aber morgen regnet es vielleicht wieder.",
    "fr": "Je m'appelle Marie et j'habite à Paris. C'est une très belle ville, et il y a beaucoup de monde.",
    "es": "Me llamo Juan y vivo en Madrid. Es una ciudad muy grande y hace mucho calor en verano.",
    "it": "Mi chiamo Marco e abito a Roma. È una città molto bella e ci sono tante cose da vedere.",
    "pt": "O meu nome é João e moro em Lisboa. É uma cidade muito bonita e tem muitas colinas.",
    "nl": "Ik heet Jan en ik woon in Amsterdam. Het is een mooie stad met veel water en fietsen.",
    "sv": "Jag heter Sven och jag bor i Stockholm. Det är en vacker stad med många öar.",
    "pl": "Mam na imię Jan i mieszkam w Warszawie. To jest bardzo duże i ciekawe miasto.",
    "ru": "Меня зовут Иван. Я живу в Москве, и это очень большой город.",
    "uk": "Мене звати Іван. Я живу в Києві, і це дуже гарне місто.",
    "el": "Με λένε Γιώργο και μένω στην Αθήνα. Είναι μια πολύ μεγάλη πόλη.",
    "ar": "اسمي أحمد وأعيش في القاهرة. إنها مدينة كبيرة جدا.",
    "fa": "نام من علی است و در تهران زندگی می‌کنم. این شهر بسیار بزرگ است.",
    "he": "שמי דוד ואני גר בתל אביב. זאת עיר גדולה מאוד.",
    "hi": "मेरा नाम राम है और मैं दिल्ली में रहता हूँ। यह बहुत बड़ा शहर है।",
    "ja": "私の名前は田中です。東京に住んでいます。東京都。",
    "zh": "我的名字是李明。我住在北京，这是中国的首都。",
    "ko": "제 이름은 김철수입니다. 저는 서울에 살고 있습니다.",
    "th": "ผมชื่อสมชาย ผมอยู่ที่กรุงเทพ",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_text_in_one_language(language):
    assert set(languages(TEXTS[language])) == {language}


@pytest.mark.parametrize("language", [language for language in TEXTS if language != "de"])
def test_languages_side_by_side(language):
    made = languages(TEXTS["de"] + "\n\n" + TEXTS[language] + "\n\n" + TEXTS["de"])
    assert (made[0], made[-1]) == ("de", "de")
    assert language in made


@pytest.mark.parametrize(
    "text",
    [
        "The word 北京 means northern capital.",
        "The ひらがな script is Japanese.",
        "Москва is the Russian name of Moscow.",
        "He said c'est la vie and left the room.",
        "They call it Schadenfreude in German.",
        "He lives in Rio de Janeiro.",
        "Run `pip install foo` and see https://www.beispiel.de/über/uns for the details.",
        "def main(): return the_value(of, the, thing)",
        "Click OK to continue.",
        "first bold item",
        "Title",
        "Chapter 12",
        "NASA and the FBI agree.",
        "word word word word",
        "supercalifragilisticexpialidocious" * 16,
        "12345",
        "Max",
        "Credits",
        "Subprocesses",
        "d = super().format_dict(total=d['n'] or 0, x=l.y)",
        "Lorem",
    ],
)
def test_english_stays_english(text):
    assert set(languages(text)) == {"en"}


def test_a_foreign_sentence_among_english_ones():
    assert languages("The word 北京 means northern capital. Das ist ein deutscher Satz.") == ["en", "de"]


def test_foreign_words_do_not_turn_a_sentence():
    assert set(
        languages("Das ist ein Meeting mit dem Team. Wir nutzen Cloud Computing und Machine Learning dafür.")
    ) == {"de"}
    assert languages("我用Python写代码。") == ["zh"]
    assert languages("Пишите на ivan@mail.ru.") == ["ru"]
    assert languages("Пишите на ivan@mail.ru или на сайт https://www.example.com/page.") == ["ru"]


def test_what_is_too_short_to_tell_follows_its_neighbours():
    assert languages("Bonjour. Comment allez-vous aujourd'hui, mes amis ?") == ["fr", "fr"]
    assert set(languages("Einleitung\n\nDies ist ein Text über das Wetter. OK. Heute ist es schön.")) == {"de"}
    assert languages("私の名前は田中です。東京都。") == ["ja", "ja"]
    assert languages("東京都。私の名前は田中です。") == ["ja", "ja"]


def test_the_default_is_for_what_cannot_be_told():
    assert languages("12 34", default_language="de") == ["de"]
    assert languages("Max", default_language="fr") == ["fr"]
    assert languages("Это предложение.", default_language="fr") == ["ru"]
    assert languages("OK", default_language="ja") == ["en"]


def test_without_the_detector_scripts_and_little_words_tell(monkeypatch):
    monkeypatch.setitem(sys.modules, "pycld2", None)
    assert languages("The cat is on the mat and it was there.") == ["en"]
    assert languages("Das ist nicht gut und es wird auch nicht besser.") == ["de"]
    assert set(languages(TEXTS["ru"])) == {"ru"}
    assert set(languages(TEXTS["uk"])) == {"uk"}
    assert set(languages(TEXTS["fa"])) == {"fa"}
    assert set(languages(TEXTS["zh"])) == {"zh"}
    assert languages("Kubernetes pod scheduling") == ["en"]
