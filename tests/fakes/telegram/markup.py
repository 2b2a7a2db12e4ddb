"""Reads the HTML that Telegram takes, as strictly as Telegram does."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final

from tests.fakes.telegram.schema import bad

SIMPLE: Final = {"b", "strong", "i", "em", "u", "s", "code", "pre", "tg-spoiler", "blockquote"}
_ENTITY: Final = re.compile(r"&(?!(?:lt|gt|amp|quot|#\d+|#x[0-9a-fA-F]+);)")
_MENTION: Final = re.compile(r"tg://user\?id=(\d+)")
_HANDLE: Final = re.compile(r"(?<![\w@])@([A-Za-z]\w{4,31})")


@dataclass
class Marked:
    """A text without its markup, and whom it calls."""

    text: str = ""
    called: list[int] = field(default_factory=list)
    handles: list[str] = field(default_factory=list)
    bold: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.made = Marked()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            target = dict(attrs).get("href") or ""
            found = _MENTION.fullmatch(target)
            if found is not None:
                self.made.called.append(int(found[1]))
            elif not target.startswith(("http://", "https://", "tg://")):
                raise bad("can't parse entities: a link that leads nowhere")
        elif tag not in SIMPLE or attrs:
            raise bad(f"can't parse entities: unsupported start tag {tag!r}")
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            raise bad(f"can't parse entities: unexpected end tag {tag!r}")

    def handle_data(self, data: str) -> None:
        self.made.text += data
        if "b" in self.open:
            self.made.bold.append(data)
        if "code" in self.open:
            self.made.code.append(data)
        else:
            self.made.handles += _HANDLE.findall(data)


def read_text(text: str, mode: str | None) -> Marked:
    """Return what a text says and whom it calls; ApiError if its markup is broken."""
    if mode is None:
        return Marked(text, handles=_HANDLE.findall(text))
    if mode != "HTML":
        raise bad(f"unsupported parse_mode {mode!r}")
    if _ENTITY.search(text) or re.search(r"<(?![a-z/])", text):
        raise bad("can't parse entities")
    reader = _Reader()
    reader.feed(text)
    reader.close()
    if reader.open:
        raise bad(f"can't parse entities: no end tag for {reader.open[-1]!r}")
    return reader.made
