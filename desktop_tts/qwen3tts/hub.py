"""From a model's name to its directory: a folder, or a repository on Hugging Face that is downloaded when needed."""

from __future__ import annotations

from pathlib import Path

from desktop_tts.qwen3tts.errors import CheckpointError

_FILES = (
    "config.json", "generation_config.json", "vocab.json", "merges.txt", "tokenizer_config.json", "model.safetensors",
    "speech_tokenizer/config.json", "speech_tokenizer/model.safetensors",
)  # fmt: skip


def find_model(name: str | Path, revision: str | None = None) -> Path:
    """``name`` is a directory or, as in upstream's examples, ``"Qwen/..."``. A complete copy in the Hugging Face cache
    is used without a connection. Raises ``CheckpointError``."""
    path = Path(name).expanduser()
    if path.exists() or str(name).count("/") != 1 or path.is_absolute():
        return path
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        found = Path(snapshot_download(str(name), revision=revision, local_files_only=True))
        if all((found / file).exists() for file in _FILES):
            return found
    except (LocalEntryNotFoundError, HFValidationError):
        pass
    try:
        return Path(snapshot_download(str(name), revision=revision, allow_patterns=list(_FILES)))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        raise CheckpointError(
            f"There's no folder {name} here, and no such model can be had from Hugging Face.",
            "Check the name and the connection.",
        ) from error
