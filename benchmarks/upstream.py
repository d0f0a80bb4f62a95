"""Our Qwen3-TTS against the published implementation, on the same random weights, machine and text, in one run.

    python benchmarks/upstream.py --oracle ORACLE_PYTHON [--size 0.6b] [--dtype float32] [--frames 16] [--threads 2]

ORACLE_PYTHON is the Python of an environment with `qwen-tts` 0.1.1 (tests/golden/README.md has the commands). Each side
loads the model in a process of its own, generates a few frames once to warm up, then is timed. Prints one JSON object;
ratios count, absolute times depend on what else the machine does.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEXT = "The committee will publish its findings next month, and the public may comment until the end of the year."

SIDE = """
import json, sys, time
folder, dtype, frames, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
import torch
torch.set_num_threads(threads)
if {upstream}:
    sys.path.insert(0, {golden!r})
    import published
    Model = published.Qwen3TTSModel
else:
    from desktop_tts.qwen3tts import Qwen3TTSModel as Model
model = Model.from_pretrained(folder, dtype=getattr(torch, dtype), attn_implementation="sdpa")
how = dict(text={text!r}, speaker="Ryan", language="English", non_streaming_mode=False)
torch.manual_seed(1)
model.generate_custom_voice(**how, max_new_tokens=4)
begun = time.perf_counter()
(wav,), rate = model.generate_custom_voice(**how, max_new_tokens=frames + 1)
took = time.perf_counter() - begun
made = len(wav) // 1920
print(json.dumps(dict(frames=made, seconds=round(took, 3), ms_per_frame=round(took / made * 1000, 1))))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oracle", required=True)
    parser.add_argument("--size", default="0.6b", choices=("0.6b", "1.7b"))
    parser.add_argument("--dtype", default="float32", choices=("float32", "bfloat16"))
    parser.add_argument("--frames", type=int, default=16)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    from desktop_tts.bench.path import processor
    from desktop_tts.qwen3tts.random_files import write_random_model

    with tempfile.TemporaryDirectory() as folder:
        write_random_model(Path(folder), options.size, "custom_voice")
        # Two files that only the published loader wants.
        extractor = {"feature_extractor_type": "EncodecFeatureExtractor", "feature_size": 1, "sampling_rate": 24000}
        for place, content in (("speech_tokenizer", extractor), (".", {"processor_class": "Qwen3TTSProcessor"})):
            (Path(folder) / place / "preprocessor_config.json").write_text(json.dumps(content))
        sides = {}
        for name, python in (("upstream", options.oracle), ("ours", sys.executable)):
            code = SIDE.format(upstream=name == "upstream", golden=str(ROOT / "tests" / "golden"), text=TEXT)
            arguments = [folder, options.dtype, str(options.frames), str(options.threads)]
            env = {"OMP_WAIT_POLICY": "PASSIVE"} | os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
            done = subprocess.run([python, "-c", code, *arguments], env=env, capture_output=True, text=True)
            if done.returncode:
                sys.exit(done.stderr)
            sides[name] = json.loads(done.stdout.splitlines()[-1])
    result = {
        "what": f"random {options.size}, {options.dtype}, {options.threads} threads; prefill and codec included",
        "machine": {"cpu": processor(), "cores": os.cpu_count(), "load": round(os.getloadavg()[0], 2)},
        **sides,
        "times_faster": round(sides["upstream"]["ms_per_frame"] / sides["ours"]["ms_per_frame"], 2),
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
