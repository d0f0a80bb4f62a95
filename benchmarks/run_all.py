"""Every comparison that can run here, one after the other: JSON files in build/benchmarks, rows for README.md printed.

    python benchmarks/run_all.py --upstream-python A/bin/python --ggml-python B/bin/python

Run it on a machine that does nothing else. What isn't given is left out. Options behind ``--`` go to the comparisons of
the model: ``-- --frames 64 --threads 8``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import duel
import report

HERE = Path(__file__).parent
MODEL_COLUMNS = ("machine", "command", "date", "theirs / ours", "80 ms of sound", "first sound", "memory", "ratio")
READER_COLUMNS = (
    "machine",
    "command",
    "date",
    "reader",
    "selection → heard",
    "text → samples",
    "of real time",
    "ratio",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--upstream-python")
    parser.add_argument("--ggml-python")
    parser.add_argument("--sizes", default="0.6b", help="0.6b, 1.7b or both")
    parser.add_argument("--skip-readers", action="store_true", help="they need Linux")
    report.add_output(parser)
    given = sys.argv[1:]
    here = given.index("--") if "--" in given else len(given)
    options, passed_on = parser.parse_args(given[:here]), given[here + 1 :]
    report.clean_up_when_terminated()
    options.output.mkdir(parents=True, exist_ok=True)
    rivals = {"upstream": options.upstream_python, "ggml": options.ggml_python}
    failed = []
    print(_head(MODEL_COLUMNS), flush=True)
    for size in options.sizes.split(","):
        with tempfile.TemporaryDirectory(dir=options.output) as folder:
            model = duel.write_model(Path(folder) / f"random-{size}", size)
            for name, python in rivals.items():
                if python:
                    arguments = [f"--{name}-python", python, "--size", size, "--model", str(model), *passed_on]
                    failed += _run(name, arguments, options.output)
                else:
                    print(f"Left out: {name}, whose --{name}-python isn't given.", file=sys.stderr)
    if not options.skip_readers:
        print("\n" + _head(READER_COLUMNS), flush=True)
        failed += _run("readers", [], options.output)
    if failed:
        sys.exit(f"Failed: {', '.join(failed)}.")


def _run(name: str, arguments: list[str], output: Path) -> list[str]:
    """The name, if it failed."""
    command = [sys.executable, str(HERE / f"{name}.py"), *arguments, "--output", str(output)]
    with subprocess.Popen(command) as process:
        try:
            return [name] if process.wait() else []
        finally:
            process.terminate()


def _head(columns: tuple[str, ...]) -> str:
    return f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}"


if __name__ == "__main__":
    main()
