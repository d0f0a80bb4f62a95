"""Text made safe for the built-in voice, with the way back to the text it was made from.

The voice's own rules read numbers, dates and abbreviations. What they can't take is removed or broken up here: other
scripts, control characters, inline phonemes, very long words, very long numbers and rows of symbols, on which they
fall silent, fail or need minutes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

LONGEST_PIECE = 300
"""Characters in one run of the model; memory and time grow with it."""
_LONGEST_WORD = 24  # letters that the net for unknown words looks at; it drops the rest
_LONGEST_RUN = 40  # characters without a space; the time to read a run grows with its cube
_LONGEST_NUMBER = 15  # digits; longer ones are identifiers, and past 36 the voice has no name for the power of ten
_LONGEST_SYMBOLS = 3

_NUMBER = re.compile(r"\d(?:,?\d)+")
_WORD = re.compile(r"[^\W\d_]+")
_SYMBOLS = re.compile(r"([^\w\s])\1+")
_RUN = re.compile(r"\S+")
_POWER = re.compile(r"(?<=\d)[⁻⁰¹⁴-⁹][⁻⁰¹²³⁴-⁹]*")
_PRICE = re.compile(r"(?<=\d)\s?€")
_INLINE_PHONEMES = re.compile(r"(?<=\])\(")
_BREAKS = (re.compile(r"[.!?…][\"”’')\]]*\s"), re.compile(r"[,;:—)]\s"), re.compile(r"\s"))

_SAID = {"≤": " at most ", "≥": " at least ", "≠": " is not ", "∞": " infinity ", "‰": " per mille "}
"""Symbols that the voice passes over."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """``text`` to speak; character i comes from ``origin[i]`` in the given text."""

    text: str
    origin: tuple[int, ...]


def prepare(text: str, known: Callable[[str], bool]) -> Prepared:
    """``known`` says whether a word is in the voice's word list, and so may be long."""
    made = [(char, at) for at, given in enumerate(text) for char in _character(given)]
    made = _edited(made, _INLINE_PHONEMES, lambda found: " ")
    made = _edited(made, _PRICE, lambda found: " euros")
    made = _edited(made, _POWER, lambda found: " to the " + unicodedata.normalize("NFKC", found).replace("−", "minus "))
    made = _edited(made, _NUMBER, _spelled_number)
    made = _edited(made, _SYMBOLS, lambda found: found[:_LONGEST_SYMBOLS] if found[0] in ".-" else found[0])
    made = _edited(made, _WORD, _latin_only)
    made = _edited(made, _WORD, lambda found: found if known(found) else _cut(found, _LONGEST_WORD))
    made = _edited(made, _RUN, _cut_run)
    return Prepared("".join(char for char, _ in made), tuple(at for _, at in made))


def other_script(text: str) -> bool:
    """Whether more of the letters are of other scripts than of the Latin one."""
    letters = [char for char in text if char.isalpha()]
    return sum(map(_is_latin, letters)) * 2 < len(letters)


def pieces(text: str) -> list[tuple[int, int]]:
    """Ranges of at most ``LONGEST_PIECE`` characters, cut after a sentence, else a clause, else a word."""
    found, start = [], 0
    while len(text) - start > LONGEST_PIECE:
        window = text[start : start + LONGEST_PIECE]
        ends = (max((m.end() for m in mark.finditer(window)), default=0) for mark in _BREAKS)
        length = next((end for end in ends if end > LONGEST_PIECE // 3), LONGEST_PIECE)
        found.append((start, start + length))
        start += length
    found.append((start, len(text)))
    return found


@lru_cache(4096)
def _character(char: str) -> str:
    if char in _SAID:
        return _SAID[char]
    category = unicodedata.category(char)
    if category == "Cf" or category[0] == "M":  # soft hyphens, marks of direction, loose accents: nothing to hear
        return ""
    if category[0] in "CZ":
        return " "
    if category == "Nd":
        return str(unicodedata.decimal(char))
    if char == "…" or unicodedata.decomposition(char).startswith(("<super>", "<sub>", "<fraction>")):
        return char
    return unicodedata.normalize("NFKC", char)


def _latin_only(word: str) -> str:
    """Greek letters by name where they stand alone, as in formulas; other scripts left out."""
    if len(word) == 1 and (name := unicodedata.name(word, "").split())[:1] == ["GREEK"] and "LETTER" in name:
        return f" {name[3].lower()} "
    return "".join(char if _is_latin(char) or not char.isalpha() else " " for char in word)


@lru_cache(4096)
def _is_latin(char: str) -> bool:
    return char.isascii() or unicodedata.name(char, "").startswith(("LATIN", "MICRO SIGN", "FEMININE", "MASCULINE"))


def _edited(
    made: list[tuple[str, int]], pattern: re.Pattern[str], change: Callable[[str], str]
) -> list[tuple[str, int]]:
    """Each match replaced. What ``change`` leaves in place keeps its origin; what it inserts takes its neighbour's."""
    text = "".join(char for char, _ in made)
    edited: list[tuple[str, int]] = []
    done = 0
    for match in pattern.finditer(text):
        changed = change(match.group())
        if changed == match.group():
            continue
        edited += made[done : match.start()]
        at = match.start()
        for char in changed:
            edited.append((char, made[min(at, match.end() - 1)][1]))
            if at < match.end() and text[at] == char:
                at += 1
        done = match.end()
    return edited + made[done:]


def _spelled_number(number: str) -> str:
    digits = number.replace(",", "")
    return " ".join(digits) if len(digits) > _LONGEST_NUMBER else number


def _cut(word: str, length: int) -> str:
    """Into equal parts of at most ``length``."""
    size = -(-len(word) // -(-len(word) // length))
    return " ".join(word[at : at + size] for at in range(0, len(word), size))


def _cut_run(run: str) -> str:
    """Spaces where a long run without any has symbols, so that each part is short."""
    if len(run) <= _LONGEST_RUN:
        return run
    parts = re.findall(r"\w+\W?|\W", run)
    return " ".join(piece for part in parts for piece in _cut(part, _LONGEST_RUN).split())
