"""How fast a model is on this machine, stage by stage, by the same functions with which it speaks.

Random weights of the real size cost what the real ones do. Nothing here needs a download.
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from desktop_tts.qwen3tts.checkpoint import Checkpoint
from desktop_tts.qwen3tts.codec.shapes import codec_shapes
from desktop_tts.qwen3tts.config import SAMPLE_RATE, ModelKind
from desktop_tts.qwen3tts.generate import FrameMaker
from desktop_tts.qwen3tts.model import Qwen3TTSModel
from desktop_tts.qwen3tts.networks import Networks, load_networks, pick_device
from desktop_tts.qwen3tts.precision import Precision, pick_precision
from desktop_tts.qwen3tts.quality import agreement
from desktop_tts.qwen3tts.random_files import write_tokenizer
from desktop_tts.qwen3tts.random_weights import random_checkpoint
from desktop_tts.qwen3tts.released import ModelSize
from desktop_tts.qwen3tts.sampling import Sampling, SeededDraw
from desktop_tts.qwen3tts.shapes import model_shapes
from desktop_tts.qwen3tts.synthesis import Speech

TEXT = "The committee will publish its findings next month, and the public may comment until the end of the year."
FRAME_S = 0.08
_FRAMES_TO_TUNE = 12
_CODEC_SEES = 100
"""More than the frames that the codec still remembers."""
PREFILL_ROWS = 10
"""What a preset voice with a language needs before its first frame, in the layout that is fed token by token."""
LENGTHS = (0, 500, 2000)
"""Frames already spoken (40 and 160 s) at which a further one is measured."""


def measure_random(
    size: ModelSize,
    kind: ModelKind,
    device: str,
    dtypes: Sequence[str],
    frames: int,
    threads: int,
    quality: bool = False,
    long: bool = False,
) -> dict[str, Any]:
    """One object for a random model of this size: for each number format the milliseconds of each stage (median), the
    time to the first sound, the real-time factor (below 1 is faster than speech), the memory in MB, and the processor
    threads with which it was fastest (``threads``, if not 0). ``quality`` also compares its choices with
    float32's; ``long`` also measures a frame late in an utterance."""
    place = pick_device(device)
    with tempfile.TemporaryDirectory() as folder:
        write_tokenizer(Path(folder))
        checkpoint = random_checkpoint(size, kind, path=Path(folder))
        result: dict[str, Any] = {
            "model": f"random {size} {kind}",
            "torch": torch.__version__,
            "device": torch.cuda.get_device_name(place) if place.type == "cuda" else place.type,
            "elements": element_counts(checkpoint),
        }
        for name in dtypes:
            result[name] = measure(checkpoint, place, pick_precision(name, place), frames, threads or None, long)
            if quality:
                found = agreement(checkpoint, pick_precision(name, torch.device("cpu")), frames)
                result[name]["agreement"] = {key: round(value, 5) for key, value in asdict(found).items()}
    return result


def element_counts(checkpoint: Checkpoint) -> dict[str, int]:
    """Numbers in the model's and in the codec's file."""
    return {
        "model": sum(math.prod(shape) for shape in model_shapes(checkpoint.config).values()),
        "codec": sum(math.prod(shape) for shape in codec_shapes(checkpoint.codec).values()),
    }


