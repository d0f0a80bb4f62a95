"""Quantized weights of one model in a file, so that the next start reads a third of the bytes and computes nothing.

The file is safetensors. It is made again when the model's file has changed, or can't be used for any reason.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import tempfile
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from desktop_tts.qwen3tts.dense import Dense
from desktop_tts.qwen3tts.packing import Form, quantize

_VERSION = "1"
"""Of the way of quantizing."""
_HEADER = 1 << 16
_log = logging.getLogger(__name__)


class Int8Cache:
    """Gives ``Dense`` layers their 8-bit weights while a part of a model is loaded, and ``save``s them afterwards.

    ``provide`` and ``loaded`` are what ``load_module`` asks and tells.
    """

    def __init__(self, folder: Path, source: Path, part: str) -> None:
        """A file in ``folder``, which may not exist yet, for a ``part`` of the model in the file ``source``."""
        key = hashlib.sha256(f"{source.resolve()} {part}".encode()).hexdigest()[:16]
        self._file, self._identity = folder / f"int8-{key}.safetensors", _identity(source)
        self._open = self._opened()
        self._fresh: dict[str, Tensor] = {}

    def provide(self, name: str, owner: nn.Module) -> bool:
        """Set the weights of the layer if they are in the file."""
        if self._open is None or not _wanted(name, owner):
            return False
        assert isinstance(owner, Dense)
        weight, scale = self._open.get_tensor(name), self._open.get_tensor(name + ".scale")
        owner.set_int8(weight, scale)
        return True

    def loaded(self, name: str, owner: nn.Module) -> None:
        """Quantize and keep what ``provide`` didn't have; pack other layers as exactly as they are."""
        if not isinstance(owner, Dense):
            return
        if not _wanted(name, owner):
            owner.pack()
            return
        weight, scale = quantize(owner.weight)
        self._fresh[name], self._fresh[name + ".scale"] = weight, scale
        owner.set_int8(weight, scale)

    def save(self) -> None:
        """Write what is new; a disk that refuses is only logged."""
        self._open = None
        if not self._fresh:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._file.parent, prefix=f".{self._file.name}.")
            os.close(handle)
            try:
                save_file(self._fresh, name, {"version": _VERSION, "source": self._identity})
                os.replace(name, self._file)
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(name)
        except (OSError, SafetensorError) as error:
            _log.warning("int8 weights can't be kept for the next start: %s", type(error).__name__)
        self._fresh = {}

    def _opened(self) -> Any:
        try:
            found: Any = safe_open(self._file, framework="pt")
            metadata = found.metadata() or {}
        except (OSError, SafetensorError):
            return None
        fits = metadata.get("version") == _VERSION and metadata.get("source") == self._identity
        return found if fits else None


def _wanted(name: str, owner: nn.Module) -> bool:
    return isinstance(owner, Dense) and not owner.keep_exact and name.endswith(".weight")


def _identity(source: Path) -> str:
    """Of a model's file: size, time and the first bytes, which list its tensors."""
    state = source.stat()
    digest = hashlib.sha256(f"{Form.INT8.value} {state.st_size} {state.st_mtime_ns}".encode())
    with source.open("rb") as file:
        digest.update(file.read(_HEADER))
    return digest.hexdigest()
