"""int8 and bfloat16 choose nearly as the exact model does; the bounds are twice what was seen."""

import pytest
import torch

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


@pytest.mark.parametrize("kind", ["custom_voice", "base"])
@pytest.mark.parametrize(
    ("dtype", "top1", "top5", "error", "divergence"),
    [("int8", 0.92, 0.999, 0.05, 0.0025), ("bfloat16", 0.96, 0.999, 0.02, 0.0004)],
)
def test_smaller_weights_choose_nearly_the_same(kind, dtype, top1, top5, error, divergence):
    found = agreement(open_checkpoint(golden.checkpoint(kind)), pick_precision(dtype, CPU), FRAMES)
    assert min(found.first_top1, found.others_top1) >= top1
    assert min(found.first_top5, found.others_top5) >= top5
    assert max(found.first_error, found.others_error) <= error
    assert max(found.first_divergence, found.others_divergence) <= divergence


def test_the_guard_sees_damage(monkeypatch):
    """Weights of three bits would pass nowhere."""
    from desktop_tts.qwen3tts import packing

    def coarse(weight):
        whole, scale = real(weight)
        return (whole.float() / 40).round().mul(40).clamp(-127, 127).to(torch.int8), scale

    real = packing.quantize
    monkeypatch.setattr(packing, "quantize", coarse)
    found = agreement(open_checkpoint(golden.checkpoint("custom_voice")), Precision(torch.float32, Form.INT8), FRAMES)
    assert found.others_error > 0.1
    assert min(found.first_top1, found.others_top1) < 0.9
