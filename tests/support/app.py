"""The real app as a process on a private desktop, and what its voice should sound like."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np

from desktop_tts.control.client import NotRunning, ask
from support.display import wait_until


class App:
    """Talked to as a user does: by keys, by the tray, by the command line."""

    def __init__(self, display, sound, home):
        sound_places = {name: sound.env[name] for name in ("PULSE_SERVER", "PULSE_COOKIE")}
        self.env = display.env | sound_places | {"DESKTOP_TTS_HOME": str(home)}
        self._process = None

    def start(self):
        command = [sys.executable, "-m", "desktop_tts"]
        self._process = subprocess.Popen(command, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        wait_until(self.is_up, 60, "the app's start")

    def is_up(self):
        assert self._process.poll() is None, self._process.stdout.read().decode()
        try:
            return bool(self.status())
        except NotRunning:
            return False

    @property
    def pid(self):
        return self._process.pid

    def status(self):
        return ask({"command": "status"})

    def run(self, *arguments, **options):
        """A command in a terminal."""
        command = [sys.executable, "-m", "desktop_tts", *arguments]
        return subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=120, **options)

    def wait_for(self, state, timeout=30):
        wait_until(lambda: self.status()["state"] == state, timeout, f"the state {state}")

    def stop(self):
        """End it; what it printed."""
        if self._process is None:
            return ""
        if self._process.poll() is None:
            self._process.terminate()
        try:
            said, _ = self._process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            said, _ = self._process.communicate()
            said += b"\nTraceback: it had to be killed"
        self._process = None
        return said.decode()


def engine_pcm(text):
    """What the built-in voice makes of a text, as the app gives it to the player."""
    from desktop_tts.engines.catalog import Catalog, default_engines
    from desktop_tts.narrate import Manner, Script, narrate
    from desktop_tts.text import prepare

    said = narrate(Script(prepare(text)), Catalog(default_engines()), Manner, threading.Event(), lambda sentence: None)
    return np.concatenate([piece.pcm for piece in said])


def rss_mb(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def model_processes(pid):
    """Those that hold a Qwen3-TTS model for the app ``pid``."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as stat:
                    parent = int(stat.read().rsplit(")", 1)[1].split()[1])
                with open(f"/proc/{entry}/cmdline") as line:
                    command = line.read()
            except OSError:
                continue
            if parent == pid and "qwen_worker" in command:
                found.append(int(entry))
    return found
