"""Whether the next line goes on with the text of the one before, and what then stands between the two.

Mail programs, terminals and PDFs break lines anywhere, also within words; others put a paragraph on each line.
"""

from __future__ import annotations

import re

from desktop_tts.text.lookahead import Lookahead
from desktop_tts.text.scripts import UNSPACED
from desktop_tts.text.wordlists import word_set

LONG_LINE = 120
"""Nobody wraps by hand at more characters than this: such a line is a paragraph."""
_TITLE = 60
"""A title is no longer than this."""
_SHORT = 24
"""Lines this short, one under the other, are menus, verses, addresses."""
_MEASURED = 80

HYPHENS = "-\u2010"
_ENDED = re.compile(r"[.,;:!?…。、，！？：；—–-][\"'”’»)\]}*_]*$")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_AND_OR = word_set("and or und oder bzw et ou y o u e en of och eller og i oraz lub")
_KEPT = re.compile(r"(?:-\w+|\b(?:self|well|non|half|cross))$", re.I)


def goes_on(text: Lookahead, at: int, before: str, length: int, fresh: bool, hyphen: bool) -> bool:
    """Whether the line at ``at`` goes on with a paragraph whose last line, of ``length``, ends in ``before``.

    ``fresh``: that line begins a sentence, so that it may be a title. ``hyphen``: it ends within a word.
    """
    first = text.char(at)
    if first.islower() or (hyphen and first.isalnum()):
        return True
    if _UNSPACED.match(first) and length > LONG_LINE / 2:
        return False
    if length > LONG_LINE:
        return not (first.isupper() or first.isdigit() or first in "\"'“‘«„(")
    if not fresh or length > _TITLE or _ENDED.search(before):
        return True
    if first.isupper() and text.word(at, _SHORT).endswith(":"):  # "To: ..." under "From: ..."
        return False
    next_length = len(text.line(at, _MEASURED))
    if not (first.isupper() or first.isdigit()):  # a script without capitals, or a quote
        return not (first.isalpha() and next_length >= _SHORT and length < next_length / 2)
    if length <= _SHORT and next_length <= _SHORT:
        return False
    # A line that was wrapped has no room for the first word of the next.
    return next_length < _SHORT or length + 1 + len(text.word(at, _SHORT)) >= 0.6 * next_length


def glue(text: Lookahead, at: int, before: str, hyphen: str) -> str:
    """What stands between a line that ends in ``before`` and perhaps a hyphen, and the line at ``at``."""
    first, last = text.char(at), before[-1:]
    if not hyphen:
        return "" if _UNSPACED.match(first) and _UNSPACED.match(last) else " "
    if not (last.isalnum() and first.isalnum()):
        return hyphen + " "
    if text.word(at, 6) in _AND_OR:
        return hyphen + " "
    if last.isalpha() and first.islower() and not _KEPT.search(before):
        return ""
    return hyphen
