"""Web and mail addresses as people say them: the host, "example dot com", without the path.

``DOT`` and ``AT`` stand for the words until the language is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from desktop_tts.text.offsets import Mapped, Part

DOT, AT = "\ue000", "\ue001"
"""Private characters, which never come from the source: the first step removes them."""

_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_TLD = (
    "com|org|net|edu|gov|mil|int|info|biz|io|dev|app|ai|co|me|tv|eu|uk|us|ca|au|nz|de|at|ch|fr|es|it|pt|nl|be|se|no|dk"
    "|fi|pl|cz|ru|ua|jp|cn|kr|in|br|mx"
)
_MAIL = re.compile(
    r"(?:mailto:)?(?<![\w.+%@-])(?P<user>[\w+%-]{1,64}(?:\.[\w+%-]{1,64}){0,8})@"
    rf"(?P<host>(?:{_LABEL}\.){{1,8}}[^\W\d_]{{2,24}})(?![\w@])"
)
_WEB = re.compile(
    r"(?<![\w@.])(?:(?:https?|ftps?|file|ssh|git|wss?)://|www\.(?=[^\W_]))"
    r"(?P<rest>[^\s<>\"“”«»`|{}\\^\[\]]{1,4000})",
    re.I,
)
_BARE = re.compile(
    rf"(?<![\w@./:\\-])(?P<host>(?:{_LABEL}\.){{1,4}}(?:{_TLD}))"
    r"(?P<path>(?::\d{1,5})?(?:/[^\s<>\"“”«»`|{}\\^\[\]]{0,2000})?)(?![\w@-])",
    re.I,
)
_DATA = re.compile(r"\bdata:[a-z]{2,12}/[\w.+-]{1,40};base64,[\w+/=-]{1,8000}", re.I)
_TRAILING = ".,;:!?)'’*_~。，、"
_HOST = re.compile(r"(?:[^/?#@\s]{1,200}@)?(?P<host>[^/?#:\s]{1,253})")


def spoken_addresses(text: Mapped) -> Mapped:
    """The text with ``DOT`` and ``AT`` in its addresses and without what nobody would say of them."""
    if ":" in text.text:
        text = text.sub(_DATA, " ")
    if "://" in text.text or "www." in text.text.lower():
        text = text.sub(_WEB, _web)
    if "@" in text.text:
        text = text.sub(_MAIL, _mail)
    return text.sub(_BARE, _bare) if "." in text.text else text


def _dotted(text: str, start: int, end: int) -> Iterator[Part]:
    while start < end:
        dot = text.find(".", start, end)
        if dot < 0:
            yield (start, end)
            return
        if dot > start:
            yield (start, dot)
        yield f" {DOT} "
        start = dot + 1


def _mail(match: re.Match[str]) -> Iterator[Part]:
    yield from _dotted(match.string, *match.span("user"))
    yield f" {AT} "
    yield from _dotted(match.string, *match.span("host"))


def _web(match: re.Match[str]) -> Iterator[Part]:
    start, end = match.span("rest")
    end = start + len(match["rest"].rstrip(_TRAILING))
    host = _HOST.match(match.string, start, end)
    if host is None:  # "file:///home/..." and what isn't an address after all
        yield (start, match.end())
        return
    first, last = host.span("host")
    if match.string[first : first + 4].lower() == "www." and last > first + 4:
        first += 4
    yield from _dotted(match.string, first, last)
    if match.string[end : end + 1] == ")" and "(" in match["rest"]:  # https://en.wikipedia.org/wiki/Pi_(letter)
        end += 1
    yield (end, match.end())


def _bare(match: re.Match[str]) -> Iterator[Part]:
    host, path = match.span("host"), match.group("path")
    if match.group("host").lower().count(".") == 1 and not path and not _looks_like_host(match.group("host")):
        yield match.span()
        return
    yield from _dotted(match.string, *host)
    stripped = path.rstrip(_TRAILING)
    yield (host[1] + len(stripped), match.end())


def _looks_like_host(host: str) -> bool:
    """ "amazon.de" but not "end.In" of a text without a space after its full stop."""
    name, _, tld = host.rpartition(".")
    return tld.islower() and len(name) > 1
