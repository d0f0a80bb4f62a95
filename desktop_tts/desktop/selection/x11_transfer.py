"""Asking the owner of a selection for its data, with a deadline on every wait."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from Xlib import X

from desktop_tts.desktop.selection.x11_connection import Connection, Deadline

LIMIT = 64 << 20
"""Bytes. No selection that a person wants to hear, and no clipboard that we put back, is bigger."""
_WORDS = 1 << 16
"""32-bit words of a property that are fetched at once."""
_ANSWERS = 16

TEXT_TARGETS = ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain;charset=UTF-8", "STRING", "text/plain", "TEXT")
"""Best first."""
ABOUT = ("TARGETS", "MULTIPLE", "TIMESTAMP", "SAVE_TARGETS", "DELETE", "INSERT_SELECTION", "INSERT_PROPERTY")
"""Targets that are no data: about the transfer, or with side effects."""


class Silent(Exception):
    """The owner doesn't answer in time."""


class TooBig(Exception):
    """The owner has more than ``LIMIT``."""


@dataclass(frozen=True, slots=True)
class Data:
    """One format of a selection, as its owner gave it."""

    type: int
    """An atom."""
    format: int
    """Bits of an item: 8, 16 or 32."""
    content: bytes

    def items(self) -> list[int]:
        """The numbers in a property of 32-bit items."""
        return list(memoryview(self.content).cast("I")) if self.format == 32 else []


class Requestor:
    """Asks owners. An answer that comes late can't be taken for that to another question."""

    def __init__(self, connection: Connection) -> None:
        self._x = connection
        self._asked = 0
        self._incr = connection.atom("INCR")
        connection.handlers.append(self._forget_late_answer)

    def _forget_late_answer(self, event: object) -> bool:
        if getattr(event, "type", None) != X.SelectionNotify:
            return False
        if event.property:  # type: ignore[attr-defined]
            self._x.window.delete_property(event.property)  # type: ignore[attr-defined]
        return True

    def convert(self, selection: int, target: int, deadline: Deadline, limit: int | None = None) -> Data | None:
        """What the owner has in the format ``target``, or None where it hasn't or where nobody owns the selection.

        Raises Silent and TooBig.
        """
        limit = LIMIT if limit is None else limit
        self._asked = (self._asked + 1) % _ANSWERS
        into = self._x.atom(f"_DESKTOP_TTS_{self._asked}")
        self._x.window.delete_property(into)
        self._x.window.convert_selection(selection, target, into, X.CurrentTime)
        answer = self._x.wait(
            lambda e: (
                e.type == X.SelectionNotify
                and (e.selection, e.target) == (selection, target)
                and e.property in (into, X.NONE)
            ),
            deadline.left(),
        )
        if answer is None:
            raise Silent
        if not answer.property:
            return None
        deadline.progress()
        data = self._fetch(into, limit)
        if data is None or data.type != self._incr:
            return data
        return self._fetch_in_parts(into, deadline, limit)

    def _fetch_in_parts(self, into: int, deadline: Deadline, limit: int) -> Data | None:
        """Each part is put when the one before was deleted; an empty one is the last."""
        parts: list[Data] = []
        size = 0
        while True:
            put = self._x.wait(
                lambda e: e.type == X.PropertyNotify and e.atom == into and e.state == X.PropertyNewValue,
                deadline.left(),
            )
            if put is None:
                raise Silent
            part = self._fetch(into, limit - size)
            if part is None:  # it was fetched with an earlier notice
                continue
            if not part.content:
                first = parts[0] if parts else part
                return Data(first.type, first.format, b"".join(part.content for part in parts))
            deadline.progress()
            size += len(part.content)
            parts.append(part)

    def _fetch(self, prop: int, limit: int) -> Data | None:
        """The content of a property of our window, which is deleted by it."""
        parts: list[bytes] = []
        at = 0
        while True:
            got = self._x.window.get_property(prop, X.AnyPropertyType, at, _WORDS, delete=True)
            if got is None:
                return None
            if (at << 2) + got.bytes_after > limit:
                raise TooBig
            parts.append(bytes(got.value))
            if not got.bytes_after:
                return Data(int(got.property_type), int(got.format), b"".join(parts))
            at += _WORDS

    # ------------------------------------------------------------ in our own terms

    def targets(self, selection: int, deadline: Deadline) -> list[int] | None:
        """The formats that the owner offers; None where it doesn't say."""
        found = self.convert(selection, self._x.atom("TARGETS"), deadline)
        return found.items() if found else None

    def timestamp(self, selection: int, deadline: Deadline) -> int | None:
        """The server's time at which the selection was made; None where the owner doesn't say."""
        found = self.convert(selection, self._x.atom("TIMESTAMP"), deadline)
        items = found.items() if found else []
        return items[0] if items and items[0] else None

    def text(self, selection: int, deadline: Deadline, offered: Collection[int] | None = None) -> str | None:
        """The text of a selection, or None where it has none. ``offered`` are its targets, if they are known."""
        if offered is None:
            offered = self.targets(selection, deadline)
        for name in TEXT_TARGETS:
            target = self._x.atom(name)
            if offered is None or target in offered:
                found = self.convert(selection, target, deadline)
                if found and found.format == 8:
                    return decoded(found.content, utf8="utf" in name.lower())
        return None

    def everything(self, selection: int, deadline: Deadline) -> dict[int, Data]:
        """Every format by its target, in the owner's order. Raises Silent and TooBig."""
        offered = self.targets(selection, deadline)
        if offered is None:
            offered = [self._x.atom(name) for name in TEXT_TARGETS]
        about = {self._x.atom(name) for name in ABOUT}
        found: dict[int, Data] = {}
        room = LIMIT
        for target in dict.fromkeys(offered):
            if target and target not in about:
                data = self.convert(selection, target, deadline, room)
                if data is not None:
                    found[target] = data
                    room -= len(data.content)
        return found


def decoded(content: bytes, *, utf8: bool) -> str:
    """Text of a target that is UTF-8, or of one that is Latin-1 by the rules and mostly UTF-8 in practice."""
    content = content.rstrip(b"\0")
    if not utf8:
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            return content.decode("latin-1")
    return content.decode("utf-8", "replace")
