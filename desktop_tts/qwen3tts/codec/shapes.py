"""Every tensor of ``speech_tokenizer/model.safetensors`` with its shape, from ``speech_tokenizer/config.json``.

The names are the published ones; decoder keys start with ``decoder.``, encoder keys with ``encoder.``.
"""

from __future__ import annotations

from desktop_tts.qwen3tts.config import CodecConfig, CodecDecoderConfig, CodecEncoderConfig

Shapes = dict[str, tuple[int, ...]]


def codec_shapes(config: CodecConfig) -> Shapes:
    """All tensors of the codec file."""
    return decoder_shapes(config.decoder) | encoder_shapes(config.encoder)


def decoder_shapes(config: CodecDecoderConfig) -> Shapes:
    """The tensors that turn codes into sound."""
    latent, hidden, width = config.latent_dim, config.hidden_size, config.codebook_dim
    shapes: Shapes = {}
    for group, books in (("rvq_first", 1), ("rvq_rest", config.num_quantizers - 1)):
        at = f"decoder.quantizer.{group}"
        shapes[f"{at}.input_proj.weight"] = (width // 2, width, 1)
        shapes[f"{at}.output_proj.weight"] = (width, width // 2, 1)
        for book in range(books):
            shapes[f"{at}.vq.layers.{book}._codebook.embedding_sum"] = (config.codebook_size, width // 2)
            shapes[f"{at}.vq.layers.{book}._codebook.cluster_usage"] = (config.codebook_size,)
    shapes |= _conv("decoder.pre_conv.conv", latent, width, 3)
    shapes |= _linear("decoder.pre_transformer.input_proj", hidden, latent)
    shapes |= _linear("decoder.pre_transformer.output_proj", latent, hidden)
    shapes["decoder.pre_transformer.norm.weight"] = (hidden,)
    for layer in range(config.num_hidden_layers):
        shapes |= _decoder_layer(f"decoder.pre_transformer.layers.{layer}", config)
    for stage, ratio in enumerate(config.upsampling_ratios):
        shapes |= _transposed(f"decoder.upsample.{stage}.0.conv", latent, latent, ratio)
        shapes |= _conv_next(f"decoder.upsample.{stage}.1", latent)
    channels = config.decoder_dim
    shapes |= _conv("decoder.decoder.0.conv", channels, latent, 7)
    for stage, rate in enumerate(config.upsample_rates, start=1):
        shapes |= _vocoder_block(f"decoder.decoder.{stage}.block", channels, rate)
        channels //= 2
    last = len(config.upsample_rates) + 1
    shapes |= _snake(f"decoder.decoder.{last}", channels)
    shapes |= _conv(f"decoder.decoder.{last + 1}.conv", 1, channels, 7)
    return shapes


def encoder_shapes(config: CodecEncoderConfig) -> Shapes:
    """The tensors that turn sound into codes."""
    filters, hidden = config.num_filters, config.hidden_size
    shapes: Shapes = _conv("encoder.encoder.layers.0.conv", filters, 1, config.kernel_size)
    at, residual = 1, config.residual_kernel_size
    for ratio in reversed(config.upsampling_ratios):
        narrow = filters // config.compress
        shapes |= _conv(f"encoder.encoder.layers.{at}.block.1.conv", narrow, filters, residual)
        shapes |= _conv(f"encoder.encoder.layers.{at}.block.3.conv", filters, narrow, 1)
        shapes |= _conv(f"encoder.encoder.layers.{at + 2}.conv", 2 * filters, filters, 2 * ratio)
        filters, at = 2 * filters, at + 3
    shapes |= _conv(f"encoder.encoder.layers.{at + 1}.conv", hidden, filters, config.last_kernel_size)
    for layer in range(config.num_hidden_layers):
        shapes |= _encoder_layer(f"encoder.encoder_transformer.layers.{layer}", config)
    shapes["encoder.downsample.conv.weight"] = (hidden, hidden, 4)
    width, semantic = config.codebook_dim, config.num_semantic_quantizers
    for group, books in (("semantic", semantic), ("acoustic", config.num_quantizers - semantic)):
        prefix = f"encoder.quantizer.{group}_residual_vector_quantizer"
        shapes[f"{prefix}.input_proj.weight"] = (width, hidden, 1)
        shapes[f"{prefix}.output_proj.weight"] = (hidden, width, 1)
        for book in range(books):
            shapes[f"{prefix}.layers.{book}.codebook.embed_sum"] = (config.codebook_size, width)
            shapes[f"{prefix}.layers.{book}.codebook.cluster_usage"] = (config.codebook_size,)
            shapes[f"{prefix}.layers.{book}.codebook.initialized"] = (1,)
    return shapes


def _decoder_layer(at: str, config: CodecDecoderConfig) -> Shapes:
    hidden, inner = config.hidden_size, config.intermediate_size
    queries = config.num_attention_heads * config.head_dim
    keys = config.num_key_value_heads * config.head_dim
    return {
        f"{at}.input_layernorm.weight": (hidden,),
        f"{at}.post_attention_layernorm.weight": (hidden,),
        f"{at}.self_attn.q_proj.weight": (queries, hidden),
        f"{at}.self_attn.k_proj.weight": (keys, hidden),
        f"{at}.self_attn.v_proj.weight": (keys, hidden),
        f"{at}.self_attn.o_proj.weight": (hidden, queries),
        f"{at}.self_attn_layer_scale.scale": (hidden,),
        f"{at}.mlp_layer_scale.scale": (hidden,),
        f"{at}.mlp.gate_proj.weight": (inner, hidden),
        f"{at}.mlp.up_proj.weight": (inner, hidden),
        f"{at}.mlp.down_proj.weight": (hidden, inner),
    }


def _encoder_layer(at: str, config: CodecEncoderConfig) -> Shapes:
    hidden, inner = config.hidden_size, config.intermediate_size
    head = config.head_dim
    queries, keys = config.num_attention_heads * head, config.num_key_value_heads * head
    norms = ("input_layernorm.weight", "input_layernorm.bias", "post_attention_layernorm.weight",
             "post_attention_layernorm.bias", "self_attn_layer_scale.scale", "mlp_layer_scale.scale")  # fmt: skip
    return {f"{at}.{name}": (hidden,) for name in norms} | {
        f"{at}.self_attn.q_proj.weight": (queries, hidden),
        f"{at}.self_attn.k_proj.weight": (keys, hidden),
        f"{at}.self_attn.v_proj.weight": (keys, hidden),
        f"{at}.self_attn.o_proj.weight": (hidden, queries),
        f"{at}.mlp.fc1.weight": (inner, hidden),
        f"{at}.mlp.fc2.weight": (hidden, inner),
    }


def _conv_next(at: str, channels: int) -> Shapes:
    return {
        f"{at}.gamma": (channels,),
        f"{at}.dwconv.conv.weight": (channels, 1, 7),
        f"{at}.dwconv.conv.bias": (channels,),
        f"{at}.norm.weight": (channels,),
        f"{at}.norm.bias": (channels,),
        **_linear(f"{at}.pwconv1", 4 * channels, channels),
        **_linear(f"{at}.pwconv2", channels, 4 * channels),
    }


def _vocoder_block(at: str, channels: int, rate: int) -> Shapes:
    out = channels // 2
    shapes = _snake(f"{at}.0", channels) | _transposed(f"{at}.1.conv", channels, out, 2 * rate)
    for unit in (2, 3, 4):
        shapes |= _snake(f"{at}.{unit}.act1", out) | _snake(f"{at}.{unit}.act2", out)
        shapes |= _conv(f"{at}.{unit}.conv1.conv", out, out, 7) | _conv(f"{at}.{unit}.conv2.conv", out, out, 1)
    return shapes


def _snake(at: str, channels: int) -> Shapes:
    return {f"{at}.alpha": (channels,), f"{at}.beta": (channels,)}


def _conv(at: str, out: int, into: int, kernel: int) -> Shapes:
    return {f"{at}.weight": (out, into, kernel), f"{at}.bias": (out,)}


def _transposed(at: str, into: int, out: int, kernel: int) -> Shapes:
    return {f"{at}.weight": (into, out, kernel), f"{at}.bias": (out,)}


def _linear(at: str, out: int, into: int) -> Shapes:
    return {f"{at}.weight": (out, into), f"{at}.bias": (out,)}
