"""What the talker is shown before the first frame, row by row, and the text that is fed to it with each frame.

A row is one position of the talker: the sum of what stands on its text track and on its codec track. Ids only: this
module knows no tensors, so every prompt can be read and tested as a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from desktop_tts.qwen3tts.config import ModelConfig


@dataclass(frozen=True, slots=True)
class Frame:
    """On the codec track: the summed codes of a frame of the reference audio."""

    number: int


class Speaker(Enum):
    """On the codec track: the x-vector."""

    X_VECTOR = "x-vector"


Codec = int | Frame | Speaker | None
"""An id of the talker's codec embedding, or one of the above; None where the track is empty."""


@dataclass(frozen=True, slots=True)
class Row:
    """``text`` is an id of the text tokenizer."""

    text: int
    codec: Codec = None


@dataclass(frozen=True, slots=True)
class TextIds:
    """The ids that surround the text."""

    role: tuple[int, ...]
    """<|im_start|>assistant and a line break."""
    instruct: tuple[int, ...]
    """The whole instruct with its role and closing ids; empty for none."""


@dataclass(frozen=True, slots=True)
class Reference:
    """For ICL: a recording that the speech continues, and its transcript."""

    text: tuple[int, ...]
    frames: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """``rows`` are shown at once; then each frame takes the next id of ``fed``, and PAD when they are used up."""

    rows: tuple[Row, ...]
    fed: tuple[int, ...] = ()


def whole_text_prompt(
    config: ModelConfig, start: Sequence[Row], text: Sequence[int], reference: Reference | None = None
) -> Prompt:
    """The layout of ``non_streaming_mode=True``: all text first.

    ====================  =========  ====================
    rows                  text       codec
    ====================  =========  ====================
    ``start``
    one for each          text id    pad
    1                     EOS        pad
    1                     PAD        bos
    one for each, if any  PAD        frame of the reference
    ====================  =========  ====================
    """
    talker, pad = config.talker, config.tts_pad_token_id
    spoken = [*(reference.text if reference else ()), *text, config.tts_eos_token_id]
    return Prompt((
        *start,
        *(Row(t, talker.codec_pad_id) for t in spoken),
        Row(pad, talker.codec_bos_id),
        *(Row(pad, frame) for frame in _frames(reference)),
    ))  # fmt: skip


def fed_text_prompt(
    config: ModelConfig,
    start: Sequence[Row],
    text: Sequence[int],
    reference: Reference | None = None,
    *,
    ended: bool = True,
) -> Prompt:
    """The layout of ``non_streaming_mode=False``: text and sound side by side, the rest of the text fed frame by frame.

    ====================  =========================  ======================
    rows                  text                       codec
    ====================  =========================  ======================
    ``start``
    1                     first text id              bos
    one for each, if any  next text id, EOS, or PAD  frame of the reference
    ====================  =========================  ======================

    ``text`` may be the beginning of a text that goes on if ``ended`` is false; it must then have an id for each row,
    see ``needed_before_start``.
    """
    talker = config.talker
    spoken = [*(reference.text if reference else ()), *text, *([config.tts_eos_token_id] if ended else [])]
    codec: list[Codec] = [talker.codec_bos_id, *_frames(reference)]
    assert ended or len(spoken) >= len(codec)
    shown = spoken[: len(codec)] + [config.tts_pad_token_id] * (len(codec) - len(spoken))
    return Prompt((*start, *map(Row, shown, codec)), tuple(spoken[len(codec) :]))


def needed_before_start(reference: Reference | None) -> int:
    """How many ids of an unfinished text ``fed_text_prompt`` needs: speech continues a reference only beside text."""
    return max(1, reference.frames + 1 - len(reference.text)) if reference else 1


def start_rows(config: ModelConfig, ids: TextIds, language: str, speaker: str | Speaker | None) -> list[Row]:
    """What every prompt begins with. ``language`` and a ``speaker``'s name are in lower case and known.

    ================  =============  ===========================================
    rows              text           codec
    ================  =============  ===========================================
    if any            instruct       none
    3                 role           none
    4, or             PAD            think, think_bos, language, think_eos
    3 for Auto        PAD            nothink, think_bos, think_eos
    if any            PAD            speaker's id, or x-vector
    1                 BOS            pad
    ================  =============  ===========================================
    """
    talker, pad = config.talker, config.tts_pad_token_id
    language_id = _language_id(config, language, speaker)
    if language_id is None:
        tags: list[Codec] = [talker.codec_nothink_id, talker.codec_think_bos_id, talker.codec_think_eos_id]
    else:
        tags = [talker.codec_think_id, talker.codec_think_bos_id, language_id, talker.codec_think_eos_id]
    if speaker is not None:
        tags.append(talker.spk_id[speaker] if isinstance(speaker, str) else speaker)
    return [
        *map(Row, (*ids.instruct, *ids.role)),
        *(Row(pad, tag) for tag in tags),
        Row(config.tts_bos_token_id, talker.codec_pad_id),
    ]


def _language_id(config: ModelConfig, language: str, speaker: str | Speaker | None) -> int | None:
    """None for Auto. Speakers of a dialect speak it when asked for Chinese or nothing."""
    dialect = config.talker.spk_is_dialect.get(speaker, False) if isinstance(speaker, str) else False
    if isinstance(dialect, str) and language in ("chinese", "auto"):
        return config.talker.codec_language_id[dialect]
    return None if language == "auto" else config.talker.codec_language_id[language]


def _frames(reference: Reference | None) -> list[Frame]:
    return [Frame(number) for number in range(reference.frames)] if reference else []
