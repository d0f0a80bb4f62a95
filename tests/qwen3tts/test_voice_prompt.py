"""Cloned voices in files: whole, private, never pickle, and only for their own model."""

import json
import pickle
import stat
import struct

import pytest
import torch
from safetensors.torch import save_file

from desktop_tts.qwen3tts.checkpoint import open_checkpoint
from desktop_tts.qwen3tts.codec.encoder import CodecEncoder
from desktop_tts.qwen3tts.reference_audio import load_reference
from desktop_tts.qwen3tts.speaker_encoder import SpeakerEncoder
from desktop_tts.qwen3tts.voice_prompt import (
    VoiceClonePromptItem,
    VoicePromptError,
    clone_voice,
    load_prompt,
    model_identity,
    save_prompt,
)
from support import golden


@pytest.fixture(scope="module")
def base():
    return open_checkpoint(golden.checkpoint("base"))


@pytest.fixture(scope="module")
def encoders(base):
    speaker = SpeakerEncoder(base.config.speaker_encoder, base.tensors())
    return speaker, CodecEncoder(base.codec.encoder, base.codec_tensors())


@pytest.fixture
def item(encoders) -> VoiceClonePromptItem:
    return clone_voice(load_reference(golden.reference_sound("short")), "The ships at dawn.", *encoders)


def test_cloned_voice_is_the_published_one(item):
    published = golden.load("reference-base-short")
    assert torch.equal(item.ref_code, published["codes"].long())
    golden.assert_close(item.ref_spk_embedding, published["x_vector"])
    assert (item.x_vector_only_mode, item.icl_mode, item.ref_text) == (False, True, "The ships at dawn.")


def test_silence_makes_codes_longer_and_leaves_the_x_vector(item, encoders):
    audio = load_reference(golden.reference_sound("short"))
    longer = clone_voice(audio, "The ships at dawn.", *encoders, silence_s=0.5)
    assert len(longer.ref_code) == -(-round(1.8 * 24000) // 1920)
    assert torch.equal(longer.ref_spk_embedding, item.ref_spk_embedding)


@pytest.mark.parametrize("text", [None, ""])
def test_codes_need_the_reference_text(encoders, text):
    audio = load_reference(golden.reference_sound("short"))
    with pytest.raises(ValueError, match="ref_text is required"):
        clone_voice(audio, text, *encoders)
    assert clone_voice(audio, text, *encoders, x_vector_only=True).ref_code is None


def test_round_trip(tmp_path, base, item):
    path, model = tmp_path / "voice.safetensors", model_identity(base)
    item.ref_text = 'Zürich, 今天 "quoted"\nsecond line'
    save_prompt(path, item, model)
    loaded = load_prompt(path, model)
    assert torch.equal(loaded.ref_code, item.ref_code)
    assert torch.equal(loaded.ref_spk_embedding, item.ref_spk_embedding)
    assert (loaded.x_vector_only_mode, loaded.icl_mode, loaded.ref_text) == (False, True, item.ref_text)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_round_trip_of_an_x_vector_only(tmp_path, base, item):
    path, model = tmp_path / "voice.safetensors", model_identity(base)
    save_prompt(path, VoiceClonePromptItem(None, item.ref_spk_embedding, True, False), model)
    loaded = load_prompt(path, model)
    assert loaded.ref_code is None
    assert loaded.ref_text is None
    assert (loaded.x_vector_only_mode, loaded.icl_mode) == (True, False)


def test_a_failed_save_leaves_the_old_voice(tmp_path, base, item, monkeypatch):
    path, model = tmp_path / "voice.safetensors", model_identity(base)
    save_prompt(path, item, model)
    old = path.read_bytes()

    def full(_fd):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    item.ref_text = "Another text."
    with pytest.raises(OSError, match="No space"):
        save_prompt(path, item, model)
    assert path.read_bytes() == old
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_identity_follows_the_weights(base):
    other = model_identity(open_checkpoint(golden.checkpoint("base_0b6")))
    mine = model_identity(base)
    assert mine == model_identity(base)
    assert mine.fingerprint != other.fingerprint
    assert (mine.name, other.name) == ("Qwen3-TTS 1.7B Base", "Qwen3-TTS 0.6B Base")
    assert mine.enc_dim == base.config.talker.hidden_size


def test_other_models_cannot_clone():
    with pytest.raises(VoicePromptError, match="can't clone voices. Choose a Base model"):
        model_identity(open_checkpoint(golden.checkpoint("custom_voice")))


def test_voice_of_another_model_is_refused(tmp_path, base, item):
    path, other = tmp_path / "voice.safetensors", model_identity(open_checkpoint(golden.checkpoint("base_0b6")))
    save_prompt(path, item, model_identity(base))
    with pytest.raises(VoicePromptError, match="made with Qwen3-TTS 1.7B Base and doesn't work with Qwen3-TTS 0.6B"):
        load_prompt(path, other)


@pytest.mark.parametrize("keep", [0, 3, 100, 500, -1])
def test_cut_off_file_is_damaged(tmp_path, base, item, keep):
    path, model = tmp_path / "voice.safetensors", model_identity(base)
    save_prompt(path, item, model)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(VoicePromptError, match=r"voice\.safetensors is damaged. Clone the voice again"):
        load_prompt(path, model)


def test_missing_and_foreign_files(tmp_path, base):
    model = model_identity(base)
    with pytest.raises(VoicePromptError, match="is missing"):
        load_prompt(tmp_path / "none.safetensors", model)
    save_file({"x": torch.zeros(1)}, tmp_path / "other.safetensors")
    with pytest.raises(VoicePromptError, match="isn't a saved voice"):
        load_prompt(tmp_path / "other.safetensors", model)
    (tmp_path / "p.safetensors").write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(VoicePromptError, match="is damaged"):
        load_prompt(tmp_path / "p.safetensors", model)
    with pytest.raises(VoicePromptError, match="is damaged"):
        load_prompt(tmp_path, model)


@pytest.mark.parametrize(
    ("metadata", "tensors", "message"),
    [
        ({"schema": "2"}, {}, "another version of this program"),
        ({}, {"codes": torch.full((4, 16), 128, dtype=torch.int16)}, "damaged"),
        ({}, {"codes": torch.full((4, 16), -1, dtype=torch.int16)}, "damaged"),
        ({}, {"codes": torch.zeros(0, 16, dtype=torch.int16)}, "damaged"),
        ({}, {"codes": torch.zeros(4, 16)}, "damaged"),
        ({}, {"codes": torch.zeros(4, 15, dtype=torch.int16)}, "damaged"),
        ({}, {"x_vector": torch.zeros(7)}, "damaged"),
        ({}, {"x_vector": torch.full((48,), float("nan"))}, "damaged"),
        ({"ref_text": ""}, {}, "damaged"),
    ],
)
def test_wrong_content_is_refused(tmp_path, base, item, metadata, tensors, message):
    path, model = tmp_path / "voice.safetensors", model_identity(base)
    save_prompt(path, item, model)
    data = path.read_bytes()
    header = json.loads(data[8 : 8 + struct.unpack("<Q", data[:8])[0]])["__metadata__"]
    good = {"x_vector": item.ref_spk_embedding, "codes": item.ref_code.to(torch.int16)}
    save_file(good | tensors, path, header | metadata)
    with pytest.raises(VoicePromptError, match=message):
        load_prompt(path, model)
