"""The tiny models and what the published implementation computed from them (see ``tests/golden/README.md``)."""

import atexit
import functools
import json
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file

_GOLDEN = Path(__file__).parents[1] / "golden"
sys.path.append(str(_GOLDEN))

import tiny_model  # noqa: E402
from given_noise import given_noise  # noqa: E402
from reference_sounds import SOUNDS, reference_sound  # noqa: E402

__all__ = [
    "CHECKPOINTS", "PCM_STRIDE", "SOUNDS", "Case", "assert_close", "case", "cases", "checkpoint", "given_noise", "load",
    "reference_sound",
]  # fmt: skip

torch.set_num_threads(1)  # tiny tensors: more threads only wait for each other, for seconds on a busy machine

DATA = _GOLDEN / "data"
CHECKPOINTS = tuple(tiny_model.SPECS)
PCM_STRIDE = 61


@functools.cache
def _directory() -> Path:
    directory = Path(tempfile.mkdtemp(prefix="desktop-tts-tiny-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


@functools.cache
def checkpoint(name: str) -> Path:
    """A model directory in the published layout, made on first use; treat it as read-only.

    Names: ``custom_voice``, ``custom_voice_0b6``, ``voice_design``, ``base``, ``base_0b6``. The ``_0b6`` ones have
    equal talker and predictor widths, so no input projection, and drop the instruct text.
    """
    return tiny_model.write(_directory() / name, tiny_model.SPECS[name])


@dataclass(frozen=True)
class Case:
    """One call of the published implementation: what it was given; ``tensors()`` says what it made of it.

    ``arguments`` (with ``non_streaming_mode``) and ``sampling`` are keyword arguments of ``method``, to which belong
    ``text``, ``max_new_tokens`` and, for clones, ``ref_audio=reference_sound(ref_sound)``. Where ``noise_seed`` isn't
    None, ``torch.multinomial`` was replaced: do the same with ``given_noise(noise_seed)``.
    """

    name: str
    checkpoint: str
    method: str
    text: str | list[str]
    arguments: dict[str, Any]
    sampling: dict[str, Any]
    max_new_tokens: int
    ends: bool
    ref_sound: str | None
    noise_seed: int | None
    text_ids: list[list[int]]
    """Ids of every string that was tokenized, templates included: the texts, then instructs or reference texts."""
    samples: list[int]
    """Length of the sound of each row."""

    def tensors(self) -> dict[str, torch.Tensor]:
        """``rows [B, R, H]`` (left-padded, ``row_mask``), ``trailing [B, T, H]``, ``pad [H]``; ``logits [steps, B,
        codes + 1]``, the last column EOS; ``predictor_logits [4, 15, B, codes]`` of the first frames; ``codes.<row>
        [F, 16]``; ``pcm.<row>``, every 61st sample."""
        return load(self.name)


def cases(*, method: str | None = None, checkpoint: str | None = None) -> list[Case]:
    """The recorded cases, all or those of one method or model."""
    entries = [Case(**entry) for entry in json.loads((DATA / "cases.json").read_text("utf-8"))]
    return [c for c in entries if method in (None, c.method) and checkpoint in (None, c.checkpoint)]


def case(name: str) -> Case:
    return next(case for case in cases() if case.name == name)


def load(name: str) -> dict[str, torch.Tensor]:
    """A recording: a case's name, ``codec``, ``mel`` or ``reference-<checkpoint>-<sound>``."""
    return load_file(DATA / f"{name}.safetensors")


def assert_close(ours: torch.Tensor, published: torch.Tensor, tolerance: float = 1e-4) -> None:
    """Equal shapes, and no difference above ``tolerance`` of the largest published value."""
    assert ours.shape == published.shape, (ours.shape, published.shape)
    worst = (ours.detach().float() - published.float()).abs().max() / published.float().abs().max()
    assert worst <= tolerance, f"differs by {worst:.2e} of the largest value"
