"""Everything that a model directory holds, loaded: the networks, the tokenizer and the settings of generation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn

from desktop_tts.memory import give_back_freed
from desktop_tts.qwen3tts.attention import pick_attention
from desktop_tts.qwen3tts.checkpoint import Checkpoint, Tensors, load_module
from desktop_tts.qwen3tts.code_predictor import CodePredictor
from desktop_tts.qwen3tts.codec.decoder import CodecDecoder
from desktop_tts.qwen3tts.codec.shapes import codec_shapes
from desktop_tts.qwen3tts.config import ModelConfig, TalkerConfig
from desktop_tts.qwen3tts.dense import Dense
from desktop_tts.qwen3tts.packing import Form
from desktop_tts.qwen3tts.precision import Precision
from desktop_tts.qwen3tts.shapes import model_shapes
from desktop_tts.qwen3tts.talker import Talker
from desktop_tts.qwen3tts.tokenizer import TextTokenizer, load_tokenizer
from desktop_tts.qwen3tts.weight_cache import Int8Cache


@dataclass(frozen=True, slots=True, eq=False)
class Networks:
    """Weights only; what an utterance needs besides is made for it. Any thread."""

    config: ModelConfig
    generation: Mapping[str, object]
    tokenizer: TextTokenizer
    talker: Talker
    predictor: CodePredictor
    decoder: CodecDecoder


def pick_device(name: str | torch.device | None) -> torch.device:
    """None is the CPU, "auto" the fastest there is."""
    if name != "auto":
        return torch.device(name or "cpu")
    if torch.cuda.is_available():
        return torch.device("cuda:0")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def load_networks(
    checkpoint: Checkpoint,
    device: torch.device,
    precision: Precision,
    attention: str | None = None,
    text_embedding_on_cpu: bool = False,
    weight_cache: Path | None = None,
) -> Networks:
    """Load what speaking needs. The codec computes in fp32, as its file is.

    The text embedding is a third of the 0.6B model, of which each text uses a few rows. With
    ``text_embedding_on_cpu``, and always when ``device`` is the CPU, it stays in the file and only these rows are read.
    ``weight_cache`` is a folder where int8 weights are kept for the next time.
    Raises ``CheckpointError`` before anything is loaded if a tensor is missing, misshaped or unknown.
    """
    config = checkpoint.config
    tensors, codec_tensors = checkpoint.tensors(), checkpoint.codec_tensors()
    tensors.check(model_shapes(config))
    codec_tensors.check(codec_shapes(checkpoint.codec))
    tokenizer = load_tokenizer(checkpoint.path, config)
    stays = text_embedding_on_cpu or device.type == "cpu"
    talker, predictor = load_talker(config.talker, tensors, device, precision, attention, stays, weight_cache)
    decoder = CodecDecoder(checkpoint.codec.decoder, codec_tensors).to(device).pack(precision.codec)
    give_back_freed()
    return Networks(config, checkpoint.generation, tokenizer, talker, predictor, decoder)


def load_talker(
    config: TalkerConfig,
    tensors: Tensors,
    device: torch.device,
    precision: Precision,
    attention: str | None = None,
    text_embedding_stays: bool = True,
    weight_cache: Path | None = None,
) -> tuple[Talker, CodePredictor]:
    """The two decoders."""
    dtype = precision.dtype
    attend = pick_attention(attention, device, dtype)
    with torch.device("meta"):
        talker, predictor = Talker(config, attend), CodePredictor(config, attend)
    talker.cache_dtype = precision.cache
    talker.text_table = _text_table(config, tensors, None if text_embedding_stays else (device, dtype))
    wide = ("codec_head.*", "lm_head.*") if dtype == torch.float16 else ()
    keeps = weight_cache and precision.weights is Form.INT8 and tensors.path.is_file()
    for module, prefix in ((talker, "talker."), (predictor, "talker.code_predictor.")):
        cache = Int8Cache(weight_cache, tensors.path, prefix) if weight_cache and keeps else None
        given, loaded = (cache.provide, cache.loaded) if cache else (None, partial(_pack, precision.weights))
        load_module(module, tensors, prefix, dtype=dtype, device=device, wide=wide, given=given, loaded=loaded)
        if cache:
            cache.save()
        give_back_freed()
    return talker, predictor


def _pack(form: Form, _name: str, owner: nn.Module) -> None:
    if isinstance(owner, Dense):
        owner.pack(form)


def _text_table(config: TalkerConfig, tensors: Tensors, place: tuple[torch.device, torch.dtype] | None) -> Tensor:
    name, shape = "talker.model.text_embedding.weight", (config.text_vocab_size, config.text_hidden_size)
    if place is None:
        return tensors.mapped(name, shape)
    device, dtype = place
    table = torch.empty(shape, dtype=dtype, device=device)
    tensors.copy_into(table, name)
    return table
