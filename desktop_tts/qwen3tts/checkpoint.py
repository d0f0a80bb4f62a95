"""Opens a model directory in the official layout and fills modules from its safetensors files.

Every tensor must be used, once, with the shape that the configuration implies. Files are memory-mapped and mapped anew
every few megabytes, so that the pages read so far don't add to the weights in memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from desktop_tts.qwen3tts.config import CodecConfig, ModelConfig, read_codec_config, read_model_config
from desktop_tts.qwen3tts.errors import CheckpointError

_AGAIN = "Download the model again."
_WINDOW = 16 << 20
"""Bytes that may be read before the file is mapped anew."""


class Tensors:
    """The tensors of one safetensors file, read one at a time, with account of which were used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = self._open()
        self._read = 0
        self._unused = set(self._file.keys())

    def _open(self) -> Any:
        try:
            return safe_open(self.path, framework="pt")
        except FileNotFoundError:
            raise CheckpointError(f"The model has no {self._name}.", _AGAIN) from None
        except (SafetensorError, OSError) as error:
            raise CheckpointError(f"The model's {self._name} is damaged or incomplete.", _AGAIN) from error

    @property
    def _name(self) -> str:
        return "speech_tokenizer/model.safetensors" if self.path.parent.name == "speech_tokenizer" else self.path.name

    def names(self) -> list[str]:
        return sorted(self._file.keys())

    def shape(self, name: str) -> list[int]:
        """The shape of a tensor without reading it."""
        try:
            return list(self._file.get_slice(name).get_shape())
        except SafetensorError:
            raise CheckpointError(f"The model's {self._name} has no tensor {name}.", _AGAIN) from None

    def mapped(self, name: str, shape: Sequence[int]) -> Tensor:
        """A tensor in the file's own type that stays in the file: only the rows that are used come into memory."""
        self._take(name, shape)
        mapped: Tensor = self._open().get_tensor(name)
        return mapped

    def copy_into(self, target: Tensor, name: str) -> None:
        """Copy a tensor of the same shape, converting its type."""
        self._take(name, target.shape)
        if self._read > _WINDOW:
            self._file, self._read = self._open(), 0
        source = self._file.get_tensor(name)
        self._read += source.nbytes
        target.copy_(source)

    def ignore(self, pattern: str) -> None:
        """Tensors that inference has no use for; ``*`` and ``?`` are wildcards."""
        self._unused -= {name for name in self._unused if fnmatchcase(name, pattern)}

    def check(self, shapes: Mapping[str, Sequence[int]]) -> None:
        """Refuse the file unless it has exactly these tensors, before anything is read."""
        for name, shape in shapes.items():
            self._check(name, shape)
        self._refuse(set(self.names()) - set(shapes))

    def finish(self) -> None:
        """Refuse a file with tensors that nothing has used."""
        self._refuse(self._unused)

    def _refuse(self, names: set[str]) -> None:
        if names:
            few = ", ".join(sorted(names)[:3])
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            raise CheckpointError(f"The model's {self._name} has tensors that don't belong to it: {few}{more}.")

    def _take(self, name: str, shape: Sequence[int]) -> None:
        self._check(name, shape)
        self._unused.discard(name)

    def _check(self, name: str, shape: Sequence[int]) -> None:
        found = self.shape(name)
        if found != list(shape):
            raise CheckpointError(
                f"The model's {self._name} doesn't fit its configuration: {name} has shape {found}, not {list(shape)}."
            )


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A model directory whose configuration has been read and checked."""

    path: Path
    config: ModelConfig
    codec: CodecConfig
    generation: Mapping[str, object]
    """``generation_config.json``; empty when there's none."""

    def tensors(self) -> Tensors:
        return Tensors(self.path / "model.safetensors")

    def codec_tensors(self) -> Tensors:
        return Tensors(self.path / "speech_tokenizer" / "model.safetensors")


