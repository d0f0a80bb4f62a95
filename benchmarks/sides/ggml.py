"""The side of the GGML port, by its CPU wheel."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from serving import TEXT, Speak, serve


def load(settings: dict[str, Any]) -> tuple[Speak, dict[str, str]]:
    from qwentts_cpp_cpu import QwenTTS

    folder = Path(settings["model"])
    model = QwenTTS(
        folder / f"talker-{settings['weights']}.gguf",
        folder / f"codec-{settings['weights']}.gguf",
        cpu_threads=settings["threads"],
        cpu_codec_threads=settings["codec_threads"],
    )

    def speak(frames: int, seed: int) -> Iterator[int]:
        for sound, _ in model.stream(text=TEXT, lang="english", speaker="ryan", seed=seed, max_new_tokens=frames):
            yield len(sound)

    name = "realtimetts-qwen-native-cpu"
    return speak, {name: importlib.metadata.version(name), "qwentts.cpp": model.library.version()}


if __name__ == "__main__":
    serve(load)
