"""A private X server with a window manager, a session bus, a tray host and windows that hold a selection."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import tempfile
import textwrap
import time
from pathlib import Path

import pytest
from Xlib import display as xlib

from support.xkb import lock_group

SYSTEM_PYTHON = "/usr/bin/python3"  # has tkinter
DIES_WITH_US = ("setpriv", "--pdeathsig", "KILL")  # even when the test run is killed

TK_WINDOW = """
import sys, tkinter
root = tkinter.Tk()
root.title("selection")
root.geometry("400x200+%s+40" % sys.argv[2])
text = tkinter.Text(root, exportselection=True)
text.insert("1.0", open(sys.argv[1], encoding="utf-8").read())
text.pack(fill="both", expand=True)
text.tag_add("sel", "1.0", "end-1c")
log = open(sys.argv[1] + ".keys", "a", buffering=1)
text.bind("<Key>", lambda event: log.write(event.keysym + "\\n"))
text.focus_force()
def ready():
    text.tag_remove("sel", "1.0", "end")
    text.tag_add("sel", "1.0", "end-1c")
    text.focus_force()
    open(sys.argv[1] + ".ready", "w").close()
root.after(200, ready)
root.mainloop()
"""


def wait_until(condition, timeout=15, what="it"):
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f"{what} never happened"
        time.sleep(0.02)


def start_x_server():
    """The process and the name of its display, or None."""
    read, write = os.pipe()
    number = f":{random.randrange(100, 30_000)}"  # looking for the first free one, servers race each other
    options = ["-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"]
    command = [*DIES_WITH_US, "Xvfb", number, "-displayfd", str(write), *options]
    server = subprocess.Popen(command, pass_fds=(write,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    said = b""
    while not said.endswith(b"\n"):  # closing the pipe before the line's end would end the server
        ready, _, _ = select.select([read], [], [], 30)
        part = os.read(read, 16) if ready else b""
        if not part:
            break
        said += part
    os.close(read)
    started = said.endswith(b"\n")
    if not started:
        server.kill()
        server.wait()
        return None
    return server, number


class Window:
    """Another toolkit's window whose whole text is selected and which has the focus."""

    def __init__(self, display, text, at):
        self._file = Path(tempfile.mkstemp(dir=display.folder, suffix=".txt")[1])
        self._file.write_text(text, encoding="utf-8")
        self.process = display.spawn(SYSTEM_PYTHON, "-c", TK_WINDOW, str(self._file), str(at))
        wait_until(Path(f"{self._file}.ready").exists, what="a Tk window")
        time.sleep(0.1)
        self.id = display.xdotool("search", "--sync", "--pid", str(self.process.pid), "--name", "selection").split()[-1]

    def received(self):
        """Names of the keys that it received."""
        return Path(f"{self._file}.keys").read_text().split()

    def close(self):
        self.process.kill()
        self.process.wait()


