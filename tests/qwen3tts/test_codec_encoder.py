"""The codec encoder against the published one: the codes must be equal."""

import pytest
import torch

from desktop_tts.qwen3tts.checkpoint import open_checkpoint
from desktop_tts.qwen3tts.codec import encoder as encoder_module
from desktop_tts.qwen3tts.codec.encoder import CodecEncoder
from desktop_tts.qwen3tts.reference_audio import load_reference
from support import golden


def make(*, windowed: bool = False) -> CodecEncoder:
    checkpoint = open_checkpoint(golden.checkpoint("base"))
    tensors = checkpoint.codec_tensors()
    encoder = CodecEncoder(checkpoint.codec.encoder, tensors, windowed=windowed)
    tensors.ignore("decoder.*")
    tensors.finish()  # every encoder tensor was used
    return encoder


@pytest.fixture(scope="module")
def encoder() -> CodecEncoder:
    return make()


def sound(name: str) -> torch.Tensor:
    return torch.from_numpy(load_reference(golden.reference_sound(name)).samples)


@pytest.mark.parametrize("name", golden.SOUNDS)
@pytest.mark.parametrize("checkpoint", ["base", "base_0b6"])
def test_codes_are_the_published_ones(encoder, name, checkpoint):
    """Resampled as published, from 16, 24 and 44.1 kHz."""
    published = golden.load(f"reference-{checkpoint}-{name}")
    golden.assert_close(encoder.latents(sound(name)), published["latent"])
    codes = encoder.encode(sound(name))
    assert codes.dtype == torch.int64
    assert torch.equal(codes, published["codes"].long())


@pytest.mark.parametrize("samples", [1, 959, 1920, 1921, 24000, 24959])
def test_a_started_frame_counts(encoder, samples):
    assert encoder.encode(torch.zeros(samples)).shape == (-(-samples // 1920), 16)


def test_sound_is_taken_in_pieces(encoder, monkeypatch):
    whole = encoder.latents(sound("long"))
    monkeypatch.setattr(encoder_module, "_PIECE_S", 1)
    golden.assert_close(encoder.latents(sound("long")), whole, 1e-5)


def test_window_applies_only_if_asked_for(encoder):
    """25 positions, one second, in the tiny model: what comes before doesn't matter with it."""
    windowed = make(windowed=True)
    short, long = sound("long")[:23000], sound("long")
    golden.assert_close(windowed.latents(short), encoder.latents(short), 1e-5)
    assert not torch.equal(windowed.encode(long), encoder.encode(long))
    other = long.clone()
    other[:24000] *= 0.5  # two layers see two seconds back, and the convolutions a little more
    a, b = windowed.latents(long), windowed.latents(other)
    golden.assert_close(b[45:], a[45:], 1e-5)
    assert (a[:12] - b[:12]).abs().max() > 1e-3


def test_five_minutes_need_little_memory(encoder):
    codes = encoder.encode(sound("long").repeat(70)[: 300 * 24000])
    assert codes.shape == (3750, 16)
