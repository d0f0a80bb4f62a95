"""The benchmark of the model: every field there, numbers that can be, sizes as published."""

import math
import subprocess
import sys

import pytest
import torch

from desktop_tts.qwen3tts import measure as measurements
from desktop_tts.qwen3tts.checkpoint import open_checkpoint
from desktop_tts.qwen3tts.measure import _company, element_counts, measure
from desktop_tts.qwen3tts.model import Qwen3TTSModel
from desktop_tts.qwen3tts.precision import pick_precision
from desktop_tts.qwen3tts.random_weights import random_checkpoint
from desktop_tts.qwen3tts.synthesis import Synthesizer
from support import golden

CPU = torch.device("cpu")
FIELDS = {
    "load_s", "first_audio_cold_ms", "first_audio_ms", "prefill_ms", "talker_step_ms", "predictor_frame_ms",
    "codec_frame_ms", "frame_ms", "stream_frame_ms", "real_time_factor", "threads", "peak_rss_mb",
}  # fmt: skip


@pytest.mark.parametrize("name", ["custom_voice", "voice_design"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8"])
def test_a_tiny_model_is_measured(name, dtype):
    precision = pick_precision(dtype, CPU)
    found = measure(open_checkpoint(golden.checkpoint(name)), CPU, precision, 3)
    assert set(found) == FIELDS
    assert all(math.isfinite(value) and value > 0 for value in found.values())
    stages = found["talker_step_ms"] + found["predictor_frame_ms"] + found["codec_frame_ms"]
    assert found["frame_ms"] == pytest.approx(stages, abs=0.01)
    assert found["real_time_factor"] == pytest.approx(found["frame_ms"] / 80, abs=0.001)


def test_frames_late_in_an_utterance_are_measured(monkeypatch):
    monkeypatch.setattr(measurements, "LENGTHS", (0, 150))
    found = measure(open_checkpoint(golden.checkpoint("custom_voice")), CPU, pick_precision("int8", CPU), 3, long=True)
    assert set(found) == FIELDS | {"frame_after_0_ms", "frame_after_150_ms"}
    assert all(math.isfinite(value) and value > 0 for value in found.values())


def test_a_base_model_is_refused_with_a_sentence():
    with pytest.raises(ValueError, match="cloned voice"):
        measure(open_checkpoint(golden.checkpoint("base")), CPU, pick_precision(None, CPU), 3)


@pytest.mark.parametrize(
    ("size", "kind", "elements"),
    [
        ("0.6b", "base", 914_643_008),
        ("0.6b", "custom_voice", 905_788_672),
        ("1.7b", "base", 1_928_677_440),
        ("1.7b", "custom_voice", 1_916_676_352),
        ("1.7b", "voice_design", 1_916_676_352),
    ],
)
def test_the_random_models_have_the_published_sizes(size, kind, elements):
    assert element_counts(random_checkpoint(size, kind)) == {"model": elements, "codec": 170_557_441}


def test_the_command_wants_to_know_what_to_measure():
    done = subprocess.run([sys.executable, "-m", "desktop_tts", "bench"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "bench --random 0.6b" in done.stderr


def test_many_at_once_are_measured():
    """What a graphics card is measured with, on a processor in the same slots."""
    model = Qwen3TTSModel.from_pretrained(golden.checkpoint("custom_voice"))
    model._synthesizer = Synthesizer(model.networks, slots=True)
    found = _company(model, 6)
    assert set(found) == {"ten_first_audio_p95_ms", "sixteen_times"}
    assert all(math.isfinite(value) and value > 0 for value in found.values())
