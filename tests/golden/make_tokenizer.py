"""Train the tiny byte-level vocabulary that all tiny models share. Writes ``data/tokenizer/{vocab.json,merges.txt}``.

Run again only to change the vocabulary: every golden file depends on it.
"""

import json

from tiny_model import TOKENIZER
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
ROLES = ["assistant", "user", "assistant\n", "user\n"]
CORPUS = [
    "The lighthouse keeper counted the ships at dawn. How many were there? Nobody knew; it's a long story.",
    "A warm, friendly voice reads the morning news slowly, and then the weather, the sports and the music.",
    "Der Zug nach Bremen fährt um acht Uhr ab. Le vent souffle fort sur la côte. El río baja muy lento.",
    "今天下午我们去公园散步，天气很好。你想一起来吗？",
]


def main() -> None:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=256 + 140, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(ROLES * 50 + CORPUS * 3, trainer)
    model = json.loads(tokenizer.to_str())["model"]
    pairs = [pair if isinstance(pair, str) else " ".join(pair) for pair in model["merges"]]
    assert {"assistant", "user"} <= set(model["vocab"])
    TOKENIZER.mkdir(parents=True, exist_ok=True)
    (TOKENIZER / "vocab.json").write_text(json.dumps(model["vocab"], ensure_ascii=False), "utf-8")
    (TOKENIZER / "merges.txt").write_text("\n".join(["#version: 0.2", *pairs]) + "\n", "utf-8")


if __name__ == "__main__":
    main()
