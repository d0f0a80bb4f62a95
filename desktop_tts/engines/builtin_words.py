"""Which word of a text each spoken word stands for.

The built-in voice speaks a rewritten text ("at 9:30" becomes "at nine thirty"), so times of spoken words have to find
their way back to the words that the user sees.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from desktop_tts.speech import Span

_CHUNK = re.compile(r"[^\s—]+")
_AROUND = ".,;:!?…\"'“”‘’«»()[]{}<>*_-–"
_SIGNED = re.compile(r"-[\d.$€£]")


def words_of(text: str) -> list[Span]:
    """Where the words stand, without the punctuation round them."""
    found = []
    for chunk in _CHUNK.finditer(text):
        word = chunk.group()
        start = len(word) - len(word.lstrip(_AROUND))
        end = len(word.rstrip(_AROUND))
        if start < end:
            if start and _SIGNED.match(word, start - 1):
                start -= 1
            found.append(Span(chunk.start() + start, chunk.start() + end))
    return found


def match_words(source: Sequence[str], spoken: Sequence[str]) -> list[int]:
    """For each spoken word the index of its source word, never going back. ``source`` isn't empty."""
    owners = [-1] * len(spoken)
    matcher = SequenceMatcher(None, [_key(word) for word in source], [_key(word) for word in spoken], autojunk=False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "equal":
            owners[j1:j2] = range(i1, i2)
        elif kind == "replace":
            owners[j1:j2] = [i1 + own for own in _share(source[i1:i2], spoken[j1:j2])]
        elif kind == "insert":  # a word of the reading only, as "dollars": belongs to the word before
            owners[j1:j2] = [max(i1 - 1, 0)] * (j2 - j1)
    return owners


def _key(word: str) -> str:
    return "".join(filter(str.isalnum, word)).lower() or word


def _share(source: Sequence[str], spoken: Sequence[str]) -> list[int]:
    """The likeliest way, in order, to give each of the spoken words to one of the source words."""
    best: list[tuple[float, list[int]]] = [(-float(own), []) for own in range(len(source))]
    for word in spoken:
        reached: list[tuple[float, list[int]]] = []
        for own, given in enumerate(source):
            skips = [(best[before][0] - max(own - before - 1, 0), best[before][1]) for before in range(own + 1)]
            score, path = max(skips, key=lambda way: way[0])
            reached.append((score + _likeness(given, word), [*path, own]))
        best = reached
    return max(((score - (len(source) - 1 - path[-1]), path) for score, path in best), key=lambda way: way[0])[1]


def _likeness(given: str, spoken: str) -> float:
    if _key(given)[:1] == _key(spoken)[:1]:
        return 2.0
    return 1.0 if any(map(str.isdigit, given)) else 0.0
