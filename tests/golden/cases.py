"""What is asked of the published implementation: one case for each way of building a prompt, in both text layouts.

``arguments`` are those of the method of the same name in the published API and in ours. ``ref_sound`` stands for
``ref_audio`` and names a sound of ``reference_sounds``.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

GREEDY = {"do_sample": False, "subtalker_dosample": False}


@dataclass(frozen=True)
class Case:
    """One call. ``frames`` is max_new_tokens - 1: the last code that is drawn makes no frame."""

    name: str
    checkpoint: str
    method: str
    arguments: dict[str, Any]
    sampling: dict[str, Any] = field(default_factory=lambda: dict(GREEDY))
    max_new_tokens: int = 65
    ends: bool = False
    """Speech must end by itself; otherwise it must not."""
    ref_sound: str | None = None
    noise_seed: int | None = None
    """Sampled with given uniform numbers; greedy if None."""


TEXTS = [
    "How many ships were there?", "The music was warm.", "Nobody knew the story of the ships.",
    "A friendly voice reads slowly.", "The keeper counted ships.", "Nobody reads the news at dawn; it's slow.",
    "Ships were there, and then the weather.", "The lighthouse story.", "Music and sports.", "Then there were 12.",
    "The voice counted the morning.", "It's a warm morning!", "Who reads the weather news?", "Le vent souffle fort.",
    "Der Zug fährt ab.", "天气很好。", "今天去公园。", "El río baja.", "Story, music, news.",
    "The long dawn reads slowly.",
]  # fmt: skip
"""The script takes the first text whose choices are all clear: no near tie that rounding could turn."""


def cases() -> Iterator[Case]:
    """Every case, in both layouts (``-whole`` is non_streaming_mode True, ``-fed`` is False)."""
    for base in [*_custom_voice(), *_voice_design(), *_base()]:
        for layout, whole in (("whole", True), ("fed", False)):
            yield Case(**(vars(base) | {
                "name": f"{base.name}-{layout}", "arguments": base.arguments | {"non_streaming_mode": whole},
                "noise_seed": None if base.noise_seed is None else base.noise_seed + whole,
            }))  # fmt: skip


def _custom_voice() -> Iterator[Case]:
    def case(name: str, arguments: dict[str, Any], checkpoint: str = "custom_voice", **more: Any) -> Case:
        return Case(name, checkpoint, "generate_custom_voice", arguments, **more)

    yield case("custom-language", {"speaker": "Ryan", "language": "English"})
    yield case("custom-auto", {"speaker": "Serena", "language": "Auto"})
    yield case("custom-instruct", {"speaker": "Aiden", "language": "German", "instruct": "slowly, and warm"})
    yield case("custom-dialect-auto", {"speaker": "eric", "language": "Auto", "instruct": "friendly"})
    yield case("custom-dialect-chinese", {"speaker": "Dylan", "language": "Chinese"})
    yield case("custom-dialect-english", {"speaker": "Dylan", "language": "English"})
    yield case("custom-no-speaker", {"speaker": "", "language": "French"})
    yield case("custom-ends", {"speaker": "Sohee", "language": "Korean"}, ends=True)
    yield case("custom-batch", {"speaker": ["Vivian", "eric"], "language": ["Auto", "Auto"], "instruct": ["", "news"]})
    yield case("custom-batch-ends", {"speaker": "Ryan", "language": ["English", "French"]}, ends=True)
    yield case("custom-small", {"speaker": "Ryan", "language": "English", "instruct": "dropped"}, "custom_voice_0b6")
    yield case("custom-sampled", {"speaker": "Ryan", "language": "English"}, noise_seed=100, sampling={})
    yield case(
        "custom-sampled-set", {"speaker": "Uncle_Fu", "language": "Auto"}, noise_seed=200,
        sampling={"top_k": 20, "top_p": 0.8, "temperature": 1.3, "repetition_penalty": 1.3,
                  "subtalker_top_k": 30, "subtalker_top_p": 0.7, "subtalker_temperature": 0.7},
    )  # fmt: skip
    yield case(
        "custom-sampled-half", {"speaker": "Uncle_Fu", "language": "Auto"}, noise_seed=300,
        sampling={"do_sample": True, "subtalker_dosample": False},
    )  # fmt: skip


def _voice_design() -> Iterator[Case]:
    def case(name: str, arguments: dict[str, Any], **more: Any) -> Case:
        return Case(name, "voice_design", "generate_voice_design", arguments, **more)

    yield case("design-language", {"instruct": "A warm, friendly voice.", "language": "English"})
    yield case("design-auto", {"instruct": "Der Zug, slowly", "language": "Auto"})
    yield case("design-no-instruct", {"instruct": "", "language": "Italian"})


def _base() -> Iterator[Case]:
    def case(name: str, arguments: dict[str, Any], sound: str, checkpoint: str = "base", **more: Any) -> Case:
        return Case(name, checkpoint, "generate_voice_clone", arguments, ref_sound=sound, **more)

    words = "The lighthouse keeper counted the ships at dawn."
    yield case("clone-vector", {"language": "English", "x_vector_only_mode": True}, "short")
    yield case("clone-vector-auto", {"language": "Auto", "x_vector_only_mode": True}, "narrow")
    yield case("clone-icl-long-text", {"language": "English", "ref_text": words}, "short")
    yield case("clone-icl-long-sound", {"language": "Auto", "ref_text": "The ships."}, "long")
    yield case("clone-icl-batch", {"language": ["Auto", "German"], "ref_text": words}, "wide")
    yield case("clone-small-vector", {"language": "Spanish", "x_vector_only_mode": True}, "wide", "base_0b6")
    yield case("clone-small-icl", {"language": "Chinese", "ref_text": words}, "narrow", "base_0b6")
    yield case(
        "clone-icl-sampled", {"language": "Auto", "ref_text": words}, "short", noise_seed=400, sampling={},
    )  # fmt: skip
