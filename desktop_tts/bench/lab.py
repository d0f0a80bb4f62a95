"""A private desktop to measure in: an X server and a sound server of our own, so that nothing of the user's is touched.

Linux only; needs Xvfb, PulseAudio and parec, which `installers/bootstrap.py test` installs.
"""

from __future__ import annotations

import contextlib
import os
import random
import select
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from desktop_tts.errors import NotInstalled

RATE = 24_000
NEEDED = ("Xvfb", "pulseaudio", "parec", "pacat", "xclip")


@dataclass(frozen=True)
class Lab:
    """What a program needs to live in it."""

    env: dict[str, str]
    home: Path


@contextlib.contextmanager
def lab() -> Iterator[Lab]:
    """Start it; everything ends with the block. Raises NotInstalled that names what is missing."""
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing:
        raise NotInstalled(
            f"The measurement needs {', '.join(missing)}.",
            "On Debian and Ubuntu: sudo apt install xvfb pulseaudio pulseaudio-utils xclip",
        )
    with tempfile.TemporaryDirectory(prefix="dtts") as folder, contextlib.ExitStack() as stack:
        home = Path(folder)
        home.chmod(0o700)
        env = {
            key: value
            for key, value in os.environ.items()
            if key not in ("WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS")
        }
        env |= {
            "XDG_RUNTIME_DIR": folder,
            "DESKTOP_TTS_HOME": str(home / "app"),
            "PULSE_SERVER": f"unix:{folder}/pulse.sock",
            "PULSE_COOKIE": str(home / "cookie"),
            "QT_QPA_PLATFORM": "xcb",
            "DISPLAY": stack.enter_context(_x_server()),
        }
        sound = [
            *("pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no"),
            *("-L", f"module-null-sink sink_name=lab rate={RATE} channels=1 format=float32le"),
            *("-L", f"module-native-protocol-unix auth-anonymous=1 socket={folder}/pulse.sock"),
        ]
        stack.enter_context(running(sound, env))
        deadline = time.monotonic() + 10
        while not (home / "pulse.sock").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        # An idle null sink works in two-second blocks: keep it at its work.
        with open("/dev/zero", "rb") as silence:
            keep = ["pacat", "--latency-msec=10", f"--rate={RATE}", "--channels=1", "--format=float32le"]
            stack.enter_context(running(keep, env, silence.fileno()))
            time.sleep(0.5)
            yield Lab(env, home)


@contextlib.contextmanager
def running(
    command: list[str], env: dict[str, str], stdin: int = subprocess.DEVNULL
) -> Iterator[subprocess.Popen[bytes]]:
    """A program that is ended with the block."""
    process = subprocess.Popen(
        command, env=env, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def _x_server() -> Iterator[str]:
    read, write = os.pipe()
    number = f":{random.randrange(100, 30_000)}"  # noqa: S311 - servers that look for the first free one race each other
    command = ["Xvfb", number, "-displayfd", str(write), "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(command, pass_fds=(write,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        ready, _, _ = select.select([read], [], [], 20)
        if not ready or not os.read(read, 16):
            raise NotInstalled("Xvfb doesn't start.", "Start it by hand to see why.")
        yield number
    finally:
        os.close(read)
        server.terminate()
        server.wait()


class Listener:
    """Records what the sound server plays, each block with the time at which it came."""

    def __init__(self, env: dict[str, str]) -> None:
        command = [
            "parec",
            "-d",
            "lab.monitor",
            "--latency-msec=5",
            f"--rate={RATE}",
            "--channels=1",
            "--format=float32le",
        ]
        self._process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._blocks: list[tuple[float, float]] = []
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        while data := os.read(self._process.stdout.fileno(), 4 * RATE // 200):
            pcm = np.frombuffer(data[: len(data) // 4 * 4], np.float32)
            self._blocks.append((time.perf_counter(), float(np.abs(pcm).max(initial=0))))

    def first_sound(self, since: float, within_s: float = 10.0) -> float | None:
        """Seconds from ``since`` until the first sound came, or None."""
        deadline = since + within_s
        while time.perf_counter() < deadline:
            found = next((at for at, peak in list(self._blocks) if at >= since and peak > 0.003), None)
            if found is not None:
                return found - since
            time.sleep(0.005)
        return None

    def silence(self, since: float, for_s: float = 0.4) -> float:
        """Seconds from ``since`` until the last sound that came in the following ``for_s``."""
        time.sleep(for_s)
        return max((at - since for at, peak in list(self._blocks) if at >= since and peak > 0.003), default=0.0)

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()
        self._thread.join(2)