def measure(
    checkpoint: Checkpoint,
    device: torch.device,
    precision: Precision,
    frames: int,
    threads: int | None = None,
    long: bool = False,
) -> dict[str, float]:
    """Load, speak and time. ``frames`` of 80 ms are made for the medians."""
    before = torch.get_num_threads()
    begun = time.perf_counter()
    networks = load_networks(checkpoint, device, precision)
    loaded_s = time.perf_counter() - begun
    model = Qwen3TTSModel(networks, threads=threads)
    cold, _ = _first_audio(model, device), _first_audio(model, device, _FRAMES_TO_TUNE)
    torch.set_num_threads(model.threads)
    warm = _first_audio(model, device)
    stream_ms = _stream_ms(model, frames)
    stages = _stages(networks, device, frames)
    peak_mb = _peak_rss_mb()
    late = _late(networks, device, frames) if long else {}
    torch.set_num_threads(before)
    frame_ms = stages["talker_step_ms"] + stages["predictor_frame_ms"] + stages["codec_frame_ms"]
    found = {
        "load_s": loaded_s,
        "first_audio_cold_ms": cold * 1000,
        "first_audio_ms": warm * 1000,
        **stages,
        "frame_ms": frame_ms,
        "stream_frame_ms": stream_ms,
        "real_time_factor": frame_ms / 1000 / FRAME_S,
        "threads": model.threads,
        "peak_rss_mb": peak_mb,
        **late,
    }
    if device.type == "cuda":
        found |= _company(model, frames)
        found["peak_device_mb"] = torch.cuda.max_memory_allocated(device) / 2**20
    return {name: round(value, 3) for name, value in found.items()}


def _first_audio(model: Qwen3TTSModel, device: torch.device, more: int = 0) -> float:
    """Seconds from the request to the first 1,920 samples on the host. ``more`` frames are made after them."""
    kind = model.config.tts_model_type
    begun = time.perf_counter()
    if kind == "custom_voice":
        speech = model.stream_custom_voice(TEXT, "ryan", "English", non_streaming_mode=False, seed=1)
    elif kind == "voice_design":
        speech = model.stream_voice_design(TEXT, "a calm voice", "English", non_streaming_mode=False, seed=1)
    else:
        raise ValueError("A base model speaks with a cloned voice only: measure custom_voice or voice_design.")
    first = next(speech)
    took = time.perf_counter() - begun
    for _, _ in zip(range(more), speech, strict=False):
        pass
    speech.close()
    assert len(first) == int(FRAME_S * SAMPLE_RATE)
    return took


def _stream_ms(model: Qwen3TTSModel, frames: int) -> float:
    """Milliseconds from frame to frame when a text is spoken, all included; the median."""
    times = []
    begun = time.perf_counter()
    for number, _ in enumerate(_speech(model, seed=2, frames=frames + 3)):
        now = time.perf_counter()
        if number > 1:
            times.append((now - begun) * 1000)
        begun = now
    return statistics.median(times) if times else math.nan


def _company(model: Qwen3TTSModel, frames: int) -> dict[str, float]:
    """Ten texts at once: the time to the first sound that 95 in 100 don't exceed. Sixteen at once: how many times as
    much sound is made as with one."""
    list(_speech(model, seed=1, frames=frames))
    waits: list[float] = []
    for _ in range(5):
        waits += _first_sounds(model, 10, frames)
    alone = _seconds(model, 1, frames)
    return {
        "ten_first_audio_p95_ms": sorted(waits)[int(len(waits) * 0.95)] * 1000,
        "sixteen_times": 16 * alone / _seconds(model, 16, frames),
    }


def _first_sounds(model: Qwen3TTSModel, texts: int, frames: int) -> list[float]:
    waits: list[float] = []

    def speak(seed: int) -> None:
        begun = time.perf_counter()
        for number, _ in enumerate(_speech(model, seed, frames)):
            if number == 0:
                waits.append(time.perf_counter() - begun)

    _together(speak, texts)
    return waits


def _seconds(model: Qwen3TTSModel, texts: int, frames: int) -> float:
    begun = time.perf_counter()
    _together(lambda seed: [None for _ in _speech(model, seed, frames)], texts)
    return time.perf_counter() - begun


def _together(work: Callable[[int], Any], count: int) -> None:
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _speech(model: Qwen3TTSModel, seed: int, frames: int) -> Speech:
    kind = model.config.tts_model_type
    if kind == "custom_voice":
        return model.stream_custom_voice(TEXT, "ryan", "English", None, False, seed=seed, max_new_tokens=frames)
    return model.stream_voice_design(TEXT, "a calm voice", "English", False, seed=seed, max_new_tokens=frames)


