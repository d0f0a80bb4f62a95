"""Writing systems: which characters belong to which, and which languages they suggest."""

from __future__ import annotations

import re

HAN = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u31c0-\u31ef\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U000323af"
)
KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001b000-\U0001b16f"
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7fb\uffa1-\uffdc"
_SOUTH_EAST = "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf"

UNSPACED = HAN + KANA + _SOUTH_EAST + "\u3001-\u3003\u3008-\u3020\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
"""For a character class: what Chinese, Japanese, Thai, Khmer, Burmese and Lao write, without space between words."""

SCRIPTS: tuple[tuple[str, str], ...] = (
    ("latin", "A-Za-z\xaa\xba\xc0-\xd6\xd8-\xf6\xf8-\u02b8\u1d00-\u1d25\u1d2c-\u1d5c\u1e00-\u1eff\u2c60-\u2c7f"
     "\ua722-\ua7ff"),
    ("han", HAN),
    ("kana", KANA),
    ("hangul", HANGUL),
    ("cyrillic", "\u0400-\u052f\u1c80-\u1c88\u1d2b\u2de0-\u2dff\ua640-\ua69f"),
    ("greek", "\u0370-\u03e1\u03f0-\u03ff\u1f00-\u1fff"),
    ("arabic", "\u0620-\u06d3\u06d5-\u06dc\u06ee-\u06ef\u06fa-\u06ff\u0750-\u077f\u08a0-\u08ff"
     "\ufb50-\ufdff\ufe70-\ufefc"),
    ("hebrew", "\u0591-\u05f4\ufb1d-\ufb4f"),
    ("devanagari", "\u0900-\u0963\u0970-\u097f\ua8e0-\ua8ff"),
    ("bn", "\u0980-\u09e5\u09f0-\u09fe"),
    ("pa", "\u0a01-\u0a65\u0a70-\u0a76"),
    ("gu", "\u0a81-\u0ae5\u0af0-\u0aff"),
    ("or", "\u0b01-\u0b65\u0b70-\u0b77"),
    ("ta", "\u0b82-\u0be5\u0bf0-\u0bfa"),
    ("te", "\u0c00-\u0c65\u0c78-\u0c7f"),
    ("kn", "\u0c80-\u0ce5\u0cf1-\u0cf2"),
    ("ml", "\u0d00-\u0d65\u0d70-\u0d7f"),
    ("si", "\u0d81-\u0df4"),
    ("th", "\u0e01-\u0e4e"),
    ("lo", "\u0e81-\u0ecd\u0edc-\u0edf"),
    ("bo", "\u0f00-\u0fda"),
    ("my", "\u1000-\u103f\u1050-\u109f\uaa60-\uaa7f"),
    ("ka", "\u10a0-\u10ff\u1c90-\u1cbf\u2d00-\u2d2d"),
    ("am", "\u1200-\u139f\u2d80-\u2dde"),
    ("km", "\u1780-\u17dd\u19e0-\u19ff"),
    ("hy", "\u0531-\u058a\ufb13-\ufb17"),
)  # fmt: skip
"""Name and characters of each script; a script that serves one language bears its code."""

_RUNS = re.compile("|".join(f"(?P<{name}>[{characters}]+)" for name, characters in SCRIPTS))
_LETTERS_A_WORD = {"han": 1.6, "kana": 2.5, "hangul": 2.5, "th": 4.0, "lo": 4.0, "km": 4.0, "my": 4.0}
_LONGEST_WORD = 12
"""Letters that count at most for one word, so that a long foreign name doesn't win."""


def words_by_script(text: str) -> dict[str, float]:
    """About how many words of ``text`` are written in each script."""
    found: dict[str, float] = {}
    for run in _RUNS.finditer(text):
        script = run.lastgroup or ""
        a_word = _LETTERS_A_WORD.get(script)
        found[script] = found.get(script, 0.0) + (len(run.group()) / a_word if a_word else 1.0)
    return found
