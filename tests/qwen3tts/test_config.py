"""Configurations are read strictly, and what can't be used gives one clear sentence."""

import json

import pytest

from desktop_tts.errors import DesktopTTSError
from desktop_tts.qwen3tts.config import read_codec_config, read_model_config
from desktop_tts.qwen3tts.errors import CheckpointError
from support import golden


@pytest.fixture
def model():
    return json.loads((golden.checkpoint("custom_voice") / "config.json").read_text())


@pytest.fixture
def codec():
    return json.loads((golden.checkpoint("custom_voice") / "speech_tokenizer" / "config.json").read_text())


def test_reads_a_model(model):
    config = read_model_config(model)
    assert config.tts_model_type == "custom_voice"
    assert config.takes_instruct
    assert config.speaker_encoder is None
    assert config.talker.hidden_size == model["talker_config"]["hidden_size"]
    assert config.talker.code_predictor.num_hidden_layers == 2
    assert config.talker.spk_is_dialect["eric"] == "sichuan_dialect"


@pytest.mark.parametrize("key", ["codec_eos_token_id", "num_key_value_heads", "rope_theta", "code_predictor_config"])
def test_a_missing_key_of_the_talker_is_named(model, key):
    del model["talker_config"][key]
    with pytest.raises(CheckpointError, match=key):
        read_model_config(model)


@pytest.mark.parametrize("key", ["tts_pad_token_id", "talker_config"])
def test_a_missing_key_is_named(model, key):
    del model[key]
    with pytest.raises(CheckpointError, match=key):
        read_model_config(model)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"model_type": "qwen3"}, "'qwen3', not a Qwen3-TTS model"),
        ({"tokenizer_type": "qwen3_tts_tokenizer_25hz"}, "only the 12 Hz models are supported"),
        ({"tts_model_type": "singing"}, "must be one of custom_voice, voice_design, base"),
        ({"tts_model_size": 17}, "wrong type"),
        ({"talker_config": []}, "isn't a JSON object"),
    ],
)
def test_other_models_are_refused_in_one_sentence(model, change, sentence):
    with pytest.raises(CheckpointError, match=sentence) as refused:
        read_model_config(model | change)
    assert isinstance(refused.value, DesktopTTSError)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("key", "value"),
    [("hidden_size", "48"), ("attention_bias", True), ("hidden_act", "gelu"), ("use_sliding_window", True),
     ("rope_scaling", {"rope_type": "yarn"}), ("num_code_groups", 8), ("vocab_size", True), ("rope_theta", "1e6")],
)  # fmt: skip
def test_what_no_released_model_has_is_refused(model, key, value):
    model["talker_config"][key] = value
    with pytest.raises(CheckpointError, match="config"):
        read_model_config(model)


def test_a_base_model_needs_its_speaker_encoder():
    data = json.loads((golden.checkpoint("base") / "config.json").read_text())
    assert read_model_config(data).speaker_encoder is not None
    with pytest.raises(CheckpointError, match="enc_dim"):
        read_model_config(data | {"speaker_encoder_config": data["speaker_encoder_config"] | {"enc_dim": 7}})
    del data["speaker_encoder_config"]
    with pytest.raises(CheckpointError, match="speaker_encoder_config"):
        read_model_config(data)


def test_reads_a_codec(codec):
    config = read_codec_config(codec)
    assert config.decoder.samples_per_frame == 1920
    assert config.encoder.valid_quantizers == 16


def test_other_codecs_are_refused(codec):
    with pytest.raises(CheckpointError, match="12 Hz"):
        read_codec_config(codec | {"model_type": "qwen3_tts_tokenizer_25hz"})
    with pytest.raises(CheckpointError, match="24 kHz"):
        read_codec_config(codec | {"output_sample_rate": 16000})
    codec["decoder_config"]["upsample_rates"] = [8, 5, 4, 2]
    with pytest.raises(CheckpointError, match="1920"):
        read_codec_config(codec)