def open_checkpoint(path: Path) -> Checkpoint:
    """Read the configuration in ``path``. Raises ``CheckpointError`` with a sentence for the user."""
    if not path.is_dir():
        raise CheckpointError(f"There is no model in {path}.", "Choose a folder that holds a Qwen3-TTS model.")
    generation = _json(path / "generation_config.json") if (path / "generation_config.json").exists() else {}
    if not isinstance(generation, dict):
        raise CheckpointError("The model's generation_config.json isn't a JSON object.", _AGAIN)
    return Checkpoint(
        path=path,
        config=read_model_config(_json(path / "config.json")),
        codec=read_codec_config(_json(path / "speech_tokenizer" / "config.json")),
        generation=generation,
    )


def load_module(
    module: nn.Module,
    tensors: Tensors,
    prefix: str = "",
    *,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
    unused: Iterable[str] = (),
    wide: Collection[str] = (),
    given: Callable[[str, nn.Module], bool] | None = None,
    loaded: Callable[[str, nn.Module], None] | None = None,
) -> None:
    """Give every parameter and persistent buffer of ``module`` (built on the meta device) its tensor, in ``dtype``.

    A parameter ``a.b.weight`` is read from ``{prefix}a.b.weight``. A submodule may have an attribute ``packed`` that
    names others: ``{"qkv.weight": {"q_proj.weight": 2048, ...}}`` stacks tensors along the first axis, each with so
    many rows; a tensor with an axis less is repeated in its rows. ``unused`` are patterns, after ``prefix``, of tensors
    to pass over, ``wide`` those of parameters that are always fp32. For each tensor, by its name with ``prefix`` and
    its owner, ``given`` may provide it from elsewhere, and ``loaded`` is called when it has been read.
    """
    for pattern in unused:
        tensors.ignore(prefix + pattern)
    sources = _packed_sources(module)
    persistent = [(name, buffer) for name, buffer in module.named_buffers() if _is_persistent(module, name)]
    with torch.no_grad():
        for name, old in [*module.named_parameters(), *persistent]:
            path, _, leaf = name.rpartition(".")
            owner, parts = module.get_submodule(path), sources.get(name)
            if given and given(prefix + name, owner):
                for part in parts or (name,):
                    tensors.ignore(prefix + part)
                continue
            kind = torch.float32 if any(fnmatchcase(name, pattern) for pattern in wide) else dtype
            new = _read(tensors, prefix, name, parts, torch.empty(old.shape, dtype=kind, device=device))
            setattr(owner, leaf, nn.Parameter(new, requires_grad=False) if isinstance(old, nn.Parameter) else new)
            del new  # its owner may be about to replace it
            if loaded:
                loaded(prefix + name, owner)
    module.requires_grad_(False).eval()


def _read(tensors: Tensors, prefix: str, name: str, parts: Mapping[str, int] | None, new: Tensor) -> Tensor:
    """``new``, filled from the tensor ``name`` or from its ``parts``."""
    if parts is None:
        tensors.copy_into(new, prefix + name)
        return new
    for part, rows in zip(parts, torch.split(new, list(parts.values())), strict=True):
        repeated = len(tensors.shape(prefix + part)) < rows.ndim
        tensors.copy_into(rows[0] if repeated else rows, prefix + part)
        if repeated:
            rows[1:] = rows[0]
    return new


def _packed_sources(module: nn.Module) -> dict[str, dict[str, int]]:
    sources = {}
    for path, owner in module.named_modules():
        start = f"{path}." if path else ""
        packed: Mapping[str, Mapping[str, int]] = getattr(owner, "packed", {})
        for name, parts in packed.items():
            sources[start + name] = {start + part: rows for part, rows in parts.items()}
    return sources


def _is_persistent(module: nn.Module, name: str) -> bool:
    owner, _, leaf = name.rpartition(".")
    return leaf not in module.get_submodule(owner)._non_persistent_buffers_set


def _json(path: Path) -> object:
    name = f"{path.parent.name}/{path.name}" if path.parent.name == "speech_tokenizer" else path.name
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CheckpointError(f"The model has no {name}.", _AGAIN) from None
    except (OSError, ValueError) as error:
        raise CheckpointError(f"The model's {name} can't be read.", _AGAIN) from error
