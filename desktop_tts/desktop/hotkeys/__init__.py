"""Global hotkeys: one interface, a backend for each kind of desktop."""

from __future__ import annotations

import os
import sys

from desktop_tts.desktop.hotkeys.base import HotkeyBackend, OnPressed
from desktop_tts.errors import HotkeyError

__all__ = ["HotkeyBackend", "OnPressed", "pick_backend"]


def pick_backend(on_pressed: OnPressed) -> HotkeyBackend:
    """The backend for this session. Raises HotkeyError that says what to do where there is none."""
    if sys.platform.startswith("linux"):
        if os.environ.get("WAYLAND_DISPLAY"):
            raise HotkeyError(
                "Wayland gives programs no hotkeys of their own.",
                "Bind `desktop-tts read-selection` to a key in your desktop's keyboard settings.",
            )
        from desktop_tts.desktop.hotkeys.x11 import X11Hotkeys

        return X11Hotkeys(on_pressed)
    from desktop_tts.desktop.hotkeys.pynput_backend import PynputHotkeys

    return PynputHotkeys(on_pressed, mac=sys.platform == "darwin")
