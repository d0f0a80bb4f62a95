"""The comparisons in benchmarks/, on a tiny model: they run, take turns and write what they found."""

import json
import subprocess
import sys
import types
from pathlib import Path

import pytest

from support import golden

ROOT = Path(__file__).parents[1]
BENCHMARKS = ROOT / "benchmarks"
FRAMES = 3


def run(script, *arguments, env=None):
    command = [sys.executable, str(BENCHMARKS / script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=env, timeout=120)


def compared(tmp_path, *arguments, env=None):
    """What upstream.py wrote, and the rows it printed, for the tiny model."""
    common = ["--model", golden.checkpoint("custom_voice_0b6"), "--threads", 1, "--output", tmp_path / "out"]
    done = run("upstream.py", *common, "--frames", FRAMES, "--repeats", 2, *arguments, env=env)
    assert done.returncode == 0, done.stderr
    return json.loads((tmp_path / "out" / "upstream-0.6b.json").read_text()), done.stdout.splitlines()


def test_our_side_alone_is_measured_in_each_format_that_there_is(tmp_path):
    found, rows = compared(tmp_path, "--dtype", "float32,bfloat16,float7")
    assert found["machine"]["cpu"]
    assert found["machine"]["cores"] >= 1
    assert 0 <= found["machine"]["others_percent"] <= 100
    assert found["date"].startswith("20")
    assert "upstream.py" in found["command"]
    assert found["settings"] == {"frames": FRAMES, "repeats": 2, "threads": 1, "device": "cpu"}
    for name in ("float32", "bfloat16"):
        ours = found["ours"][name]["ours"]
        assert ours["versions"]["torch"]
        assert ours["peak_rss_mb"] > 50
        assert [run["frames"] for run in ours["repeats"]] == [FRAMES, FRAMES]
        for measured in ours["repeats"]:
            assert 0 < measured["first_audio_ms"] < FRAMES * measured["ms_per_frame"] * 1.01
            assert measured["first_audio_frames"] == 1
    assert "float7" in found["ours"]["float7"]["missing"]
    assert len(rows) == 3
    assert all(row.count("|") == 9 for row in rows)


@pytest.fixture
def published_by_us(tmp_path, monkeypatch):
    """A package ``qwen_tts`` with the published interface, which is also ours, and a bit of time for each text."""
    package = tmp_path / "site" / "qwen_tts"
    (package / "core" / "models").mkdir(parents=True)
    (package / "__init__.py").write_text(
        "import time\n"
        "from desktop_tts.qwen3tts import Qwen3TTSModel as Ours\n"
        "class Qwen3TTSModel(Ours):\n"
        "    def generate_custom_voice(self, text, speaker, language, max_new_tokens):\n"
        "        time.sleep(0.5)\n"
        "        return super().generate_custom_voice(text, speaker, language, max_new_tokens=max_new_tokens)\n"
    )
    for folder in (package / "core", package / "core" / "models"):
        (folder / "__init__.py").touch()
    (package / "core" / "models" / "modeling_qwen3_tts.py").touch()
    for name in ("qwen-tts", "transformers"):
        about = tmp_path / "site" / f"{name.replace('-', '_')}-0.1.1.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.1\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'site'}:{ROOT}")


def test_the_faster_side_has_the_higher_ratio(tmp_path, published_by_us):
    found, rows = compared(tmp_path, "--dtype", "float32", "--upstream-python", sys.executable)
    assert [tried["name"] for tried in found["theirs_tried"]] == ["float32", "bfloat16"]
    duel = found["ours"]["float32"]
    assert duel["theirs"]["versions"]["qwen-tts"] == "0.1.1"
    assert duel["theirs"]["median"]["first_audio_ms"] > 500
    assert all(run["first_audio_frames"] == FRAMES for run in duel["theirs"]["repeats"])
    medians = [duel[side]["median"]["ms_per_frame"] for side in ("theirs", "ours")]
    assert duel["ratio"]["ms_per_frame"] == pytest.approx(medians[0] / medians[1], rel=0.02)
    assert duel["ratio"]["ms_per_frame"] > 1
    assert duel["ratio"]["pairs"][0] <= duel["ratio"]["ms_per_frame"] <= duel["ratio"]["pairs"][1]
    assert rows[0].endswith(f"**{duel['ratio']['ms_per_frame']:.1f}** |")


def test_a_side_that_fails_says_why(tmp_path):
    done = run("upstream.py", "--model", tmp_path, "--output", tmp_path, "--dtype", "float32", "--frames", 2)
    assert done.returncode != 0
    assert "config.json" in done.stderr


def test_everything_is_started_by_one_command():
    done = run("run_all.py", "--help")
    assert done.returncode == 0
    assert "--ggml-python" in done.stdout


@pytest.fixture
def ggml_files(monkeypatch):
    """The module that writes GGUF files, without the package that it writes them with."""
    stand_in = types.ModuleType("gguf")
    stand_in.GGMLQuantizationType = types.SimpleNamespace(F32="F32", F16="F16")
    monkeypatch.setitem(sys.modules, "gguf", stand_in)
    monkeypatch.syspath_prepend(str(BENCHMARKS / "sides"))
    import ggml_files

    yield ggml_files
    del sys.modules["ggml_files"]


def test_every_tensor_of_a_voice_has_its_name_in_the_ggml_port(ggml_files):
    folder = golden.checkpoint("custom_voice")
    talker = dict(ggml_files.named_tensors(ggml_files.Tensors(folder / "model.safetensors"), 16))
    assert len(talker) == len(ggml_files.Tensors(folder / "model.safetensors").entries)
    assert talker["talker.blk.2.attn_q_norm.weight"].shape == (16,)
    assert talker["code_pred.lm_head.14.weight"].shape == (128, 32)
    codec = dict(ggml_files.named_tensors(ggml_files.Tensors(folder / "speech_tokenizer" / "model.safetensors"), 16))
    assert {f"tok_dec.vq_rest.{number}.codebook" for number in range(15)} < codec.keys()
    assert {name for name in codec if name.startswith("tok_enc.vq_acoustic.")} >= {"tok_enc.vq_acoustic.14.codebook"}
    assert "tok_enc.vq_acoustic.15.codebook" not in codec
    assert "tok_dec.dec.4.res.2.act2.beta" in codec
    values = ggml_files.talker_values(folder)
    assert values["qwen3-tts.talker.block_count"] == 3
    assert values["tokenizer.ggml.tokens"][values["qwen3-tts.text.tts_eos_id"]] == "<tts_text_eod>"
