"""Comparing what was said with what was heard."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher


@dataclass(frozen=True)
class Heard:
    text: str
    words: tuple[tuple[str, float, float], ...]


def plain_words(text):
    return re.findall(r"[\w'%]+", text.lower().replace("-", " ").replace("$", ""))


def word_error_rate(expected, heard):
    import jiwer

    return jiwer.wer(" ".join(plain_words(expected)), " ".join(plain_words(heard)))


def matching(expected, heard):
    """Pairs of indexes of equal words."""
    blocks = SequenceMatcher(None, expected, heard, autojunk=False).get_matching_blocks()
    return [(block.a + step, block.b + step) for block in blocks for step in range(block.size)]
