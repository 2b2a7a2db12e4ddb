"""Rich text as Discord writes it: nothing that people typed is ever markup, and nobody is called by accident."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from bot.language.rich_text import Span, Text, Timestamp

MAX_TEXT_LENGTH: Final = 4000
_ELLIPSIS: Final = "…"

_SPECIAL_CHARACTERS: Final = re.compile(
    r"([\\*_~`|<>\[\]])|(?<=:)(?=//)|(?<=\.gg)(?=/)|(?<=\.com)(?=/invite)", re.IGNORECASE
)
_LINE_START_PATTERN: Final = re.compile(r"^(\s*)([-#+]|\d+(?=[.)]))", re.MULTILINE)
_LINES_PATTERN: Final = re.compile(r"^(?=.)", re.MULTILINE)
_SUBTEXT: Final = "-# "
_TIMESTAMP_STYLES: Final = {"relative": "R", "day": "D", "time": "f"}
_MASS_MENTIONS: Final = re.compile(r"@(?=everyone|here)")


@dataclass(frozen=True, slots=True)
class Mentions:
    """What becomes a mention: the `people` who are to be called, and `commands`, with their ids on Discord."""

    people: Mapping[int, int] = field(default_factory=dict)
    commands: Mapping[str, int] = field(default_factory=dict)


NO_MENTIONS: Final = Mentions()


def markdown(text: Text, mentions: Mentions = NO_MENTIONS, most: int = MAX_TEXT_LENGTH) -> str:
    """Return rich text as Discord's markdown, at most so many characters."""
    written = _written(text, mentions)
    if len(written) <= most:
        return written
    # What is too long loses whole spans, then letters of the last one: a cut never opens or breaks markup.
    fitting: list[Span] = []
    for span in text:
        if len(_written((*fitting, span), mentions)) > most - len(_ELLIPSIS):
            low, high = 0, 0 if span.timestamp or span.command or span.link else len(span.text)
            while low < high:
                middle = (low + high + 1) // 2
                short = _escape_line_start(span, middle)
                fits = len(_written((*fitting, short), mentions)) <= most - len(_ELLIPSIS)
                low, high = (middle, high) if fits else (low, middle - 1)
            fitting.append(_escape_line_start(span, low))
            break
        fitting.append(span)
    return _written(tuple(fitting), mentions) + _ELLIPSIS


def _escape_line_start(span: Span, most: int) -> Span:
    """Return the first letters of a span in its style."""
    return Span(span.text[:most], span.bold, span.code, small=span.small)


def escape(text: str) -> str:
    """Return plain text so that Discord shows it as it is."""
    safe = _SPECIAL_CHARACTERS.sub(lambda match: f"\\{match[1] or ''}", text)
    # A number at the start of a line would become a list that Discord counts anew.
    safe = _LINE_START_PATTERN.sub(lambda match: f"{match[1]}{_escape_lists(match[2])}", safe)
    return _MASS_MENTIONS.sub("@\u200b", safe)


def _escape_lists(mark: str) -> str:
    return f"{mark}\\" if mark[0].isdigit() else f"\\{mark}"


def _written(text: Text, mentions: Mentions) -> str:
    parts = []
    for small, spans in groupby(text, key=lambda span: span.small):
        written = _marked(spans, mentions)
        # Subtext is a matter of whole lines.
        parts.append(_LINES_PATTERN.sub(_SUBTEXT, written) if small else written)
    return "".join(parts)


def _marked(text: Iterable[Span], mentions: Mentions) -> str:
    parts = []
    for bold, spans in groupby(text, key=lambda span: span.bold):
        inner = "".join(_runs(spans, mentions))
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


def _runs(spans: Iterator[Span], mentions: Mentions) -> Iterator[str]:
    for span in spans:
        if span.person is not None and span.person in mentions.people:
            yield f"<@{mentions.people[span.person]}>"
        elif span.timestamp is not None:
            yield _mention(span.timestamp)
        elif span.command is not None and span.command in mentions.commands:
            yield f"</{span.command}:{mentions.commands[span.command]}>"
        elif span.link is not None:
            yield f"[{escape(span.text)}]({span.link})"
        elif span.code and span.text.strip():
            yield f"`{span.text.replace('`', 'ˋ')}`"
        else:
            yield escape(span.text)


def _mention(timestamp: Timestamp) -> str:
    """Return a moment as each reader's Discord tells it, a day always with how far off it is."""
    at = int(timestamp.at.timestamp())
    mention = f"<t:{at}:{_TIMESTAMP_STYLES[timestamp.style]}>"
    return f"{mention} (<t:{at}:R>)" if timestamp.style == "day" else mention
