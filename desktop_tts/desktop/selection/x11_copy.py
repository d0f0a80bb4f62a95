"""Getting a selection by having the program copy it, and putting back what the clipboard held, in every format.

Nothing may be lost from the clipboard. So it is saved first, and where that isn't possible no key is pressed. Where the
program copies only after we have given up waiting, the clipboard is watched a while longer and put back then, unless
another program did it or the user has meanwhile done something by which a person copies.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from Xlib import X
from Xlib.ext import xfixes
from Xlib.protocol import event as protocol

from desktop_tts.desktop.selection.x11_connection import Connection, Deadline, Event, xid
from desktop_tts.desktop.selection.x11_focus import Focus, same_program
from desktop_tts.desktop.selection.x11_keys import UserInput, press_ctrl_c
from desktop_tts.desktop.selection.x11_owner import ClipboardOwner
from desktop_tts.desktop.selection.x11_transfer import Data, Requestor, Silent, TooBig

COPY_S = 0.6
"""How long the program gets to copy."""
LATE_S = 3.0
"""How long after that a late copy is still undone."""
PING_S = 0.25
_SPARE_S = 0.15
"""What is kept of the time for reading what was selected before."""


@dataclass(frozen=True, slots=True)
class _Late:
    """Who was asked for a copy, and what to put back should it still come."""

    until: float
    focus: Focus
    saved: Mapping[int, Data]


class Copier:
    """Same thread as the connection."""

    def __init__(self, x: Connection, requestor: Requestor, owner: ClipboardOwner) -> None:
        self._x, self._requestor, self._owner = x, requestor, owner
        self._clipboard = x.atom("CLIPBOARD")
        self._can = x.display.has_extension("XFIXES") and x.display.has_extension("XTEST")
        if self._can:
            x.display.xfixes_query_version()
        self._input = UserInput(x)
        self._late: _Late | None = None
        self._changed = False
        """Whether the clipboard got another owner since it is watched."""
        x.handlers.append(self._handle)

    def text(self, focus: Focus, deadline: Deadline) -> str | None:
        """What the focused program copies, or None where it copies no text or mustn't be asked."""
        self._stop_watching()
        if not self._can or not focus.copies or not self._answers(focus):
            return None
        self._watch(True)
        saved = self._saved(deadline)
        if saved is None or self._changed or not press_ctrl_c(self._x):
            self._watch(False)
            return None
        self._input.watch(True)
        copy = self._x.wait(self._is_copy, min(COPY_S, deadline.left() - _SPARE_S))
        if copy is None:
            self._late = _Late(time.monotonic() + LATE_S, focus, saved)
            return None
        try:
            return self._requestor.text(self._clipboard, deadline)
        except (Silent, TooBig):
            return None
        finally:
            if not self._input.copied:
                self._owner.own(saved, copy.timestamp)
            self._watch(False)

    def seconds_left(self) -> float | None:
        """For how long a late copy is still watched for; None when none is. Ends the watch when it is over."""
        if self._late is None:
            return None
        left = self._late.until - time.monotonic()
        if left <= 0:
            self._stop_watching()
            return None
        return left

    # ------------------------------------------------------------ the steps

    def _answers(self, focus: Focus) -> bool:
        """Whether the program looks at its events. One that hangs would copy at any later time."""
        if not focus.answers_pings:
            return True
        protocols, ping = self._x.atom("WM_PROTOCOLS"), self._x.atom("_NET_WM_PING")
        stamp = self._x.server_time()
        window = self._x.display.create_resource_object("window", focus.window)
        message = protocol.ClientMessage(
            window=window, client_type=protocols, data=(32, [ping, stamp, focus.window, 0, 0])
        )
        self._x.root.change_attributes(event_mask=X.SubstructureNotifyMask)
        window.send_event(message)
        answer = self._x.wait(
            lambda e: (
                e.type == X.ClientMessage
                and e.client_type == protocols
                and list(e.data[1][:3]) == list(message.data[1][:3])
            ),
            PING_S,
        )
        self._x.root.change_attributes(event_mask=X.NoEventMask)
        return answer is not None

    def _saved(self, deadline: Deadline) -> Mapping[int, Data] | None:
        """All that the clipboard holds, or None when that can't be had in time."""
        if self._owner.owning:
            return self._owner.contents
        if not self._x.owner(self._clipboard):
            return {}
        try:
            return self._requestor.everything(self._clipboard, deadline.at_most(deadline.left() / 2))
        except (Silent, TooBig):
            return None

    def _watch(self, on: bool) -> None:
        """Be told when the clipboard gets another owner, or no longer."""
        self._changed = False
        mask = xfixes.XFixesSetSelectionOwnerNotifyMask if on else 0
        self._x.display.xfixes_select_selection_input(self._x.window, self._clipboard, mask)
        self._x.display.sync()
        if not on:
            self._input.watch(False)

    def _is_copy(self, event: Event) -> bool:
        return (
            isinstance(event, xfixes.SelectionNotify)
            and event.selection == self._clipboard
            and xid(event.owner) not in (X.NONE, self._x.window.id)
        )

    def _handle(self, event: Event) -> bool:
        """A copy that came late is undone, unless it may be the user's own."""
        if not isinstance(event, xfixes.SelectionNotify):
            return False
        late = self._late
        if self._is_copy(event):
            self._changed = True
            if late is not None:
                ours = same_program(self._x, event.owner.id, late.focus) and not self._input.copied
                self._stop_watching()
                if ours:
                    self._owner.own(late.saved, event.timestamp)
        return True

    def _stop_watching(self) -> None:
        if self._late is not None:
            self._late = None
            self._watch(False)
