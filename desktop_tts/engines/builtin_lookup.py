"""The built-in voice's word lists, held as packed bytes instead of a quarter of a million Python objects.

hibari reads its pronunciations and its tagger's weights as JSON into dictionaries: 0.2 s, 60 MB, and pauses of up to
0.14 s in every thread of the program, because the parser doesn't let others run. ``PackedObject`` finds a value by a
hash of its key in the same bytes and parses just that value.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_FACTOR = 1_099_511_628_211
_MASK = (1 << 64) - 1
_QUOTE, _COLON, _COMMA, _OPEN, _CLOSE = (ord(mark) for mark in '":,{}')
_REMEMBERED = 4096


class PackedObject:
    """A JSON object, ``{"key":value,...}`` without spaces, as a read-only mapping with ``get``.

    Values are strings, or objects of strings or numbers. Not for other JSON: keys and values that hold quotes, commas
    and braces next to each other would be taken for structure.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        starts, ends = _keys(np.frombuffer(data, np.uint8))
        hashes = _hashes(np.frombuffer(data, np.uint8), starts, ends)
        order = np.argsort(hashes)
        self._hashes = hashes[order]
        self._starts = starts[order].astype(np.int32)
        self._ends = ends[order].astype(np.int32)
        stops = np.append(starts[1:] - 2, len(data) - 1)  # where the value ends: before `,"` or the last `}`
        self._stops = stops[order].astype(np.int32)
        self.get = lru_cache(_REMEMBERED)(self._get)

    def __len__(self) -> int:
        return len(self._hashes)

    def keys(self) -> list[str]:
        """Every key, in no order."""
        found = zip(self._starts.tolist(), self._ends.tolist(), strict=True)
        return [json.loads(b'"' + self._data[start:end] + b'"') for start, end in found]

    def _get(self, key: str) -> Any:
        raw = json.dumps(key, ensure_ascii=False)[1:-1].encode("utf-8", "replace")
        wanted = 0
        for byte in raw:
            wanted = (wanted * _FACTOR + byte) & _MASK
        at = int(np.searchsorted(self._hashes, np.uint64(wanted)))
        while at < len(self._hashes) and int(self._hashes[at]) == wanted:
            end = int(self._ends[at])
            if self._data[int(self._starts[at]) : end] == raw:
                return json.loads(self._data[end + 2 : int(self._stops[at])])
            at += 1
        return None


def _keys(data: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each key of the outer object starts and ends, without its quotes."""
    depth = np.cumsum((data == _OPEN).astype(np.int8) - (data == _CLOSE).astype(np.int8), dtype=np.int8)
    outer = depth[1:-1] == 1
    ends_value = (data[:-2] == _QUOTE) | (data[:-2] == _CLOSE)
    starts = np.flatnonzero(ends_value & (data[1:-1] == _COMMA) & (data[2:] == _QUOTE) & outer) + 3
    ends = np.flatnonzero((data[:-1] == _QUOTE) & (data[1:] == _COLON) & (depth[:-1] == 1))
    return np.insert(starts, 0, 2), ends


def _hashes(data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.uint64]:
    lengths = ends - starts
    order = np.argsort(-lengths)
    sorted_starts, sorted_lengths = starts[order], lengths[order]
    hashes = np.zeros(len(starts), np.uint64)
    for place in range(int(sorted_lengths[0])):
        count = int(np.searchsorted(-sorted_lengths, -place))  # the keys longer than ``place`` come first
        hashes[:count] = hashes[:count] * np.uint64(_FACTOR) + data[sorted_starts[:count] + place]
    unsorted = np.empty_like(hashes)
    unsorted[order] = hashes
    return unsorted


def packed_file(file: Path) -> PackedObject:
    """A gzipped JSON object as it is."""
    return PackedObject(gzip.decompress(file.read_bytes()))


def packed_tagger(file: Path) -> Mapping[str, Any]:
    """The tagger's model, with its ``weights`` packed."""
    data = gzip.decompress(file.read_bytes())
    head, _, weights = data.partition(b',"weights":')
    model: dict[str, Any] = json.loads(head + b"}")
    return model | {"weights": PackedObject(weights[:-1])}
