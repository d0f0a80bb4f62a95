"""The text of a piece of HTML, for programs that copy nothing else."""

from __future__ import annotations

import codecs
import re
from html.parser import HTMLParser

_SILENT = frozenset(("script", "style", "head", "title", "template", "noscript", "svg", "math"))
_BLOCK_NAMES = """
address article aside blockquote br caption dd div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li
main nav ol p pre section table td th tr ul
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._silent += tag in _SILENT
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._silent = max(self._silent - (tag in _SILENT), 0)
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.parts.append(re.sub(r"\s+", " ", data))


def text_of_html(content: bytes) -> str:
    """Plain text with a line for each block. UTF-8 unless a byte order mark says UTF-16."""
    marked = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    parser = _Text()
    parser.feed(content.decode("utf-16" if marked else "utf-8", "replace").replace("\0", ""))
    parser.close()
    lines = (line.strip() for line in "".join(parser.parts).split("\n"))
    return "\n".join(line for line in lines if line)
