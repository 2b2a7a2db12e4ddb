"""Rich text as Telegram's HTML: nothing that people typed is ever markup, and nobody is mentioned by accident."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from html import escape
from itertools import groupby
from typing import Final

from telegram import LinkPreviewOptions

from bot.language.texts import Span, Text

NO_PREVIEW: Final = LinkPreviewOptions(is_disabled=True)
MAX_TEXT_LENGTH: Final = 4096
MAX_CAPTION_LENGTH: Final = 1024
_ELLIPSIS: Final = "…"
_ZERO_WIDTH_SPACE: Final = "\u200b"
_INERT_AT_SIGN: Final = f"@{_ZERO_WIDTH_SPACE}"
_TIMESTAMP_FORMATS: Final = {"relative": "r", "day": "D", "time": "Dt"}
"""Formats of timestamps, shown in each reader's time zone and language; older clients show the text."""
_HANDLE_PATTERN: Final = re.compile(r"[A-Za-z]\w{4,31}", re.ASCII)
_LINKED: Final = re.compile(r"(?<=:)(?=//)|(?<=\w\.)(?=[^\W\d_]{2})|(?<=[#$])(?=\w)|(?<=(?<![\w/])/)(?=\w)")
"""Pattern of texts that Telegram turns into links: an address with or without a scheme, a #tag, a $SIGN, a /command."""
_LINKED_NAME: Final = re.compile(rf"{_LINKED.pattern}|(?<=\S\.)(?=\S)|(?<=\d{3})(?=[ ()-]?\d\d)")
"""The same in names, where phone numbers and numeric addresses must not become links, either."""


def format_html(text: Text, called: Mapping[int, int] | None = None, most: int = MAX_TEXT_LENGTH) -> str:
    """Return rich text as HTML that shows at most `most` characters, counted in UTF-16 as Telegram does.

    `called` maps the people to mention to their ids on Telegram.
    """
    spans = shorten(_separate_mentions([_make_visible(span) for span in text]), most)
    left = dict(called or {})
    parts = []
    for small, run in groupby(spans, key=lambda span: span.small):
        inner = _add_tags(run, left)
        parts.append(f"<blockquote expandable>{inner}</blockquote>" if small and inner.strip() else inner)
    return "".join(parts)


def _add_tags(spans: Iterable[Span], left: dict[int, int]) -> str:
    written = []
    for bold, group in groupby(spans, key=lambda span: span.bold):
        inner = "".join(_render_span(span, left) for span in group)
        written.append(f"<b>{inner}</b>" if bold and inner.strip() else inner)
    return "".join(written)


def shorten(spans: list[Span], most: int) -> list[Span]:
    """Return spans of at most `most` characters in all, with an ellipsis if something is left out."""
    if sum(utf16_length(span.text) for span in spans) <= most:
        return spans
    fitting: list[Span] = []
    left = most - utf16_length(_ELLIPSIS)
    for span in spans:
        if utf16_length(span.text) > left:
            if not _is_mention(span):  # the beginning of a name may be another person's
                fitting.append(replace(span, text=truncate(span.text, left)))
            break
        fitting.append(span)
        left -= utf16_length(span.text)
    return [*fitting, Span(_ELLIPSIS)]


def truncate(text: str, most: int) -> str:
    """Return the beginning of a text, at most `most` UTF-16 units."""
    return text.encode("utf-16-le")[: 2 * most].decode("utf-16-le", "ignore")


def utf16_length(text: str) -> int:
    """Return the length of a text as Telegram counts it."""
    return len(text.encode("utf-16-le")) // 2


def _make_visible(span: Span) -> Span:
    """Return a span as it is shown: mostly as it is."""
    text = _visible_text(span)
    return span if text == span.text else replace(span, text=text)


def _visible_text(span: Span) -> str:
    if span.handle and _HANDLE_PATTERN.fullmatch(span.text):
        return f"@{span.text}"
    # Telegram mentions the owner of a name after an @, and adds links to what looks like one, except in code.
    if span.code and span.person is None:
        return span.text
    linked = _LINKED if span.person is None else _LINKED_NAME
    return linked.sub(_ZERO_WIDTH_SPACE, span.text.replace("@", _INERT_AT_SIGN)) if span.link is None else span.text


def _is_mention(span: Span) -> bool:
    """Return True if a span, as it is shown, is a name after an @."""
    return span.handle and _HANDLE_PATTERN.fullmatch(span.text, 1) is not None and span.text[0] == "@"


def _separate_mentions(spans: list[Span]) -> list[Span]:
    """Return spans with a separator after each mention, so that the next word does not extend the name."""
    made: list[Span] = []
    called = False
    for span in spans:
        goes_on = called and re.match(r"\w", span.text)
        made.append(replace(span, text=_ZERO_WIDTH_SPACE + span.text) if goes_on else span)
        called = _is_mention(span) if span.text else called
    return made


def _render_span(span: Span, left: dict[int, int]) -> str:
    """Return a span as HTML; people who are `left` to be mentioned are mentioned at their first name."""
    said = escape(span.text, quote=False)
    if span.timestamp is not None and not span.code:
        unix, form = int(span.timestamp.at.timestamp()), _TIMESTAMP_FORMATS[span.timestamp.style]
        return f'<tg-time unix="{unix}" format="{form}">{said}</tg-time>'
    if span.person is not None and span.person in left:
        return f'<a href="tg://user?id={left.pop(span.person)}">{said}</a>'
    if span.link is not None:
        return f'<a href="{escape(span.link)}">{said}</a>'
    return f"<code>{said}</code>" if span.code and said.strip() else said
