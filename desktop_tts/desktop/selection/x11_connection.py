"""A connection to the X server with a hidden window, whose events are waited for until a deadline, never longer.

All of it belongs to one thread. While something is waited for, events that mean something to others (requests for what
we own, the user's keys) go to the handlers that asked for them.
"""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable
from typing import Any

from Xlib import X, display

Event = Any
"""python-xlib's events, windows and atoms are untyped."""
FLOWING = 10
"""How many times its span a deadline may be moved at most."""


class Deadline:
    """A moment that no wait goes beyond. As long as data flows it moves on, but not for ever."""

    def __init__(self, seconds: float, flowing: int = FLOWING) -> None:
        now = time.monotonic()
        self._seconds = seconds
        self._at, self._last = now + seconds, now + flowing * seconds

    def left(self) -> float:
        """Seconds until then, not below 0."""
        return max(self._at - time.monotonic(), 0.0)

    def at_most(self, seconds: float) -> Deadline:
        """An earlier deadline, which doesn't move."""
        return Deadline(min(seconds, self.left()), 1)

    def progress(self) -> None:
        """More data came: half the span more is allowed from here."""
        self._at = max(self._at, min(time.monotonic() + self._seconds / 2, self._last))


class Connection:
    """Opens the display that ``DISPLAY`` names. Raises ``Xlib.error.DisplayError`` or OSError."""

    def __init__(self) -> None:
        self.display = display.Display()
        self.display.set_error_handler(lambda *_: None)  # windows of others vanish at any time
        self.root = self.display.screen().root
        self.window = self.root.create_window(
            -10, -10, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask, override_redirect=True
        )
        self.handlers: list[Callable[[Event], bool]] = []
        """Each is shown the events and says whether one was for it. They wait for nothing."""

    def atom(self, name: str) -> int:
        return int(self.display.get_atom(name))

    def owner(self, selection: int) -> int:
        """The window that owns a selection, or 0."""
        return xid(self.display.get_selection_owner(selection))

    def client(self, window: int) -> int:
        """What all windows of one program's connection have in common."""
        return window & ~int(self.display.display.info.resource_id_mask)

    def server_time(self) -> int:
        """The server's clock in milliseconds, 32 bits."""
        stamp = self.atom("_DESKTOP_TTS_TIME")
        self.window.change_property(stamp, stamp, 8, b"", X.PropModeAppend)
        changed = self.wait(lambda e: e.type == X.PropertyNotify and e.atom == stamp and e.window == self.window, 1.0)
        return int(changed.time) if changed else X.CurrentTime

    def wait(self, wanted: Callable[[Event], bool], seconds: float) -> Event | None:
        """The first event that is wanted, or None when none came in time. Others go to the handlers."""
        end = time.monotonic() + seconds
        while True:
            while self.display.pending_events():
                event = self.display.next_event()
                if wanted(event):
                    return event
                self._handle(event)
            left = end - time.monotonic()
            if left <= 0:
                return None
            self._sleep(left)

    def handle_until(self, woken: socket.socket, seconds: float | None) -> bool:
        """Give events to the handlers until ``woken`` can be read or the time is over; whether it can be read."""
        end = None if seconds is None else time.monotonic() + seconds
        while True:
            while self.display.pending_events():
                self._handle(self.display.next_event())
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                return False
            if woken in self._sleep(left, woken):
                return True

    def handle_while(self, condition: Callable[[], bool]) -> None:
        """Give events to the handlers as long as the condition holds."""
        while condition():
            if self.display.pending_events():
                self._handle(self.display.next_event())
            else:
                self._sleep(None)

    def _sleep(self, seconds: float | None, *others: socket.socket) -> list[object]:
        """Until something comes. No event may be pending: those were already taken off the socket."""
        unsent = [self.display] if self.display.display.data_send else []
        return select.select([self.display, *others], unsent, [], seconds)[0]

    def _handle(self, event: Event) -> None:
        if event.type == X.MappingNotify:
            self.display.refresh_keyboard_mapping(event)
        any(handler(event) for handler in self.handlers)

    def close(self) -> None:
        self.display.close()


def xid(window: Event) -> int:
    """The id of a window as python-xlib gives it: an object, or a plain 0."""
    return window if isinstance(window, int) else int(window.id)
