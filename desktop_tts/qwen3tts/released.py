"""The configurations of the released models, as their ``config.json`` files have them."""

from __future__ import annotations

from typing import Any, Literal, get_args

from desktop_tts.qwen3tts.config import ModelKind

ModelSize = Literal["0.6b", "1.7b"]

_LANGUAGES = {
    "english": 2050, "german": 2053, "spanish": 2054, "chinese": 2055, "japanese": 2058, "french": 2061,
    "korean": 2064, "russian": 2069, "italian": 2070, "portuguese": 2071,
}  # fmt: skip
_DIALECTS = {"sichuan_dialect": 2062, "beijing_dialect": 2074}
_SPEAKERS = {
    "serena": 3066, "vivian": 3065, "uncle_fu": 3010, "ryan": 3061, "aiden": 2861, "ono_anna": 2873, "sohee": 2864,
    "eric": 2875, "dylan": 2878,
}  # fmt: skip
_SPOKEN_DIALECTS = {"eric": "sichuan_dialect", "dylan": "beijing_dialect"}

GENERATION_CONFIG: dict[str, Any] = {
    "do_sample": True, "repetition_penalty": 1.05, "temperature": 0.9, "top_p": 1.0, "top_k": 50,
    "subtalker_dosample": True, "subtalker_temperature": 0.9, "subtalker_top_p": 1.0, "subtalker_top_k": 50,
    "max_new_tokens": 8192,
}  # fmt: skip

CODEC_CONFIG: dict[str, Any] = {
    "architectures": ["Qwen3TTSTokenizerV2Model"], "model_type": "qwen3_tts_tokenizer_12hz",
    "encoder_valid_num_quantizers": 16, "input_sample_rate": 24000, "output_sample_rate": 24000,
    "decode_upsample_rate": 1920, "encode_downsample_rate": 1920,
    "decoder_config": {
        "num_quantizers": 16, "num_semantic_quantizers": 1, "codebook_size": 2048, "semantic_codebook_size": 4096,
        "codebook_dim": 512, "vector_quantization_hidden_dimension": 512, "latent_dim": 1024, "hidden_size": 512,
        "intermediate_size": 1024, "num_hidden_layers": 8, "num_attention_heads": 16, "num_key_value_heads": 16,
        "head_dim": 64, "rms_norm_eps": 1e-5, "rope_theta": 10000, "sliding_window": 72, "hidden_act": "silu",
        "layer_scale_initial_scale": 0.01, "max_position_embeddings": 8000, "upsampling_ratios": [2, 2],
        "upsample_rates": [8, 5, 4, 3], "decoder_dim": 1536,
    },
    "encoder_config": {
        "num_filters": 64, "kernel_size": 7, "residual_kernel_size": 3, "last_kernel_size": 3,
        "num_residual_layers": 1, "compress": 2, "dilation_growth_rate": 2, "upsampling_ratios": [8, 6, 5, 4],
        "use_causal_conv": True, "pad_mode": "constant", "use_conv_shortcut": False, "num_quantizers": 32,
        "num_semantic_quantizers": 1, "hidden_size": 512, "num_hidden_layers": 8, "num_attention_heads": 8,
        "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 2048, "hidden_act": "gelu", "norm_eps": 1e-5,
        "rope_theta": 10000.0, "sliding_window": 250, "layer_scale_initial_scale": 0.01, "_frame_rate": 12.5,
        "codebook_size": 2048, "codebook_dim": 256, "vector_quantization_hidden_dimension": 256,
        "sampling_rate": 24000,
    },
}  # fmt: skip


def model_config(size: ModelSize, kind: ModelKind) -> dict[str, Any]:
    """``config.json`` of a released model; the 0.6B voice design model, which was never released, is refused."""
    if size not in get_args(ModelSize) or kind not in get_args(ModelKind) or (size, kind) == ("0.6b", "voice_design"):
        raise ValueError(f"There is no {size} {kind} model; sizes are 0.6b and 1.7b, and voice_design is 1.7b only.")
    hidden = {"0.6b": 1024, "1.7b": 2048}[size]
    voices = kind == "custom_voice"
    decoder = {
        "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128, "num_code_groups": 16,
        "hidden_act": "silu", "attention_bias": False, "rms_norm_eps": 1e-6, "rope_theta": 1000000,
        "use_sliding_window": False, "sliding_window": None,
    }  # fmt: skip
    predictor = decoder | {
        "vocab_size": 2048, "hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 5,
        "max_position_embeddings": 65536,
    }  # fmt: skip
    talker = decoder | {
        "vocab_size": 3072, "hidden_size": hidden, "intermediate_size": 3 * hidden, "num_hidden_layers": 28,
        "text_hidden_size": 2048, "text_vocab_size": 151936, "max_position_embeddings": 32768,
        "rope_scaling": {"interleaved": True, "mrope_section": [24, 20, 20], "rope_type": "default"},
        "codec_pad_id": 2148, "codec_bos_id": 2149, "codec_eos_token_id": 2150, "codec_think_id": 2154,
        "codec_nothink_id": 2155, "codec_think_bos_id": 2156, "codec_think_eos_id": 2157,
        "codec_language_id": _LANGUAGES | (_DIALECTS if voices else {}),
        "spk_id": _SPEAKERS if voices else {},
        "spk_is_dialect": {name: _SPOKEN_DIALECTS.get(name, False) for name in _SPEAKERS} if voices else {},
        "code_predictor_config": predictor,
    }  # fmt: skip
    config: dict[str, Any] = {
        "architectures": ["Qwen3TTSForConditionalGeneration"], "model_type": "qwen3_tts",
        "tokenizer_type": "qwen3_tts_tokenizer_12hz", "tts_model_size": {"0.6b": "0b6", "1.7b": "1b7"}[size],
        "tts_model_type": kind, "im_start_token_id": 151644, "im_end_token_id": 151645, "assistant_token_id": 77091,
        "tts_pad_token_id": 151671, "tts_bos_token_id": 151672, "tts_eos_token_id": 151673, "talker_config": talker,
    }  # fmt: skip
    if kind == "base":
        config["speaker_encoder_config"] = {"enc_dim": hidden, "sample_rate": 24000}
    return config
