"""What a benchmark leaves behind: a JSON file with the machine in it, and rows for the table in README.md."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import math
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from desktop_tts.bench.path import processor

ROOT = Path(__file__).resolve().parents[1]
BUSY = 10
"""Per cent of the machine in use by others, above which a row says so."""
_USEFUL = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "avx512_bf16", "amx_bf16", "amx_int8", "asimd", "i8mm", "bf16")


def add_output(made: argparse.ArgumentParser) -> None:
    made.add_argument("--output", type=Path, default=ROOT / "build" / "benchmarks", help="folder of the JSON file")


def clean_up_when_terminated() -> None:
    """Let the blocks that are open end when this process is asked to: gigabytes of files would stay behind."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


@contextlib.contextmanager
def measured(what: str) -> Iterator[dict[str, Any]]:
    """The head of a result, to be filled within the block, all of whose processes must have ended at its end. Notes how
    busy others kept the machine meanwhile."""
    clean_up_when_terminated()
    begun, used_by_all, used_by_us = time.monotonic(), _used_by_all_s(), _used_by_us_s()
    result: dict[str, Any] = {
        "what": what,
        "command": " ".join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *sys.argv[1:]]),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "machine": machine(),
    }
    yield result
    by_others = _used_by_all_s() - used_by_all - (_used_by_us_s() - used_by_us)
    all_s = (time.monotonic() - begun) * (os.cpu_count() or 1)
    share = None if math.isnan(by_others) else round(100 * max(by_others, 0) / all_s, 1)
    result["machine"]["others_percent"] = share


def machine() -> dict[str, Any]:
    return {
        "cpu": processor(),
        "cores": os.cpu_count(),
        "instructions": _instructions(),
        "memory_gb": _memory_gb(),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def _used_by_all_s() -> float:
    """Processor time of everything since the start of the machine; on Linux, else not a number."""
    with contextlib.suppress(OSError):
        fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")
    return math.nan


def _used_by_us_s() -> float:
    """Processor time of this process and of its children that have ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


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
    others = found["others_percent"] or 0
    return f"{found['cores']} × {found['cpu']}" + (f", {others:.0f} % of it used by others" if others > BUSY else "")


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
