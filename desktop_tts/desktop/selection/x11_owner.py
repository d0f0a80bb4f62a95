"""Owning the clipboard: another program's data, held for it and given to whoever asks, byte for byte."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from Xlib import X, Xatom
from Xlib.protocol import event as protocol
from Xlib.protocol import request

from desktop_tts.desktop.selection.x11_connection import Connection, Event
from desktop_tts.desktop.selection.x11_transfer import Data

PART = 1 << 16
"""Bytes that go into one property; more is sent in parts."""
PATIENCE_S = 10.0
"""A program that doesn't fetch the next part within so much has given up."""


@dataclass(slots=True)
class _Sending:
    """A big format on its way to one property of one window."""

    window: Event
    data: Data
    sent: int
    at: float


class ClipboardOwner:
    """Serves while its connection's events are handled. Same thread as the connection."""

    def __init__(self, connection: Connection) -> None:
        self._x = connection
        self.contents: Mapping[int, Data] = {}
        """By target; empty when another program owns the clipboard."""
        self.owning = False
        self._since = 0
        self._sending: dict[tuple[int, int], _Sending] = {}
        self._clipboard = connection.atom("CLIPBOARD")
        names = ("TARGETS", "MULTIPLE", "TIMESTAMP", "SAVE_TARGETS", "INCR", "ATOM_PAIR")
        self._targets, self._multiple, self._timestamp, self._save, self._incr, self._pair = map(connection.atom, names)
        connection.handlers.append(self.handle)

    def own(self, contents: Mapping[int, Data], now: int) -> bool:
        """Take the clipboard with these contents, or empty it where there are none; whether that worked.

        ``now`` is the server's time, or one a little before: it is what others are told.
        """
        self._since = now
        self._x.window.set_selection_owner(self._clipboard, X.CurrentTime)
        if self._x.owner(self._clipboard) != self._x.window.id:
            return False
        if not contents:
            request.SetSelectionOwner(
                display=self._x.display.display, window=X.NONE, selection=self._clipboard, time=X.CurrentTime
            )
        self.contents, self.owning = contents, bool(contents)
        return True

    def handle(self, event: Event) -> bool:
        """Serve a request, go on with a big one, or notice that the clipboard has another owner."""
        if event.type == X.SelectionRequest:
            self._serve(event)
        elif event.type == X.SelectionClear and event.atom == self._clipboard:
            if self._x.owner(self._clipboard) != self._x.window.id:  # else it is older than our last taking it
                self.contents, self.owning = {}, False
        elif event.type == X.PropertyNotify and (event.window.id, event.atom) in self._sending:
            if event.state == X.PropertyDelete:
                self._send_part(event.window.id, event.atom)
        else:
            return False
        return True

    # ------------------------------------------------------------ requests

    def _serve(self, asked: Event) -> None:
        self._drop_stuck()
        into = asked.property or asked.target  # old programs give no property
        ours = self.owning and asked.selection == self._clipboard
        recent = asked.time == X.CurrentTime or (asked.time - self._since) % (1 << 32) < 1 << 31
        if ours and recent and asked.target == self._multiple and asked.property:
            done = self._put_several(asked.requestor, into)
        else:
            done = ours and recent and self._put(asked.requestor, asked.target, into)
        answer = protocol.SelectionNotify(
            time=asked.time,
            requestor=asked.requestor,
            selection=asked.selection,
            target=asked.target,
            property=into if done else X.NONE,
        )
        asked.requestor.send_event(answer)

    def _put(self, window: Event, target: int, into: int) -> bool:
        """Put the format into a property of the program that asks; False when there is no such format."""
        if target == self._targets:
            about = (self._targets, self._multiple, self._timestamp, self._save)
            window.change_property(into, Xatom.ATOM, 32, [*self.contents, *about])
        elif target == self._timestamp:
            window.change_property(into, Xatom.INTEGER, 32, [self._since])
        elif target in self.contents:
            data = self.contents[target]
            if len(data.content) <= PART:
                window.change_property(into, data.type, data.format, data.content)
            else:
                self._begin(window, into, data)
        else:
            return False
        return True

    def _put_several(self, window: Event, into: int) -> bool:
        """MULTIPLE: the property lists pairs of target and property. What can't be had is struck from the list."""
        asked = window.get_full_property(into, X.AnyPropertyType)
        if asked is None or asked.format != 32:
            return False
        numbers = list(asked.value)
        for at in range(0, len(numbers) - 1, 2):
            target, one = numbers[at : at + 2]
            if target == self._multiple or not one or not self._put(window, target, one):
                numbers[at + 1] = X.NONE
        window.change_property(into, self._pair, 32, numbers)
        return True

    # ------------------------------------------------------------ big ones

    def _begin(self, window: Event, into: int, data: Data) -> None:
        if window.id != self._x.window.id:
            window.change_attributes(event_mask=X.PropertyChangeMask)
        self._sending[window.id, into] = _Sending(window, data, 0, time.monotonic())
        window.change_property(into, self._incr, 32, [len(data.content)])

    def _send_part(self, window: int, into: int) -> None:
        """The next part, as the one before was fetched; after the last an empty one."""
        sending = self._sending[window, into]
        part = sending.data.content[sending.sent : sending.sent + PART]
        sending.window.change_property(into, sending.data.type, sending.data.format, part)
        sending.sent += len(part)
        sending.at = time.monotonic()
        if not part:
            self._end(window, into)

    def _end(self, window: int, into: int) -> None:
        sending = self._sending.pop((window, into))
        if window != self._x.window.id and not any(other == window for other, _ in self._sending):
            sending.window.change_attributes(event_mask=X.NoEventMask)

    def _drop_stuck(self) -> None:
        now = time.monotonic()
        for key in [key for key, sending in self._sending.items() if now - sending.at > PATIENCE_S]:
            self._end(*key)

    # ------------------------------------------------------------ the end

    def hand_over(self, seconds: float) -> bool:
        """Give the contents to a clipboard manager, which keeps them when we're gone. False where none takes them."""
        manager = self._x.atom("CLIPBOARD_MANAGER")
        if not self.owning or not self._x.owner(manager):
            return False
        into = self._x.atom("_DESKTOP_TTS_SAVE")
        self._x.window.change_property(into, Xatom.ATOM, 32, list(self.contents))
        self._x.window.convert_selection(manager, self._save, into, self._x.server_time())
        answer = self._x.wait(lambda e: e.type == X.SelectionNotify and e.selection == manager, seconds)
        return answer is not None and bool(answer.property)
