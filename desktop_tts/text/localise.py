"""The few words that are said but not written, in the language of the sentence."""

from __future__ import annotations

import re

from desktop_tts.text.addresses import AT, DOT
from desktop_tts.text.offsets import Mapped
from desktop_tts.text.sentences import CODE_BLOCK

_ENGLISH = ("dot", "at", "Code block.")
_WORDS: dict[str, tuple[str, str, str]] = {
    "ar": ("نقطة", "آت", "كتلة برمجية."),
    "cs": ("tečka", "zavináč", "Blok kódu."),
    "da": ("punktum", "snabel-a", "Kodeblok."),
    "de": ("Punkt", "ät", "Codeblock."),
    "es": ("punto", "arroba", "Bloque de código."),
    "fi": ("piste", "ät", "Koodilohko."),
    "fr": ("point", "arobase", "Bloc de code."),
    "it": ("punto", "chiocciola", "Blocco di codice."),
    "ja": ("ドット", "アットマーク", "コードブロック。"),
    "ko": ("점", "골뱅이", "코드 블록."),
    "nl": ("punt", "apenstaartje", "Codeblok."),
    "no": ("punktum", "krøllalfa", "Kodeblokk."),
    "pl": ("kropka", "małpa", "Blok kodu."),
    "pt": ("ponto", "arroba", "Bloco de código."),
    "ru": ("точка", "собака", "Блок кода."),
    "sv": ("punkt", "snabel-a", "Kodblock."),
    "tr": ("nokta", "et", "Kod bloğu."),
    "uk": ("крапка", "собачка", "Блок коду."),
    "zh": ("点", "艾特", "代码块。"),
}
_PLACEHOLDER = re.compile(f"[{DOT}{AT}{CODE_BLOCK}]")


def localised(text: Mapped, language: str) -> Mapped:
    """The text with words for its placeholders; English ones for a language that isn't known here."""
    words = dict(zip((DOT, AT, CODE_BLOCK), _WORDS.get(language, _ENGLISH), strict=True))
    return text.sub(_PLACEHOLDER, lambda match: words[match.group()])