def _stages(networks: Networks, device: torch.device, frames: int) -> dict[str, float]:
    """Median milliseconds of each part of a frame, after two frames to warm up."""
    talker, predictor = networks.talker, networks.predictor
    rows = torch.randn(PREFILL_ROWS, talker.config.hidden_size, dtype=talker.dtype, device=device)
    draw, pad = SeededDraw([0]), networks.config.tts_pad_token_id
    times: dict[str, list[float]] = {
        "prefill_ms": [],
        "talker_step_ms": [],
        "predictor_frame_ms": [],
        "codec_frame_ms": [],
    }

    def timed(name: str, work: Callable[[], Any]) -> Any:
        begun = time.perf_counter()
        made = work()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        times.setdefault(name, []).append((time.perf_counter() - begun) * 1000)
        return made

    for _ in range(3):
        maker = timed("prefill_ms", lambda: FrameMaker(talker, predictor, [rows], Sampling(), draw, frames + 3))
    state = networks.decoder.new_state(1)
    for number in range(frames + 2):
        begun = time.perf_counter()
        code = maker.first_code(number)
        head_ms = (time.perf_counter() - begun) * 1000
        code = code.clamp(max=talker.config.code_predictor.vocab_size - 1)  # a random model may choose its end
        codes = timed("predictor_frame_ms", lambda: maker.finish(code))  # noqa: B023
        timed("codec_frame_ms", lambda: networks.decoder.decode_frames(codes[:, None], state).cpu())  # noqa: B023
        timed("talker_step_ms", lambda: maker.advance(codes, [pad], pad))  # noqa: B023
        times["talker_step_ms"][-1] += head_ms
    return {
        name: statistics.median(values[1:] if name == "prefill_ms" else values[2:]) for name, values in times.items()
    }


def _late(networks: Networks, device: torch.device, frames: int) -> dict[str, float]:
    """Median milliseconds of a whole frame after each of ``LENGTHS``, measured in turns, so that what else the machine
    does falls on all alike."""
    talker, predictor, decoder = networks.talker, networks.predictor, networks.decoder
    pad, most = networks.config.tts_pad_token_id, talker.config.code_predictor.vocab_size - 1
    draw, books = SeededDraw([0]), talker.config.num_code_groups

    def after(spoken: int) -> Callable[[int], None]:
        rows = torch.randn(PREFILL_ROWS + spoken, talker.config.hidden_size, dtype=talker.dtype, device=device)
        maker = FrameMaker(talker, predictor, [rows], Sampling(), draw, frames + 3)
        state = decoder.new_state(1)
        for begin in range(0, min(spoken, _CODEC_SEES), 20):
            size = min(20, spoken - begin)
            decoder.decode_frames(torch.zeros(1, size, books, dtype=torch.int64, device=device), state)

        def make(number: int) -> None:
            codes = maker.finish(maker.first_code(number).clamp(max=most))  # a random model may choose its end
            decoder.decode_frames(codes[:, None], state).cpu()
            maker.advance(codes, [pad], pad)
            if device.type == "cuda":
                torch.cuda.synchronize(device)

        return make

    makers = {spoken: after(spoken) for spoken in LENGTHS}
    times: dict[int, list[float]] = {spoken: [] for spoken in LENGTHS}
    for number in range(frames + 2):
        for spoken, make in makers.items():
            begun = time.perf_counter()
            make(number)
            times[spoken].append((time.perf_counter() - begun) * 1000)
    return {f"frame_after_{spoken}_ms": statistics.median(values[2:]) for spoken, values in times.items()}


def _peak_rss_mb() -> float:
    """Most memory that this process has used."""
    try:
        import resource
    except ImportError:  # Windows
        return float("nan")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10
