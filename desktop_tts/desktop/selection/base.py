"""What reading a selection gives, and what every backend offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from desktop_tts.errors import SelectionError

Origin = Literal["primary", "copy", "clipboard"]
"""Where a text came from: the mouse selection, a copy that we asked the program for, or the user's own copy."""


@dataclass(frozen=True, slots=True)
class SelectedText:
    """A text to read, never empty."""

    text: str
    origin: Origin


class SelectionReader(Protocol):
    """One way of getting at other programs' texts.

    Calls may take as long as ``timeout_s``, and longer only while a big text keeps coming, so they belong in a worker
    thread. Calls from several threads are done one after the other.
    """

    def read_selection(self, timeout_s: float = 1.0) -> SelectedText:
        """The text that is selected in the program that has the focus. Raises SelectionError."""

    def read_clipboard(self, timeout_s: float = 1.0) -> SelectedText:
        """The text that was copied. Raises SelectionError."""

    def close(self) -> None:
        """Give back what is held for other programs, and end. Another call starts it again."""


def nothing_selected() -> SelectionError:
    return SelectionError("Nothing is selected.", "Select some text and press the hotkey again.")


def no_text_in_clipboard() -> SelectionError:
    return SelectionError("There's no text in the clipboard.", "Copy some text first.")


def only_a_picture() -> SelectionError:
    return SelectionError("The clipboard holds a picture and no text.", "Copy some text first.")


def owner_is_silent(what: str) -> SelectionError:
    """``what`` is ``"selection"`` or ``"clipboard"``."""
    return SelectionError(
        f"The program that owns the {what} doesn't answer.", "Wait until it does, or copy the text from another one."
    )


def no_display() -> SelectionError:
    return SelectionError("There's no X display to read a selection from.", "See `desktop-tts doctor`.")


def too_big() -> SelectionError:
    return SelectionError("The selected text is too big to be read.", "Select less of it.")