class Display:
    """An X server of its own with everything that a desktop app expects."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._children: list[subprocess.Popen] = []
        self._windows = 0
        for attempt in range(6):  # servers that start and end at the same moment get into each other's way
            if started := start_x_server():
                break
            time.sleep(0.2 * (attempt + 1))
        assert started, "Xvfb doesn't start: sudo apt install xvfb"
        self._server, self.display = started
        gone = ("WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_CURRENT_DESKTOP", "QT_QPA_PLATFORM")
        self.env = {name: value for name, value in os.environ.items() if name not in gone} | {
            "DISPLAY": self.display,
            "XDG_RUNTIME_DIR": str(folder),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_SESSION_TYPE": "x11",
            "QT_QPA_PLATFORM": "xcb",
        }
        try:
            self._start_bus()
            self.spawn("openbox")
            wait_until(lambda: "_NET_SUPPORTING_WM_CHECK" in self._root_properties(), what="a window manager")
        except BaseException:
            self.close()
            raise

    def _start_bus(self):
        address = f"unix:path={self.folder}/bus"
        self.spawn("dbus-daemon", "--session", "--nofork", f"--address={address}")
        wait_until((self.folder / "bus").exists, what="a session bus")
        self.env["DBUS_SESSION_BUS_ADDRESS"] = address

    def _root_properties(self):
        return subprocess.run(["xprop", "-root"], env=self.env, capture_output=True, text=True).stdout

    def spawn(self, *command, **options):
        """Start a program that is ended with the display."""
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
        child = subprocess.Popen([*DIES_WITH_US, *command], env=self.env, start_new_session=True, **(quiet | options))
        self._children.append(child)
        return child

    def xdotool(self, *arguments):
        done = subprocess.run(["xdotool", *arguments], env=self.env, capture_output=True, text=True, timeout=30)
        assert done.returncode == 0, f"xdotool {arguments}: {done.stderr}"
        return done.stdout

    def press(self, keys):
        """Such as ``super+alt+r``."""
        self.xdotool("key", "--clearmodifiers", keys)

    def screenshot(self, path):
        subprocess.run(["import", "-window", "root", str(path)], env=self.env, check=True, timeout=30)

    def colours(self, path, region):
        """How many colours a region of the screen shows (``WxH+X+Y``)."""
        self.screenshot(path)
        command = ["convert", str(path), "-crop", region, "-unique-colors", "-format", "%w", "info:"]
        return int(subprocess.run(command, check=True, capture_output=True, text=True, timeout=30).stdout)

    def window_titles(self):
        listed = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", "."], env=self.env, capture_output=True
        )
        names = []
        for window in listed.stdout.split():
            asked = subprocess.run(["xdotool", "getwindowname", window], env=self.env, capture_output=True, text=True)
            names.append(asked.stdout.strip())
        return names

    def use_layouts(self, layouts, variants="", active=0):
        """Such as ``us,ru``, and which of them is in use."""
        command = ["setxkbmap", "-layout", layouts, "-variant", variants]
        subprocess.run(command, env=self.env, check=True, timeout=30)
        x = xlib.Display(self.display)
        lock_group(x, active)
        x.close()

    def start_tray(self):
        """An XEmbed tray host in the upper right corner."""
        command = (
            "trayer",
            "--edge",
            "top",
            "--align",
            "right",
            "--width",
            "10",
            "--height",
            "24",
            "--SetDockType",
            "true",
        )
        tray = self.spawn(*command)
        time.sleep(0.5)
        return tray

    def window_with_selection(self, text):
        self._windows += 1
        return Window(self, text, 40 + 60 * (self._windows % 10))

    def terminal(self, text, log):
        """An xterm that shows ``text`` and writes what it receives, SIGINT too, to the file ``log``."""
        script = textwrap.dedent(f"""
            trap 'echo SIGINT >> {log}' INT
            printf '%s' "$1"
            while true; do read -r line && echo "$line" >> {log}; done
        """)
        term = self.spawn(
            "xterm", "-T", "terminal", "-geometry", "60x5+40+300", "-e", "bash", "-c", script, "bash", text
        )
        window = self.xdotool("search", "--sync", "--onlyvisible", "--name", "^terminal$").split()[-1]
        time.sleep(0.5)
        self.xdotool("windowfocus", "--sync", window)
        return term, window

    def own(self, selection, text):
        """Let xclip own ``primary`` or ``clipboard`` with a text."""
        command = ["xclip", "-selection", selection, "-in", "-quiet"]
        owner = self.spawn(*command, stdin=subprocess.PIPE)
        owner.stdin.write(text.encode())
        owner.stdin.close()
        wait_until(lambda: self.selection(selection) == text, what="ownership of a selection")
        return owner

    def selection(self, name, target="UTF8_STRING"):
        """What the selection holds now, asked by another program."""
        done = subprocess.run(
            ["timeout", "3", "xclip", "-selection", name, "-o", "-t", target], env=self.env, capture_output=True
        )
        return done.stdout.decode("utf-8", "replace")

    def freeze(self, process):
        """A program that hangs."""
        os.kill(process.pid, signal.SIGSTOP)

    def close(self):
        for child in reversed(self._children):
            if child.poll() is None:
                child.send_signal(signal.SIGCONT)
                child.kill()
            child.wait()
        self._server.terminate()
        self._server.wait()


@pytest.fixture
def x_display():
    with tempfile.TemporaryDirectory(prefix="dsp") as folder:
        os.chmod(folder, 0o700)
        display = Display(Path(folder))
        yield display
        display.close()
