"""Which language a sentence is in: by its script, then by letters and words, in doubt as the text around it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from desktop_tts.speech import LANGUAGE_NAMES
from desktop_tts.text.addresses import AT, DOT
from desktop_tts.text.function_words import WELL_KNOWN, function_words
from desktop_tts.text.scripts import words_by_script

_OTHER_CODES = {
    "iw": "he",
    "nb": "no",
    "nn": "no",
    "in": "id",
    "ms": "id",
    "jw": "jv",
    "tl": "fil",
    "gl": "es",
    "zh-Hant": "zh",
}
_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "latin": (),
    "cjk": ("zh", "ja"),
    "cyrillic": ("ru", "uk", "bg", "sr", "be", "mk", "kk", "ky", "mn", "tg"),
    "arabic": ("ar", "fa", "ur", "ps", "ug", "sd", "ckb"),
    "hebrew": ("he", "yi"),
    "devanagari": ("hi", "mr", "ne", "sa"),
    "hangul": ("ko",),
    "greek": ("el",),
}
"""The languages of each script that serves several, the likeliest first."""
_LETTERS: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("cyrillic", re.compile("[іїєґІЇЄҐ]"), "uk"),
    ("cyrillic", re.compile("[ўЎ]"), "be"),
    ("cyrillic", re.compile("[ђћЂЋ]"), "sr"),
    ("cyrillic", re.compile("[ѓќѕЃЌЅ]"), "mk"),
    ("cyrillic", re.compile("[ыэёЫЭЁ]"), "ru"),
    ("arabic", re.compile("[ٹڈڑےں]"), "ur"),
    ("arabic", re.compile("[پچژگ]"), "fa"),
)
"""Letters that tell apart languages of one script, better than the detector does in short texts."""
_TOLD_BY_LETTERS = frozenset(language for _, _, language in _LETTERS)
_LATIN_LETTERS = re.compile(
    "(?P<es>[ñÑ¿¡])|(?P<de>ß)|(?P<pt>[ãõÃÕ])|(?P<pl>[łąężźśŁŻŚ])|(?P<tr>[ğışĞİŞ])|(?P<ro>[țșăȚȘĂ])|(?P<cs>[řěůŘ])"
    r"|(?P<hu>[őűŐŰ])|(?P<fi>ää|öö|yy)|(?P<vi>[ạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ])|(?P<fr>[œçÇ]|\b[cdjlnsCDJLNS]['’](?=[^\W\d_]))"
)

# How much each kind of evidence weighs; chosen on 12,000 short messages of programs in 21 languages.
_RELIABLE, _BEST_EFFORT, _BEFORE, _LETTER = 2.0, 0.7, 1.5, 0.5
_CLEAR = 1.0
"""By how much the winner must lead to be sure without a reliable detection."""
_HAN_SENTENCE = 4.0
"""Words that Japanese doesn't say without kana."""
_ADDRESSES = re.compile(rf"[\w+-]{{1,64}}(?: [{DOT}{AT}] [\w+-]{{1,64}})+")
"""Words of web and mail addresses are of no language."""
_RARE_LETTERS = 60
"""A language that few speak is believed from this many letters on."""
_FEW_LETTERS = 8
"""So few letters, or a single word, may be a name or a term of any language."""
_WORDS_AHEAD = 0.75
"""By so much the little words of the language before outweigh the detected one's: "He lives in Rio de Janeiro."."""
_MANY_WORDS = 8
"""So many words are no sentence of a language when none of its little words is among them."""


@dataclass(frozen=True, slots=True)
class Guess:
    """``sure`` enough for later sentences to follow it."""

    language: str
    sure: bool = True
    maybe: str = ""
    """Another language that it may be; the next sentence may tell."""


