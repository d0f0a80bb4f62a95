"""Where sentences end: by sentencex, with care for what it doesn't know, and where a long one is best cut."""

from __future__ import annotations

import re
from enum import Enum, auto

from desktop_tts.text.scripts import UNSPACED
from desktop_tts.text.wordlists import word_set

_CLOSERS = "\"'”’»›)\\]}*_~`"
_CJK_CLOSERS = "」』”’）》〉】〕"
_END = re.compile(
    rf"[.!?…‽؟۔।॥։።။][{_CLOSERS}]{{0,20}}\s[^\w。！？｡]{{0,60}}?(?P<next>\w)"
    rf"|[。！？｡][{_CJK_CLOSERS}]{{0,10}}\s{{0,60}}[^{_CJK_CLOSERS}\s。！？｡]"
)
_WORD = re.compile(r"[\w'’-]*(?=[^\w'’-])")
_ORDINAL = re.compile(r"(?:\A|\s)\(?\d{1,2}\Z")
_PLAIN_WORD = re.compile(r"[^\W\d_]{4,}\Z|\d{3,}\Z|[^\w.]\Z")
_SURE = re.compile(
    rf"(?:(?:[^\W\d_]{{2,}}|\d{{3,}}|[%)\]”»\"])\.|[!?‽؟۔।॥։።။。！？｡])[{_CLOSERS}{_CJK_CLOSERS}]{{0,20}}\s*\Z"
)

_ABBREVIATIONS = word_set(
    "approx est max min misc temp vol ed eds vs al resp incl excl ca cf etc viz no nr art fig tab sec ch pp par app tel"
    " ext dept univ z.b d.h u.a bzw usw ggf evtl inkl zzgl str ex env"
)
_TITLES = word_set("dr mr mrs ms prof mme mlle sra dra")
_LAST_WORD = re.compile(r"([^\s(\[{\"'“„«]{1,24})\.\s*\Z")
_NUMBER = re.compile(r"(?:\A|\s)\d{1,3}\.\s*\Z")
_GLUED = re.compile(r"(?:(?<![\w.])[^\W\d_A-Z][^\W\d_]+[.!?]|[。！？｡][」』”’）》〉】〕]*)\Z")
"""What ends a sentence also without white space after it."""
_FIRST = re.compile(r"[\"'“”‘’«»(\[]*(\w)")
_QUOTE_PARTICLE = re.compile("[とってはがのをも、，,]")
_OPENING = re.compile(r"\s([“«„‘(\[¿¡\"']+\s?)\Z")
_CJK_END = re.compile(f"[。！？｡][{_CJK_CLOSERS}]*\\s*(?=[^{_CJK_CLOSERS}\\s。！？｡])")
_QUOTED = re.compile(r"[.!?…][\"'”’»]+\s*\Z")

_CLAUSE = re.compile(r"[,;:—–)]\s|[，、；：]|[!?…]\s|(?<=[^\W\d_]{4})\.\s(?=[^\W\d_a-z])")
_SPACE_IN_SENTENCE = re.compile(r"(?<!\.)\s")
"""Not after an abbreviation, which would sound like the end of a sentence."""
_SPACE = re.compile(r"\s")


class Candidate(Enum):
    """There's no place yet where a sentence may end (``NONE``), or there's one but more text must tell (``WAIT``)."""

    NONE = auto()
    WAIT = auto()


def candidate(text: str, start: int, longest: int) -> Candidate | tuple[int, int]:
    """The next place after ``start`` where a sentence may end, and the end of what must be looked at to say so."""
    while True:
        found = _END.search(text, start, min(len(text), longest))
        if found is None:
            return Candidate.NONE
        mark, before = text[found.start()], text[max(0, found.start() - 24) : found.start()]
        if mark == "." and _ORDINAL.search(before):  # "am 3. Oktober"
            start = found.start() + 1
            continue
        if mark != "." or found["next"] is None or _PLAIN_WORD.search(before):
            return found.start() + 1, found.end()
        # After what may be an abbreviation, the whole next word counts.
        word = _WORD.match(text, found.end() - 1, min(len(text), longest))
        if word is None:
            return Candidate.NONE if len(text) >= longest else Candidate.WAIT
        return found.start() + 1, word.end()


def ends_surely(text: str) -> bool:
    """Whether the text seems to end in a full stop that isn't an abbreviation's."""
    if _SURE.search(text, max(0, len(text) - 80)) is None:
        return False
    last = _LAST_WORD.search(text, max(0, len(text) - 40))
    return last is None or last[1].lower() not in _ABBREVIATIONS | _TITLES


def sentence_starts(text: str, language: str) -> list[int]:
    """Where the sentences of a short text begin; the first at 0."""
    from sentencex import get_sentence_boundaries

    starts = [0]
    found = {int(boundary["start_index"]) for boundary in get_sentence_boundaries(language, text)}
    # It takes a small letter or a digit for the same sentence, also after a full stop that can't be anything else.
    found.update(match.end() for match in _CJK_END.finditer(text))
    for at in sorted(found):
        opening = _OPENING.search(text, max(0, at - 20), at)
        at = opening.start(1) if opening else at
        if starts[-1] < at < len(text) and not _continues(text[:at], text[at : at + 40]):
            starts.append(at)
    return starts


def _continues(before: str, after: str) -> bool:
    """Whether a boundary is none: after an abbreviation or quote that sentencex doesn't know, or within "Node.JS"."""
    if not before[-1].isspace() and not _GLUED.search(before, max(0, len(before) - 40)):
        return True
    first = _FIRST.match(after)
    lower = first is not None and (first[1].islower() or first[1].isdigit())
    if _QUOTE_PARTICLE.match(after) and before.endswith(tuple(_CJK_CLOSERS)):
        return True
    if lower and _NUMBER.search(before, max(0, len(before) - 10)):
        return True
    if lower and _QUOTED.search(before, max(0, len(before) - 40)):
        return True
    last = _LAST_WORD.search(before, max(0, len(before) - 40))
    word = last[1].lower().rstrip(".") if last else ""
    return word in _TITLES or (lower and word in _ABBREVIATIONS) or (len(word) == 1 and word.isalpha())


def clause_end(text: str, limit: int) -> tuple[int, bool]:
    """Where to cut a text of at least ``limit`` characters, at most there, and whether a clause ends there."""
    clause = space = 0
    for found in _CLAUSE.finditer(text, 0, limit):
        clause = found.end()
    if clause >= 0.35 * limit:
        return clause, True
    for pattern in (_SPACE_IN_SENTENCE, _SPACE):
        for found in pattern.finditer(text, 0, limit):
            space = found.end()
        if space >= 0.35 * limit:
            return space, False
    return (space if space and not _unspaced_at(text, limit) else limit), False


def _unspaced_at(text: str, at: int) -> bool:
    return re.match(f"[{UNSPACED}]", text[at - 1 : at]) is not None
