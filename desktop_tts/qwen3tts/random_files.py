"""Random models as files: a stand-in for a download where the real one can't be had."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import torch

from desktop_tts.qwen3tts import released
from desktop_tts.qwen3tts.checkpoint import Tensors
from desktop_tts.qwen3tts.config import ModelKind
from desktop_tts.qwen3tts.random_weights import random_checkpoint
from desktop_tts.qwen3tts.released import ModelSize

_FIRST_ADDED = 151_643
_ADDED = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>", "<|box_start|>",
    "<|box_end|>", "<|quad_start|>", "<|quad_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>",
    "<|image_pad|>", "<|video_pad|>", "<tool_call>", "</tool_call>", "<|fim_prefix|>", "<|fim_middle|>",
    "<|fim_suffix|>", "<|fim_pad|>", "<|repo_name|>", "<|file_sep|>", "<tool_response>", "</tool_response>",
    "<think>", "</think>", "<|audio_start|>", "<|audio_end|>", "<tts_pad>", "<tts_text_bos>", "<tts_text_eod>",
    "<tts_text_bos_single>", "<|audio_pad|>",
)  # fmt: skip
_WORDS = {"assistant": 77_091, "user": 872}


def write_random_model(directory: Path, size: ModelSize, kind: ModelKind, seed: int = 0) -> Path:
    """All files of a model directory: 2.5 GB for 0.6B, 4.5 GB for 1.7B."""
    checkpoint = random_checkpoint(size, kind, seed)
    codec = directory / "speech_tokenizer"
    codec.mkdir(parents=True)
    write_tokenizer(directory)
    _dump(directory / "config.json", released.model_config(size, kind))
    _dump(directory / "generation_config.json", released.GENERATION_CONFIG)
    _dump(codec / "config.json", released.CODEC_CONFIG)
    _write(directory / "model.safetensors", checkpoint.tensors(), torch.bfloat16)
    _write(codec / "model.safetensors", checkpoint.codec_tensors(), torch.float32)
    return directory


def write_tokenizer(directory: Path) -> None:
    """A vocabulary of single bytes, with the role words and control tokens at the released ids and nothing between."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = [chr(byte) for byte in printable] + [chr(256 + i) for i in range(256 - len(printable))]
    vocabulary, merges = {letter: number for number, letter in enumerate(letters)}, []
    for word, number in _WORDS.items():
        for end in range(2, len(word) + 1):
            merges.append(f"{word[: end - 1]} {word[end - 1]}")
            vocabulary[word[:end]] = number if end == len(word) else len(vocabulary)
    added = {
        str(_FIRST_ADDED + i): {"content": token, "special": "tool" not in token and "think" not in token}
        for i, token in enumerate(_ADDED)
    }
    _dump(directory / "vocab.json", vocabulary)
    (directory / "merges.txt").write_text("\n".join(["#version: 0.2", *merges]) + "\n", "utf-8")
    _dump(directory / "tokenizer_config.json", {"tokenizer_class": "Qwen2Tokenizer", "added_tokens_decoder": added})


def _write(path: Path, tensors: Tensors, dtype: torch.dtype) -> None:
    """One tensor after the other, so that no more than one is in memory."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    at, size = 0, dtype.itemsize
    for name in tensors.names():
        shape = tensors.shape(name)
        end = at + torch.Size(shape).numel() * size
        header[name] = {"dtype": {2: "BF16", 4: "F32"}[size], "shape": shape, "data_offsets": [at, end]}
        at = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name in tensors.names():
            file.write(tensors.mapped(name, tensors.shape(name)).view(torch.uint8).numpy().data)


def _dump(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1), "utf-8")
