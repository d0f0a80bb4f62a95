"""Where no route to the selection is known: what was copied is read, through a function that the app gives.

This is what Windows, macOS and Wayland get for now. It was tried with Qt on X11 only, not on those systems.
"""

from __future__ import annotations

from collections.abc import Callable

from desktop_tts.desktop.selection.base import SelectedText, no_text_in_clipboard
from desktop_tts.errors import SelectionError


class CopiedTextReader:
    """Reads the clipboard for both: the user copies a text, then presses a hotkey."""

    def __init__(self, clipboard: Callable[[], str]) -> None:
        self._clipboard = clipboard

    def read_selection(self, timeout_s: float = 1.0) -> SelectedText:
        text = self._clipboard()
        if not text.strip():
            raise SelectionError(
                "On this desktop the selection can't be read directly.", "Copy the text, then press the hotkey."
            )
        return SelectedText(text, "clipboard")

    def read_clipboard(self, timeout_s: float = 1.0) -> SelectedText:
        text = self._clipboard()
        if not text.strip():
            raise no_text_in_clipboard()
        return SelectedText(text, "clipboard")

    def close(self) -> None:
        """Nothing is held."""
