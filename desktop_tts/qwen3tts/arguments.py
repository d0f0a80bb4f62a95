"""Checks and defaults of what callers of ``Qwen3TTSModel`` give. A refusal is a ValueError that lists what is allowed.

One value stands for all texts of a batch, or a list gives one for each.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from typing import TypedDict, TypeVar, cast

from desktop_tts.qwen3tts.generate import Limit
from desktop_tts.qwen3tts.sampling import Choice, Sampling
from desktop_tts.qwen3tts.synthesis import Settings

T = TypeVar("T")
Some = str | None | Sequence[str | None]
"""One for all texts of a batch, or a list with one for each."""
Seed = int | Sequence[int] | None
"""Counted up from one, or from a random one, or a list with one for each."""
_SEEDS = 2**63
_FRAMES_PER_ID = 15.0
"""Three to five times what speech takes, so that slow speech and long numbers are never cut."""


class SamplingOptions(TypedDict, total=False):
    """Upstream's names. None, or left out: as ``generation_config.json`` of the model says."""

    do_sample: bool | None
    top_k: int | None
    top_p: float | None
    temperature: float | None
    repetition_penalty: float | None
    subtalker_dosample: bool | None
    subtalker_top_k: int | None
    subtalker_top_p: float | None
    subtalker_temperature: float | None
    max_new_tokens: int | None
    """Codes of codebook 0 that are drawn at most; the last of them makes no frame. Without it the length of the text
    sets a limit, which only speech that never ends can reach."""


_DEFAULTS: SamplingOptions = {
    "do_sample": True, "top_k": 50, "top_p": 1.0, "temperature": 0.9, "repetition_penalty": 1.05,
    "subtalker_dosample": True, "subtalker_top_k": 50, "subtalker_top_p": 1.0, "subtalker_temperature": 0.9,
    "max_new_tokens": 2048,
}  # fmt: skip


def settings(options: SamplingOptions, generation: Mapping[str, object]) -> Settings:
    """An explicit value comes first, then ``generation_config.json``, then the published defaults."""
    unknown = sorted(set(options) - set(_DEFAULTS))
    if unknown:
        raise TypeError(f"Unknown arguments: {', '.join(unknown)}. Sampling takes {', '.join(_DEFAULTS)}.")
    given = {name: value for name, value in options.items() if value is not None}
    configured = {name: value for name, value in generation.items() if name in _DEFAULTS and value is not None}
    chosen = cast(dict[str, float], {**_DEFAULTS, **configured, **given})
    sampling = Sampling(
        Choice(bool(chosen["do_sample"]), int(chosen["top_k"]), chosen["top_p"], chosen["temperature"]),
        Choice(
            bool(chosen["subtalker_dosample"]),
            int(chosen["subtalker_top_k"]),
            chosen["subtalker_top_p"],
            chosen["subtalker_temperature"],
        ),
        chosen["repetition_penalty"],
    )
    most = int(chosen["max_new_tokens"])
    if most < 1:
        raise ValueError(f"max_new_tokens must be at least 1, not {most}.")
    guarded = "max_new_tokens" not in given
    limit = Limit(most - 1, _FRAMES_PER_ID if guarded else None)
    random = sampling.talker.do_sample or sampling.predictor.do_sample
    return Settings(sampling, limit, retry=guarded and random)


def seeds(seed: Seed, count: int) -> list[int]:
    """One for each text."""
    if isinstance(seed, Sequence):
        if len(seed) != count:
            raise ValueError(f"Batch size mismatch: text={count}, seed={len(seed)}")
        return [number % _SEEDS for number in seed]
    start = secrets.randbits(62) if seed is None else seed
    return [(start + number) % _SEEDS for number in range(count)]


def for_each(value: Some, count: int, name: str) -> list[str | None]:
    """A list of ``count``."""
    return spread([value] if value is None or isinstance(value, str) else value, count, name)


def spread(values: Sequence[T], count: int, name: str) -> list[T]:
    """A list of ``count`` from one value for all or one for each."""
    if len(values) not in (1, count):
        raise ValueError(f"Batch size mismatch: text={count}, {name}={len(values)}")
    return list(values) * (count if len(values) == 1 else 1)


def known_names(values: Sequence[str | None], supported: Collection[str], what: str) -> list[str]:
    """In lower case; empty for None and for empty names. Names all that aren't supported."""
    bad = [value for value in values if value and str(value).lower() not in supported]
    if bad:
        raise ValueError(f"Unsupported {what}: {bad}. Supported: {sorted(supported)}")
    return [str(value).lower() if value else "" for value in values]
