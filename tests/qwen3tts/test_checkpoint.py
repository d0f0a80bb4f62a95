"""A model directory is opened strictly, and loading it takes no second copy of the weights."""

import json
import shutil
import subprocess
import sys

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from desktop_tts.qwen3tts.checkpoint import Tensors, load_module, open_checkpoint
from desktop_tts.qwen3tts.errors import CheckpointError
from desktop_tts.qwen3tts.networks import load_networks
from desktop_tts.qwen3tts.precision import Precision
from support import golden


@pytest.fixture
def directory(tmp_path):
    return shutil.copytree(golden.checkpoint("custom_voice"), tmp_path / "model")


def load(directory):
    return load_networks(open_checkpoint(directory), torch.device("cpu"), Precision(torch.float32))


@pytest.mark.parametrize("name", golden.CHECKPOINTS)
def test_every_kind_of_model_loads(name):
    load(golden.checkpoint(name))


@pytest.mark.parametrize("file", ["model.safetensors", "speech_tokenizer/model.safetensors"])
def test_a_missing_extra_or_misshaped_tensor_is_named(directory, file):
    name = max(load_file(directory / file))

    whole = load_file(directory / file)
    reshaped = whole | {name: torch.zeros(3, 2, 1, 1)}
    surplus = whole | {"surplus.weight": torch.zeros(1)}
    del whole[name]
    for tensors, sentence in (
        (whole, f"has no tensor {name}"),
        (reshaped, rf"{name} has shape \[3, 2, 1, 1\], not"),
        (surplus, "surplus.weight"),
    ):  # fmt: skip
        save_file(tensors, directory / file)
        with pytest.raises(CheckpointError, match=sentence):
            load(directory)


@pytest.mark.parametrize("keep", [0, 4, 100, -1])
def test_a_truncated_file_is_said_to_be_incomplete(directory, keep):
    file = directory / "model.safetensors"
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(CheckpointError, match="damaged or incomplete"):
        load(directory)


@pytest.mark.parametrize(
    "file",
    ["config.json", "model.safetensors", "vocab.json", "merges.txt", "tokenizer_config.json",
     "speech_tokenizer/config.json", "speech_tokenizer/model.safetensors"],
)  # fmt: skip
def test_a_missing_file_is_named(directory, file):
    (directory / file).unlink()
    with pytest.raises(CheckpointError, match=f"has no {file}"):
        load(directory)


@pytest.mark.parametrize("file", ["config.json", "vocab.json", "tokenizer_config.json", "generation_config.json"])
def test_a_file_that_is_no_json_is_named(directory, file):
    (directory / file).write_text("{")
    with pytest.raises(CheckpointError, match=file):
        load(directory)


def test_generation_settings_may_be_missing(directory):
    (directory / "generation_config.json").unlink()
    assert open_checkpoint(directory).generation == {}


def test_no_directory_is_one_sentence(tmp_path):
    with pytest.raises(CheckpointError, match="There is no model in"):
        open_checkpoint(tmp_path / "nothing")


def test_ids_of_the_tokenizer_must_agree(directory):
    config = json.loads((directory / "config.json").read_text())
    for change in ({"tts_eos_token_id": config["tts_pad_token_id"]}, {"assistant_token_id": 3}):
        (directory / "config.json").write_text(json.dumps(config | change))
        with pytest.raises(CheckpointError, match="disagree"):
            load(directory)


class Packed(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 5, bias=False)
        self.norms = nn.Parameter(torch.empty(3, 4))
        self.packed = {"inner.weight": {"a.weight": 2, "b.weight": 3}, "norms": {"c.weight": 1, "d.weight": 2}}


def test_tensors_are_packed_repeated_and_converted(tmp_path):
    saved = {
        "x.a.weight": torch.randn(2, 4, dtype=torch.bfloat16), "x.b.weight": torch.randn(3, 4),
        "x.c.weight": torch.randn(4), "x.d.weight": torch.randn(4), "x.unused.bias": torch.zeros(1),
    }  # fmt: skip
    save_file(saved, tmp_path / "t.safetensors")
    tensors = Tensors(tmp_path / "t.safetensors")
    with torch.device("meta"):
        module = Packed()
    load_module(module, tensors, "x.", unused=["unused.*"])
    tensors.finish()
    assert torch.equal(module.inner.weight, torch.cat((saved["x.a.weight"].float(), saved["x.b.weight"])))
    assert torch.equal(module.norms, torch.stack([saved["x.c.weight"], saved["x.d.weight"], saved["x.d.weight"]]))
    assert not module.inner.weight.requires_grad


def test_unused_tensors_are_refused(tmp_path):
    save_file({"a": torch.zeros(1), "b": torch.zeros(1)}, tmp_path / "t.safetensors")
    tensors = Tensors(tmp_path / "t.safetensors")
    tensors.copy_into(torch.empty(1), "a")
    with pytest.raises(CheckpointError, match=r"don't belong to it: b\."):
        tensors.finish()


PEAK = """
import sys, threading, time, torch, psutil
from pathlib import Path
from torch import nn
from desktop_tts.qwen3tts.checkpoint import Tensors, load_module

class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4096, 4096, bias=False) for _ in range(8))
        self.packed = {f"layers.{i}.weight": {f"{i}.a": 2048, f"{i}.b": 2048} for i in range(8)}

with torch.device("meta"):
    stack = Stack()
torch.ones(8, 8) @ torch.ones(8, 8)
process = psutil.Process()
before = peak = process.memory_info().rss

def watch():  # ru_maxrss would count what the parent had when it forked
    global peak
    while True:
        peak = max(peak, process.memory_info().rss)
        time.sleep(0.001)

threading.Thread(target=watch, daemon=True).start()
load_module(stack, Tensors(Path(sys.argv[1])), dtype=getattr(torch, sys.argv[2]))
weights = sum(p.nbytes for p in stack.parameters())
print((peak - before) / weights)
"""


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_loading_needs_little_more_than_the_weights(tmp_path, dtype):
    """256 MB of bf16, as released files are, into the same type (where a mapped file would count twice) and fp32."""
    parts = {f"{i}.{part}": torch.ones(2048, 4096, dtype=torch.bfloat16) for i in range(8) for part in "ab"}
    save_file(parts, tmp_path / "big.safetensors")
    command = [sys.executable, "-c", PEAK, str(tmp_path / "big.safetensors"), dtype]
    ratio = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert 0.95 < ratio < 1.25
