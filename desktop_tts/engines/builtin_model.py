"""hibari's parts put together for a program that stays open: word times, little memory, short loading.

hibari-tts is pinned to one version, because this reaches below its public class. Importing this module loads numpy
only; ``load_model`` loads the rest. Nothing here reads settings or knows of engines.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

import numpy as np

from desktop_tts.engines.builtin_lookup import packed_file, packed_tagger
from desktop_tts.speech import Pcm

RATE = 24_000
LONGEST_PHONEMES = 300
_STEP_S = 0.025  # the model's durations count in these
_DURATIONS = "/Clip_output_0"
_MARKS = frozenset(",;:.!?—…)")


@dataclass(frozen=True, slots=True, eq=False)
class Sound:
    """``times[i]`` is when token i starts and ends, in seconds; None for one without a sound."""

    pcm: Pcm
    times: tuple[tuple[float, float] | None, ...]


@dataclass(frozen=True, slots=True)
class Token:
    """A word or mark of the text as it is read, its phonemes, and whether a space follows."""

    text: str
    phonemes: str
    space: bool

    @property
    def speaks(self) -> bool:
        return any(map(str.isalpha, self.phonemes))


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A loaded voice. May be used from one thread at a time."""

    session: Any
    phoneme_ids: dict[str, int]
    g2p: Any
    normalize: Callable[[str], str]
    synth: Callable[..., Pcm]

    def knows(self, word: str) -> bool:
        """Whether the word is in the pronunciation list."""
        lexicon = self.g2p.lexicon
        return any(form in words for form in (word, word.lower()) for words in (lexicon.golds, lexicon.silvers))

    def tokens(self, text: str) -> list[Token]:
        found = self.g2p.phonemize_tokens(self.g2p.tokenize(self.normalize(text)))
        return [
            Token(t.text, "".join(c for c in t.phonemes or "" if c in self.phoneme_ids), bool(t.whitespace))
            for t in found
        ]

    def speak(self, tokens: list[Token], seed: int) -> Sound:
        """The sound of the tokens, silence at both ends included. Equal seeds give equal samples."""
        phonemes, owners = "", list[int]()
        for number, token in enumerate(tokens):
            text = token.phonemes + " " * token.space
            phonemes += text
            owners += [number] * len(text)
        ids = np.array([[0, *(self.phoneme_ids[char] for char in phonemes), 0]], np.int64)
        *spectrum, durations = self.session.run(None, {"ids": ids, "speed": np.ones(1, np.float32)})
        pcm = self.synth(*(part[0] for part in spectrum), np.random.default_rng(seed))
        edges = np.concatenate([[0.0], np.cumsum(durations.ravel() * _STEP_S)])
        times: list[tuple[float, float] | None] = [None] * len(tokens)
        for at, (phoneme, owner) in enumerate(zip(phonemes, owners, strict=True)):
            if phoneme.isalpha():  # the marks among the phonemes are pauses
                known = times[owner]
                times[owner] = (known[0] if known else float(edges[at + 1]), float(edges[at + 2]))
        return Sound(pcm, tuple(times))


def groups(tokens: list[Token]) -> list[tuple[int, int]]:
    """Ranges of tokens that the model takes at once, cut after a mark if one is near, else between any two."""
    found: list[tuple[int, int]] = []
    start = size = 0
    for at, token in enumerate(tokens):
        length = len(token.phonemes) + 1
        if at > start and size + length > LONGEST_PHONEMES:
            marks = (cut for cut in range(at, start + (at - start) // 3, -1) if tokens[cut - 1].text[-1:] in _MARKS)
            cut = next(marks, at)
            found.append((start, cut))
            start, size = cut, sum(len(kept.phonemes) + 1 for kept in tokens[cut:at])
        size += length
    return [*found, (start, len(tokens))]


def installed() -> bool:
    """Whether the parts are there, without loading them."""
    return all(importlib.util.find_spec(name) for name in ("hibari", "onnxruntime"))


def load_model(progress: Callable[[float], None] = lambda fraction: None) -> Model:
    """Load the voice "heart". Takes a few tenths of a second; raises whatever its parts raise."""
    import onnxruntime

    progress(0.2)
    with _without_scipy():
        from hibari import dsp, voices
        from hibari.g2p import ASSETS, G2P, Lexicon, Tagger, Tokenizer
        from hibari.g2p.normalize import normalize

    assets = Path(ASSETS)
    session = _session(onnxruntime, Path(voices.voice_path("heart", download_missing=False)))
    progress(0.5)

    class PackedG2P(G2P):  # type: ignore[misc]
        """As hibari's own, but for how the word lists are held."""

        def __init__(self) -> None:
            gold, silver = (packed_file(assets / f"lexicon_us_{name}.json.gz") for name in ("gold", "silver"))
            self.lexicon = Lexicon(gold, silver)
            self.tokenizer = Tokenizer(json.loads((assets / "tokenizer_exceptions.json").read_text("utf-8")))
            self.tagger = Tagger(packed_tagger(assets / "tagger.json.gz"))
            self.british, self.unk, self._oov = False, "", None

    g2p = PackedG2P()
    progress(0.9)
    phoneme_ids = json.loads((assets / "vocab.json").read_text("utf-8"))
    model = Model(session, phoneme_ids, g2p, normalize, dsp.synth)
    model.speak(model.tokens("Ready."), 0)  # the first run is slower
    progress(1.0)
    return model


def _session(onnxruntime: Any, file: Path) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # two are slower: the parts are small
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False  # the arena would keep 50 MB for the longest text
    options.log_severity_level = 3
    # A protobuf message grows by appending: graph (field 7) gets one more output (12), of its hidden durations.
    output = _field(1, _DURATIONS.encode()) + _field(2, _field(1, b"\x08\x01"))
    model = file.read_bytes() + _field(7, _field(12, output))
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _field(number: int, content: bytes) -> bytes:
    assert len(content) < 128  # so that its length is one byte
    return bytes([number << 3 | 2, len(content)]) + content


@contextmanager
def _without_scipy() -> Iterator[None]:
    """hibari uses scipy where it is installed, which takes 0.2 s and 20 MB to load and gains nothing over numpy 2."""
    me = threading.get_ident()

    class Refuse(MetaPathFinder):
        def find_spec(self, name: str, path: object = None, target: object = None) -> None:
            if name.partition(".")[0] == "scipy" and threading.get_ident() == me:
                raise ModuleNotFoundError(name)

    refuse = Refuse()
    sys.meta_path.insert(0, refuse)
    try:
        yield
    finally:
        sys.meta_path.remove(refuse)
