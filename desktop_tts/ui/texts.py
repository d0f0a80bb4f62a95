"""Words that several windows share: names of states, keys as the user's keyboard shows them, shortened texts."""

from __future__ import annotations

import sys

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

from desktop_tts.reader_state import ReaderState, ReaderStatus

APP_NAME = "Desktop TTS"
translate = QCoreApplication.translate
_META = {"win32": "Win", "darwin": "Ctrl"}


def state_title(state: ReaderState) -> str:
    return {
        ReaderState.IDLE: translate("texts", "Ready"),
        ReaderState.PREPARING: translate("texts", "Getting ready…"),
        ReaderState.SPEAKING: translate("texts", "Reading"),
        ReaderState.PAUSED: translate("texts", "Paused"),
        ReaderState.ERROR: translate("texts", "Could not read"),
    }[state]


def source_title(source: str) -> str:
    """Where a text came from, or empty."""
    return {
        "selection": translate("texts", "selected text"),
        "clipboard": translate("texts", "copied text"),
        "command": translate("texts", "text from a command"),
    }.get(source, "")


def details(status: ReaderStatus) -> str:
    """Who reads what, in a phrase, or empty."""
    return " · ".join(part for part in (status.voice_name, source_title(status.source)) if part)


def keys_text(portable: str) -> str:
    """A hotkey of the settings as this system writes it, or empty: ``Meta+Alt+R`` is ``Super+Alt+R`` on Linux."""
    if not portable:
        return ""
    text = QKeySequence(portable, QKeySequence.SequenceFormat.PortableText).toString(
        QKeySequence.SequenceFormat.NativeText
    )
    if sys.platform == "darwin":
        return text
    return "+".join(_META.get(sys.platform, "Super") if key == "Meta" else key for key in text.split("+"))


def speed_text(speed: float) -> str:
    """``1.25×``."""
    return f"{speed:.2f}".rstrip("0").rstrip(".") + "×"


def shorten(text: str, limit: int) -> str:
    """On one line, cut at a word when longer than ``limit`` characters."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[:limit]
    at_word = cut.rsplit(" ", 1)[0] if line[limit] != " " else cut
    return (at_word if len(at_word) > limit // 2 else cut).rstrip(" ,;:–-") + "…"
