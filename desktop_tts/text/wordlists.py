"""Sets of words, written as one writes words."""


def word_set(text: str) -> frozenset[str]:
    """The words of ``text``, which stand between white space."""
    return frozenset(text.split())
