"""The selected and the copied text of any program: one interface, a backend for each kind of desktop."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from desktop_tts.desktop.selection.base import SelectedText, SelectionReader, no_display

__all__ = ["SelectedText", "SelectionReader", "pick_reader"]


def pick_reader(simulate_copy: Callable[[], bool], qt_clipboard: Callable[[], str] | None = None) -> SelectionReader:
    """The reader for this session. Starts nothing yet.

    ``simulate_copy`` is asked at each reading whether Ctrl+C may be pressed for a program that doesn't offer its
    selection. ``qt_clipboard`` gives the copied text on systems that have no reader of their own; it is called in the
    thread that reads. Raises SelectionError where there is no desktop at all.
    """
    if sys.platform.startswith("linux") and not os.environ.get("WAYLAND_DISPLAY"):
        if not os.environ.get("DISPLAY"):
            raise no_display()
        from desktop_tts.desktop.selection.x11 import X11SelectionReader

        return X11SelectionReader(simulate_copy)
    if qt_clipboard is None:
        raise no_display()
    from desktop_tts.desktop.selection.fallback import CopiedTextReader

    return CopiedTextReader(qt_clipboard)
