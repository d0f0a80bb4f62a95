"""Our side: streaming, one frame per piece, as the app speaks."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from typing import Any

from serving import TEXT, Missing, Speak, serve


def load(settings: dict[str, Any]) -> tuple[Speak, dict[str, str]]:
    import torch

    from desktop_tts.qwen3tts import Qwen3TTSModel

    torch.set_num_threads(settings["threads"])
    try:
        model = Qwen3TTSModel.from_pretrained(settings["model"], device_map=settings["device"], dtype=settings["dtype"])
    except ValueError as reason:
        raise Missing(str(reason)) from reason

    def speak(frames: int, seed: int) -> Iterator[int]:
        yield from map(len, model.stream_custom_voice(TEXT, "ryan", "English", seed=seed, max_new_tokens=frames + 1))

    return speak, {name: importlib.metadata.version(name) for name in ("desktop-tts", "torch")}


if __name__ == "__main__":
    serve(load)
