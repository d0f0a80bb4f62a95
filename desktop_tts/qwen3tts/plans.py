"""From names of speakers and languages, instructs and voice prompts to plans, for each kind of model.

The plans have no text yet. Every refusal is a ValueError.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from desktop_tts.qwen3tts.arguments import Seed, Some, for_each, known_names, seeds, spread
from desktop_tts.qwen3tts.config import ModelConfig, ModelKind
from desktop_tts.qwen3tts.networks import Networks
from desktop_tts.qwen3tts.prompt import Reference, Row, Speaker, start_rows
from desktop_tts.qwen3tts.synthesis import Plan
from desktop_tts.qwen3tts.tokenizer import TextTokenizer, text_ids
from desktop_tts.qwen3tts.voice_prompt import VoiceClonePromptItem

VoiceClonePrompt: TypeAlias = VoiceClonePromptItem | Sequence[VoiceClonePromptItem] | Mapping[str, Sequence[Any]]
"""One for all texts or one for each; or upstream's form, a dict with a list for each field."""

_log = logging.getLogger(__name__)


def require_kind(config: ModelConfig, kind: ModelKind, what: str) -> None:
    """Refuse what another kind of model is for."""
    if config.tts_model_type != kind:
        raise ValueError(f"{what} needs a {kind} model; this is a {config.tts_model_type} model.")


def supported_languages(config: ModelConfig) -> list[str]:
    """With "auto", without the dialects, which come with their speakers."""
    return sorted(["auto", *(name for name in config.talker.codec_language_id if "dialect" not in name)])


def custom_voice_plans(
    networks: Networks, count: int, speaker: Some, language: Some, instruct: Some, whole: bool, seed: Seed
) -> list[Plan]:
    """A speaker of the model; None or empty leaves the voice to chance."""
    config = networks.config
    require_kind(config, "custom_voice", "A speaker's voice")
    speakers = known_names(for_each(speaker, count, "speaker"), config.talker.spk_id, "speakers")
    instructs = for_each(instruct, count, "instruct")
    if not config.takes_instruct and any(instructs):
        _warn_of_instruct()
        instructs = [None] * count
    starts = _starts(networks, count, language, instructs, [name or None for name in speakers])
    return [Plan(start, (), whole, number) for start, number in zip(starts, seeds(seed, count), strict=True)]


def voice_design_plans(
    networks: Networks, count: int, instruct: Some, language: Some, whole: bool, seed: Seed
) -> list[Plan]:
    """A voice described in words."""
    require_kind(networks.config, "voice_design", "A designed voice")
    starts = _starts(networks, count, language, for_each(instruct, count, "instruct"), [None] * count)
    return [Plan(start, (), whole, number) for start, number in zip(starts, seeds(seed, count), strict=True)]


def voice_clone_plans(
    networks: Networks, count: int, language: Some, items: Sequence[VoiceClonePromptItem], whole: bool, seed: Seed
) -> list[Plan]:
    """The voice of a recording."""
    require_kind(networks.config, "base", "A cloned voice")
    starts = _starts(networks, count, language, [None] * count, [Speaker.X_VECTOR] * count)
    plans = []
    for start, item, number in zip(starts, spread(items, count, "prompt"), seeds(seed, count), strict=True):
        vector, hidden = item.ref_spk_embedding, networks.config.talker.hidden_size
        if vector.numel() != hidden:
            raise ValueError("This voice was made with a model of another size: make it again with this one.")
        reference = _reference(item, networks.tokenizer)
        plans.append(Plan(start, (), whole, number, vector.flatten(), reference, item.ref_code if reference else None))
    return plans


def clone_prompt_items(prompt: VoiceClonePrompt) -> list[VoiceClonePromptItem]:
    """As a list."""
    if isinstance(prompt, VoiceClonePromptItem):
        return [prompt]
    if not isinstance(prompt, Mapping):
        return list(prompt)
    missing = {"ref_spk_embedding", "x_vector_only_mode", "icl_mode"} - set(prompt)
    if missing:
        raise ValueError(f"A voice_clone_prompt that is a dict needs {', '.join(sorted(missing))}.")
    nothing = [None] * len(prompt["ref_spk_embedding"])
    fields = (
        prompt.get("ref_code") or nothing,
        prompt["ref_spk_embedding"],
        prompt["x_vector_only_mode"],
        prompt["icl_mode"],
        prompt.get("ref_text") or nothing,
    )
    return [VoiceClonePromptItem(*values) for values in zip(*fields, strict=True)]


def _reference(item: VoiceClonePromptItem, tokenizer: TextTokenizer) -> Reference | None:
    if not item.icl_mode:
        return None
    text = tokenizer.encode((item.ref_text or "").lstrip())
    if item.ref_code is None or not text:
        raise ValueError("Speech that continues a reference needs its ref_code and ref_text; or use x_vector_only.")
    return Reference(tuple(text), len(item.ref_code))


def _starts(
    networks: Networks,
    count: int,
    language: Some,
    instructs: Sequence[str | None],
    speakers: Sequence[str | Speaker | None],
) -> list[list[Row]]:
    config = networks.config
    languages = known_names(for_each(language, count, "language"), supported_languages(config), "languages")
    return [
        start_rows(config, text_ids(networks.tokenizer, config, instruct or ""), name or "auto", speaker)
        for name, instruct, speaker in zip(languages, instructs, speakers, strict=True)
    ]


@functools.cache
def _warn_of_instruct() -> None:
    """Once, not for every sentence of a book."""
    _log.warning("The 0.6B model doesn't know instructs; they are left out.")
