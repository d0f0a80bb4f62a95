"""Tiny random checkpoints in the full published directory layout.

The files are not kept in the repository: they are made again, bit for bit, wherever they are needed. Every number comes
from Philox bits by exact arithmetic, so the same seed gives the same tensors on every machine and library version.
No published code is needed here, and none of the project's model code runs: only its tables of names and shapes.

Unlike the initialisation of the published classes, every tensor gets values that matter (``scale_of``): layer scales,
Snake parameters and codebooks near zero would hide mistakes.
"""

import json
import math
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file

from desktop_tts.qwen3tts.codec.shapes import codec_shapes
from desktop_tts.qwen3tts.config import read_codec_config, read_model_config
from desktop_tts.qwen3tts.random_weights import scale_of
from desktop_tts.qwen3tts.shapes import model_shapes

TOKENIZER = Path(__file__).parent / "data" / "tokenizer"
SPECIALS = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>", "<|box_start|>",
    "<|box_end|>", "<|quad_start|>", "<|quad_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>",
    "<|image_pad|>", "<|video_pad|>", "<tool_call>", "</tool_call>", "<|audio_start|>", "<|audio_end|>", "<tts_pad>",
    "<tts_text_bos>", "<tts_text_eod>", "<tts_text_bos_single>", "<|audio_pad|>",
]  # fmt: skip
LANGUAGES = {
    "english": 2, "german": 5, "spanish": 6, "chinese": 7, "japanese": 10, "french": 13, "sichuan_dialect": 14,
    "korean": 16, "russian": 21, "italian": 22, "portuguese": 23, "beijing_dialect": 26,
}  # fmt: skip
SPEAKERS = {
    "serena": 1018, "vivian": 1017, "uncle_fu": 962, "ryan": 1013, "aiden": 813, "ono_anna": 825, "sohee": 816,
    "eric": 827, "dylan": 830,
}  # fmt: skip
DIALECTS = {"eric": "sichuan_dialect", "dylan": "beijing_dialect"}


@dataclass(frozen=True)
class Spec:
    """What sets one tiny model apart. Ids of controls, languages and speakers lie behind the audio codes."""

    kind: str
    size: str = "1b7"
    seed: int = 1
    hidden: int = 48
    text_hidden: int = 40
    predictor_hidden: int = 32
    codes: int = 128
    output_gain: float = 1.0
    """Factor on the codec's last convolution; chosen so that decoded sound stays unclipped."""


GAIN = 0.08
SPECS = {
    "custom_voice": Spec("custom_voice", seed=20, output_gain=GAIN),
    "custom_voice_0b6": Spec("custom_voice", "0b6", 21, hidden=32, text_hidden=48, output_gain=GAIN),
    "voice_design": Spec("voice_design", seed=30, output_gain=GAIN),
    "base": Spec("base", seed=33, output_gain=GAIN),
    "base_0b6": Spec("base", "0b6", 30, hidden=32, text_hidden=48, output_gain=GAIN),
}


def write(directory: Path, spec: Spec) -> Path:
    """Write all files of a model directory; about 1.5 MB and a tenth of a second."""
    codec = directory / "speech_tokenizer"
    codec.mkdir(parents=True)
    vocabulary = json.loads((TOKENIZER / "vocab.json").read_text("utf-8"))
    for name in ("vocab.json", "merges.txt"):
        (directory / name).write_bytes((TOKENIZER / name).read_bytes())
    config = model_config(spec, vocabulary)
    _dump(directory / "tokenizer_config.json", _tokenizer_config(len(vocabulary)))
    _dump(directory / "config.json", config)
    _dump(directory / "generation_config.json", _GENERATION)
    _dump(directory / "preprocessor_config.json", _PROCESSOR)
    weights = {
        name: _tensor(name, shape, spec).bfloat16() for name, shape in model_shapes(read_model_config(config)).items()
    }
    save_file(weights, directory / "model.safetensors", metadata={"format": "pt"})
    _dump(codec / "config.json", codec_config(spec))
    _dump(codec / "configuration.json", {"framework": "pytorch", "task": "feature-extraction"})
    _dump(codec / "preprocessor_config.json", _EXTRACTOR)
    save_file(codec_weights(spec), codec / "model.safetensors", metadata={"format": "pt"})
    return directory


