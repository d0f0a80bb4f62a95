"""HTML source, when the text clearly is that, becomes the text that a browser would show.

Works on pieces as they come and holds back no more than an unfinished tag. Blocks become paragraphs, list items get a
bullet, table cells a bar: the marks that the later steps know.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import chain

from desktop_tts.text.offsets import EMPTY, Mapped
from desktop_tts.text.wordlists import word_set

_BLOCKS = word_set(
    "address article aside blockquote body br button caption dd details dialog div dl dt fieldset figcaption figure"
    " footer form h1 h2 h3 h4 h5 h6 header hr html legend main nav ol optgroup option p pre section summary table"
    " tbody tfoot thead title tr ul"
)
_CELLS = word_set("td th")
_HIDDEN = word_set("head iframe noscript object script style svg template textarea")
_INLINE = word_set(
    "a abbr b bdi bdo big cite code data del dfn em font i img input ins kbd label li link mark meta q s samp small"
    " span strike strong sub sup time tt u var wbr"
)
_KNOWN = _BLOCKS | _CELLS | _HIDDEN | _INLINE

LOOK = 4000
"""Characters within which a text that starts with a tag must close one to be taken for HTML."""
_LONGEST_TAG = 20_050

_DECLARED = re.compile(r"[\s\ufeff]*<(?:!doctype\s+html|html[\s>]|\?xml[\s>])", re.I)
_OPENS = re.compile(r"[\s\ufeff]*<(?:!--|([a-z][a-z0-9]{0,20})[\s/>])", re.I)
_MAY_OPEN = re.compile(r"[\s\ufeff]*(?:<(?:[a-z][a-z0-9]{0,20}|!.{0,24}|\?.{0,4})?)?\Z", re.I | re.S)
_CLOSED = re.compile(r"</([a-z][a-z0-9]{0,20})\s*>", re.I)
_TOKEN = re.compile(
    r"(?P<comment><!--)"
    r"|<(?P<close>/?)(?P<tag>[a-z][a-z0-9:-]{0,40})(?:[\s/][^<>]{0,20000})?>"
    r"|(?P<other><[!?/][^<>]{0,20000}>)"
    r"|(?P<entity>&(?:\#[0-9]{1,7}|\#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});)|(?P<line>[\n\t])",
    re.I,
)
_UNFINISHED = re.compile(r"(?:<(?:[a-z/!?][^<>]{0,20043})?|&[#a-z0-9]{0,33})\Z", re.I)


def without_html(pieces: Iterator[Mapped]) -> Iterator[Mapped]:
    """The pieces as they are, or what a browser would show of them if they're HTML."""
    start = EMPTY
    for piece in pieces:
        start += piece
        verdict = _is_html(start.text, whole=False)
        if verdict is not None:
            break
    else:
        verdict = _is_html(start.text, whole=True)
    everything = chain((start,), pieces)
    return _shown(everything) if verdict else everything


def _is_html(start: str, whole: bool) -> bool | None:
    """Whether a text that starts so is HTML; None when more of it is needed to say."""
    start = start[:LOOK]
    whole = whole or len(start) == LOOK
    if _DECLARED.match(start):
        return True
    opens = _OPENS.match(start)
    if opens is None:
        return None if _MAY_OPEN.match(start) and not whole else False
    if opens.group(1) and opens.group(1).lower() not in _KNOWN:
        return False
    if any(match.group(1).lower() in _KNOWN for match in _CLOSED.finditer(start)):
        return True
    return False if whole else None


def _shown(pieces: Iterator[Mapped]) -> Iterator[Mapped]:
    reader = _Reader()
    for piece in pieces:
        yield reader.read(piece, last=False)
    yield reader.read(EMPTY, last=True)


class _Reader:
    """Where in the HTML we are: within a comment or an element that isn't shown, within ``pre``."""

    def __init__(self) -> None:
        self._rest = EMPTY
        self._until = ""
        self._pre = False

    def read(self, piece: Mapped, last: bool) -> Mapped:
        text = self._rest + piece
        parts: list[Mapped] = []
        tail = None if last else _UNFINISHED.search(text.text, max(0, len(text) - _LONGEST_TAG))
        complete = tail.start() if tail else len(text)
        done = 0
        while True:
            if self._until:
                done, closed = self._skipped(text.text, done)
                if not closed:
                    break
            stop = complete if complete >= done else len(text)
            token = _TOKEN.search(text.text, done, stop)
            parts.append(text[done : token.start() if token else stop])
            done = token.end() if token else stop
            if token is None:
                break
            parts.append(text.said(self._spoken(token), token.start()))
        self._rest = text[done:]
        return Mapped.joined(parts)

    def _skipped(self, text: str, done: int) -> tuple[int, bool]:
        """Where the hidden part ends, and whether it does so far."""
        found = text.find("-->", done) if self._until == "-->" else _find_close(text, self._until, done)
        if found < 0:
            return max(done, len(text) - len(self._until) + 1), False
        end = found + 3 if self._until == "-->" else found
        self._until = ""
        return end, True

    def _spoken(self, token: re.Match[str]) -> str:
        if token["comment"]:
            self._until = "-->"
        if token["entity"]:
            return html.unescape(token[0])
        if token["line"]:
            return token[0] if self._pre else " "
        name = (token["tag"] or "").lower()
        if name == "pre":
            self._pre = not token["close"]
        if name in _HIDDEN and not token["close"] and not token[0].endswith("/>"):
            self._until = f"</{name}"
        if name == "li" and not token["close"]:
            return "\n\n• "
        if name in _CELLS and not token["close"]:
            return " | "
        return "\n\n" if name in _BLOCKS else ""


def _find_close(text: str, close: str, start: int) -> int:
    found = re.compile(re.escape(close), re.I).search(text, start)
    return found.start() if found else -1
