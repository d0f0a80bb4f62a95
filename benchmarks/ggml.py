"""Our Qwen3-TTS against the GGML port on the CPU, on the same random weights of the real size, in one run.

    python benchmarks/ggml.py --ggml-python ENVIRONMENT/bin/python

ENVIRONMENT is one with ``realtimetts-qwen-native-cpu`` and ``gguf``; README.md has the commands that make it. The port
runs in the way in which it is fastest on this machine: 8 bits with all threads for everything, or with one of them for
the codec beside the rest, or bfloat16.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import duel
import report


def main() -> None:
    parser = duel.parser(__doc__)
    parser.add_argument("--ggml-python", required=True, help="the Python of the environment with the port's wheel")
    options = parser.parse_args()
    options.device = "cpu"
    options.output.mkdir(parents=True, exist_ok=True)
    with (
        report.measured(duel.subject(options)) as result,
        duel.model_directory(options) as model,
        tempfile.TemporaryDirectory(dir=options.output) as folder,
    ):
        result["settings"] = {name: getattr(options, name) for name in ("frames", "repeats", "threads")}
        for weights in ("q8_0", "bf16"):
            convert = [options.ggml_python, str(duel.SIDES / "ggml_files.py"), str(model), folder, weights]
            subprocess.run(convert, check=True)
        entries = _entries(options.ggml_python, Path(folder), options.threads)
        best, result["theirs_tried"] = duel.fastest(entries, options.frames)
        result["theirs"] = f"qwentts.cpp, {best.name}"
        result["ours"] = duel.compare(best, duel.our_entries(options, model), options.frames, options.repeats)
    command = f"ggml.py --size {options.size} --frames {options.frames} --threads {options.threads}"
    rows = report.rows_of(result, command, f"GGML {best.name}")
    report.finish(result, options.output, f"ggml-{options.size}", rows)


def _entries(python: str, folder: Path, threads: int) -> list[duel.Entry]:
    """Never more threads at once than our side has."""
    common = {"model": str(folder), "threads": threads, "codec_threads": 0}
    entries = [duel.Entry(name, python, "ggml.py", common | {"weights": name}) for name in ("q8_0", "bf16")]
    if threads > 1:
        split = {"weights": "q8_0", "threads": threads - 1, "codec_threads": 1}
        entries.append(duel.Entry("q8_0, codec beside", python, "ggml.py", common | split))
    return entries


if __name__ == "__main__":
    main()
