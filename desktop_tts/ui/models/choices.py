"""The choices of how and whence models run and come, with words for those that are known."""

from __future__ import annotations

import sys

from PySide6.QtCore import QCoreApplication

from desktop_tts import settings

translate = QCoreApplication.translate
Choices = tuple[tuple[str, str], ...]
"""Pairs of value and words."""


def device_choices() -> Choices:
    """Common devices; whether they are there is known when a model is loaded."""
    return (
        ("auto", translate("models", "Automatic")),
        ("cpu", translate("models", "Processor")),
        *((("mps", translate("models", "Apple graphics (mps)")),) if sys.platform == "darwin" else ()),
        *((("cuda:0", translate("models", "NVIDIA graphics card (cuda:0)")),) if sys.platform != "darwin" else ()),
    )


def dtype_choices() -> Choices:
    return _worded(
        "models.dtype",
        {
            "auto": translate("models", "Automatic"),
            "int8": translate("models", "int8: the least memory"),
            "float32": translate("models", "float32: the most exact, the most memory"),
            "bfloat16": translate("models", "bfloat16: half the memory of float32"),
            "float16": translate("models", "float16: half the memory, for older graphics cards"),
        },
    )


def source_choices() -> Choices:
    return _worded(
        "models.source",
        {
            "auto": translate("models", "Automatic: whichever can be reached"),
            "huggingface": translate("models", "Hugging Face"),
            "modelscope": translate("models", "ModelScope"),
        },
    )


def _worded(key: str, words: dict[str, str]) -> Choices:
    """The values that the setting allows; one without words is shown as it is."""
    return tuple((value, words.get(value, value)) for value in settings.choices_for(key))
