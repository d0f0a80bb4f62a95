"""Two implementations measured in one run: each in a process of its own, speaking in turns, on the same weights."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import report

ROOT = Path(__file__).resolve().parents[1]
SIDES = Path(__file__).parent / "sides"
TRIES = 5
"""A random model may end its speech early: another seed then, so that all speak equally long."""


class SideFailed(Exception):
    """A side ended or never began; the message holds the end of what it printed."""


@dataclass(frozen=True)
class Entry:
    """One way of running one implementation."""

    name: str
    python: str
    script: str
    settings: dict[str, Any]


class Side:
    """A process that has loaded its model. ``missing`` says why it can't speak, if it can't."""

    def __init__(self, entry: Entry) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        ours = entry.script == "ours.py"
        env = os.environ | {"OMP_NUM_THREADS": str(entry.settings["threads"]), "PYTHONWARNINGS": "ignore"}
        if ours:  # as the app sets it for the model's process
            from desktop_tts.engines.qwen_process import ENVIRONMENT

            env = ENVIRONMENT | env | {"PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen(
            [entry.python, str(SIDES / entry.script), json.dumps(entry.settings)],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self.about = self._answer()
        self.missing = str(self.about.get("missing", ""))

    def speak(self, frames: int, seed: int) -> dict[str, Any]:
        """Time one utterance of exactly so many frames."""
        for number in range(TRIES):
            found = self._ask(frames, seed + number)
            if found["frames"] == frames:
                return found
        raise SideFailed(f"Asked for {frames} frames, it made {found['frames']}.")

    def close(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()
        self._log.close()

    def _ask(self, frames: int, seed: int) -> dict[str, Any]:
        assert self._process.stdin
        print(json.dumps({"frames": frames, "seed": seed}), file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        self._process.wait()
        self._log.seek(0)
        raise SideFailed(self._log.read().decode(errors="replace")[-2000:])


@contextlib.contextmanager
def opened(entry: Entry, frames: int) -> Iterator[Side]:
    """A side that has spoken so many frames once, if it can."""
    side = Side(entry)
    try:
        if not side.missing:
            side.speak(frames, seed=0)
        yield side
    finally:
        side.close()


def fastest(entries: Sequence[Entry], frames: int) -> tuple[Entry, list[dict[str, Any]]]:
    """The entry that speaks fastest here, and what each took. Each speaks alone, twice; the better time counts."""
    tried: list[dict[str, Any]] = []
    for entry in entries:
        note: dict[str, Any] = {"name": entry.name}
        with opened(entry, frames) as side:
            note["ms_per_frame"] = [side.speak(frames, seed)["ms_per_frame"] for seed in (10, 20)]
        tried.append(note)
    best = min(range(len(entries)), key=lambda number: min(tried[number]["ms_per_frame"]))
    return entries[best], tried


def compare(theirs: Entry | None, ours: Sequence[Entry], frames: int, repeats: int) -> dict[str, Any]:
    """For each of our entries the times of both sides in turns: theirs, ours, theirs, ours... Ratio above 1: ours is
    faster. Without ``theirs``, ours alone."""
    results: dict[str, Any] = {}
    for entry in ours:
        with contextlib.ExitStack() as stack:
            side = stack.enter_context(opened(entry, frames))
            if side.missing:
                results[entry.name] = {"missing": side.missing}
                continue
            sides = {"theirs": stack.enter_context(opened(theirs, frames)), "ours": side} if theirs else {"ours": side}
            runs: dict[str, list[dict[str, Any]]] = {name: [] for name in sides}
            for number in range(repeats):
                for name, speaker in sides.items():
                    runs[name].append(speaker.speak(frames, 100 * (number + 1)))
            results[entry.name] = {name: _summary(sides[name].about, runs[name]) for name in sides}
        if theirs:
            results[entry.name]["ratio"] = _ratio(runs["theirs"], runs["ours"])
    return results


def _summary(about: dict[str, Any], runs: list[dict[str, Any]]) -> dict[str, Any]:
    median = {name: statistics.median(run[name] for run in runs) for name in ("ms_per_frame", "first_audio_ms")}
    return about | {"median": median, "peak_rss_mb": runs[-1]["peak_rss_mb"], "repeats": runs}


def _ratio(theirs: list[dict[str, Any]], ours: list[dict[str, Any]]) -> dict[str, Any]:
    """Of the medians; and between which values those of single pairs lie."""

    def of(key: str) -> float:
        a, b = (statistics.median(run[key] for run in runs) for runs in (theirs, ours))
        return float(round(a / b, 2))

    pairs = [a["ms_per_frame"] / b["ms_per_frame"] for a, b in zip(theirs, ours, strict=True)]
    return {
        "ms_per_frame": of("ms_per_frame"),
        "pairs": [round(min(pairs), 2), round(max(pairs), 2)],
        "first_audio_ms": of("first_audio_ms"),
    }


def parser(description: str | None) -> argparse.ArgumentParser:
    """Options that the comparisons of the model share."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--size", default="0.6b", choices=("0.6b", "1.7b"))
    made.add_argument("--model", type=Path, help="a model directory, instead of a random model of --size")
    made.add_argument("--dtype", default="float32,bfloat16,int8", help="our number formats, each compared")
    made.add_argument("--frames", type=int, default=32, help="80 ms each")
    made.add_argument("--repeats", type=int, default=3)
    made.add_argument("--threads", type=int, default=2)
    made.add_argument("--device", default="cpu", help="for both sides, where theirs has a choice")
    report.add_output(made)
    return made


def subject(options: argparse.Namespace) -> str:
    return f"Qwen3-TTS {options.model.name if options.model else f'random-{options.size}'}, one text at a time"


def our_entries(options: argparse.Namespace, model: Path) -> list[Entry]:
    common = {"model": str(model), "threads": options.threads, "device": options.device}
    names = [name.strip() for name in options.dtype.split(",") if name.strip()]
    return [Entry(name, sys.executable, "ours.py", common | {"dtype": name}) for name in names]


@contextlib.contextmanager
def model_directory(options: argparse.Namespace) -> Iterator[Path]:
    """``--model``, or a random one, which lives as long as the block."""
    if options.model:
        yield options.model
        return
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.output) as folder:  # gigabytes, so not in /tmp, which may be memory
        yield write_model(Path(folder) / "model", options.size)


def write_model(folder: Path, size: Any) -> Path:
    """A random model, with two files that only the published loader wants."""
    from desktop_tts.qwen3tts.random_files import write_random_model

    write_random_model(folder, size, "custom_voice")
    extractor = {"feature_extractor_type": "EncodecFeatureExtractor", "feature_size": 1, "sampling_rate": 24000}
    for place, content in (("speech_tokenizer", extractor), (".", {"processor_class": "Qwen3TTSProcessor"})):
        (folder / place / "preprocessor_config.json").write_text(json.dumps(content))
    return folder
