"""What is read, when a selection or the clipboard is wanted on X11.

Selecting text makes a program the owner of PRIMARY, and there it stays, however long ago that was. So it is decided
like this:

1. PRIMARY, when its owner is the program that has the focus, or when it was selected within the last minute and hasn't
   been read yet: selected there, then clicked elsewhere.
2. Otherwise the focused program may have a selection that it doesn't offer as PRIMARY. It is asked to copy it, if the
   settings allow that and Ctrl+C means "copy" there.
3. When that brings nothing, PRIMARY after all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from Xlib import Xatom

from desktop_tts.desktop.selection import x11_holder
from desktop_tts.desktop.selection.base import (
    SelectedText,
    no_text_in_clipboard,
    nothing_selected,
    only_a_picture,
    owner_is_silent,
    too_big,
)
from desktop_tts.desktop.selection.html_text import text_of_html
from desktop_tts.desktop.selection.x11_connection import Connection, Deadline
from desktop_tts.desktop.selection.x11_copy import Copier
from desktop_tts.desktop.selection.x11_focus import Focus, focused, same_program
from desktop_tts.desktop.selection.x11_owner import ClipboardOwner
from desktop_tts.desktop.selection.x11_transfer import Requestor, Silent, TooBig

FRESH_MS = 60_000
_STAMP_S = 0.3
_HAND_OVER_S = 2.0


@dataclass(frozen=True, slots=True)
class _Selection:
    """What tells one selection from another."""

    owner: int
    made: int | None
    """The server's time; None where the owner doesn't say or wasn't asked."""
    digest: int

    def is_same(self, other: _Selection) -> bool:
        if self.owner != other.owner:
            return False
        return self.digest == other.digest if None in (self.made, other.made) else self.made == other.made


class Session:
    """Remembers what was read last. Lives in one thread, like its connection."""

    def __init__(self, x: Connection, simulate_copy: Callable[[], bool]) -> None:
        self._x, self._simulate_copy = x, simulate_copy
        self._requestor = Requestor(x)
        self._owner = ClipboardOwner(x)
        self._copier = Copier(x, self._requestor, self._owner)
        self._clipboard = x.atom("CLIPBOARD")
        self._last: _Selection | None = None
        self.seconds_left = self._copier.seconds_left
        """For how long the connection's events must be handled before this is called again; None: for ever."""

    def end(self) -> None:
        """What the clipboard holds stays there: in a clipboard manager, or in a process of its own."""
        if self._owner.owning and not self._owner.hand_over(_HAND_OVER_S):
            x11_holder.start(self._owner.contents, _HAND_OVER_S)
        self._x.close()

    # ------------------------------------------------------------ the selection

    def read_selection(self, deadline: Deadline) -> SelectedText:
        """Raises SelectionError."""
        focus = focused(self._x)
        owner = self._x.owner(Xatom.PRIMARY)
        at_home = bool(owner and focus and same_program(self._x, owner, focus))
        text, fresh, silent = "", False, False
        try:
            if owner:
                made = None if at_home else self._requestor.timestamp(Xatom.PRIMARY, deadline.at_most(_STAMP_S))
                text = self._requestor.text(Xatom.PRIMARY, deadline) or ""
                selection = _Selection(owner, made, hash(text))
                fresh = at_home or self._is_new(selection)
        except Silent:
            silent = True
        except TooBig as problem:
            raise too_big() from problem
        if not text.strip() or not fresh:
            copied = "" if silent and at_home else self._copied(focus, deadline)
            if copied:
                return SelectedText(copied, "copy")
        if text.strip():
            self._last = selection
            return SelectedText(text, "primary")
        raise owner_is_silent("selection") if silent else nothing_selected()

    def _is_new(self, selection: _Selection) -> bool:
        """Made lately and not read yet."""
        if self._last is not None and self._last.is_same(selection):
            return False
        return selection.made is None or (self._x.server_time() - selection.made) % (1 << 32) < FRESH_MS

    def _copied(self, focus: Focus | None, deadline: Deadline) -> str:
        if focus is None or not self._simulate_copy():
            return ""
        text = self._copier.text(focus, deadline) or ""
        return text if text.strip() else ""

    # ------------------------------------------------------------ the clipboard

    def read_clipboard(self, deadline: Deadline) -> SelectedText:
        """Raises SelectionError."""
        try:
            text, offered = self._clipboard_text(deadline)
        except Silent as problem:
            raise owner_is_silent("clipboard") from problem
        except TooBig as problem:
            raise too_big() from problem
        if text.strip():
            return SelectedText(text, "clipboard")
        if any(self._x.display.get_atom_name(target).startswith("image/") for target in offered):
            raise only_a_picture()
        raise no_text_in_clipboard()

    def _clipboard_text(self, deadline: Deadline) -> tuple[str, list[int]]:
        offered = self._requestor.targets(self._clipboard, deadline)
        text = self._requestor.text(self._clipboard, deadline, offered) or ""
        html = self._x.atom("text/html")
        if not text.strip() and offered and html in offered:
            found = self._requestor.convert(self._clipboard, html, deadline)
            text = text_of_html(found.content) if found else ""
        return text, offered or []
