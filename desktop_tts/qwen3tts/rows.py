"""From the ids of a prompt to the vectors that the talker is shown."""

from __future__ import annotations

import torch
from torch import Tensor

from desktop_tts.qwen3tts.code_predictor import CodePredictor
from desktop_tts.qwen3tts.prompt import Frame, Row, Speaker
from desktop_tts.qwen3tts.talker import Talker


def frame_rows(talker: Talker, predictor: CodePredictor, codes: Tensor) -> Tensor:
    """The summed embeddings of the codes ``[N, 16]`` of some frames, ``[N, H]``."""
    return talker.codec_rows(codes[:, 0]) + predictor.embed(codes[:, 1:])


def prompt_rows(
    talker: Talker,
    predictor: CodePredictor,
    rows: tuple[Row, ...],
    x_vector: Tensor | None = None,
    reference_codes: Tensor | None = None,
) -> Tensor:
    """``[rows, H]``. ``x_vector`` is ``[H]``, ``reference_codes`` ``[frames, 16]``; needed where ``rows`` name them."""
    distinct = sorted({row.text for row in rows})  # PAD stands in many rows and is projected once
    place = {text: number for number, text in enumerate(distinct)}
    result = talker.text_rows(distinct)[[place[row.text] for row in rows]]
    ids = [(at, row.codec) for at, row in enumerate(rows) if isinstance(row.codec, int)]
    frames = [(at, row.codec.number) for at, row in enumerate(rows) if isinstance(row.codec, Frame)]
    at, codes = zip(*ids, strict=True)
    result[list(at)] += talker.codec_rows(torch.tensor(codes, device=talker.device))
    if frames:
        assert reference_codes is not None
        at, numbers = zip(*frames, strict=True)
        chosen = reference_codes.to(talker.device)[list(numbers)]
        result[list(at)] += frame_rows(talker, predictor, chosen)
    for number, row in enumerate(rows):
        if row.codec is Speaker.X_VECTOR:
            assert x_vector is not None
            result[number] += x_vector.to(result)
    return result
