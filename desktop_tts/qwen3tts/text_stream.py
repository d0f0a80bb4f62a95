"""Token ids of a text that isn't complete yet: an id is given out once nothing that may follow can change it.

So the ids are those of the complete text, however it is cut into pieces. Three things are held back:

1. the last character, because a later one may combine with it (NFC), and half characters;
2. the last word, because it may go on: white space at the end, which divides differently before a word, and a single
   sign, which joins letters that follow;
3. within a long last word (a clause in Chinese is one), the tokens that further letters may merge with. Merging never
   looks over a border between tokens: if the final tokens have a border at p, those before it are the tokens of the
   text before p alone. A token that reaches over the end of what is known begins with what lies between p and the end,
   so only those p count for which the vocabulary has such a token; ids that all of them agree on are final.
"""

from __future__ import annotations

import unicodedata
from itertools import accumulate

from desktop_tts.qwen3tts.tokenizer import TextTokenizer, repair

_SHORT = 4
"""Words below this many bytes aren't looked into; so short are the contractions, after which a word doesn't go on."""
_JOINING = ((0x1160, 0x11FF), (0xD7B0, 0xD7FF), (0x16D40, 0x16D7F))
"""Letters that NFC joins with the one before although they are no marks: Hangul jamo, Kirat Rai vowels."""


class IncrementalEncoder:
    """Takes a text in pieces and gives its ids. White space before the text is dropped."""

    def __init__(self, tokenizer: TextTokenizer) -> None:
        self._tokenizer = tokenizer
        self._raw = ""
        """Given, and not safe to normalize."""
        self._text = ""
        """Normal, and not given out."""
        self._started = False

    def feed(self, piece: str) -> list[int]:
        """The ids that are certain now and weren't before."""
        self._raw += piece
        self._normalize(_safe_end(self._raw))
        return self._give_out(self._final_words())

    def finish(self) -> list[int]:
        """The remaining ids: the text is complete."""
        self._normalize(len(self._raw))
        return self._give_out(len(self._text))

    def _normalize(self, end: int) -> None:
        self._text += self._tokenizer.normalize(repair(self._raw[:end]))
        self._raw = self._raw[end:]
        if not self._started:
            self._text = self._text.lstrip()
            self._started = bool(self._text)

    def _give_out(self, end: int) -> list[int]:
        """The ids of whole words up to ``end``, and those in the next that are certain."""
        words = self._tokenizer.split(self._text)
        ids = [number for word, (_, stop) in words if stop <= end for number, _ in self._tokenizer.merge(word)]
        self._text = self._text[end:]
        if self._text and not self._text[-1].isspace():
            ids += self._give_out_within()
        return ids

    def _final_words(self) -> int:
        """Where the words end that can't change."""
        text = self._text
        known = len(text.rstrip())
        words = self._tokenizer.split(text)
        if known == len(text):
            return words[-1][1][0] if words else 0
        return max((stop for _, (_, stop) in words if stop <= known), default=0)

    def _give_out_within(self) -> list[int]:
        """The certain ids of the last word, of which some letters must remain."""
        ((word, _),) = self._tokenizer.split(self._text)
        if len(word) < _SHORT:
            return []
        tokens = self._certain_tokens(word)
        lengths = list(accumulate(size for _, size in tokens))
        characters = list(accumulate(len(c.encode()) for c in self._text))
        borders = {size: number + 1 for number, size in enumerate(characters)}
        for count in range(len(tokens), 0, -1):
            cut = borders.get(lengths[count - 1])
            if cut is not None and cut < len(self._text) and self._continues_word(self._text[cut]):
                self._text = self._text[cut:]
                return [number for number, _ in tokens[:count]]
        return []

    def _certain_tokens(self, word: str) -> list[tuple[int, int]]:
        certain = self._tokenizer.merge(word)
        for start in range(len(word) - 1, max(len(word) - self._tokenizer.longest, -1), -1):
            if self._tokenizer.begins_token(word[start:]):
                other = self._tokenizer.merge(word[:start])
                same = next((i for i, (a, b) in enumerate(zip(certain, other, strict=False)) if a != b), len(other))
                certain = certain[:same]
                if not certain:
                    break
        return certain

    def _continues_word(self, character: str) -> bool:
        """Whether it is a letter for the split rule, so that what remains splits as it does within its word."""
        return len(self._tokenizer.split("a" + character)) == 1


def _safe_end(text: str) -> int:
    """Up to where what follows can't change the normal form: the start of the last character that stands for itself, or
    the end of white space, with which nothing combines."""
    for place in range(len(text) - 1, -1, -1):
        character = text[place]
        code = ord(character)
        if character in " \n\r\t":
            return place + 1
        if code < 0x300:
            return place
        if unicodedata.category(character)[0] in "MC" or any(low <= code <= high for low, high in _JOINING):
            continue
        return place
    return 0
