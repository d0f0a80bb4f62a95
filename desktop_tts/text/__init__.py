"""Text as people select it, turned into utterances: clean, in sentences, each in its language, mapped to the source.

Knows no engines, no sound and no Qt.
"""

from desktop_tts.text.options import TextOptions
from desktop_tts.text.pipeline import prepare, prepare_stream

__all__ = ["TextOptions", "prepare", "prepare_stream"]
