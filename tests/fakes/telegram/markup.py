"""Reads the HTML and checks the keyboards that Telegram takes, as strictly as Telegram does."""

import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final

from tests.fakes.platform import refuse_if
from tests.fakes.telegram.schema import Json, bad_request

MAX_TEXT_CHARACTERS: Final = 4096
MAX_CAPTION_CHARACTERS: Final = 1024
MAX_BUTTONS_PER_ROW: Final = 8
MAX_BUTTONS: Final = 100
MAX_MARKUP_BYTES: Final = 10_000
"""So many bytes a keyboard may have as JSON; not documented, but measured."""
ACTIONS: Final = (
    "url", "callback_data", "web_app", "login_url", "switch_inline_query", "switch_inline_query_current_chat",
    "switch_inline_query_chosen_chat", "copy_text", "callback_game", "pay",
)  # fmt: skip
SIMPLE: Final = {"b", "strong", "i", "em", "u", "s", "code", "pre", "tg-spoiler", "blockquote"}
EXPANDABLE: Final = ("blockquote", [("expandable", None)])
_ENTITY: Final = re.compile(r"&(?!(?:lt|gt|amp|quot|#\d+|#x[0-9a-fA-F]+);)")
_FORMAT: Final = re.compile(r"r|w?[dD]?[tT]?")
_MENTION: Final = re.compile(r"tg://user\?id=(\d+)")
_LIVE: Final = re.compile(
    r"\w[\w+.-]*://\S+|(?<![\w.@])(?:[\w-]+\.)+[^\W\d_]{2,}|(?<!\w)[#$][^\W\d_]\w*|(?<![\w/])/[A-Za-z]\w*"
)
"""What becomes a link by itself: addresses, also without a scheme, tags, signs of shares, commands."""
_HANDLE: Final = re.compile(r"(?<![\w@])@([A-Za-z]\w{4,31})")


@dataclass
class Marked:
    """A text without its markup, and whom it calls."""

    text: str = ""
    called: list[int] = field(default_factory=list)
    handles: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    bold: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    folded: list[str] = field(default_factory=list)
    """Block quotations that are shown in full only when pressed: `expandable`, as the API writes their start."""
    times: list[tuple[int, str, str]] = field(default_factory=list)
    """Moments that each reader's own program tells: seconds since 1970, their format, what older programs show."""
    looked_at: str = ""
    """The text in which Telegram looks for links: neither code nor what is one already."""

    @property
    def live(self) -> list[str]:
        """What becomes a link though nobody has made it one."""
        return _LIVE.findall(self.looked_at)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.made = Marked()
        self.open: list[str] = []
        self.time: tuple[int, str] | None = None
        self.folds = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            target = dict(attrs).get("href") or ""
            found = _MENTION.fullmatch(target)
            if found is not None:
                self.made.called.append(int(found[1]))
            elif not target.startswith(("http://", "https://", "tg://")):
                raise bad_request("can't parse entities: a link that leads nowhere")
            else:
                self.made.links.append(target)
        elif tag == "tg-time":
            given = dict(attrs)
            unix, form = given.get("unix") or "", given.get("format") or ""
            refuse_if(
                not unix.isdecimal() or not _FORMAT.fullmatch(form) or set(given) - {"unix", "format"},
                bad_request("can't parse entities: a time that is none"),
            )
            refuse_if(
                "code" in self.open or "pre" in self.open or "a" in self.open,
                bad_request("can't parse entities: a time within another entity"),
            )
            self.time = (int(unix), form)
        elif tag == "blockquote" and "blockquote" in self.open:
            raise bad_request("can't parse entities: a quotation within another")
        elif tag not in SIMPLE or (attrs and (tag, attrs) != EXPANDABLE):
            raise bad_request(f"can't parse entities: unsupported start tag {tag!r}")
        self.folds = self.folds or (tag, attrs) == EXPANDABLE
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        refuse_if(
            not self.open or self.open.pop() != tag, bad_request(f"can't parse entities: unexpected end tag {tag!r}")
        )
        if tag == "tg-time":
            self.time = None
        if tag == "blockquote":
            self.folds = False

    def handle_data(self, data: str) -> None:
        self.made.text += data
        if self.folds:
            self.made.folded.append(data)
        if self.time is not None:
            self.made.times.append((*self.time, data))
        if "b" in self.open:
            self.made.bold.append(data)
        if "code" in self.open:
            self.made.code.append(data)
            self.made.looked_at += " "
        else:
            self.made.looked_at += " " if "a" in self.open else data
            self.made.handles += _HANDLE.findall(data)


def read_text(text: str, mode: str | None) -> Marked:
    """Return what a text says and whom it calls; ApiError if its markup is broken."""
    if mode is None:
        return Marked(text, handles=_HANDLE.findall(text), looked_at=text)
    refuse_if(mode != "HTML", bad_request(f"unsupported parse_mode {mode!r}"))
    refuse_if(_ENTITY.search(text) or re.search(r"<(?![a-z/])", text), bad_request("can't parse entities"))
    reader = _Reader()
    reader.feed(text)
    reader.close()
    if reader.open:
        raise bad_request(f"can't parse entities: no end tag for {reader.open[-1]!r}")
    return reader.made


def read_marked(given: Json, name: str, most: int, least: int = 0) -> Marked:
    """Return what one of the parameters of a call says; ApiError if its markup is broken, or it has no such length."""
    marked = read_text(given.get(name, ""), given.get("parse_mode"))
    # Telegram counts as JavaScript does, in UTF-16.
    size = len(marked.text.encode("utf-16-le")) // 2
    refuse_if(size > most, bad_request(f"message {name} is too long: {size}"))
    refuse_if(size < least or (least and not marked.text.strip()), bad_request("message text is empty"))
    return marked


def check_keyboard(markup: Json | None, *, group: bool = True) -> list[list[Json]]:
    """Return the rows of an inline keyboard; ApiError if it is more than the description says."""
    if markup is None:
        return []
    rows: list[list[Json]] = [row for row in markup["inline_keyboard"] if row]
    refuse_if(
        sum(map(len, rows)) > MAX_BUTTONS or any(len(row) > MAX_BUTTONS_PER_ROW for row in rows),
        bad_request("too many buttons, or too many in a row"),
    )
    refuse_if(len(json.dumps(markup).encode()) > MAX_MARKUP_BYTES, bad_request("reply markup is too long"))
    for button in (button for row in rows for button in row):
        refuse_if(not button["text"].strip(), bad_request("text buttons must be non-empty"))
        refuse_if(sum(name in button for name in ACTIONS) != 1, bad_request("a button must do exactly one thing"))
        _check_web_app(button.get("web_app"), group=group)
        refuse_if(
            button.get("style", "danger") not in ("danger", "success", "primary"), bad_request("BUTTON_STYLE_INVALID")
        )
    return rows


def _check_web_app(app: dict[str, str] | None, *, group: bool) -> None:
    """Refuse a button that opens an app where there is none: “available only in private chats” (InlineKeyboardButton).

    Its address must be one of https (WebAppInfo).
    """
    if app is None:
        return
    refuse_if(group, bad_request("BUTTON_TYPE_INVALID"))
    refuse_if(
        not app["url"].startswith("https://"),
        bad_request("inline keyboard button Web App URL '...' is invalid: Only HTTPS links are allowed"),
    )
