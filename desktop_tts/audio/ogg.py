"""Ogg files that are the same each time: the stream's number, drawn at random by the encoder, is replaced."""

from __future__ import annotations

import zlib
from pathlib import Path

SERIAL = b"dtts"

_MIRRORED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def set_serial(path: Path) -> None:
    """Give every page ``SERIAL``, and the checksum that goes with it. The file holds one stream."""
    with open(path, "r+b") as file:
        while len(header := file.read(27)) == 27 and header[:4] == b"OggS":
            lengths = file.read(header[26])
            body = file.read(sum(lengths))
            page = bytearray(header + lengths + body)
            page[14:18] = SERIAL
            page[22:26] = bytes(4)
            page[22:26] = checksum(page).to_bytes(4, "little")
            file.seek(-len(page), 1)
            file.write(page)


def checksum(page: bytes | bytearray) -> int:
    """Ogg's CRC: zlib's polynomial with the bits in the other order, starting from and ending with 0."""
    mirrored = zlib.crc32(page.translate(_MIRRORED), 0xFFFFFFFF) ^ 0xFFFFFFFF
    return int.from_bytes(mirrored.to_bytes(4, "little").translate(_MIRRORED), "big")
