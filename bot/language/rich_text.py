"""Rich text: runs of text in one style, for every platform to write in its own way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

TimestampStyle = Literal["relative", "day", "time"]
"""How a timestamp is told: how long ago or how far off it is, its day, or its day and time."""


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A point in time (`at` knows its zone), for a platform to tell as its reader's clock and language have it."""

    at: datetime
    style: TimestampStyle


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text in one style; `person` is the id of the person it names, who is mentioned only if told so.

    A `handle` is the @name of somebody who is asked to join and not known yet: a platform may call them by it.
    A `timestamp` is what the text tells, a `command` the name of the one that it shows with its slash, a `link` the
    address that it leads to: a platform that has a way of its own for such a thing writes that, any other the text.
    What is `small` is only for those who want to know: platforms write it small, or folded.
    What is `pinned` stays in sight where the rest may scroll: what is asked, whose turn it is, who has won.
    """

    text: str
    bold: bool = False
    code: bool = False
    person: int | None = None
    handle: bool = False
    timestamp: Timestamp | None = None
    command: str | None = None
    link: str | None = None
    small: bool = False
    pinned: bool = False


Text = tuple[Span, ...]
"""Rich text: adapters escape every span for their platform, so nothing typed by people is ever markup."""


def plain(text: Text) -> str:
    """Return the text without its styles."""
    return "".join(span.text for span in text)


def small(text: Text) -> Text:
    """Return a text in small print."""
    return tuple(replace(span, small=True) for span in text)


def pinned(text: Text) -> Text:
    """Return a text that stays in sight."""
    return tuple(replace(span, pinned=True) for span in text)


def command(name: str) -> Span:
    """Return a command of ours as texts show it."""
    return Span(f"/{name}", code=True, command=name)
