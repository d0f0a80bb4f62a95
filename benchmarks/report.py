"""What a benchmark leaves behind: a JSON file with the machine in it, and rows for the table in README.md."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from desktop_tts.bench.path import processor

ROOT = Path(__file__).resolve().parents[1]
BUSY = 10
"""Per cent of the machine in use by others, above which a row says so."""
_USEFUL = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "avx512_bf16", "amx_bf16", "amx_int8", "asimd", "i8mm", "bf16")


def add_output(made: argparse.ArgumentParser) -> None:
    made.add_argument("--output", type=Path, default=ROOT / "build" / "benchmarks", help="folder of the JSON file")


def begin(what: str) -> dict[str, Any]:
    """The head of a result: call it before anything is measured, since it notes how busy the machine is. From here on,
    being terminated cleans up."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    return {
        "what": what,
        "command": " ".join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *sys.argv[1:]]),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "machine": machine(),
    }


def machine() -> dict[str, Any]:
    return {
        "cpu": processor(),
        "cores": os.cpu_count(),
        "instructions": _instructions(),
        "memory_gb": _memory_gb(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "busy_percent": _busy_percent(),
    }


def _busy_percent() -> float | None:
    """How much of all cores is used while nothing of ours runs; Linux only."""

    def spent() -> tuple[int, int]:
        fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        return sum(fields), fields[3] + fields[4]

    with contextlib.suppress(OSError):
        begun, waited = spent()
        time.sleep(1)
        ended, waited_later = spent()
        return round(100 * (1 - (waited_later - waited) / max(ended - begun, 1)), 1)
    return None


def _memory_gb() -> float | None:
    with contextlib.suppress(AttributeError, ValueError, OSError):
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    return None


def _instructions() -> list[str]:
    """Those that matter to the arithmetic here, where the system lists them."""
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        flags = next((line for line in lines if line.lower().startswith(("flags", "features"))), "").split()
        return [name for name in _USEFUL if name in flags]
    return []


def _commit() -> str:
    git = ["git", "-C", str(ROOT)]
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        commit = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
        changed = subprocess.run([*git, "status", "--porcelain", "-uno"], capture_output=True, text=True, check=True)
        return commit.stdout.strip() + (", with changes" if changed.stdout else "")
    return "unknown"


def finish(result: dict[str, Any], folder: Path, name: str, rows: Sequence[str]) -> None:
    """Write ``name``.json and print the rows for the table in README.md."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(result | {"rows": list(rows)}, indent=2) + "\n")
    print("\n".join(rows))
    print(f"All figures: {path}", file=sys.stderr)


def place_of(found: dict[str, Any]) -> str:
    busy = found["busy_percent"] or 0
    return f"{found['cores']} × {found['cpu']}" + (f", {busy:.0f} % of it busy with other work" if busy > BUSY else "")


def rows_of(result: dict[str, Any], command: str, rival: str) -> list[str]:
    """A row for each of our entries, in the columns of README.md."""
    place, day = place_of(result["machine"]), result["date"][:10]
    rows = []
    for name, found in result["ours"].items():
        if "missing" in found:
            rows.append(f"| {place} | `{command}` | {day} | {name}: {found['missing']} | | | | |")
            continue
        sides = [found["theirs"], found["ours"]] if "theirs" in found else [found["ours"]]
        columns = [
            [f"{side['median']['ms_per_frame']:.0f} ms" for side in sides],
            [f"{side['median']['first_audio_ms']:.0f} ms" for side in sides],
            [f"{side['peak_rss_mb'] / 1024:.1f} GB" if side["peak_rss_mb"] else "?" for side in sides],
        ]
        cells = " | ".join(" / ".join(column) for column in columns)
        ratio = f"**{found['ratio']['ms_per_frame']:.1f}**" if "ratio" in found else ""
        versus = f"{rival} / {name}" if "theirs" in found else name
        rows.append(f"| {place} | `{command}` | {day} | {versus} | {cells} | {ratio} |")
    return rows
