"""The mel rows and the x-vector against the published ones."""

import pytest
import torch

from desktop_tts.qwen3tts.checkpoint import open_checkpoint
from desktop_tts.qwen3tts.mel import log_mel, mel_filters
from desktop_tts.qwen3tts.reference_audio import load_reference
from desktop_tts.qwen3tts.speaker_encoder import SpeakerEncoder
from support import golden


def sound(name: str) -> torch.Tensor:
    return torch.from_numpy(load_reference(golden.reference_sound(name)).samples)


def test_mel_filters_are_those_of_librosa():
    ours, published = torch.from_numpy(mel_filters())[::8], golden.load("mel")["filters"]
    assert (ours - published).abs().max() < 1e-7
    golden.assert_close(ours, published, 1e-6)


@pytest.mark.parametrize("name", golden.SOUNDS)
def test_mel_rows_are_the_published_ones(name):
    ours = log_mel(sound(name))[::11]
    golden.assert_close(ours, golden.load(f"reference-base-{name}")["mel"], 1e-5)


@pytest.mark.parametrize("name", golden.SOUNDS)
@pytest.mark.parametrize("checkpoint", ["base", "base_0b6"])
def test_x_vector_is_the_published_one(name, checkpoint):
    files = open_checkpoint(golden.checkpoint(checkpoint))
    tensors = files.tensors()
    encoder = SpeakerEncoder(files.config.speaker_encoder, tensors)
    tensors.ignore("talker.*")
    tensors.finish()  # every tensor of the speaker encoder was used
    vector = encoder.x_vector(sound(name))
    assert vector.dtype == torch.float32
    golden.assert_close(vector, golden.load(f"reference-{checkpoint}-{name}")["x_vector"])
