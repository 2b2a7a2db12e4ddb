"""Rich text: runs of text in one style, for every platform to write in its own way."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text in one style; `person` is the id of the person it names, who is mentioned only if told so.

    A `handle` is the @name of somebody who is asked to join and not known yet: a platform may call them by it.
    """

    text: str
    bold: bool = False
    code: bool = False
    person: int | None = None
    handle: bool = False


Text = tuple[Span, ...]
"""Rich text: adapters escape every span for their platform, so nothing typed by people is ever markup."""


def plain(text: Text) -> str:
    """Return the text without its styles."""
    return "".join(span.text for span in text)
