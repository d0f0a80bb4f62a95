"""From the hotkey to the sound: how long each stage of the main path takes, cold start, idle cost.

Runs the real app in a private desktop (``lab``), presses the real hotkey and listens to what comes out.
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from desktop_tts import __version__
from desktop_tts.bench.lab import Listener, lab, running
from desktop_tts.control.client import NotRunning, ask
from desktop_tts.errors import EngineFault

TEXT = "The committee will publish its findings next month, and the public may comment until the end of the year. " * 3
IDLE_S = 10.0


def measure(runs: int) -> dict[str, Any]:
    """Everything, as one object: milliseconds (median and worst of ``runs``), megabytes, per cent."""
    with lab() as place:
        os.environ.update({key: place.env[key] for key in ("DESKTOP_TTS_HOME", "XDG_RUNTIME_DIR", "DISPLAY")})
        starts = [_cold_start(place.env) for _ in range(3)]
        command = [sys.executable, "-m", "desktop_tts"]
        with running(command, place.env) as app:
            _wait_until_up()
            time.sleep(3)  # the voice is loaded in the background
            idle = _idle(app.pid)
            stages = _readings(place.env, runs)
    return {
        "version": __version__,
        "machine": {"cpu": processor(), "cores": os.cpu_count(), "python": platform.python_version()},
        "cold_start_ms": _summary(starts),
        **{name: _summary(values) for name, values in stages.items()},
        **idle,
    }


def _readings(env: dict[str, str], runs: int) -> dict[str, list[float]]:
    from Xlib import XK, X, display
    from Xlib.ext import xtest

    screen = display.Display(env["DISPLAY"])
    keys = [screen.keysym_to_keycode(XK.string_to_keysym(name)) for name in ("Super_L", "Alt_L", "r")]
    listener = Listener(env)
    stages: dict[str, list[float]] = {}

    def note(name: str, ms: float) -> None:
        stages.setdefault(name, []).append(round(ms, 1))

    try:
        for number in range(runs + 1):
            _select(env, f"Reading number {number}. {TEXT}")
            pressed = time.perf_counter()
            for key in keys:
                xtest.fake_input(screen, X.KeyPress, key)
            for key in reversed(keys):
                xtest.fake_input(screen, X.KeyRelease, key)
            screen.sync()
            heard = listener.first_sound(pressed)
            if heard is None:
                raise EngineFault("The measurement heard nothing.", "See `desktop-tts doctor`.")
            timings = ask({"command": "status"})["timings_ms"]
            time.sleep(1.0)
            paused = time.perf_counter()
            ask({"command": "pause"})
            pause_ms = listener.silence(paused) * 1000
            ask({"command": "resume"})
            time.sleep(0.5)
            stopped = time.perf_counter()
            ask({"command": "stop"})
            stop_ms = listener.silence(stopped) * 1000
            if number == 0:  # the first is not warm
                note("first_hotkey_to_sound_ms", heard * 1000)
                continue
            note("hotkey_to_text_ms", timings["text"])
            note("text_to_first_pcm_ms", timings["first_pcm"] - timings["text"])
            note("first_pcm_to_device_ms", timings["started"] - timings["first_pcm"])
            note("hotkey_to_sound_ms", heard * 1000)
            note("pause_to_silence_ms", pause_ms)
            note("stop_to_silence_ms", stop_ms)
            asked = time.perf_counter()
            command = [sys.executable, "-m", "desktop_tts", "toggle"]
            subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
            note("command_ms", (time.perf_counter() - asked) * 1000)
    finally:
        listener.close()
        screen.close()
    return stages


def _select(env: dict[str, str], text: str) -> None:
    subprocess.run(
        ["xclip", "-selection", "primary"], input=text.encode(), env=env, check=True, stdout=subprocess.DEVNULL
    )
    time.sleep(0.2)


def _cold_start(env: dict[str, str]) -> float:
    """Milliseconds from the start of the process until the app, with its icon, answers."""
    begun = time.perf_counter()
    with running([sys.executable, "-m", "desktop_tts"], env):
        _wait_until_up()
        took = (time.perf_counter() - begun) * 1000
        ask({"command": "quit"})
        time.sleep(1)
    return round(took, 1)


def _wait_until_up() -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            ask({"command": "status"})
        except NotRunning:
            time.sleep(0.01)
        else:
            return
    raise EngineFault("The app doesn't start.", "See `desktop-tts doctor` and the log.")


def _idle(pid: int) -> dict[str, float]:
    """Processor and memory of the app that does nothing, its voice loaded."""

    def cpu_s() -> float:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    before = cpu_s()
    time.sleep(IDLE_S)
    used = cpu_s() - before
    rollup = dict(
        line.split(":", 1) for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:] if ":" in line
    )
    megabytes = {name: int(rollup[name].split()[0]) / 1024 for name in ("Rss", "Pss")}
    return {
        "idle_cpu_percent": round(100 * used / IDLE_S, 2),
        "idle_rss_mb": round(megabytes["Rss"], 1),
        "idle_pss_mb": round(megabytes["Pss"], 1),
    }


def _summary(values: list[float]) -> dict[str, float]:
    return {"median": round(statistics.median(values), 1), "worst": round(max(values), 1)}


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()
