"""Whether a file is well-formed safetensors, found out without loading it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final

from desktop_tts.voices.files import open_plain, parse_json

_HEADER_LIMIT: Final = 1 << 20
_TENSOR_LIMIT: Final = 64
_SIZES: Final = {
    "BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "I16": 2, "U16": 2, "F16": 2, "BF16": 2,
    "I32": 4, "U32": 4, "F32": 4, "I64": 8, "U64": 8, "F64": 8,
}  # fmt: skip


def check_safetensors(path: Path) -> None:
    """Raises ``ValueError`` unless header and data fit each other exactly; ``OSError`` if it can't be read."""
    size = path.lstat().st_size
    with open_plain(path) as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= min(_HEADER_LIMIT, size - 8):
            raise ValueError("wrong header length")
        header = parse_json(file.read(length))
    if not isinstance(header, dict):
        raise ValueError("wrong header")
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise ValueError("wrong metadata")
    if not 1 <= len(header) <= _TENSOR_LIMIT:
        raise ValueError("wrong number of tensors")
    end = 0
    for start, stop in sorted(_span(tensor) for tensor in header.values()):
        if start != end:
            raise ValueError("tensors overlap or leave gaps")
        end = stop
    if end != size - 8 - length:
        raise ValueError("wrong length of data")


def _span(tensor: Any) -> tuple[int, int]:
    if not isinstance(tensor, dict) or set(tensor) != {"dtype", "shape", "data_offsets"}:
        raise ValueError("wrong tensor")
    dtype, shape, offsets = tensor["dtype"], tensor["shape"], tensor["data_offsets"]
    if not isinstance(dtype, str) or dtype not in _SIZES or not _numbers(shape) or not _numbers(offsets):
        raise ValueError("wrong tensor")
    if len(shape) > 8 or len(offsets) != 2 or offsets[1] - offsets[0] != math.prod(shape) * _SIZES[dtype]:
        raise ValueError("wrong extent of a tensor")
    return offsets[0], offsets[1]


def _numbers(value: Any) -> bool:
    return isinstance(value, list) and all(type(number) is int and 0 <= number < 1 << 40 for number in value)
