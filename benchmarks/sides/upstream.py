"""The published implementation's side. It gives the sound of a text when all of it is done."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from serving import TEXT, Speak, serve

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden"


def load(settings: dict[str, Any]) -> tuple[Speak, dict[str, str]]:
    import torch

    sys.path.insert(0, str(GOLDEN))
    from published import Qwen3TTSModel  # the package, without the parts of it that the 12 Hz models don't need

    torch.set_num_threads(settings["threads"])
    model = Qwen3TTSModel.from_pretrained(
        settings["model"],
        device_map=settings["device"],
        dtype=getattr(torch, settings["dtype"]),
        attn_implementation="sdpa",
    )

    def speak(frames: int, seed: int) -> Iterator[int]:
        torch.manual_seed(seed)
        # The published code throws away the last of the codes that it was allowed.
        sounds, _ = model.generate_custom_voice(
            text=TEXT, speaker="Ryan", language="English", max_new_tokens=frames + 1
        )
        yield len(sounds[0])

    return speak, {name: importlib.metadata.version(name) for name in ("qwen-tts", "transformers", "torch")}


if __name__ == "__main__":
    serve(load)
