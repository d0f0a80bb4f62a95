"""Every tensor of ``model.safetensors`` with its shape, from ``config.json``."""

from __future__ import annotations

from desktop_tts.qwen3tts.codec.shapes import Shapes
from desktop_tts.qwen3tts.config import DecoderShape, ModelConfig, SpeakerEncoderConfig, TalkerConfig


def model_shapes(config: ModelConfig) -> Shapes:
    """All tensors of the model file; only ``base`` models have a speaker encoder."""
    shapes = talker_shapes(config.talker)
    if config.speaker_encoder:
        shapes |= speaker_encoder_shapes(config.speaker_encoder)
    return shapes


def talker_shapes(config: TalkerConfig) -> Shapes:
    """Talker and code predictor. The predictor's input projection exists only where the two widths differ."""
    hidden, text = config.hidden_size, config.text_hidden_size
    predictor = config.code_predictor
    small, codes = predictor.hidden_size, predictor.vocab_size
    shapes: Shapes = {
        "talker.model.text_embedding.weight": (config.text_vocab_size, text),
        "talker.model.codec_embedding.weight": (config.vocab_size, hidden),
        "talker.text_projection.linear_fc1.weight": (text, text),
        "talker.text_projection.linear_fc1.bias": (text,),
        "talker.text_projection.linear_fc2.weight": (hidden, text),
        "talker.text_projection.linear_fc2.bias": (hidden,),
        "talker.model.norm.weight": (hidden,),
        "talker.codec_head.weight": (config.vocab_size, hidden),
        "talker.code_predictor.model.norm.weight": (small,),
    }
    for layer in range(config.num_hidden_layers):
        shapes |= _layer(f"talker.model.layers.{layer}", config)
    for layer in range(predictor.num_hidden_layers):
        shapes |= _layer(f"talker.code_predictor.model.layers.{layer}", predictor)
    for group in range(config.num_code_groups - 1):
        shapes[f"talker.code_predictor.model.codec_embedding.{group}.weight"] = (codes, hidden)
        shapes[f"talker.code_predictor.lm_head.{group}.weight"] = (codes, small)
    if small != hidden:
        shapes["talker.code_predictor.small_to_mtp_projection.weight"] = (small, hidden)
        shapes["talker.code_predictor.small_to_mtp_projection.bias"] = (small,)
    return shapes


def speaker_encoder_shapes(config: SpeakerEncoderConfig) -> Shapes:
    """Reference audio to x-vector."""
    channels, kernels = config.enc_channels, config.enc_kernel_sizes
    squeeze, attention, pooled = config.enc_se_channels, config.enc_attention_channels, channels[-1]
    shapes = _conv("speaker_encoder.blocks.0.conv", channels[0], config.mel_dim, kernels[0])
    for block in range(1, len(channels) - 1):
        at, width = f"speaker_encoder.blocks.{block}", channels[block]
        part = width // config.enc_res2net_scale
        shapes |= _conv(f"{at}.tdnn1.conv", width, channels[block - 1], 1)
        for unit in range(config.enc_res2net_scale - 1):
            shapes |= _conv(f"{at}.res2net_block.blocks.{unit}.conv", part, part, kernels[block])
        shapes |= _conv(f"{at}.tdnn2.conv", width, width, 1)
        shapes |= _conv(f"{at}.se_block.conv1", squeeze, width, 1)
        shapes |= _conv(f"{at}.se_block.conv2", width, squeeze, 1)
    shapes |= _conv("speaker_encoder.mfa.conv", pooled, sum(channels[1:-1]), kernels[-1])
    shapes |= _conv("speaker_encoder.asp.tdnn.conv", attention, 3 * pooled, 1)
    shapes |= _conv("speaker_encoder.asp.conv", pooled, attention, 1)
    return shapes | _conv("speaker_encoder.fc", config.enc_dim, 2 * pooled, 1)


def _layer(at: str, config: DecoderShape) -> Shapes:
    hidden, inner, head = config.hidden_size, config.intermediate_size, config.head_dim
    queries, keys = config.num_attention_heads * head, config.num_key_value_heads * head
    return {
        f"{at}.input_layernorm.weight": (hidden,),
        f"{at}.self_attn.q_proj.weight": (queries, hidden),
        f"{at}.self_attn.k_proj.weight": (keys, hidden),
        f"{at}.self_attn.v_proj.weight": (keys, hidden),
        f"{at}.self_attn.o_proj.weight": (hidden, queries),
        f"{at}.self_attn.q_norm.weight": (head,),
        f"{at}.self_attn.k_norm.weight": (head,),
        f"{at}.post_attention_layernorm.weight": (hidden,),
        f"{at}.mlp.gate_proj.weight": (inner, hidden),
        f"{at}.mlp.up_proj.weight": (inner, hidden),
        f"{at}.mlp.down_proj.weight": (hidden, inner),
    }


def _conv(at: str, out: int, into: int, kernel: int) -> Shapes:
    return {f"{at}.weight": (out, into, kernel), f"{at}.bias": (out,)}
