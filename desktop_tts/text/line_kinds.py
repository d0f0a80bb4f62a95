"""What a line of text is, told from as little of its beginning as possible: heading, list item, code fence..."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum, auto

from desktop_tts.text.emoji import starts_with_emoji
from desktop_tts.text.lookahead import Lookahead
from desktop_tts.text.wordlists import word_set


class Line(Enum):
    END = auto()
    """No more text."""
    BLANK = auto()
    RULE = auto()
    """A line of dashes and the like: divides, or underlines the line above."""
    FENCE = auto()
    """Starts or ends a block of code."""
    HEADING = auto()
    ITEM = auto()
    ROW = auto()
    PLAIN = auto()


@dataclass(frozen=True, slots=True)
class Start:
    """A line's kind; ``marks`` is the number of characters before its text."""

    kind: Line
    marks: int
    number: str = ""
    """That of a numbered item, as it's written."""
    quotes: int = 0
    """How many times it's quoted: ``>`` before it."""


LONGEST_FENCE = 400
_LONGEST_RULE = 400
_LONGEST_INDENT = 2000
_TOKEN = 24

_BULLETS = word_set("- * + – — • ‣ ◦ · ▪ ▫ ● ○ ■ □ ➢ ➤ ✓ ✔ ✗ ✘ ❖ ⁃ ∙")
_GLUED_BULLETS = frozenset("•‣◦▪▫●○■□➢➤❖⁃")
"""Nobody writes these for anything else, so a blank after them isn't asked for."""
_NUMBER = re.compile(r"\(?\d{1,3}[.)]")
_RULE_STARTS = frozenset("-=_*+~|:.") | frozenset(map(chr, range(0x2500, 0x2580)))
_RULE = re.compile(r"[-=_*+~|:.#\u2500-\u257f \t]{3,}")
_BARS = frozenset("|│┃║")
_CHECKBOX = re.compile(r"\[[ xX]\]")
FENCE = re.compile(r"(`{3,20}|~{3,20})[ \t]*([^`]*)")


def line_start(text: Lookahead) -> Start:
    """The kind of the line that begins at the next unread character."""
    while (at := text.after_blanks(0, _LONGEST_INDENT)) == _LONGEST_INDENT:
        text.take(at)  # blanks without end aren't kept
    quotes = 0
    while at < _LONGEST_INDENT and text.char(at) == ">":
        at, quotes = text.after_blanks(at + 1, _LONGEST_INDENT), quotes + 1
    first = text.char(at)
    if not first:
        return Start(Line.END, at)
    if first == "\n":
        return Start(Line.BLANK, at)
    if first.isalpha():
        return Start(Line.PLAIN, at, quotes=quotes)
    return replace(_marked(text, at, text.word(at, _TOKEN)), quotes=quotes)


def _marked(text: Lookahead, at: int, token: str) -> Start:
    if token.startswith(("```", "~~~")) and FENCE.fullmatch(text.line(at, LONGEST_FENCE)):
        return Start(Line.FENCE, at)
    if token[0] in _RULE_STARTS and not any(map(str.isalnum, token)) and _is_rule(text.line(at, _LONGEST_RULE)):
        return Start(Line.RULE, at)
    if token[0] == "#" and len(token) <= 6 and not token.strip("#"):
        return Start(Line.HEADING, text.after_blanks(at + len(token), _LONGEST_INDENT))
    if token in _BULLETS or token[0] in _GLUED_BULLETS:
        return Start(Line.ITEM, _after_checkbox(text, text.after_blanks(at + 1, _LONGEST_INDENT)))
    if _NUMBER.fullmatch(token) and text.char(at + len(token)).isspace():
        return Start(Line.ITEM, at, token)
    if starts_with_emoji(token):
        return Start(Line.ITEM, at)
    if token[0] in _BARS:
        return Start(Line.ROW, at)
    return Start(Line.PLAIN, at)


def _is_rule(line: str) -> bool:
    return len(line) < _LONGEST_RULE and _RULE.fullmatch(line) is not None


def _after_checkbox(text: Lookahead, at: int) -> int:
    if text.char(at) != "[":
        return at
    box = text.char(at) + text.char(at + 1) + text.char(at + 2)
    return text.after_blanks(at + 3, _LONGEST_INDENT) if _CHECKBOX.fullmatch(box) else at
