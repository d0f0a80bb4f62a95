"""From the raw text of a sentence or so to what is said: the order of the steps."""

from __future__ import annotations

from desktop_tts.text.addresses import spoken_addresses
from desktop_tts.text.composed import composed
from desktop_tts.text.emoji import without_emoji
from desktop_tts.text.markdown import without_emphasis, without_links
from desktop_tts.text.offsets import Mapped
from desktop_tts.text.options import TextOptions
from desktop_tts.text.tamed import tamed, without_blanks


def clean(text: Mapped, options: TextOptions, code: bool = False) -> Mapped:
    """What is said of ``text``, which is code or prose. Takes time in proportion to its length."""
    text = composed(without_emoji(text, options.emoji))
    if not code:
        text = without_emphasis(spoken_addresses(without_links(text)))
    return without_blanks(tamed(text))


def speakable(text: str) -> bool:
    """Whether an engine finds anything to say."""
    return any(map(str.isalnum, text))
