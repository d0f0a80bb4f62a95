"""Characters in the form that engines know: ligatures and the like resolved, accents joined to their letters."""

from __future__ import annotations

import unicodedata

from desktop_tts.text.offsets import Mapped

_MOST_MARKS = 6
"""Marks that a letter keeps: more are a joke, and cost quadratic time."""
_KEPT = frozenset("²³¹™…℠⁰⁴⁵⁶⁷⁸⁹⁺⁻ำຳ") | frozenset("¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅟↉")
"""Engines read these right; resolved they would change the meaning, 10² isn't 102, or be misspelt."""
_KEPT_RANGES = (
    (0x3001, 0x3020),
    (0x3131, 0x318E),
    (0xFF01, 0xFF0F),
    (0xFF1A, 0xFF20),
    (0xFF3B, 0xFF40),
    (0xFF5B, 0xFF65),
)
"""Punctuation of Chinese and Japanese, single Korean letters."""


def composed(text: Mapped) -> Mapped:
    """NFKC with a few exceptions; each resolved character stands for the place of the one it came from."""
    if text.text.isascii() or unicodedata.is_normalized("NFKC", text.text):
        return text
    parts: list[Mapped] = []
    at = 0
    while at < len(text):
        end = at + 1
        while end < len(text) and _joins(text.text[end]):
            end += 1
        cluster = text.text[at : min(end, at + 1 + _MOST_MARKS)]
        resolved = _resolved(cluster)
        parts.append(text[at:end] if resolved == text.text[at:end] else text.said(resolved, at))
        at = end
    return Mapped.joined(parts)


def _joins(char: str) -> bool:
    return char > "\u02ff" and (
        "\u1160" <= char <= "\u11ff" or "\uff9e" <= char <= "\uff9f" or unicodedata.category(char)[0] == "M"
    )


def _resolved(cluster: str) -> str:
    first = cluster[0]
    if first in _KEPT or any(low <= ord(first) <= high for low, high in _KEPT_RANGES):
        return cluster
    resolved = unicodedata.normalize("NFKC", cluster)
    # Accents that stand alone would become a blank and a combining mark.
    return cluster if resolved.startswith(" ") and not first.isspace() else resolved
