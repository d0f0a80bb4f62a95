"""Words of the user interface, and which voices a menu offers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_tts.speech import Voice
from desktop_tts.ui.texts import keys_text, shorten, speed_text
from desktop_tts.ui.voice_choice import MOST, describe, short_list


@given(st.text(), st.integers(5, 60))
def test_shortened_text_fits_on_a_line(text, limit):
    short = shorten(text, limit)
    assert len(short) <= limit + 1
    assert "\n" not in short
    assert short == " ".join(short.split())


def test_shortened_text_ends_with_a_word():
    assert shorten("One two three four", 9) == "One two…"
    assert shorten("One two three four", 7) == "One two…"
    assert shorten("One\n two  three", 30) == "One two three"
    assert shorten("Donaudampfschifffahrt", 10) == "Donaudampf…"


def test_hotkeys_are_written_as_people_know_the_keys(monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    assert keys_text("Meta+Alt+R") == "Super+Alt+R"
    assert keys_text("Ctrl++") == "Ctrl++"
    assert keys_text("") == ""
    monkeypatch.setattr("sys.platform", "win32")
    assert keys_text("Meta+Alt+R") == "Win+Alt+R"


@pytest.mark.parametrize(("speed", "words"), [(1.0, "1×"), (1.25, "1.25×"), (2.5, "2.5×"), (0.75, "0.75×")])
def test_speeds_in_words(speed, words):
    assert speed_text(speed) == words


def voice(engine, name, *languages, download=False):
    return Voice(f"{engine}:{name}", name, engine, languages, needs_download=download)


MANY = tuple(voice("espeak", code, code) for code in ("af", "bg", "cs", "da", "de", "el", "en", "fi", "fr", "hu"))


def test_short_list_has_good_voices_the_users_languages_and_the_chosen_one():
    voices = (voice("builtin", "heart", "en"), voice("qwen", "vivian", "zh", download=True), *MANY)
    ids = [each.id for each in short_list(voices, "espeak:fi", {"de"})]
    assert ids == ["espeak:fi", "builtin:heart", "espeak:de"]


def test_short_list_begins_with_the_users_own_voices():
    voices = (*MANY, *(voice("my", str(number), "xx") for number in range(9)), voice("my", "gone", "en", download=True))
    ids = [each.id for each in short_list(voices, "my:3", {"de"})]
    assert ids == [*(f"my:{number}" for number in range(9)), "espeak:de"]


def test_short_list_stays_short():
    assert len(short_list(MANY, "espeak:af", {each.name for each in MANY})) <= MOST
    assert short_list((), "builtin:heart", {"en"}) == ()


def test_voices_are_described_by_language_and_words():
    assert describe(Voice("a:b", "B", "a", ("en", "de"), "Warm.")) == "English, German · Warm."
