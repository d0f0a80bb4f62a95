"""int8 weights are kept for the next start, and never used for another model or when damaged."""

import os
import shutil

import numpy as np
import pytest
import torch

from desktop_tts.qwen3tts.model import Qwen3TTSModel
from support import golden

KIND = "custom_voice"


def speak(model):
    (sound,), _ = model.generate_custom_voice("Kept for the next time.", "vivian", seed=5, max_new_tokens=10)
    return sound


def load(folder, cache):
    return Qwen3TTSModel.from_pretrained(folder, dtype="int8", weight_cache=cache)


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(golden.checkpoint(KIND), tmp_path / "model")


def test_the_second_start_reads_the_cache_and_speaks_the_same(folder, cache, monkeypatch):
    first = speak(load(folder, cache))
    assert [file.suffix for file in cache.iterdir()] == [".safetensors"] * 2  # talker and code predictor
    monkeypatch.setattr("desktop_tts.qwen3tts.weight_cache.quantize", None)  # a second quantizing would fail
    assert np.array_equal(speak(load(folder, cache)), first)
    assert np.array_equal(speak(Qwen3TTSModel.from_pretrained(folder, dtype="int8")), first)


@pytest.mark.parametrize("harm", ["cut", "emptied", "noise"])
def test_a_damaged_cache_is_made_again(folder, cache, harm):
    first = speak(load(folder, cache))
    file = max(cache.iterdir(), key=lambda file: file.stat().st_size)
    whole = file.read_bytes()
    file.write_bytes({"cut": whole[: len(whole) // 2], "emptied": b"", "noise": os.urandom(4096)}[harm])
    assert np.array_equal(speak(load(folder, cache)), first)
    assert file.read_bytes()[:8] == whole[:8]


def test_a_changed_model_is_quantized_again(folder, cache):
    first = speak(load(folder, cache))
    shutil.copy(golden.checkpoint("custom_voice") / "model.safetensors", folder / "model.safetensors")
    weights = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(weights[:-4096] + bytes(4096))
    speak(load(folder, cache))
    files = sorted(cache.iterdir())
    (folder / "model.safetensors").write_bytes(weights)
    assert np.array_equal(speak(load(folder, cache)), first)
    assert sorted(cache.iterdir()) == files


def test_a_disk_that_refuses_is_no_obstacle(folder, cache, caplog):
    cache.write_text("a file where the folder should be")
    assert len(speak(load(folder, cache)))
    assert "can't be kept" in caplog.text


def test_other_formats_write_nothing(folder, cache):
    Qwen3TTSModel.from_pretrained(folder, dtype="float32", weight_cache=cache)
    assert not cache.exists()


def test_the_cache_has_a_byte_for_each_weight(folder, cache):
    model = load(folder, cache)
    kept = sum(file.stat().st_size for file in cache.iterdir())
    layer = model.networks.talker.model.layers[0]
    assert layer.qkv_proj.packs
    assert not layer.qkv_proj.weight.numel()
    assert model.networks.talker.codec_head.weight.dtype == torch.float32
    assert kept < 0.6 * (folder / "model.safetensors").stat().st_size
