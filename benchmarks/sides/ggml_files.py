"""Write a model directory in the published layout as the two GGUF files that the GGML port reads.

    python ggml_files.py MODEL_DIRECTORY OUTPUT_DIRECTORY q8_0|bf16

Needs numpy and gguf. Only what custom voice models hold. As in the port's own files, matrices get the asked type,
convolutions float16 (which is how it computes them), and code books, biases and norms stay float32.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Type
from numpy.typing import NDArray

Array = NDArray[np.float32]

LAYER = {
    "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm", "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down", "mlp.fc1": "ffn_up", "mlp.fc2": "ffn_down",
    "self_attn_layer_scale.scale": "attn_scale", "mlp_layer_scale.scale": "ffn_scale",
}  # fmt: skip
STACKS = {
    "talker.model.layers.": "talker.blk.",
    "talker.code_predictor.model.layers.": "code_pred.blk.",
    "decoder.pre_transformer.layers.": "tok_dec.pre_tfm.blk.",
    "encoder.encoder_transformer.layers.": "tok_enc.blk.",
}
SINGLE = [
    (r"talker\.model\.(codec|text)_embedding\.", r"talker.\1_embd."),
    (r"talker\.model\.norm\.", "talker.output_norm."),
    (r"talker\.codec_head\.", "talker.codec_head."),
    (r"talker\.text_projection\.linear_(fc\d)\.", r"talker.text_proj.\1."),
    (r"talker\.code_predictor\.model\.norm\.", "code_pred.output_norm."),
    (r"talker\.code_predictor\.small_to_mtp_projection\.", "code_pred.mtp_proj."),
    (r"talker\.code_predictor\.model\.codec_embedding\.(\d+)\.", r"code_pred.codec_embd.\1."),
    (r"talker\.code_predictor\.lm_head\.(\d+)\.", r"code_pred.lm_head.\1."),
    (r"decoder\.pre_conv\.conv\.", "tok_dec.pre_conv."),
    (r"decoder\.pre_transformer\.(input_proj|output_proj|norm)\.", r"tok_dec.pre_tfm.\1."),
    (r"decoder\.upsample\.(\d)\.0\.conv\.", r"tok_dec.upsample.\1.conv."),
    (r"decoder\.upsample\.(\d)\.1\.dwconv\.conv\.", r"tok_dec.upsample.\1.dwconv."),
    (r"decoder\.upsample\.(\d)\.1\.", r"tok_dec.upsample.\1."),
    (r"decoder\.decoder\.([06])\.conv\.", r"tok_dec.dec.\1.conv."),
    (r"decoder\.decoder\.5\.", "tok_dec.dec.5.snake."),
    (r"decoder\.decoder\.(\d)\.block\.0\.", r"tok_dec.dec.\1.snake."),
    (r"decoder\.decoder\.(\d)\.block\.1\.conv\.", r"tok_dec.dec.\1.conv_t."),
    (r"decoder\.quantizer\.r(vq_first|vq_rest)\.output_proj\.", r"tok_dec.\1.output_proj."),
    (r"encoder\.encoder\.layers\.(\d+)\.conv\.", r"tok_enc.conv.\1."),
    (r"encoder\.encoder\.layers\.(\d+)\.block\.(\d)\.conv\.", r"tok_enc.res.\1.blk.\2."),
    (r"encoder\.downsample\.conv\.", "tok_enc.downsample."),
    (r"encoder\.quantizer\.(semantic|acoustic)_\w+\.(in|out)put_proj\.", r"tok_enc.vq_\1.\2put_proj."),
]
RESIDUAL = re.compile(r"decoder\.decoder\.(\d)\.block\.([234])\.(act\d|conv\d)\.(?:conv\.)?(\w+)$")
BOOK = re.compile(r"decoder\.quantizer\.r(vq_\w+)\.vq\.layers\.(\d+)\._codebook\.embedding_sum$")
ENCODER_BOOK = re.compile(r"encoder\.quantizer\.(semantic|acoustic)_\w+\.layers\.(\d+)\.codebook\.embed_sum$")


def renamed(name: str) -> str | None:
    """The port's name of a tensor; None for one that it doesn't want."""
    for start, target in STACKS.items():
        if name.startswith(start):
            number, rest = name[len(start) :].split(".", 1)
            role, _, leaf = rest.rpartition(".")
            return f"{target}{number}.{LAYER[rest] if rest in LAYER else f'{LAYER[role]}.{leaf}'}"
    if found := RESIDUAL.match(name):
        block, unit, part, leaf = found.groups()
        return f"tok_dec.dec.{block}.res.{int(unit) - 2}.{part}.{leaf}"
    for pattern, target in SINGLE:
        new, count = re.subn("^" + pattern, target, name)
        if count:
            return new
    return None


class Tensors:
    """A safetensors file, read one tensor at a time as float32."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            self.entries: dict[str, Any] = json.loads(file.read(size))
        self.entries.pop("__metadata__", None)
        self._data = np.memmap(path, np.uint8, "r", 8 + size)

    def read(self, name: str) -> Array:
        entry = self.entries[name]
        begin, end = entry["data_offsets"]
        raw = self._data[begin:end]
        if entry["dtype"] == "BF16":
            return (raw.view(np.uint16).astype(np.uint32) << 16).view(np.float32).reshape(entry["shape"])
        assert entry["dtype"] == "F32", entry["dtype"]
        return raw.view(np.float32).reshape(entry["shape"])


