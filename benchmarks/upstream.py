"""Our Qwen3-TTS against the published package, on the same random weights of the real size, in one run.

    python benchmarks/upstream.py --upstream-python ENVIRONMENT/bin/python

ENVIRONMENT is one with ``qwen-tts`` 0.1.1; README.md has the commands that make it. The published code runs in the
number format in which it is fastest on this machine; ours in each of --dtype. Without --upstream-python only ours runs.
"""

from __future__ import annotations

import duel
import report


def main() -> None:
    parser = duel.parser(__doc__)
    parser.add_argument("--upstream-python", help="the Python of the environment with qwen-tts")
    parser.add_argument("--upstream-dtype", default="float32,bfloat16", help="of these the fastest here")
    options = parser.parse_args()
    best = None
    with report.measured(duel.subject(options)) as result, duel.model_directory(options) as model:
        result["settings"] = {name: getattr(options, name) for name in ("frames", "repeats", "threads", "device")}
        if options.upstream_python:
            common = {"model": str(model), "threads": options.threads, "device": options.device}
            entries = [
                duel.Entry(name, options.upstream_python, "upstream.py", common | {"dtype": name})
                for name in options.upstream_dtype.split(",")
            ]
            best, result["theirs_tried"] = duel.fastest(entries, options.frames)
            result["theirs"] = f"qwen-tts, {best.name}, scaled dot product attention"
        result["ours"] = duel.compare(best, duel.our_entries(options, model), options.frames, options.repeats)
    command = f"upstream.py --size {options.size} --frames {options.frames} --threads {options.threads}"
    rows = report.rows_of(result, command, f"qwen-tts {best.name}" if best else "")
    report.finish(result, options.output, f"upstream-{options.size}", rows)


if __name__ == "__main__":
    main()
