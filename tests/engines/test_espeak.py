"""espeak-ng, the real program."""

import threading

import numpy as np
import psutil
import pyloudnorm
import pytest
from engines.ear import word_error_rate

from desktop_tts.engines.espeak import RATE, EspeakEngine, best_voices
from desktop_tts.errors import EngineFault, NotInstalled, Unsupported
from desktop_tts.speech import SpeechRequest

GERMAN = "Die Katze sitzt auf der Matte, und der Hund schläft in der Küche."
FRENCH = "Le chat est assis sur le tapis, et le chien dort dans la cuisine."


def sound(chunks):
    return np.concatenate([chunk.pcm for chunk in chunks])


@pytest.fixture
def engine():
    return EspeakEngine()


def test_german_and_french_are_spoken_as_they_are(engine, speak):
    german, french = (sound(speak(engine, text, code)) for text, code in ((GERMAN, "de"), (FRENCH, "fr")))
    for pcm in (german, french):
        assert 2 < len(pcm) / RATE < 8
        assert -24 < pyloudnorm.Meter(RATE).integrated_loudness(pcm) < -16
    as_english = sound(speak(engine, GERMAN, "en"))
    assert len(as_english) != len(german)
    assert not np.array_equal(sound(speak(engine, FRENCH, "de"))[: len(french)], french)


def test_english_is_understood(engine, speak, hear):
    text = "Please open the window before the meeting starts, because the room is getting warm."
    assert word_error_rate(text, hear(sound(speak(engine, text)), RATE).text) <= 0.35


def test_each_language_has_one_voice(engine):
    voices = engine.voices()
    codes = [voice.languages for voice in voices]
    assert len(codes) == len(set(codes)) > 60
    assert {"de", "fr", "es", "ru", "zh", "no", "pt"} <= engine.capabilities().languages
    assert not {"ja", "th"} & engine.capabilities().languages, "it can't read these"
    german = next(voice for voice in voices if voice.id == "espeak:de")
    assert german.name == "German (espeak-ng)"


def test_the_voice_decides_and_without_one_the_language(engine, speak):
    by_voice = sound(speak(engine, GERMAN, "en", voice="espeak:de"))
    assert np.array_equal(by_voice, sound(speak(engine, GERMAN, "de")))
    assert np.array_equal(by_voice, sound(speak(engine, GERMAN, "de", voice="builtin:heart")))


def test_a_language_that_it_has_not_is_named(engine, speak):
    with pytest.raises(Unsupported, match="Japanese"):
        speak(engine, "これは文です。", "ja")


def test_mandarin_is_not_spelled_in_english(engine, speak):
    """The plain Mandarin voice of some versions says "nee three how three"; the sound is twice as long then."""
    pcm = sound(speak(engine, "你好，北京是中国的首都。", "zh"))
    assert len(pcm) / RATE < 4.5


@pytest.mark.parametrize("text", ["-v de --help", "[[h@l'oU]]", "<speak>hi</speak>", "a\0b\x01c \ud800", "x" * 3000])
def test_text_is_never_a_command(engine, speak, text):
    assert len(sound(speak(engine, text))) > 0.2 * RATE


@pytest.mark.parametrize("text", ["", " \n", "?!...", "🎉"])
def test_nothing_to_say_makes_no_sound(engine, speak, text):
    assert speak(engine, text) == []


def test_cancel_in_the_middle_ends_the_program(engine):
    cancel = threading.Event()
    stream = engine.stream(SpeechRequest(GERMAN * 50, "de"), cancel)
    next(stream)
    assert [child.name() for child in psutil.Process().children()] == ["espeak-ng"]
    cancel.set()
    assert list(stream) == []
    assert psutil.Process().children() == []


def test_without_the_program_it_says_how_to_get_it(engine, speak, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "apt").write_text("#!/bin/sh\n")
    (tmp_path / "apt").chmod(0o755)
    assert engine.available() == "Install espeak-ng to hear more languages: sudo apt install espeak-ng"
    assert engine.voices() == ()
    assert "ru" in engine.capabilities().languages, "what it would speak"
    for attempt in (engine.load, lambda: speak(engine, GERMAN, "de")):
        with pytest.raises(NotInstalled, match="sudo apt install espeak-ng"):
            attempt()


def test_it_is_found_once_it_is_installed(engine, speak, monkeypatch, tmp_path):
    with monkeypatch.context() as without:
        without.setenv("PATH", str(tmp_path))
        assert engine.available()
    assert not engine.available()
    assert speak(engine, GERMAN, "de")


def test_a_program_that_fails_is_an_engine_fault(engine, speak, monkeypatch, tmp_path):
    listing = " 5  de              --/M      German             gmw/de               "
    (tmp_path / "espeak-ng").write_text(f"#!/bin/sh\nif [ $1 = --voices ]; then echo '{listing}'; else exit 1; fi\n")
    (tmp_path / "espeak-ng").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    with pytest.raises(EngineFault, match="espeak-ng failed with status 1"):
        speak(engine, GERMAN, "de")


def test_the_best_voice_of_a_language():
    listing = """Pty Language       Age/Gender VoiceName          File                 Other Languages
 5  cmn             --/M      Chinese_(Mandarin,_latin_as_English) sit/cmn              (zh-cmn 5)(zh 5)
 5  cmn-latn-pinyin --/M      Chinese_(Mandarin,_latin_as_Pinyin) sit/cmn-Latn-pinyin  (zh-cmn 5)(zh 5)
 5  fr-be           --/M      French_(Belgium)   roa/fr-BE            (fr 8)
 5  fr-fr           --/M      French_(France)    roa/fr               (fr 5)
 5  grc             --/M      Greek_(Ancient)    grk/grc
 5  nb              --/M      Norwegian_Bokmål  gmq/nb               (no 5)
 5  ru              --/M      Russian            zle/ru
 2  ru-lv           --/M      Russian_(Latvia)   zle/ru-LV
 5  cy              --/M      Welsh              cel/cy
"""
    best = best_voices(listing)
    assert {code: voice.tag for code, voice in best.items()} == {
        "zh": "cmn-latn-pinyin", "fr": "fr-fr", "no": "nb", "ru": "ru", "cy": "cy",
    }  # fmt: skip
    assert best["cy"].name == "Welsh"