def codec_weights(spec: Spec) -> dict[str, torch.Tensor]:
    """Float32 tensors of the codec; the same for all models of one number of codes, as in the published models."""
    spec = replace(spec, seed=10)
    shapes = codec_shapes(read_codec_config(codec_config(spec)))
    weights = {name: _tensor(name, shape, spec) for name, shape in shapes.items()}
    for name in weights:  # both directions use one set of codebooks and projections, as published
        if name.startswith("encoder.quantizer.") and (twin := _decoder_twin(name)) in weights:
            weights[name] = weights[twin].clone()
    for name in [n for n in weights if n.startswith("decoder.decoder.6.conv.")]:
        weights[name] = weights[name] * spec.output_gain
    return weights


def _decoder_twin(name: str) -> str:
    name = name.replace("encoder.quantizer.semantic_residual_vector_quantizer", "decoder.quantizer.rvq_first")
    name = name.replace("encoder.quantizer.acoustic_residual_vector_quantizer", "decoder.quantizer.rvq_rest")
    name = name.replace("codebook.embed_sum", "_codebook.embedding_sum")
    name = name.replace("codebook.cluster_usage", "_codebook.cluster_usage")
    return name.replace(".layers.", ".vq.layers.")


def _tensor(name: str, shape: tuple[int, ...], spec: Spec) -> torch.Tensor:
    """Values for one tensor: mean and spread follow from its role."""
    leaf = name.rsplit(".", 1)[-1]
    if leaf == "initialized":
        return torch.ones(shape)
    noise = _noise(f"{spec.seed}/{name}", shape)
    mean, spread = scale_of(name, shape)
    if leaf == "cluster_usage":
        noise = noise.abs()  # a count
    return (noise * spread + mean).float().contiguous()


def _noise(key: str, shape: tuple[int, ...]) -> torch.Tensor:
    """Nearly normal numbers, exact in float64: the sum of four 16-bit pieces of each 64-bit word."""
    count = math.prod(shape)
    bits = np.random.Philox(key=zlib.crc32(key.encode())).random_raw(count)
    total = sum(((bits >> np.uint64(shift)) & np.uint64(0xFFFF)).astype(np.int64) for shift in (0, 16, 32, 48))
    return torch.from_numpy((total - 131070) / 37837.0).reshape(shape)


def model_config(spec: Spec, vocabulary: dict[str, int]) -> dict[str, Any]:
    """``config.json``: the published keys, small numbers."""
    first = len(vocabulary)
    special = {token: first + i for i, token in enumerate(SPECIALS)}
    codes, voices = spec.codes, spec.kind == "custom_voice"
    dialects = ("sichuan_dialect", "beijing_dialect")
    predictor = {
        "vocab_size": codes, "hidden_size": spec.predictor_hidden, "intermediate_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "num_code_groups": 16, "hidden_act": "silu",
        "max_position_embeddings": 512, "rope_theta": 1000000, "rms_norm_eps": 1e-6, "attention_bias": False,
    }  # fmt: skip
    talker = {
        "vocab_size": codes + 1024, "hidden_size": spec.hidden, "intermediate_size": 80, "num_hidden_layers": 3,
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "num_code_groups": 16,
        "hidden_act": "silu", "text_hidden_size": spec.text_hidden,
        "text_vocab_size": (first + len(SPECIALS) + 15) // 16 * 16, "max_position_embeddings": 2048,
        "rope_theta": 1000000, "rms_norm_eps": 1e-6, "attention_bias": False,
        "rope_scaling": {"interleaved": True, "mrope_section": [4, 2, 2], "rope_type": "default", "type": "default"},
        "codec_pad_id": codes + 100, "codec_bos_id": codes + 101, "codec_eos_token_id": codes + 102,
        "codec_think_id": codes + 106, "codec_nothink_id": codes + 107, "codec_think_bos_id": codes + 108,
        "codec_think_eos_id": codes + 109,
        "codec_language_id": {k: codes + v for k, v in LANGUAGES.items() if voices or k not in dialects},
        "spk_id": {k: codes + v for k, v in SPEAKERS.items()} if voices else {},
        "spk_is_dialect": {k: DIALECTS.get(k, False) for k in SPEAKERS} if voices else {},
        "code_predictor_config": predictor,
    }  # fmt: skip
    speaker = {
        "enc_dim": spec.hidden, "sample_rate": 24000, "mel_dim": 128, "enc_channels": [16, 16, 16, 16, 48],
        "enc_kernel_sizes": [5, 3, 3, 3, 1], "enc_dilations": [1, 2, 3, 4, 1], "enc_attention_channels": 8,
        "enc_res2net_scale": 8, "enc_se_channels": 8,
    }  # fmt: skip
    return {
        "architectures": ["Qwen3TTSForConditionalGeneration"], "model_type": "qwen3_tts",
        "tokenizer_type": "qwen3_tts_tokenizer_12hz", "tts_model_size": spec.size, "tts_model_type": spec.kind,
        "im_start_token_id": special["<|im_start|>"], "im_end_token_id": special["<|im_end|>"],
        "assistant_token_id": vocabulary["assistant"], "tts_pad_token_id": special["<tts_pad>"],
        "tts_bos_token_id": special["<tts_text_bos>"], "tts_eos_token_id": special["<tts_text_eod>"],
        "talker_config": talker, "speaker_encoder_config": speaker,
    }  # fmt: skip


