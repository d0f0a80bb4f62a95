"""int8 and bfloat16 choose nearly as the exact model does; the bounds are twice what was seen."""

from dataclasses import dataclass

import pytest
import torch

from desktop_tts.qwen3tts import packing
from desktop_tts.qwen3tts.checkpoint import open_checkpoint
from desktop_tts.qwen3tts.packing import Form
from desktop_tts.qwen3tts.precision import Precision, pick_precision
from desktop_tts.qwen3tts.quality import agreement
from support import golden

CPU = torch.device("cpu")
FRAMES = 24


def test_float32_agrees_with_itself():
    found = agreement(open_checkpoint(golden.checkpoint("voice_design")), pick_precision("float32", CPU), 10)
    assert found.first_top1 == found.others_top1 == 1.0
    assert found.first_error < 1e-4
    assert found.others_divergence < 1e-6


@dataclass(frozen=True)
class Bounds:
    top1: float
    error: float
    divergence: float


INT8 = Bounds(0.92, 0.05, 0.0025)
SEVEN_BITS = Bounds(0.88, 0.08, 0.006)
"""Of the inputs, where the processor lacks VNNI."""
BFLOAT16 = Bounds(0.91, 0.02, 0.0004)


def close(found, bounds):
    assert min(found.first_top1, found.others_top1) >= bounds.top1
    assert min(found.first_top5, found.others_top5) >= 0.995
    assert max(found.first_error, found.others_error) <= bounds.error
    assert max(found.first_divergence, found.others_divergence) <= bounds.divergence


@pytest.mark.parametrize("kind", ["custom_voice", "base"])
def test_int8_chooses_nearly_the_same(kind):
    found = agreement(open_checkpoint(golden.checkpoint(kind)), pick_precision("int8", CPU), FRAMES)
    close(found, INT8 if packing._multiplies_int8_exactly() else SEVEN_BITS)


def test_int8_does_so_on_older_processors(monkeypatch):
    monkeypatch.setattr(packing, "_multiplies_int8_exactly", lambda: False)
    found = agreement(open_checkpoint(golden.checkpoint("base")), pick_precision("int8", CPU), FRAMES)
    close(found, SEVEN_BITS)


@pytest.mark.parametrize("kind", ["custom_voice", "base"])
def test_bfloat16_chooses_nearly_the_same(kind):
    close(agreement(open_checkpoint(golden.checkpoint(kind)), pick_precision("bfloat16", CPU), FRAMES), BFLOAT16)


def test_the_guard_sees_damage(monkeypatch):
    """Weights of three bits would pass nowhere."""

    def coarse(weight):
        whole, scale = real(weight)
        return (whole.float() / 40).round().mul(40).clamp(-127, 127).to(torch.int8), scale

    real = packing.quantize
    monkeypatch.setattr(packing, "quantize", coarse)
    found = agreement(open_checkpoint(golden.checkpoint("custom_voice")), Precision(torch.float32, Form.INT8), FRAMES)
    assert found.others_error > 0.1
    assert min(found.first_top1, found.others_top1) < 0.9
