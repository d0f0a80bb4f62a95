"""The shape of a checkpoint, read from its ``config.json`` and ``speech_tokenizer/config.json``.

A key without a default here must be in the file: the class defaults of the published code differ from the released
values, so nothing falls back on them. A default here is the released value of a key that released or hand-made files
leave out. Keys that don't matter for inference are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from math import prod
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from desktop_tts.qwen3tts.errors import CheckpointError

ModelKind = Literal["custom_voice", "voice_design", "base"]
FRAME_RATE = 12.5
"""Frames per second."""
SAMPLE_RATE = 24_000
"""Samples per second."""
SAMPLES_PER_FRAME = 1_920


@dataclass(frozen=True, slots=True, kw_only=True)
class DecoderShape:
    """What the talker and the code predictor have in common: a Qwen3 decoder."""

    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    rms_norm_eps: float
    rope_theta: float
    vocab_size: int
    num_code_groups: int
    """Codes per frame."""
    max_position_embeddings: int
    hidden_act: str = "silu"
    attention_bias: bool = False
    use_sliding_window: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CodePredictorConfig(DecoderShape):
    """The small decoder for codebooks 1..15; ``vocab_size`` is the size of one codebook."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkerConfig(DecoderShape):
    """The decoder for codebook 0; ``vocab_size`` counts codes and control ids."""

    text_hidden_size: int
    text_vocab_size: int
    codec_pad_id: int
    codec_bos_id: int
    codec_eos_token_id: int
    codec_think_id: int
    codec_nothink_id: int
    codec_think_bos_id: int
    codec_think_eos_id: int
    codec_language_id: Mapping[str, int]
    spk_id: Mapping[str, int]
    spk_is_dialect: Mapping[str, str | bool]
    """Per speaker: False, or the dialect that language "chinese" or Auto becomes."""
    code_predictor: CodePredictorConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakerEncoderConfig:
    """ECAPA-TDNN; released files give ``enc_dim`` and ``sample_rate`` only."""

    enc_dim: int
    sample_rate: int
    mel_dim: int = 128
    enc_channels: tuple[int, ...] = (512, 512, 512, 512, 1536)
    enc_kernel_sizes: tuple[int, ...] = (5, 3, 3, 3, 1)
    enc_dilations: tuple[int, ...] = (1, 2, 3, 4, 1)
    enc_attention_channels: int = 128
    enc_res2net_scale: int = 8
    enc_se_channels: int = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class CodecDecoderConfig:
    """Codes to samples."""

    num_quantizers: int
    num_semantic_quantizers: int
    codebook_size: int
    codebook_dim: int
    """The tables hold vectors of half this size."""
    latent_dim: int
    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    sliding_window: int
    upsampling_ratios: tuple[int, ...]
    upsample_rates: tuple[int, ...]
    decoder_dim: int
    rms_norm_eps: float = 1e-5
    rope_theta: float = 10_000.0
    hidden_act: str = "silu"

    @property
    def samples_per_frame(self) -> int:
        return prod(self.upsampling_ratios) * prod(self.upsample_rates)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodecEncoderConfig:
    """Samples to codes, a Mimi encoder. ``valid_quantizers`` of the ``num_quantizers`` codebooks are kept."""

    num_filters: int
    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    num_quantizers: int
    codebook_size: int
    codebook_dim: int
    vector_quantization_hidden_dimension: int
    upsampling_ratios: tuple[int, ...]
    """Of the decoder; the encoder's strides are these in reverse."""
    sliding_window: int
    valid_quantizers: int
    num_semantic_quantizers: int = 1
    sampling_rate: int = SAMPLE_RATE
    kernel_size: int = 7
    last_kernel_size: int = 3
    residual_kernel_size: int = 3
    num_residual_layers: int = 1
    dilation_growth_rate: int = 2
    compress: int = 2
    rope_theta: float = 10_000.0
    norm_eps: float = 1e-5
    use_causal_conv: bool = True
    use_conv_shortcut: bool = False
    hidden_act: str = "gelu"
    pad_mode: str = "constant"


@dataclass(frozen=True, slots=True, kw_only=True)
class CodecConfig:
    """The speech tokenizer: both directions."""

    decoder: CodecDecoderConfig
    encoder: CodecEncoderConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """One model of the family. The token ids are ids of the text tokenizer."""

    tts_model_type: ModelKind
    tts_model_size: str
    im_start_token_id: int
    im_end_token_id: int
    assistant_token_id: int
    tts_pad_token_id: int
    tts_bos_token_id: int
    tts_eos_token_id: int
    talker: TalkerConfig
    speaker_encoder: SpeakerEncoderConfig | None
    """Base models only."""

    @property
    def takes_instruct(self) -> bool:
        """The 0.6B model was not trained on instructs."""
        return self.tts_model_size != "0b6"


T = TypeVar("T")
JsonObject = Mapping[str, Any]