def codec_config(spec: Spec) -> dict[str, Any]:
    """``speech_tokenizer/config.json``. The encoder has more codebooks than the 16 that are used, as published."""
    decoder = {
        "codebook_size": spec.codes, "semantic_codebook_size": 2 * spec.codes, "codebook_dim": 16,
        "vector_quantization_hidden_dimension": 16, "hidden_size": 16, "latent_dim": 24, "intermediate_size": 32,
        "head_dim": 8, "num_attention_heads": 4, "num_key_value_heads": 4, "num_hidden_layers": 2,
        "sliding_window": 12, "num_quantizers": 16, "num_semantic_quantizers": 1, "upsample_rates": [8, 5, 4, 3],
        "upsampling_ratios": [2, 2], "decoder_dim": 48, "max_position_embeddings": 8000, "rms_norm_eps": 1e-5,
        "rope_theta": 10000, "hidden_act": "silu", "layer_scale_initial_scale": 0.01, "attention_bias": False,
    }  # fmt: skip
    encoder = {
        "sampling_rate": 24000, "hidden_size": 16, "upsample_groups": 16, "num_filters": 4, "num_quantizers": 20,
        "num_semantic_quantizers": 1, "codebook_size": spec.codes, "codebook_dim": 8,
        "vector_quantization_hidden_dimension": 8, "intermediate_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 8, "sliding_window": 25, "kernel_size": 7,
        "last_kernel_size": 3, "residual_kernel_size": 3, "num_residual_layers": 1, "compress": 2,
        "dilation_growth_rate": 2, "upsampling_ratios": [8, 6, 5, 4], "use_causal_conv": True, "pad_mode": "constant",
        "norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "gelu", "_frame_rate": 12.5,
    }  # fmt: skip
    return {
        "architectures": ["Qwen3TTSTokenizerV2Model"], "model_type": "qwen3_tts_tokenizer_12hz",
        "encoder_valid_num_quantizers": 16, "input_sample_rate": 24000, "output_sample_rate": 24000,
        "decode_upsample_rate": 1920, "encode_downsample_rate": 1920, "encoder_config": encoder,
        "decoder_config": decoder,
    }  # fmt: skip


def _tokenizer_config(first: int) -> dict[str, Any]:
    added = {
        str(first + i): {
            "content": token, "lstrip": False, "rstrip": False, "normalized": False, "single_word": False,
            "special": token not in ("<tool_call>", "</tool_call>"),
        }
        for i, token in enumerate(SPECIALS)
    }  # fmt: skip
    return {
        "tokenizer_class": "Qwen2Tokenizer", "add_prefix_space": False, "add_bos_token": False, "bos_token": None,
        "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>", "unk_token": None, "errors": "replace",
        "model_max_length": 131072, "clean_up_tokenization_spaces": False, "split_special_tokens": False,
        "added_tokens_decoder": added, "additional_special_tokens": SPECIALS[1:14],
        "processor_class": "Qwen3TTSProcessor",
    }  # fmt: skip


_GENERATION = {
    "do_sample": True, "repetition_penalty": 1.05, "temperature": 0.9, "top_p": 1.0, "top_k": 50,
    "subtalker_dosample": True, "subtalker_temperature": 0.9, "subtalker_top_p": 1.0, "subtalker_top_k": 50,
    "max_new_tokens": 8192,
}  # fmt: skip
_PROCESSOR = {
    "processor_class": "Qwen3TTSProcessor", "padding_side": "left", "padding_value": 0.0, "return_attention_mask": True,
}  # fmt: skip
_EXTRACTOR = {
    "feature_extractor_type": "EncodecFeatureExtractor", "feature_size": 1, "sampling_rate": 24000,
    "padding_side": "right", "padding_value": 0.0, "return_attention_mask": True, "chunk_length_s": None,
    "overlap": None,
}  # fmt: skip


def _dump(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False), "utf-8")
