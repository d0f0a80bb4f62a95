"""The app with its built-in voice against other ways of having a selection read on Linux, in one run.

    python benchmarks/readers.py [--runs 5]

Two questions. Heard: how long from the order to read the selection until the first sound at the device, in a private
desktop (`desktop-tts bench path` has the same one), where the others run as one binds them to a key:
`xclip -selection primary -o | espeak-ng --stdin`. Computed: how long a text takes to the first samples and to all of
them, as a share of the sound's length. Others are compared where they are installed.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from threading import Event
from typing import Any

import report

from desktop_tts import __version__
from desktop_tts.bench import path
from desktop_tts.bench.lab import Listener, lab, running
from desktop_tts.control.client import NotRunning, ask
from desktop_tts.engines.builtin import BuiltinEngine
from desktop_tts.speech import SpeechRequest
from desktop_tts.text import TextOptions, prepare

OURS = "Desktop TTS"
PIPES = {"espeak-ng": "espeak-ng --stdin", "spd-say": "spd-say --pipe-mode"}
QUIET_S = 0.7
"""So long must nothing sound before the next is asked."""
LONGEST_S = 20.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    report.add_output(parser)
    options = parser.parse_args()
    with report.measured("Selection to sound, and text to samples, with ready-made voices") as result:
        result["settings"] = {"runs": options.runs}
        result["versions"] = {"desktop-tts": __version__} | {
            name: _version(name) for name in PIPES if shutil.which(name)
        }
        result["heard_ms"] = heard(options.runs)
        result["computed"] = computed(options.runs)
        result["ratio_heard"] = {
            name: round(found["median"] / result["heard_ms"][OURS]["median"], 2)
            for name, found in result["heard_ms"].items()
            if name != OURS and found
        }
    report.finish(result, options.output, "readers", _rows(result))


def heard(runs: int) -> dict[str, Any]:
    """For each reader the milliseconds to the first sound, taken in turns; the first turn, which loads, is apart."""
    times: dict[str, list[float]] = {}
    with contextlib.ExitStack() as stack:
        place = stack.enter_context(lab())
        for key in ("DESKTOP_TTS_HOME", "XDG_RUNTIME_DIR", "DISPLAY"):
            os.environ[key] = place.env[key]
        stack.enter_context(running([sys.executable, "-m", "desktop_tts"], place.env))
        if shutil.which("spd-say"):
            stack.enter_context(running(["speech-dispatcher", "--run-single", "--timeout", "0"], place.env))
        _wait_for_app()
        time.sleep(3)  # the voice is loaded in the background
        listener = Listener(place.env)
        stack.callback(listener.close)
        for number in range(runs + 1):
            subprocess.run(
                ["xclip", "-selection", "primary"],
                input=f"Reading number {number}. {path.TEXT}".encode(),
                env=place.env,
                check=True,
                stdout=subprocess.DEVNULL,
            )
            time.sleep(0.2)
            with _our_turn():
                _note(times, OURS, listener, lambda: ask({"command": "read-selection"}))
            _wait_for_silence(listener)
            for name, command in PIPES.items():
                if shutil.which(name):
                    with _their_turn(command, place.env) as begin:
                        _note(times, name, listener, begin)
                    _wait_for_silence(listener)
    return {
        name: {"first": of[0], "median": statistics.median(of[1:]), "worst": max(of[1:]), "repeats": of[1:]}
        for name, of in times.items()
    }


def _note(times: dict[str, list[float]], name: str, listener: Listener, begin: Callable[[], object]) -> None:
    begun = time.perf_counter()
    begin()
    took = listener.first_sound(begun, LONGEST_S)
    if took is None:
        sys.exit(f"Nothing was heard of {name}.")
    times.setdefault(name, []).append(round(took * 1000, 1))


@contextlib.contextmanager
def _our_turn() -> Any:
    yield
    ask({"command": "stop"})


@contextlib.contextmanager
def _their_turn(command: str, env: dict[str, str]) -> Any:
    """A way to begin; what was begun is ended with the block."""
    begun: list[subprocess.Popen[bytes]] = []

    def begin() -> None:
        line = f"xclip -selection primary -o | {command}"
        begun.append(subprocess.Popen(["sh", "-c", line], env=env, stdout=subprocess.DEVNULL, start_new_session=True))

    try:
        yield begin
    finally:
        for process in begun:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait()
        if command.startswith("spd-say"):
            subprocess.run(["spd-say", "--cancel"], env=env, check=False)


def _wait_for_silence(listener: Listener) -> None:
    for _ in range(100):
        if not listener.silence(time.perf_counter(), QUIET_S):
            return


def _wait_for_app() -> None:
    for _ in range(6000):
        try:
            ask({"command": "status"})
        except NotRunning:
            time.sleep(0.01)
        else:
            return
    sys.exit("The app doesn't start.")


def computed(runs: int) -> dict[str, Any]:
    """Text to samples, nothing played. The built-in voice is loaded once, as in the app; espeak-ng is a program that is
    started for each text, as there too."""
    sides: dict[str, Callable[[str], tuple[float, float, float]]] = {OURS: _built_in(BuiltinEngine())}
    if shutil.which("espeak-ng"):
        sides["espeak-ng"] = _espeak
    found: dict[str, list[dict[str, float]]] = {name: [] for name in sides}
    for number in range(runs + 1):
        for name, speak in sides.items():
            first_s, took_s, sound_s = speak(f"Reading number {number}. {path.TEXT}")
            if number:  # the first warms up
                found[name].append(
                    {"first_pcm_ms": round(first_s * 1000, 1), "real_time_factor": round(took_s / sound_s, 4)}
                )
    return {
        name: {key: statistics.median(run[key] for run in of) for key in of[0]} | {"repeats": of}
        for name, of in found.items()
    }


def _built_in(engine: BuiltinEngine) -> Callable[[str], tuple[float, float, float]]:
    def speak(text: str) -> tuple[float, float, float]:
        begun, first_s, sound_s = time.perf_counter(), 0.0, 0.0
        for utterance in prepare(text, TextOptions()):
            for chunk in engine.stream(SpeechRequest(utterance.text, "en"), Event()):
                first_s = first_s or time.perf_counter() - begun
                sound_s += chunk.duration_s
        return first_s, time.perf_counter() - begun, sound_s

    return speak


def _espeak(text: str) -> tuple[float, float, float]:
    header, rate = 44, 22_050
    begun, first_s, size = time.perf_counter(), 0.0, 0
    with subprocess.Popen(["espeak-ng", "--stdout", text], stdout=subprocess.PIPE) as process:
        assert process.stdout
        while data := os.read(process.stdout.fileno(), 65_536):
            size += len(data)
            if size > header:
                first_s = first_s or time.perf_counter() - begun
    return first_s, time.perf_counter() - begun, (size - header) / 2 / rate


def _version(name: str) -> str:
    shown = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
    return shown.splitlines()[0] if shown else "?"


def _rows(result: dict[str, Any]) -> list[str]:
    start = f"| {report.place_of(result['machine'])} | `readers.py` | {result['date'][:10]} |"
    rows = []
    for name, found in result["heard_ms"].items():
        samples = result["computed"].get(name)
        computed_cells = f"{samples['first_pcm_ms']:.0f} ms | {samples['real_time_factor']:.3f}" if samples else "|"
        ratio = result["ratio_heard"].get(name)
        rows.append(
            f"{start} {name} | {found['median']:.0f} ms | {computed_cells} | {f'**{ratio:.1f}**' if ratio else ''} |"
        )
    return rows


if __name__ == "__main__":
    main()