def guess(text: str, before: Mapping[str, str]) -> Guess:
    """The language of ``text``. ``before`` has the language last seen in each script, and overall under ``""``."""
    text = _ADDRESSES.sub(" ", text)
    family, words = _family(text)
    if family == "":
        return Guess(before.get("", "en"), sure=False)
    if family == "latin":
        return _guess_latin(text, before.get("latin", "en"))
    if family == "cjk":
        return _guess_cjk(words, before.get("cjk", ""))
    languages = _FAMILIES.get(family, (family,))
    if len(languages) == 1:
        return Guess(languages[0])
    return Guess(_language_in_family(text, family, languages, before.get(family, "")))


def _language_in_family(text: str, family: str, languages: tuple[str, ...], before: str) -> str:
    code, reliable = _detected(text, best_effort=False)
    reliable = reliable and code in languages
    if reliable and code not in _TOLD_BY_LETTERS:
        return code
    for script, letters, language in _LETTERS:
        if script == family and letters.search(text):
            return language
    if before and (not reliable or sum(map(str.isalpha, text)) < _RARE_LETTERS):
        return before
    return code if reliable else languages[0]


def family_of(language: str) -> str:
    """The script, as in ``before``, that a language is written in."""
    return next((family for family, languages in _FAMILIES.items() if language in languages), "latin")


def _family(text: str) -> tuple[str, dict[str, float]]:
    words = words_by_script(text)
    if not words:
        return "", words
    joint = dict(words)
    cjk = joint.pop("han", 0.0) + joint.pop("kana", 0.0)
    if cjk:
        joint["cjk"] = cjk
    return max(joint, key=lambda script: joint[script]), words


def _guess_cjk(words: Mapping[str, float], before: str) -> Guess:
    kana, han = words.get("kana", 0.0), words.get("han", 0.0)
    if kana > 0.1 * han:
        return Guess("ja")
    if before:
        return Guess(before, sure=han > _HAN_SENTENCE)
    return Guess("zh", sure=han > _HAN_SENTENCE, maybe="ja" if han <= _HAN_SENTENCE else "")


def _guess_latin(text: str, before: str) -> Guess:
    code, reliable = _detected(text, best_effort=False)
    score = function_words(text)
    reliable = reliable and _believable(code, text, score, before)
    best = code if reliable else _detected(text, best_effort=True)[0]
    if best in LANGUAGE_NAMES or reliable:
        score[best] += _BEST_EFFORT + (_RELIABLE if reliable else 0)
    for match in _LATIN_LETTERS.finditer(text[:500]):
        score[match.lastgroup or ""] += _LETTER
    other = max((language for language in score if language != before), key=lambda one: score[one], default="")
    score[before] += _BEFORE
    language, top = max(score.items(), key=lambda item: item[1])
    lead = top - max((value for other, value in score.items() if other != language), default=0.0)
    sure = (reliable and language == best) or (lead >= _CLEAR and top > _BEFORE + _CLEAR)
    return Guess(language, sure, "" if sure else other)


def _believable(language: str, text: str, words: Mapping[str, float], before: str) -> bool:
    """Whether a detection can be right that the detector calls reliable: it's reliable on prose only."""
    letters = sum(map(str.isalpha, text))
    if language not in LANGUAGE_NAMES:
        return letters >= _RARE_LETTERS
    if language != before and (letters < _FEW_LETTERS or " " not in text.strip()) and not words[language]:
        return False
    if language not in WELL_KNOWN:
        return True
    enough = words[language] > 0 or text.count(" ") < _MANY_WORDS
    return enough and words[before] <= words[language] + _WORDS_AHEAD


def _detected(text: str, best_effort: bool) -> tuple[str, bool]:
    """Language and whether it's reliable; empty where the detector isn't installed or has no opinion."""
    try:
        import pycld2
    except ImportError:  # it has no wheel for Linux on ARM
        return "", False
    try:
        reliable, _, details = pycld2.detect(text, isPlainText=True, bestEffort=best_effort)
    except pycld2.error:  # characters that it takes for a wrong encoding
        return "", False
    code = str(details[0][1])
    return ("", False) if code == "un" else (_OTHER_CODES.get(code, code), bool(reliable))
