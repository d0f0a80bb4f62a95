"""Long sentences in parts short enough for an engine, cut where a speaker would breathe."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from desktop_tts.text.boundaries import clause_end
from desktop_tts.text.clean import speakable
from desktop_tts.text.offsets import Mapped

_SECONDS_A_CHARACTER = {"zh": 3.0, "ja": 2.5, "ko": 2.0}
"""How much longer than a letter of English one character takes."""
_BEFORE_WORD = re.compile(
    r"(?<!\.)\s(?=(?:and|or|but|that|which|who|because|with|for|from|to|in|of|on|by|as|if|when|while|und|oder|aber|dass|weil"
    r"|mit|für|von|zu|et|ou|mais|que|qui|avec|pour|dans|y|o|pero|con|para|en|de|e|ma|che|per|di|и|или|но|что|с|для|в|на)"
    r"\s)",
    re.I,
)
_WORTHWHILE = 0.5
"""Share of the limit from which on a cut before a little word is better than a later one."""


_REST = 15


def limit_of(limit: int, language: str) -> int:
    """The limit in characters of a language, for a limit in characters of English."""
    return max(1, int(limit / _SECONDS_A_CHARACTER.get(language, 1.0)))


def pieces(text: Mapped, first_limit: int, limit: int) -> Iterator[tuple[Mapped, bool]]:
    """Parts to be said of at most ``first_limit``, then ``limit`` characters, and whether a clause ends with each."""
    allowed = first_limit
    while len(text) > allowed:
        # What is left shall be more than a word.
        cut, clause = _cut(text, min(allowed, max(len(text) - _REST, allowed // 2, 1)))
        part = text[:cut].stripped()
        if speakable(part.text):
            yield part, clause
            allowed = limit
        text = text[cut:].stripped()
    if speakable(text.text):
        yield text, False


def _cut(text: Mapped, limit: int) -> tuple[int, bool]:
    # One more character if it's a space, so that a word that just fits isn't left out.
    cut, clause = clause_end(text.text, limit + text.text[limit].isspace())
    if not clause and text.text[cut - 1].isspace():
        for found in _BEFORE_WORD.finditer(text.text, int(limit * _WORTHWHILE), cut):
            cut = found.end()
    elif not clause:
        cut = _within_word(text, min(cut, limit))
    return cut, clause


def _within_word(text: Mapped, limit: int) -> int:
    """A cut where there's no space: not before an accent or a mark, nor within what one character stands for."""
    for cut in range(limit, max(limit // 2, 1), -1):
        char = text.text[cut]
        if text.index[cut] != text.index[cut - 1] and unicodedata.category(char)[0] not in "MP":
            return cut
    return limit
