"""Rich text as Discord writes it: nothing that people typed is ever markup, and nobody is called by accident."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Final

from bot.language.rich_text import Span, Text

MOST_TEXT: Final = 4000
_ELLIPSIS: Final = "…"

_SPECIAL: Final = re.compile(r"([\\*_~`|<>\[\]])|(?<=:)(?=//)")
_LINE_START: Final = re.compile(r"^(\s*)([-#+]|\d+(?=[.)]))", re.MULTILINE)
_CALLS: Final = re.compile(r"@(?=everyone|here)")


def markdown(text: Text, called: Mapping[int, int] | None = None, most: int = MOST_TEXT) -> str:
    """Return rich text as Discord's markdown, at most so many characters.

    `called` maps the people who are to be called to their ids on Discord: they become mentions.
    """
    written = _written(text, called or {})
    if len(written) <= most:
        return written
    # What is too long loses whole spans, then letters of the last one: a cut never opens or breaks markup.
    kept: list[Span] = []
    for span in text:
        if len(_written((*kept, span), called or {})) > most - len(_ELLIPSIS):
            low, high = 0, len(span.text)
            while low < high:
                middle = (low + high + 1) // 2
                short = Span(span.text[:middle], span.bold, span.code)
                fits = len(_written((*kept, short), called or {})) <= most - len(_ELLIPSIS)
                low, high = (middle, high) if fits else (low, middle - 1)
            kept.append(Span(span.text[:low], span.bold, span.code))
            break
        kept.append(span)
    return _written(tuple(kept), called or {}) + _ELLIPSIS


def escaped(text: str) -> str:
    """Return plain text so that Discord shows it as it is."""
    safe = _SPECIAL.sub(lambda match: f"\\{match[1] or ''}", text)
    # A number at the start of a line would become a list that Discord counts anew.
    safe = _LINE_START.sub(lambda match: f"{match[1]}{_unlisted(match[2])}", safe)
    return _CALLS.sub("@\u200b", safe)


def _unlisted(mark: str) -> str:
    return f"{mark}\\" if mark[0].isdigit() else f"\\{mark}"


def _written(text: Text, called: Mapping[int, int]) -> str:
    parts = []
    for bold, spans in groupby(text, key=lambda span: span.bold):
        inner = "".join(_runs(spans, called))
        if not bold:
            parts.append(inner)
            continue
        # Stars beside a space are no markup: spaces go outside.
        bare = inner.strip()
        lead = inner[: len(inner) - len(inner.lstrip())]
        tail = inner[len(inner.rstrip()) :] if bare else ""
        parts.append(f"{lead}**{bare}**{tail}" if bare else inner)
    # Line starts are seen only in the whole.
    return "".join(parts)


def _runs(spans: Iterator[Span], called: Mapping[int, int]) -> Iterator[str]:
    for span in spans:
        if span.person is not None and span.person in called:
            yield f"<@{called[span.person]}>"
        elif span.code and span.text.strip():
            yield f"`{span.text.replace('`', 'ˋ')}`"
        else:
            yield escaped(span.text)
