"""Two requests of the X server's keyboard extension, which python-xlib hasn't."""

from __future__ import annotations

from Xlib.protocol import rq

_CORE_KEYBOARD = 0x100


class _Use(rq.ReplyRequest):
    _request = rq.Struct(
        rq.Card8("opcode"), rq.Opcode(0), rq.RequestLength(), rq.Card16("major"), rq.Card16("minor")
    )  # fmt: skip
    _reply = rq.Struct(rq.ReplyCode(), rq.Bool("supported"), rq.Card16("sequence_number"), rq.ReplyLength(), rq.Pad(24))


class _LatchLock(rq.Request):
    _request = rq.Struct(
        rq.Card8("opcode"), rq.Opcode(5), rq.RequestLength(), rq.Card16("device"), rq.Card8("affected_locks"),
        rq.Card8("locks"), rq.Bool("locks_group"), rq.Card8("group"), rq.Card8("affected_latches"), rq.Pad(2),
        rq.Bool("latches_group"), rq.Card16("latch"),
    )  # fmt: skip


def use_xkb(x):
    """From now on, events for this connection tell the layout in bit 13 of their state, as toolkits want it."""
    opcode = x.query_extension("XKEYBOARD").major_opcode
    assert _Use(display=x.display, opcode=opcode, major=1, minor=0).supported
    return opcode


def lock_group(x, number):
    """Which of the layouts is in use."""
    _LatchLock(
        display=x.display, opcode=use_xkb(x), device=_CORE_KEYBOARD, affected_locks=0, locks=0, locks_group=1,
        group=number, affected_latches=0, latches_group=0, latch=0,
    )  # fmt: skip
    x.sync()
    assert x.screen().root.query_pointer().mask >> 13 & 3 == number, "the layout isn't in use"
