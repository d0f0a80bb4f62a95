"""The text tokenizer: Qwen2's byte-level BPE over the files of a model directory.

It knows no special tokens, so that nothing in a text can pass for one; the ids that surround a text are put there by
``prompt``. The split rule is always Qwen2's own: some loaders put another in its place for models in a local folder.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from functools import cached_property
from pathlib import Path

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from desktop_tts.qwen3tts.config import ModelConfig
from desktop_tts.qwen3tts.errors import CheckpointError
from desktop_tts.qwen3tts.prompt import TextIds

_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_AGAIN = "Download the model again."


class TextTokenizer:
    """Text to ids. Immutable; any thread."""

    def __init__(self, vocabulary: Path, merges: Path) -> None:
        try:
            self._model = models.BPE.from_file(str(vocabulary), str(merges))
        except Exception as error:  # tokenizers raises plain Exception
            raise CheckpointError(f"The model's {vocabulary.name} or {merges.name} can't be read.", _AGAIN) from error
        self._tokenizer = Tokenizer(self._model)
        self._tokenizer.normalizer = self._normalizer = normalizers.NFC()
        self._tokenizer.pre_tokenizer = self._splitter = pre_tokenizers.Sequence([
            pre_tokenizers.Split(Regex(_SPLIT), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ])  # fmt: skip

    def encode(self, text: str) -> list[int]:
        """Ids of a text on its own."""
        ids: list[int] = self._tokenizer.encode(repair(text)).ids
        return ids

    def normalize(self, text: str) -> str:
        """NFC."""
        normal: str = self._normalizer.normalize_str(text)
        return normal

    def split(self, text: str) -> list[tuple[str, tuple[int, int]]]:
        """A normal text's words as the rule splits them: their bytes, one letter each, and their place in the text."""
        words: list[tuple[str, tuple[int, int]]] = self._splitter.pre_tokenize_str(text)
        return words

    def merge(self, word: str) -> list[tuple[int, int]]:
        """The tokens of one of ``split``'s words, or of a part of one: each one's id and number of bytes."""
        return [(token.id, len(token.value)) for token in self._model.tokenize(word)]

    def begins_token(self, letters: str) -> bool:
        """Whether some token is longer than ``letters`` and begins with them."""
        place = bisect_right(self._sorted_tokens, letters)
        return place < len(self._sorted_tokens) and self._sorted_tokens[place].startswith(letters)

    @cached_property
    def longest(self) -> int:
        """Bytes of the longest token."""
        return max(map(len, self._sorted_tokens))

    @cached_property
    def _sorted_tokens(self) -> list[str]:
        return sorted(self._tokenizer.get_vocab(with_added_tokens=False))


def load_tokenizer(path: Path, config: ModelConfig) -> TextTokenizer:
    """From a model directory; checks that the ids in ``config`` are those of the tokens that they claim to be."""
    for name in ("vocab.json", "merges.txt", "tokenizer_config.json"):
        if not (path / name).is_file():
            raise CheckpointError(f"The model has no {name}.", _AGAIN)
    tokenizer = TextTokenizer(path / "vocab.json", path / "merges.txt")
    try:
        added = json.loads((path / "tokenizer_config.json").read_text(encoding="utf-8"))["added_tokens_decoder"]
        named = {int(number): str(token["content"]) for number, token in added.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointError("The model's tokenizer_config.json can't be read.", _AGAIN) from error
    expected = {
        "<|im_start|>": config.im_start_token_id,
        "<|im_end|>": config.im_end_token_id,
        "<tts_pad>": config.tts_pad_token_id,
        "<tts_text_bos>": config.tts_bos_token_id,
        "<tts_text_eod>": config.tts_eos_token_id,
    }
    for token, number in expected.items():
        if named.get(number) != token:
            raise CheckpointError(f"The model's config.json and tokenizer_config.json disagree on the id of {token}.")
    if tokenizer.encode("assistant") != [config.assistant_token_id]:
        raise CheckpointError("The model's config.json and vocab.json disagree on the id of assistant.")
    return tokenizer


def text_ids(tokenizer: TextTokenizer, config: ModelConfig, instruct: str = "") -> TextIds:
    """The ids around a text: its role and, if there's one, the instruct before it."""
    line = tokenizer.encode("\n")
    role = (config.im_start_token_id, config.assistant_token_id, *line)
    body = tokenizer.encode(instruct.lstrip())
    if not body:
        return TextIds(role, ())
    user = (config.im_start_token_id, *tokenizer.encode("user"), *line)
    return TextIds(role, (*user, *body, config.im_end_token_id, *line))


def repair(text: str) -> str:
    """Lone surrogates, which have no bytes, become U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
