"""A cloned voice: made from reference audio once, kept in a file, used for any number of texts.

The file is safetensors with metadata, never pickle, readable by its owner only. It belongs to the model it was made
with: an x-vector means nothing to another one.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from desktop_tts.errors import EngineError
from desktop_tts.qwen3tts.checkpoint import Checkpoint
from desktop_tts.qwen3tts.codec.encoder import CodecEncoder
from desktop_tts.qwen3tts.reference_audio import ReferenceAudio
from desktop_tts.qwen3tts.speaker_encoder import SpeakerEncoder

SCHEMA = 1
_KIND = "qwen3-tts voice prompt"
_AGAIN = "Clone the voice again."
_SIZE_LIMIT = 64 << 20
_CODES = 16
"""Per frame."""


class VoicePromptError(EngineError):
    """A saved voice can't be used: missing, damaged, or of another model."""


@dataclass(slots=True, eq=False)
class VoiceClonePromptItem:
    """What the model needs to know of a voice; the same fields as upstream's."""

    ref_code: Tensor | None
    """``[F, 16] int64``; None with an x-vector only."""
    ref_spk_embedding: Tensor
    """The x-vector, ``[enc_dim] float32``."""
    x_vector_only_mode: bool
    icl_mode: bool
    """The opposite of ``x_vector_only_mode``: the reference is spoken on from, so its text is needed."""
    ref_text: str | None = None


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """Which model a voice belongs to."""

    name: str
    """For people: ``"Qwen3-TTS 0.6B Base"``."""
    fingerprint: str
    """Of weights that shape a voice; equal for copies of one model wherever they lie."""
    enc_dim: int
    codebook_size: int


def model_identity(checkpoint: Checkpoint) -> ModelIdentity:
    """Read from a base model's files; raises ``VoicePromptError`` for others, as they have no speaker encoder."""
    config = checkpoint.config
    if config.speaker_encoder is None:
        raise VoicePromptError("This model can't clone voices.", "Choose a Base model.")
    tensors, codec = checkpoint.tensors(), checkpoint.codec_tensors()
    digest = hashlib.sha256(f"{config.tts_model_type} {config.tts_model_size}".encode())
    for source, name in (
        (tensors, "speaker_encoder.fc.weight"),
        (tensors, "speaker_encoder.fc.bias"),
        (tensors, "talker.model.norm.weight"),
        (codec, "encoder.downsample.conv.weight"),
    ):
        digest.update(source.mapped(name, source.shape(name)).contiguous().view(torch.uint8).numpy().tobytes())
    size = {"0b6": "0.6B", "1b7": "1.7B"}.get(config.tts_model_size, config.tts_model_size)
    return ModelIdentity(
        name=f"Qwen3-TTS {size} Base",
        fingerprint=digest.hexdigest()[:32],
        enc_dim=config.speaker_encoder.enc_dim,
        codebook_size=checkpoint.codec.decoder.codebook_size,
    )


def clone_voice(
    audio: ReferenceAudio,
    ref_text: str | None,
    speaker_encoder: SpeakerEncoder,
    codec_encoder: CodecEncoder,
    *,
    x_vector_only: bool = False,
    silence_s: float = 0.0,
) -> VoiceClonePromptItem:
    """Listen to a reference. ``silence_s`` of silence follow it in the codes (see ``ICL_SILENCE_S``)."""
    if not x_vector_only and not ref_text:
        raise ValueError("ref_text is required unless x_vector_only_mode is True.")
    device = codec_encoder.downsample.device
    vector = speaker_encoder.x_vector(torch.from_numpy(audio.samples).to(device))
    codes = None
    if not x_vector_only:
        codes = codec_encoder.encode(torch.from_numpy(audio.with_silence(silence_s)).to(device))
    return VoiceClonePromptItem(codes, vector, x_vector_only, not x_vector_only, ref_text)


def save_prompt(path: Path, item: VoiceClonePromptItem, model: ModelIdentity) -> None:
    """Write a voice; the file is whole or as it was before. Raises ``OSError`` if the disk refuses."""
    content = packed_prompt(item, model)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise


def packed_prompt(item: VoiceClonePromptItem, model: ModelIdentity) -> bytes:
    """What stands in a voice's file."""
    tensors = {"x_vector": item.ref_spk_embedding.detach().float().cpu().contiguous()}
    if item.ref_code is not None:
        tensors["codes"] = item.ref_code.detach().to(torch.int16).cpu().contiguous()
    metadata = {
        "kind": _KIND, "schema": str(SCHEMA), "model": model.name, "fingerprint": model.fingerprint,
        "enc_dim": str(model.enc_dim), "x_vector_only": str(item.x_vector_only_mode).lower(),
    }  # fmt: skip
    if item.ref_text is not None:
        metadata["ref_text"] = item.ref_text
    return save(tensors, metadata)


def load_prompt(path: Path, model: ModelIdentity) -> VoiceClonePromptItem:
    """Read a voice for ``model``. Raises ``VoicePromptError`` with a sentence for the user."""
    metadata, tensors = _read(path)
    if metadata.get("kind") != _KIND:
        raise VoicePromptError(f"{path.name} isn't a saved voice.", "Choose another file.")
    if metadata.get("schema") != str(SCHEMA):
        raise VoicePromptError(f"{path.name} was made by another version of this program.", _AGAIN)
    if metadata.get("fingerprint") != model.fingerprint:
        made_with = metadata.get("model", "another model")
        other = made_with if made_with != model.name else f"another {made_with}"
        raise VoicePromptError(
            f"This voice was made with {other} and doesn't work with {model.name}.", "Clone it again with this model."
        )
    vector, codes = tensors.get("x_vector"), tensors.get("codes")
    x_vector_only = metadata.get("x_vector_only") == "true"
    if vector is None or vector.shape != (model.enc_dim,) or not torch.isfinite(vector).all():
        raise _damaged(path)
    if x_vector_only:
        return VoiceClonePromptItem(None, vector.float(), True, False, metadata.get("ref_text"))
    if codes is None or codes.dtype != torch.int16 or codes.shape[1:] != (_CODES,) or not len(codes):
        raise _damaged(path)
    if not metadata.get("ref_text") or codes.min() < 0 or codes.max() >= model.codebook_size:
        raise _damaged(path)
    return VoiceClonePromptItem(codes.long(), vector.float(), False, True, metadata["ref_text"])


def _read(path: Path) -> tuple[dict[str, str], dict[str, Tensor]]:
    try:
        if path.stat().st_size > _SIZE_LIMIT:
            raise _damaged(path)
        with safe_open(path, framework="pt") as file:
            names = file.keys()
            return dict(file.metadata() or {}), {name: file.get_tensor(name).clone() for name in names}
    except FileNotFoundError:
        raise VoicePromptError(f"The saved voice {path.name} is missing.", _AGAIN) from None
    except (SafetensorError, OSError) as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> VoicePromptError:
    return VoicePromptError(f"The saved voice {path.name} is damaged.", _AGAIN)
