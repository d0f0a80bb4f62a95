"""Made-up models of the real size: element counts as published, and nothing on disk."""

import math

import pytest
import torch

from desktop_tts.qwen3tts import released
from desktop_tts.qwen3tts.checkpoint import open_checkpoint
from desktop_tts.qwen3tts.codec.shapes import codec_shapes
from desktop_tts.qwen3tts.config import read_codec_config
from desktop_tts.qwen3tts.errors import CheckpointError
from desktop_tts.qwen3tts.random_files import write_random_model, write_tokenizer
from desktop_tts.qwen3tts.random_weights import random_checkpoint
from desktop_tts.qwen3tts.shapes import model_shapes
from desktop_tts.qwen3tts.tokenizer import load_tokenizer


@pytest.mark.parametrize(
    ("size", "kind", "tensors", "elements"),
    [
        ("0.6b", "base", 478, 914_643_008),
        ("0.6b", "custom_voice", 402, 905_788_672),
        ("1.7b", "base", 480, 1_928_677_440),
        ("1.7b", "custom_voice", 404, 1_916_676_352),
        ("1.7b", "voice_design", 404, 1_916_676_352),
    ],
)
def test_elements_are_as_many_as_published(size, kind, tensors, elements):
    checkpoint = random_checkpoint(size, kind)
    shapes = model_shapes(checkpoint.config)
    assert (len(shapes), sum(map(math.prod, shapes.values()))) == (tensors, elements)
    assert checkpoint.tensors().names() == sorted(shapes)


def test_codec_elements_are_as_many_as_published():
    shapes = codec_shapes(read_codec_config(released.CODEC_CONFIG))
    counts = {name: math.prod(shape) for name, shape in shapes.items()}
    decoder = [count for name, count in counts.items() if name.startswith("decoder.")]
    encoder = [count for name, count in counts.items() if name.startswith("encoder.")]
    assert (len(decoder), sum(decoder)) == (271, 114_323_137)
    assert (len(encoder), sum(encoder)) == (225, 56_234_304)


def test_no_small_voice_design_model():
    with pytest.raises(ValueError, match=r"no 0\.6b voice_design"):
        random_checkpoint("0.6b", "voice_design")


def test_tensors_are_random_repeatable_and_as_strict_as_files():
    name = "talker.model.layers.3.mlp.up_proj.weight"
    tensors, again = (random_checkpoint("0.6b", "custom_voice").tensors() for _ in range(2))
    other = random_checkpoint("0.6b", "custom_voice", seed=1).tensors()
    weight, float_weight = tensors.mapped(name, (3072, 1024)), torch.empty(3072, 1024)
    again.copy_into(float_weight, name)
    assert weight.dtype == torch.bfloat16
    assert torch.equal(weight.float(), float_weight)
    assert not torch.equal(weight, other.mapped(name, (3072, 1024)))
    assert abs(weight.float().std() * 32 - 1) < 0.02  # 1 / sqrt(1024)
    assert len(weight[0].unique()) > 200
    assert not torch.equal(weight[0], weight[1])
    with pytest.raises(CheckpointError, match="has no tensor"):
        tensors.mapped("talker.x", (1,))
    with pytest.raises(CheckpointError, match="has shape"):
        tensors.mapped(name, (1024, 3072))
    with pytest.raises(CheckpointError, match="don't belong"):
        tensors.finish()


def test_tokenizer_has_the_released_ids(tmp_path):
    write_tokenizer(tmp_path)
    checkpoint = random_checkpoint("0.6b", "custom_voice", path=tmp_path)
    tokenizer = load_tokenizer(checkpoint.path, checkpoint.config)
    assert tokenizer.encode("assistant\n") == [77091, 198]
    assert tokenizer.encode("user\n") == [872, 198]
    assert len(tokenizer.encode("héllo")) == 6


def test_files_hold_what_memory_holds(tmp_path, monkeypatch):
    """With the widths of the real model cut down, to spare the disk."""
    small = released.model_config("0.6b", "base")
    small["talker_config"] |= {"text_vocab_size": 64, "num_hidden_layers": 1}
    small["talker_config"]["code_predictor_config"]["num_hidden_layers"] = 1
    codec = released.CODEC_CONFIG
    decoder = codec["decoder_config"] | {"latent_dim": 32, "decoder_dim": 32, "codebook_size": 16}
    encoder = codec["encoder_config"] | {
        "num_filters": 4,
        "hidden_size": 64,
        "codebook_size": 16,
        "num_hidden_layers": 1,
    }
    monkeypatch.setattr(released, "model_config", lambda _size, _kind: small)
    monkeypatch.setattr(released, "CODEC_CONFIG", codec | {"decoder_config": decoder, "encoder_config": encoder})
    written = open_checkpoint(write_random_model(tmp_path / "model", "0.6b", "base"))
    memory = random_checkpoint("0.6b", "base")
    assert (written.config, written.codec) == (memory.config, memory.codec)
    for files, made in ((written.tensors(), memory.tensors()), (written.codec_tensors(), memory.codec_tensors())):
        assert files.names() == made.names()
        for name in made.names():
            a, b = files.mapped(name, made.shape(name)), made.mapped(name, made.shape(name))
            assert a.dtype == b.dtype
            assert torch.equal(a, b), name
        files.finish()
        made.finish()
