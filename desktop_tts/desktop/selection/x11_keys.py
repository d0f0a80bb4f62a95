"""Pressing Ctrl+C for the user while keys may still be held, and noticing keys and buttons that the user presses."""

from __future__ import annotations

import struct

from Xlib import XK, X
from Xlib.ext import ge, xinput
from Xlib.keysymdef import xf86

from desktop_tts.desktop.selection.x11_connection import Connection, Event

_WITH_CTRL = (XK.XK_c, XK.XK_x, XK.XK_Insert)
_ALONE = (XK.XK_Return, XK.XK_KP_Enter, XK.XK_space, xf86.XK_XF86_Copy, xf86.XK_XF86_Cut)
_RAW = struct.Struct("=HII")
"""The start of a raw event: device, time, key or button."""


def press_ctrl_c(x: Connection) -> bool:
    """Press and release Ctrl+C in the focused window, in one go; False where the keyboard has no such keys.

    Held modifiers are lifted for that moment and put back; another held key, that of the hotkey, is only lifted: so
    long as it is down the X server gives every key to whoever owns the hotkey. Ctrl goes down before the others come
    up and comes up after them, because Alt or Super pressed and released alone opens menus.
    """
    rows = [set(row) - {0} for row in x.display.get_modifier_mapping()]
    modifiers = set().union(*rows)
    down = _held(x)
    controls = rows[X.ControlMapIndex]
    key = _keycode_of_c(x)
    if not controls or not key:
        return False
    control = min(controls - down or controls)
    lifted = sorted(down & modifiers - controls)
    for code in [] if control in down else [control]:
        _tap(x, (X.KeyRelease, code), (X.KeyPress, code))  # released first: the server ignores a press of a pressed key
    _tap(x, *((X.KeyRelease, code) for code in lifted))
    _tap(x, *((X.KeyRelease, code) for code in sorted(down - modifiers)))
    _tap(x, (X.KeyPress, key), (X.KeyRelease, key))
    _tap(x, *((X.KeyPress, code) for code in lifted))
    if control not in down:
        _tap(x, (X.KeyRelease, control))
    x.display.sync()
    return True


def _tap(x: Connection, *events: tuple[int, int]) -> None:
    for kind, code in events:
        x.display.xtest_fake_input(kind, code)


def _held(x: Connection) -> set[int]:
    """Keycodes that are down now."""
    bits = x.display.query_keymap()
    return {8 * byte + bit for byte in range(32) for bit in range(8) if bits[byte] >> bit & 1}


def _keycode_of_c(x: Connection) -> int:
    """The key that gives a c in the layout in use, else in any layout."""
    group = x.root.query_pointer().mask >> 13 & 3
    codes = {index: code for code, index in reversed(list(x.display.keysym_to_keycodes(XK.XK_c)))}
    return codes.get(2 * group) or next((codes[index] for index in sorted(codes)), 0)


class UserInput:
    """Notices that the user may have copied something: by a shortcut, or by choosing it from a menu.

    Raw input events tell it, whoever has the focus. With Alt or Super held it was another shortcut, such as ours.
    """

    def __init__(self, x: Connection) -> None:
        self._x = x
        self.copied = False
        self._down: set[int] = set()
        self._can = bool(x.display.has_extension("XInputExtension"))
        self._opcode = x.display.display.get_extension_major("XInputExtension") if self._can else 0
        if self._can:  # since 2.1 raw events also come while a menu has grabbed the pointer
            version = xinput.XIQueryVersion(
                display=x.display.display, opcode=self._opcode, major_version=2, minor_version=2
            )
            self._can = version.major_version >= 2
        x.handlers.append(self._handle)

    def watch(self, on: bool) -> None:
        """From now on, or no longer. What happened before doesn't count."""
        self.copied = False
        if not self._can:
            return
        mask = xinput.RawKeyPressMask | xinput.RawKeyReleaseMask | xinput.RawButtonPressMask
        self._x.root.xinput_select_events([(xinput.AllMasterDevices, mask if on else 0)])
        if on:
            rows = [set(row) for row in self._x.display.get_modifier_mapping()]
            self._control, self._other = rows[X.ControlMapIndex], rows[X.Mod1MapIndex] | rows[X.Mod4MapIndex]
            self._down = _held(self._x)

    def _handle(self, event: Event) -> bool:
        if event.type != ge.GenericEventCode or event.extension != self._opcode:
            return False
        _, _, key = _RAW.unpack_from(event.data)
        if event.evtype == xinput.RawKeyRelease:
            self._down.discard(key)
        elif event.evtype == xinput.RawButtonPress or self._may_copy(key):
            self.copied = True
        return True

    def _may_copy(self, key: int) -> bool:
        self._down.add(key)
        symbols = _WITH_CTRL if self._down & self._control else _ALONE
        codes = (code for symbol in symbols for code, _ in self._x.display.keysym_to_keycodes(symbol))
        return not self._down & self._other and key in codes