def read_model_config(data: object) -> ModelConfig:
    """From the content of ``config.json``."""
    top = _object(data, "config.json")
    if top.get("model_type") != "qwen3_tts":
        raise CheckpointError(
            f"config.json describes a model of type {top.get('model_type')!r}, not a Qwen3-TTS model."
        )
    kind, codec = top.get("tts_model_type"), top.get("tokenizer_type")
    if codec != "qwen3_tts_tokenizer_12hz":
        raise CheckpointError(
            f"config.json asks for the speech tokenizer {codec!r}; only the 12 Hz models are supported."
        )
    if kind not in get_args(ModelKind):
        raise CheckpointError(
            f"config.json has tts_model_type {kind!r}; it must be one of {_listed(get_args(ModelKind))}."
        )
    talker_data = _object(top.get("talker_config"), "talker_config")
    predictor = _read(
        CodePredictorConfig, talker_data.get("code_predictor_config"), "talker_config.code_predictor_config"
    )
    talker = _read(TalkerConfig, talker_data, "talker_config", code_predictor=predictor)
    _check_decoders(talker, talker_data)
    speaker = (
        _read(SpeakerEncoderConfig, top.get("speaker_encoder_config"), "speaker_encoder_config")
        if kind == "base"
        else None
    )
    if speaker and speaker.enc_dim != talker.hidden_size:
        raise CheckpointError("config.json: speaker_encoder_config.enc_dim must equal talker_config.hidden_size.")
    return _read(ModelConfig, top, "config.json", talker=talker, speaker_encoder=speaker)


def read_codec_config(data: object) -> CodecConfig:
    """From the content of ``speech_tokenizer/config.json``."""
    name = "speech_tokenizer/config.json"
    top = _object(data, name)
    if top.get("model_type") != "qwen3_tts_tokenizer_12hz":
        raise CheckpointError(
            f"{name} describes {top.get('model_type')!r}; only the 12 Hz speech tokenizer is supported."
        )
    decoder = _read(CodecDecoderConfig, top.get("decoder_config"), f"{name}: decoder_config")
    encoder = _read(
        CodecEncoderConfig,
        top.get("encoder_config"),
        f"{name}: encoder_config",
        valid_quantizers=top.get("encoder_valid_num_quantizers"),
    )
    if decoder.samples_per_frame != SAMPLES_PER_FRAME or top.get("output_sample_rate") != SAMPLE_RATE:
        raise CheckpointError(f"{name} isn't that of the 12 Hz codec: {SAMPLES_PER_FRAME} samples a frame at 24 kHz.")
    return CodecConfig(decoder=decoder, encoder=encoder)


def _check_decoders(talker: TalkerConfig, data: JsonObject) -> None:
    for where, shape in (("talker_config", talker), ("code_predictor_config", talker.code_predictor)):
        if shape.hidden_act != "silu" or shape.attention_bias or shape.use_sliding_window:
            raise CheckpointError(
                f"config.json: {where} asks for an activation, bias or window that no released model has."
            )
    if talker.code_predictor.num_code_groups != talker.num_code_groups:
        raise CheckpointError("config.json: talker and code predictor differ in num_code_groups.")
    rope_type = (data.get("rope_scaling") or {}).get("rope_type", "default")
    if rope_type != "default":
        raise CheckpointError(
            f"config.json: talker_config.rope_scaling has rope_type {rope_type!r}, which isn't supported."
        )


def _object(data: object, where: str) -> JsonObject:
    if not isinstance(data, dict):
        raise CheckpointError(f"{where} is missing or isn't a JSON object.")
    return cast(JsonObject, data)


def _read(cls: type[T], data: object, where: str, **given: object) -> T:
    """A dataclass from the keys of the same names; ``given`` fields don't come from the file as they are."""
    source = {**_object(data, where), **given}
    hints = get_type_hints(cls)
    values: dict[str, object] = {}
    for spec in fields(cast(Any, cls)):
        if spec.name in source and source[spec.name] is not None:
            values[spec.name] = _value(source[spec.name], hints[spec.name], f"{where}: {spec.name}")
        elif spec.name in given:
            values[spec.name] = given[spec.name]
        elif spec.default is MISSING:
            raise CheckpointError(f"{where} has no {spec.name}.")
    return cls(**values)


def _value(value: object, hint: Any, where: str) -> object:
    origin = get_origin(hint)
    if origin is tuple and isinstance(value, list) and all(type(item) is int for item in value):
        return tuple(value)
    if origin is not None and origin in (Mapping, get_origin(Mapping[str, int])) and isinstance(value, dict):
        return {str(key).lower(): item for key, item in value.items()}
    if hint is float and type(value) in (int, float):
        return float(cast(float, value))
    if hint in (int, str, bool) and type(value) is not hint:
        raise CheckpointError(f"{where} has the wrong type, {type(value).__name__} instead of {hint.__name__}.")
    if hint is float or origin is tuple:
        raise CheckpointError(f"{where} has the wrong type, {type(value).__name__}.")
    return value


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names)
