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
    rf"|[。！？｡][{_CJK_CLOSERS}]{{0,10}}\s{{0,60}}(?=[^{_CJK_CLOSERS}\s。！？｡])"
)
_WORD_BEFORE = re.compile(r"[^\s(\[{\"'“„«]{0,24}\Z")
_WORD = re.compile(r"[\w'’-]*(?=[^\w'’-])")
_ORDINAL = re.compile(r"(?:\A|\s)\(?\d{1,2}\Z")
_PLAIN_WORD = re.compile(r"[^\W\d_]{4,}\Z|\d{3,}\Z|[^\w.]\Z")
_SURE = re.compile(
    rf"(?:(?:[^\W\d_]{{4,}}|\d{{3,}}|[%)\]”»\"])\.|[!?‽؟۔।॥։።။。！？｡])[{_CLOSERS}{_CJK_CLOSERS}]{{0,20}}\s*\Z"
)

_ABBREVIATIONS = word_set(
    "approx est max min misc temp vol ed eds vs al resp incl excl ca cf etc viz no nr art fig tab sec ch pp par app tel"
    " ext dept univ z.b d.h u.a bzw usw ggf evtl inkl zzgl str ex env"
)
_TITLES = word_set("dr mr mrs ms prof mme mlle sra dra")
_LAST_WORD = re.compile(r"([^\s(\[{\"'“„«]{1,24})\.\s*\Z")
_GLUED = re.compile(r"(?:(?<![\w.])[^\W\d_A-Z][^\W\d_]+[.!?]|[。！？｡][」』”’）》〉】〕]*)\Z")
"""What ends a sentence also without white space after it."""
_LOWER = re.compile(r"[\"'“”‘’«»(\[]*[^\W\d_]")

_CLAUSE = re.compile(r"[,;:—–)]\s|[，、；：]|(?<=[^\W\d_]{4})[.!?…]\s")
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
    """Whether the text ends in a full stop that isn't an abbreviation's."""
    return _SURE.search(text, max(0, len(text) - 80)) is not None


def sentence_starts(text: str, language: str) -> list[int]:
    """Where the sentences of a short text begin; the first at 0."""
    from sentencex import get_sentence_boundaries

    starts = [0]
    for boundary in get_sentence_boundaries(language, text):
        at = int(boundary["start_index"])
        if at > starts[-1] and not _continues(text[:at], text[at : at + 40]):
            starts.append(at)
    return starts


def _continues(before: str, after: str) -> bool:
    """Whether a boundary is none: after an abbreviation that the splitter doesn't know, or within "Node.JS"."""
    if not before[-1].isspace() and not _GLUED.search(before, max(0, len(before) - 40)):
        return True
    last = _LAST_WORD.search(before, max(0, len(before) - 40))
    if last is None:
        return False
    word = last[1].lower().rstrip(".")
    if word in _TITLES:
        return True
    lower = _LOWER.match(after)
    return word in _ABBREVIATIONS and lower is not None and lower.group()[-1].islower()


def clause_end(text: str, limit: int) -> tuple[int, bool]:
    """Where to cut a text of at least ``limit`` characters, at most there, and whether a clause ends there."""
    clause = space = 0
    for found in _CLAUSE.finditer(text, 0, limit):
        clause = found.end()
    if clause >= 0.35 * limit:
        return clause, True
    for found in _SPACE.finditer(text, 0, limit):
        space = found.end()
    if space >= 0.35 * limit or (space and not _unspaced_at(text, limit)):
        return space, False
    return limit, False


def _unspaced_at(text: str, at: int) -> bool:
    return re.match(f"[{UNSPACED}]", text[at - 1 : at]) is not None
