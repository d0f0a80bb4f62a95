"""Weight matrices in the forms for which a processor has fast kernels, and the products with them.

Times of one row through a layer of the 0.6B model (63 MB in float32; 2 cores of an AMD EPYC with AVX-512): plain
float32 3.1 ms, packed 1.3; packed bfloat16 0.65; float32 whose weights lie in float16 0.68; int8 0.34.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from enum import Enum

import torch
from torch import Tensor

Product = Callable[[Tensor, Tensor | None], Tensor]
"""From ``[..., in]`` and a bias ``[out]`` to ``[..., out]``, in the type of the input."""

_LOSS = 2.0**-25
"""What float16 may change in a weight: it holds every bfloat16 number below 65,520 that closely or exactly."""
_PIECE = 1 << 20
"""Weights that are looked at together."""


class Form(Enum):
    """How weights lie in memory."""

    EXACT = "exact"
    """As they are given, or smaller where that changes nothing (published weights are bfloat16 numbers)."""
    BFLOAT16 = "bfloat16"
    """In bfloat16, and so are the inputs of each product; sums are float32."""
    INT8 = "int8"
    """In 8 bits, with a scale for each output; inputs are brought to 8 bits row by row as they come."""


def packed(weight: Tensor, form: Form) -> Product | None:
    """The product with ``weight`` ``[out, in]`` in this form, or the nearest that the processor is fast with; None if
    the plain product is as good."""
    if weight.device.type != "cpu":
        return None
    if form is Form.INT8 and not int8_obstacle():
        return packed_int8(*quantize(weight))
    if weight.dtype == torch.float32:
        if form is Form.BFLOAT16 and has_bfloat16_kernels():
            return _as_bfloat16(_ordered(weight.bfloat16()))
        if _has_half_kernels() and _fits_half(weight):
            return _as_half(torch.ops.quantized.linear_prepack_fp16(weight, None))
    return _ordered(weight) if _has_packing_kernels(weight.dtype) else None


def int8_obstacle() -> str:
    """Why this processor or PyTorch has no fast 8-bit products; empty if it has."""
    if torch.backends.quantized.engine not in ("x86", "fbgemm"):
        return "8-bit weights need an x86 processor with AVX2"
    if not hasattr(torch, "_make_per_channel_quantized_tensor") or not hasattr(torch.ops.quantized, "linear_dynamic"):
        return "this version of PyTorch has no 8-bit products any more"
    return ""


def quantize(weight: Tensor) -> tuple[Tensor, Tensor]:
    """``[out, in]`` as int8 and one float32 scale for each output, the largest weight of which becomes 127."""
    wide = weight.float()
    scale = (wide.abs().amax(1) / 127).clamp(min=torch.finfo(torch.float32).tiny)
    return (wide / scale[:, None]).round_().to(torch.int8), scale


def packed_int8(weight: Tensor, scale: Tensor) -> Product:
    """The product with quantized weights."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the tensor type is going to be replaced; ours lives a moment
        whole = torch._make_per_channel_quantized_tensor(weight, scale, torch.zeros_like(scale, dtype=torch.int64), 0)
        ready = torch.ops.quantized.linear_prepack(whole, None)
    narrow = not _multiplies_int8_exactly()
    range_row = torch.zeros(1, weight.shape[1])
    range_row[0, 0], range_row[0, -1] = 1.0, -1.0

    def product(x: Tensor, bias: Tensor | None) -> Tensor:
        if x.numel() == x.shape[-1]:
            out: Tensor = torch.ops.quantized.linear_dynamic(x, ready, narrow)
        else:  # the kernel has one scale for all rows: each is brought to the same range, known beforehand
            rows = x.reshape(-1, x.shape[-1])
            loudest = rows.abs().amax(-1, keepdim=True).clamp_(min=1e-12)
            scaled = torch.cat((rows / loudest, range_row))
            out = torch.ops.quantized.linear_dynamic(scaled, ready, narrow)[:-1].mul_(loudest)
            out = out.view(*x.shape[:-1], -1)
        return out if bias is None else out.add_(bias)

    return product


def _as_half(ready: object) -> Product:
    """In float32, with weights that are float16 only as they lie in memory."""

    def product(x: Tensor, bias: Tensor | None) -> Tensor:
        out: Tensor = torch.ops.quantized.linear_dynamic_fp16(x, ready)
        return out if bias is None else out.add_(bias)

    return product


def _as_bfloat16(ordered: Product) -> Product:
    def product(x: Tensor, bias: Tensor | None) -> Tensor:
        out = ordered(x.bfloat16(), None).to(x.dtype)
        return out if bias is None else out.add_(bias)

    return product


def _ordered(weight: Tensor) -> Product:
    """By oneDNN, in the order of weights that it likes best."""
    ready = torch.ops.mkldnn._reorder_linear_weight(weight, None)
    return lambda x, bias: torch.ops.mkldnn._linear_pointwise(x, ready, bias, "none", [], "")


def _fits_half(weight: Tensor) -> bool:
    pieces = torch.split(weight.view(-1), _PIECE)
    return all(bool((piece - piece.half()).abs().max() <= _LOSS) for piece in pieces)


def _has_half_kernels() -> bool:
    """FBGEMM's, on x86 processors with AVX2."""
    return torch.backends.quantized.engine in ("x86", "fbgemm")


def _multiplies_int8_exactly() -> bool:
    """With VNNI; without it sums of two products leave 16 bits, and inputs have to keep to 7 bits."""
    supported = getattr(torch.cpu, "_is_vnni_supported", None) or getattr(torch.cpu, "_is_avx512_vnni_supported", None)
    return bool(supported and supported())


def has_bfloat16_kernels() -> bool:
    """Whether this processor multiplies bfloat16 in hardware."""
    return _has_packing_kernels(torch.bfloat16)


def _has_packing_kernels(dtype: torch.dtype) -> bool:
    """oneDNN's. For bfloat16 only where the processor can multiply it."""
    if not torch.backends.mkldnn.is_available() or not hasattr(torch.ops.mkldnn, "_reorder_linear_weight"):  # type: ignore[no-untyped-call]
        return False
    return dtype == torch.float32 or (dtype == torch.bfloat16 and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported()))
