"""The window that has the keyboard focus, and whether Ctrl+C means "copy" there."""

from __future__ import annotations

import os
from dataclasses import dataclass

from Xlib import X, error
from Xlib.ext import res

from desktop_tts.desktop.selection.x11_connection import Connection, Event, xid

_DEPTH = 12
"""Windows between the focused one and the screen; more are only found by accident."""

_TERMINALS = """
xterm uxterm koi8rxterm urxvt rxvt aterm eterm mlterm st st-256color stterm alacritty kitty wezterm wezterm-gui
org.wezfurlong.wezterm ghostty com.mitchellh.ghostty contour rio foot footclient gnome-terminal gnome-terminal-server
org.gnome.terminal kgx org.gnome.console org.gnome.ptyxis ptyxis konsole org.kde.konsole yakuake org.kde.yakuake guake
tilda tilix com.gexperts.tilix terminator terminology xfce4-terminal mate-terminal lxterminal qterminal deepin-terminal
io.elementary.terminal pantheon-terminal sakura roxterm termite termit cool-retro-term com.raggesilver.blackbox
dev.warp.warp warp hyper tabby waveterm wave extraterm putty mintty
"""
"""There it interrupts the running program."""
_TOOLS = """
emacs gvim vim nvim-qt neovide neovim code code-oss vscodium codium cursor windsurf positron zed dev.zed.zed
jetbrains-idea jetbrains-idea-ce jetbrains-pycharm jetbrains-pycharm-ce jetbrains-clion jetbrains-goland
jetbrains-webstorm jetbrains-phpstorm jetbrains-rider jetbrains-rubymine jetbrains-datagrip jetbrains-studio
jetbrains-rustrover jetbrains-dataspell kate org.kde.kate kdevelop org.kde.kdevelop dolphin org.kde.dolphin geany
gnome-builder org.gnome.builder rstudio eclipse
"""
"""They have a terminal within or keys of their own, and offer what is selected as PRIMARY anyway."""
_OTHER_SCREENS = """
virt-viewer remote-viewer virt-manager virtualbox virtualboxvm vmware vmplayer qemu qemu-system-x86_64 gnome-boxes
org.gnome.boxes remmina org.remmina.remmina xfreerdp vncviewer tigervnc krdc org.kde.krdc rdesktop gnome-connections
org.gnome.connections nxplayer.bin x2goagent anydesk teamviewer rustdesk moonlight
"""
"""Whatever has the focus within them would get the key."""

NO_CTRL_C = frozenset(f"{_TERMINALS} {_TOOLS} {_OTHER_SCREENS}".split())
"""Classes of windows, in lower case, in which Ctrl+C mustn't be pressed."""


@dataclass(frozen=True, slots=True)
class Focus:
    """A window with the focus, or the window around it that names its program."""

    window: int
    client: int
    """See ``Connection.client``."""
    classes: tuple[str, ...]
    """Both halves of WM_CLASS in lower case; none for windows that aren't a program's, such as the desktop's own."""
    ours: bool
    answers_pings: bool

    @property
    def copies(self) -> bool:
        """Whether Ctrl+C may be pressed."""
        return bool(self.classes) and not self.ours and not NO_CTRL_C.intersection(self.classes)


def focused(x: Connection) -> Focus | None:
    """What has the focus, or None when that is nothing or the screen itself."""
    window = x.display.get_input_focus().focus
    if xid(window) in (X.NONE, X.PointerRoot, x.root.id):
        active = x.root.get_full_property(x.atom("_NET_ACTIVE_WINDOW"), X.AnyPropertyType)
        if active is None or not active.value or not active.value[0]:
            return None
        window = x.display.create_resource_object("window", active.value[0])
    try:
        return _described(x, window)
    except error.XError:  # it has just been closed
        return None


def same_program(x: Connection, window: int, focus: Focus) -> bool:
    """Whether a window belongs to the program that has the focus, by its connection or by its process."""
    if x.client(window) == focus.client:
        return True
    if not x.display.has_extension("X-Resource"):
        return False
    asked = [{"client": one, "mask": res.LocalClientPIDMask} for one in (window, focus.window)]
    pids = [found.value for found in x.display.res_query_client_ids(asked).ids]
    return len(pids) == 2 and pids[0] == pids[1]


def _described(x: Connection, window: Event) -> Focus:
    named = window
    for _ in range(_DEPTH):
        if name := named.get_wm_class():
            return Focus(
                named.id,
                x.client(window.id),
                tuple(part.lower() for part in name),
                _pid(x, named) == os.getpid(),
                x.atom("_NET_WM_PING") in named.get_wm_protocols(),
            )
        parent = named.query_tree().parent
        if xid(parent) in (X.NONE, x.root.id):
            break
        named = parent
    return Focus(window.id, x.client(window.id), (), False, False)


def _pid(x: Connection, window: Event) -> int:
    found = window.get_full_property(x.atom("_NET_WM_PID"), X.AnyPropertyType)
    return int(found.value[0]) if found and found.value else 0
