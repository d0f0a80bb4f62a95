"""Marks within a line of Markdown: links, emphasis, code, and the inline HTML that goes with it.

Every rule looks at a mark and its neighbours only, not for the other one of a pair: a text is seen sentence by
sentence, so that a pair may be in two of them.
"""

from __future__ import annotations

import re

from desktop_tts.text.offsets import Mapped

_END = "\ue003"
"""Stands for the end of a link, between two rules."""

_LINK_END = re.compile(
    r"\]\(\s{0,4}<?[^\s()<>]{0,4000}(?:\([^\s()<>]{0,400}\)[^\s()<>]{0,400})?>?"
    r"(?:\s{1,4}(?:\"[^\"]{0,400}\"|'[^']{0,400}'))?\s{0,4}\)|\]\[\]"
)
_LINK_TEXT = re.compile(rf"!?\[([^\[\]{_END}]{{0,600}}){_END}")
_LINK_REST = re.compile(_END)
_FOOTNOTE = re.compile(r"\[\^[^\s\[\]]{1,40}\]:?")
_AUTOLINK = re.compile(r"<((?:https?|ftp|mailto):[^\s<>]{1,2000}|[^\s<>@]{1,64}@[^\s<>@]{1,250})>", re.I)

_STARS = re.compile(
    r"(?<![\w*\\])\*{1,3}(?=[^\s*])"  # opens
    r"|(?<=[^\s*\\])\*{1,3}(?![\w*])"  # closes
    r"|(?<=[^\W\d_])\*{2,3}(?=[^\W\d_])|(?<=[^\w\s*\\])\*{2,3}(?=\w)"
)
_UNDERLINES = re.compile(r"(?<![\w\\])_{1,3}(?=[^\s_])|(?<=[^\s_\\])_{1,3}(?!\w)")
_STRUCK = re.compile(r"~~(?=\S)|(?<=\S)~~|(?<![\w=])==(?=\w)|(?<=\w)==(?![\w=])")
_TICKS = re.compile(r"`+")
_ESCAPE = re.compile(r"\\(?=[\\`*_{}\[\]()#+.!|>~-])")
_HEADING_END = re.compile(r"\s#{1,6}\s*$")

_TAG = (
    "a|abbr|b|cite|code|del|details|div|em|font|h[1-6]|i|img|ins|kbd|li|mark|ol|p|pre|q|s|samp|small|span|strike"
    "|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|var"
)
_TAGS = re.compile(rf"(?<![`\w])<(?:{_TAG})(?:\s[^<>]{{0,600}})?/?>(?=[^\s`])|(?<=[^\s`])</(?:{_TAG})\s?>(?!`)", re.I)
_SURE_TAGS = re.compile(
    rf"<(?:{_TAG})\s[^<>=]{{0,40}}=[^<>]{{0,2000}}>|\A\s*</(?:{_TAG})\s?>",
    re.I,  # with attributes, or all there is
)
_BREAKS = re.compile(r"<br\s?/?>|<!--[^<>]{0,2000}-->", re.I)


def without_links(text: Mapped) -> Mapped:
    """Link and image texts without their targets, addresses without their brackets, no inline HTML."""
    found = text.text
    if "[" in found or "]" in found:
        text = text.sub(_FOOTNOTE, "").sub(_LINK_END, _END)
        for _ in range(3):  # an image in a link
            text = text.sub(_LINK_TEXT, lambda match: [match.span(1)])
        text = text.sub(_LINK_REST, "")
    if "<" in found:
        text = text.sub(_BREAKS, " ").sub(_AUTOLINK, lambda match: [match.span(1)])
        text = text.sub(_SURE_TAGS, "").sub(_SURE_TAGS, "").sub(_TAGS, "")
    return text


def without_emphasis(text: Mapped) -> Mapped:
    """Without stars, underlines and ticks. Only after addresses are gone, which have such characters of their own."""
    found = text.text
    if "`" in found:
        text = text.sub(_TICKS, "")
    if "*" in found:
        text = text.sub(_STARS, "")
    if "_" in found:
        text = text.sub(_UNDERLINES, "")
    if "~~" in found or "==" in found:
        text = text.sub(_STRUCK, "")
    if "\\" in found:
        text = text.sub(_ESCAPE, "")
    return text.sub(_HEADING_END, "") if "#" in found else text