def named_tensors(tensors: Tensors, books: int) -> Iterator[tuple[str, Array]]:
    """All that the port wants, code books ready to be looked up in."""
    for name in tensors.entries:
        if new := renamed(name):
            yield new, tensors.read(name)
        elif found := BOOK.match(name):
            yield f"tok_dec.{found[1]}.{found[2]}.codebook", code_book(tensors, name, "embedding_sum")
        elif (found := ENCODER_BOOK.match(name)) and int(found[2]) < books - 1:
            yield f"tok_enc.vq_{found[1]}.{found[2]}.codebook", code_book(tensors, name, "embed_sum")


def code_book(tensors: Tensors, name: str, leaf: str) -> Array:
    usage = tensors.read(name.removesuffix(leaf) + "cluster_usage")
    return tensors.read(name) / np.maximum(usage, 1e-5)[:, None]


def kind_of(name: str, array: Array, asked: Type) -> Type:
    if array.ndim < 2 or ".vq_" in name:
        return Type.F32
    return asked if array.ndim == 2 and array.shape[-1] % 32 == 0 else Type.F16


def write(
    path: Path, architecture: str, values: dict[str, Any], tensors: Iterator[tuple[str, Array]], to: Type
) -> None:
    writer = gguf.GGUFWriter(path, architecture)
    for key, value in values.items():
        add = {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32, str: writer.add_string}
        add.get(type(value), writer.add_array)(key, value)
    for name, array in tensors:
        kind = kind_of(name, array, to)
        writer.add_tensor(name, gguf.quants.quantize(np.ascontiguousarray(array), kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def decoder_values(prefix: str, config: dict[str, Any]) -> dict[str, Any]:
    return {
        f"{prefix}.embedding_length": config["hidden_size"],
        f"{prefix}.feed_forward_length": config["intermediate_size"],
        f"{prefix}.block_count": config["num_hidden_layers"],
        f"{prefix}.attention.head_count": config["num_attention_heads"],
        f"{prefix}.attention.head_count_kv": config["num_key_value_heads"],
        f"{prefix}.attention.key_length": config["head_dim"],
        f"{prefix}.vocab_size": config["vocab_size"],
        f"{prefix}.context_length": config["max_position_embeddings"],
        f"{prefix}.rope.freq_base": float(config["rope_theta"]),
        f"{prefix}.attention.layer_norm_rms_epsilon": float(config["rms_norm_eps"]),
    }


def talker_values(folder: Path) -> dict[str, Any]:
    config = json.loads((folder / "config.json").read_text())
    generation = json.loads((folder / "generation_config.json").read_text())
    talker, top = config["talker_config"], "qwen3-tts"
    speakers = talker["spk_id"]
    dialects = [talker["spk_is_dialect"].get(name) or "" for name in speakers]
    values = {
        f"{top}.tokenizer_type": config["tokenizer_type"],
        f"{top}.model_size": config["tts_model_size"],
        f"{top}.model_type": config["tts_model_type"],
        f"{top}.num_code_groups": talker["num_code_groups"],
        **decoder_values(f"{top}.talker", talker),
        f"{top}.talker.text_vocab_size": talker["text_vocab_size"],
        f"{top}.talker.text_hidden_size": talker["text_hidden_size"],
        f"{top}.talker.rope.mrope_section": talker["rope_scaling"]["mrope_section"],
        f"{top}.talker.mrope_interleaved": talker["rope_scaling"]["interleaved"],
        f"{top}.talker.rope.mrope_interleaved": talker["rope_scaling"]["interleaved"],
        **decoder_values(f"{top}.code_pred", talker["code_predictor_config"]),
        **{f"{top}.codec.{name}_id": talker[f"codec_{name}_id"] for name in ("pad", "bos", "think", "nothink")},
        **{f"{top}.codec.think_{name}_id": talker[f"codec_think_{name}_id"] for name in ("bos", "eos")},
        f"{top}.codec.eos_id": talker["codec_eos_token_id"],
        f"{top}.codec.language_names": list(talker["codec_language_id"]),
        f"{top}.codec.language_ids": list(talker["codec_language_id"].values()),
        f"{top}.codec.speaker_names": list(speakers),
        f"{top}.codec.speaker_ids": list(speakers.values()),
        f"{top}.codec.speaker_dialects": dialects,
        **{f"{top}.text.im_{name}_id": config[f"im_{name}_token_id"] for name in ("start", "end")},
        **{f"{top}.text.tts_{name}_id": config[f"tts_{name}_token_id"] for name in ("pad", "bos", "eos")},
        **{f"generation.{name.replace('dosample', 'do_sample')}": value for name, value in generation.items()},
    }
    return values | tokenizer_values(folder)


def tokenizer_values(folder: Path) -> dict[str, Any]:
    """The vocabulary as a list without gaps: 1 normal, 4 control, 5 unused."""
    vocabulary = json.loads((folder / "vocab.json").read_text())
    added = json.loads((folder / "tokenizer_config.json").read_text())["added_tokens_decoder"]
    known = {number: (token, 1) for token, number in vocabulary.items()}
    known |= {int(number): (entry["content"], 4) for number, entry in added.items()}
    listed = [known.get(number, (f"<|unused-{number}|>", 5)) for number in range(max(known) + 1)]
    merges = (folder / "merges.txt").read_text().splitlines()
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": [token for token, _ in listed],
        "tokenizer.ggml.token_type": [kind for _, kind in listed],
        "tokenizer.ggml.merges": [line for line in merges if line and not line.startswith("#")],
        "tokenizer.ggml.eos_token_id": next(number for number, (token, _) in known.items() if token == "<|endoftext|>"),
    }


def codec_values(folder: Path) -> dict[str, Any]:
    """All plain values of the configuration under the port's prefix, the decoder's and encoder's under theirs."""
    config, top = json.loads((folder / "config.json").read_text()), "qwen3-tts-tokenizer"
    values: dict[str, Any] = {}
    for prefix, group in (
        (top, config),
        (f"{top}.decoder", config["decoder_config"]),
        (f"{top}.encoder", config["encoder_config"]),
    ):
        for key, value in group.items():
            if key.startswith("_") or isinstance(value, (dict, str)) or key == "architectures":
                continue
            floats = key in ("rope_theta", "rms_norm_eps", "norm_eps", "layer_scale_initial_scale")
            values[f"{prefix}.{key.replace('hidden_dimension', 'hidden_dim')}"] = float(value) if floats else value
    values[f"{top}.decoder.codebook_dim_internal"] = config["decoder_config"]["codebook_dim"] // 2
    return values


def main() -> None:
    model, out, name = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    to, codec = Type[name.upper()], model / "speech_tokenizer"
    books = json.loads((codec / "config.json").read_text())["encoder_valid_num_quantizers"]
    for kind, architecture, values, folder in (
        ("talker", "qwen3-tts", talker_values(model), model),
        ("codec", "qwen3-tts-tokenizer", codec_values(codec), codec),
    ):
        tensors = named_tensors(Tensors(folder / "model.safetensors"), books)
        write(out / f"{kind}-{name}.gguf", architecture, values, tensors, to)


if __name__ == "__main__":
    main()
