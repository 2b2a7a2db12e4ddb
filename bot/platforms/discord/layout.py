"""Conversion of cards to Discord messages: rich text to markdown; picture, buttons and menus to components V2."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count, groupby
from pathlib import PurePosixPath
from typing import Any, Final, cast
from urllib.parse import unquote, urlsplit

import discord
from discord import ui

from bot.kernel.cards import Button, Card, Menu, Picture, Row
from bot.kernel.texts import Span, Text, Timestamp
from bot.platforms.discord.decode import button_id, press_of_button
from storage import Json

MAX_TEXT_LENGTH: Final = 4000
_ELLIPSIS: Final = "…"

_SPECIAL_CHARACTERS: Final = re.compile(
    r"([\\*_~`|<>\[\]])|(?<=:)(?=//)|(?<=\.gg)(?=/)|(?<=\.com)(?=/invite)", re.IGNORECASE
)
# The backslash goes after the number of a list item, and before any other mark.
_LINE_START_PATTERN: Final = re.compile(r"^(\s*)(\d+(?=[.)])|(?=[-#+]))([-#+]?)", re.MULTILINE)
_LINES_PATTERN: Final = re.compile(r"^(?=.)", re.MULTILINE)
_SUBTEXT: Final = "-# "
_TIMESTAMP_STYLES: Final = {"relative": "R", "day": "D", "time": "f"}
_MASS_MENTIONS: Final = re.compile(r"@(?=everyone|here)")


@dataclass(frozen=True, slots=True)
class Mentions:
    """Entities that become mentions: the `people` to notify, and `commands`, with their ids on Discord."""

    people: Mapping[int, int] = field(default_factory=dict)
    commands: Mapping[str, int] = field(default_factory=dict)


NO_MENTIONS: Final = Mentions()


def format_markdown(text: Text, mentions: Mentions = NO_MENTIONS, most: int = MAX_TEXT_LENGTH) -> str:
    """Return rich text as Discord's markdown, at most `most` characters."""
    written = _render_span(text, mentions)
    if len(written) <= most:
        return written
    # Cut the text, not the markup: that must not be opened or broken.
    low, high = 0, sum(len(span.text) for span in text)
    while low < high:
        middle = (low + high + 1) // 2
        fits = len(_render_span(_cut(text, middle), mentions)) <= most - len(_ELLIPSIS)
        low, high = (middle, high) if fits else (low, middle - 1)
    return _render_span(_cut(text, low), mentions) + _ELLIPSIS


def _cut(text: Text, length: int) -> Text:
    """Return the first characters of a text, without a part of what is shown in another form."""
    fitting: list[Span] = []
    for span in text:
        if len(span.text) > length:
            if not (span.timestamp or span.command or span.link):
                fitting.append(Span(span.text[:length], span.bold, span.code, small=span.small))
            break
        fitting.append(span)
        length -= len(span.text)
    return tuple(fitting)


def escape(text: str) -> str:
    """Return plain text escaped so that Discord shows it unchanged."""
    safe = _SPECIAL_CHARACTERS.sub(lambda match: f"\\{match[1] or ''}", text)
    # A number at the start of a line would become a list that Discord renumbers.
    safe = _LINE_START_PATTERN.sub(r"\1\2\\\3", safe)
    return _MASS_MENTIONS.sub("@\u200b", safe)


def _render_span(text: Text, mentions: Mentions) -> str:
    parts = []
    for small, spans in groupby(text, key=lambda span: span.small):
        written = _add_emphasis(spans, mentions)
        # Subtext applies to whole lines.
        parts.append(_LINES_PATTERN.sub(_SUBTEXT, written) if small else written)
    return "".join(parts)


def _add_emphasis(text: Iterable[Span], mentions: Mentions) -> str:
    parts = []
    for bold, spans in groupby(text, key=lambda span: span.bold):
        inner = "".join(_format_runs(spans, mentions))
        if not bold:
            parts.append(inner)
            continue
        # Asterisks next to a space are no markup: move spaces outside.
        bare = inner.strip()
        lead = inner[: len(inner) - len(inner.lstrip())]
        tail = inner[len(inner.rstrip()) :] if bare else ""
        parts.append(f"{lead}**{bare}**{tail}" if bare else inner)
    # Line starts can only be escaped in the joined text.
    return "".join(parts)


def _format_runs(spans: Iterator[Span], mentions: Mentions) -> Iterator[str]:
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
    """Return a time in the reader's own format; a day always with its distance from now."""
    at = int(timestamp.at.timestamp())
    mention = f"<t:{at}:{_TIMESTAMP_STYLES[timestamp.style]}>"
    return f"{mention} (<t:{at}:R>)" if timestamp.style == "day" else mention


MAX_ALT_LENGTH: Final = 1024
MAX_HIDDEN_LENGTH: Final = 1100
MAX_NOTE_LENGTH: Final = 1500
"""Maximum length of the note below a card's text: the alt text of a picture that may not be shown, and the reason."""
MAX_PLACEHOLDER_LENGTH: Final = 150
MAX_LABEL_LENGTH: Final = 80
MAX_OPTION_LENGTH: Final = 100
_EMPTY_TEXT: Final = "…"

BUTTON_STYLES: Final = {"primary": 1, "plain": 2, "danger": 4}
ACTION_ROW, BUTTON, STRING_SELECT, TEXT_DISPLAY, MEDIA_GALLERY, FILE = 1, 2, 3, 10, 12, 13
Component = Json
"""A component in Discord's JSON form, with one of these numbers as its type (page Component Reference)."""


class ReadyView(ui.LayoutView):
    """Components ready to be sent; unlike discord.py's items, they have no reference cycle with their view."""

    timeout: float | None = None

    def __init__(self, components: list[Component]) -> None:
        # Do not call discord.py's initializer: it draws a random id and creates a future for every message.
        self.components = components

    def is_finished(self) -> bool:
        """Return True: presses are read from their interactions, so discord.py need not store every view."""
        return True

    def is_dispatchable(self) -> bool:
        """Return False, for the same reason."""
        return False

    def has_components_v2(self) -> bool:
        """Return True if there are any components: every message begins with a V2 text or picture."""
        return bool(self.components)

    def to_components(self) -> list[Component]:
        """Return the components."""
        return self.components


@dataclass(frozen=True, slots=True)
class MessageParts:
    """A message in the form that discord.py takes; created for every request, since a file can be sent only once.

    `attached` are files that the message already has and that stay.
    """

    view: ReadyView
    files: list[discord.File]
    attached: list[discord.Attachment] = field(default_factory=list)

    @property
    def attachments(self) -> list[discord.Attachment | discord.File]:
        """The `attachments` of an edit: the files the message has afterwards; MISSING if the list would be empty.

        With MISSING all files stay, so no picture of a board with an unknown attachment is lost. Only private replies,
        whose pictures are always sent again, are edited with an empty list (`bot/platforms/discord/dispatcher.py`).
        """
        listed: list[discord.Attachment | discord.File] = [*self.attached, *self.files]
        return listed or discord.utils.MISSING

    @property
    def media(self) -> int:
        """Number of visible pictures and files."""
        return sum(len(each.get("items", ())) + (each["type"] == FILE) for each in self.view.components)


def message_parts(
    card: Card, mentions: Mentions = NO_MENTIONS, *, picture: bool = True, note: Text = ()
) -> MessageParts:
    """Return a card as a layout, with Discord's mentions.

    Without `picture` there are no files, and the picture's alt text is shown in its place; `note` is shown below
    everything else.
    """
    parts: list[Part] = []
    files: list[discord.File] = []
    attached = MAX_NOTE_LENGTH if note or not picture else 0
    said = format_markdown(card.text, mentions, MAX_TEXT_LENGTH - attached)
    shown = card.picture if picture else None
    hidden = card.picture.alt if card.picture is not None and not picture else ""
    if said.strip() or (shown is None and not hidden):
        parts.append(said if said.strip() else _EMPTY_TEXT)
    if shown is not None:
        files.append(picture_file(shown))
        parts.append((Media(files[0].filename, files[0].description),))
    for part, most in (((Span(hidden),), MAX_HIDDEN_LENGTH), (note, MAX_NOTE_LENGTH - MAX_HIDDEN_LENGTH)):
        below = format_markdown(part, mentions, most)
        if below.strip():
            parts.append(below)
    if card.file is not None and picture:
        files.append(SentFile(io.BytesIO(card.file.content), card.file.name))
        parts.append(Media(files[-1].filename))
    numbers = count()
    return MessageParts(ReadyView([*map(_component, parts), *(_row(row, numbers) for row in card.rows)]), files)


class SentFile(discord.File):
    """A file whose content is freed right after sending."""

    def close(self) -> None:
        """Do nothing: discord.py's method would create a reference cycle."""


def picture_file(picture: Picture) -> discord.File:
    """Return a picture as a file with its alt text; its animation if it has one."""
    moving = picture.animation
    content, name = (moving.gif, moving.name) if moving is not None else (picture.png, picture.name)
    return SentFile(io.BytesIO(content), name, description=picture.alt[:MAX_ALT_LENGTH] or None)


def shows(message: discord.Message, made: MessageParts) -> bool:
    """Return True if a message has the text, the buttons and the menus of the given parts."""
    meant = [each["content"].strip() for each in made.view.components if each["type"] == TEXT_DISPLAY]
    said = [part.content.strip() for part in message.components if isinstance(part, discord.TextDisplay)]
    return meant == said and _list_presses(made.view.components) == presses_of(message)


def presses_of(message: discord.Message) -> set[str | None]:
    """Return the payloads of a message's buttons and of the options of its menus; None for what is none of ours."""
    return _list_presses(part.to_dict() for part in message.components if isinstance(part, discord.ActionRow))


def _list_presses(components: Iterable[Any]) -> set[str | None]:
    inner = [each for part in components for each in part.get("components", ())]
    options = {option["value"] for each in inner for option in each.get("options", ())}
    return options | {press_of_button(each.get("custom_id", "")) for each in inner}


def _component(part: Part) -> Component:
    """Return text, pictures or a file as a component."""
    if isinstance(part, str):
        return {"type": TEXT_DISPLAY, "content": part}
    if isinstance(part, Media):
        return {"type": FILE, "file": {"url": part.address}, "spoiler": False}
    alts = ({"description": each.alt} if each.alt else {} for each in part)
    items = [{"media": {"url": each.address}, "spoiler": False} | alt for each, alt in zip(part, alts, strict=True)]
    return {"type": MEDIA_GALLERY, "items": items}


def _row(row: Row, numbers: count[int]) -> Component:
    inner = [_menu(row, next(numbers))] if isinstance(row, Menu) else [_button(each, next(numbers)) for each in row]
    return {"type": ACTION_ROW, "components": inner}


def _menu(menu: Menu, number: int) -> Component:
    options = [
        {"label": _label(each, MAX_OPTION_LENGTH), "value": each.press, "default": False} for each in menu.options
    ]
    terms = {"min_values": 1, "max_values": 1, "disabled": False, "required": True}
    named = {"custom_id": f"menu|{number}", "placeholder": menu.placeholder[:MAX_PLACEHOLDER_LENGTH]}
    return {"type": STRING_SELECT, **named, **terms, "options": options}


def _button(button: Button, number: int) -> Component:
    look = {"style": BUTTON_STYLES[button.style], "label": _label(button, MAX_LABEL_LENGTH)}
    return {"type": BUTTON, **look, "custom_id": button_id(number, button.press), "disabled": button.disabled}


def _label(button: Button, most: int) -> str:
    return button.label[:most] or _EMPTY_TEXT


@dataclass(frozen=True, slots=True)
class KeptAttachment:
    """An existing file of a message, in the form in which an edit lists it: only its id."""

    id: int

    def to_dict(self) -> Json:
        """Return the entry in the list of attachments."""
        return {"id": str(self.id)}


@dataclass(frozen=True, slots=True)
class Media:
    """A picture or file of a message: its name, its alt text, and its attachment's id if known.

    `is_there`: False if the message has lost it.
    """

    name: str
    alt: str | None = None
    attachment: int | None = None
    is_there: bool = True

    @property
    def address(self) -> str:
        """The reference to the file in a component, since its CDN address expires."""
        return f"attachment://{self.name}"


Part = str | tuple[Media, ...] | Media
"""Text, pictures, or a file to download."""


@dataclass(frozen=True, slots=True)
class MessageLook:
    """The content of a message apart from its buttons and menus, in order."""

    parts: tuple[Part, ...]

    @property
    def pictures(self) -> tuple[Media, ...]:
        """The pictures."""
        return tuple(media for part in self.parts if isinstance(part, tuple) for media in part)

    @property
    def media(self) -> tuple[Media, ...]:
        """The pictures and files."""
        return (*self.pictures, *(part for part in self.parts if isinstance(part, Media)))

    def message_parts(self) -> MessageParts:
        """Return the parts that show the content again, without buttons; every existing file stays."""
        return _make_parts(self.parts, ())

    def with_picture(self, picture: Picture) -> MessageParts:
        """Return the parts that show the content with another picture in place of the old ones."""
        file = picture_file(picture)
        new = (Media(file.filename, file.description),)
        parts: list[Part] = []
        for part in self.parts:
            if isinstance(part, tuple):
                parts += [] if new in parts else [new]
            elif isinstance(part, str) or part.attachment is not None:
                # An edit with a new file must list all files that stay: drop those without an id.
                parts.append(part)
        if new not in parts:
            parts.insert(1, new)
        return _make_parts(tuple(parts), (file,))


def read_look(message: discord.Message) -> MessageLook:
    """Return the content of one of our messages.

    Its pictures and files come from its components, since `attachments` lists only files that no component refers to.
    """
    parts: list[Part] = []
    for component in message.components:
        if isinstance(component, discord.TextDisplay):
            parts.append(component.content)
        elif isinstance(component, discord.MediaGalleryComponent):
            parts.append(tuple(_media(item.media, item.description) for item in component.items))
        elif isinstance(component, discord.FileComponent):
            parts.append(_media(component.media, None, component.name))
    return MessageLook(tuple(parts))


def lacks_files(message: discord.Message, made: MessageParts) -> bool:
    """Return True if a message shows fewer pictures and files than the given parts."""
    return sum(media.is_there for media in read_look(message).media) < made.media


def _media(item: discord.UnfurledMediaItem, alt: str | None, name: str | None = None) -> Media:
    """Return a media item; Discord has found its file if it has given it an address."""
    address = urlsplit(item.url)
    name = name or PurePosixPath(unquote(address.path or address.netloc)).name
    is_lost = item.loading_state is discord.MediaItemLoadingState.not_found
    return Media(name, alt, item.attachment_id, is_there=address.scheme != "attachment" and not is_lost)


def _make_parts(parts: tuple[Part, ...], files: tuple[discord.File, ...]) -> MessageParts:
    new = {file.filename for file in files}
    remaining = [each for each in MessageLook(parts).media if each.name not in new]
    held = [KeptAttachment(each.attachment) for each in remaining if each.attachment is not None]
    # Without a list all files stay; an incomplete list would remove the others.
    known = cast("list[discord.Attachment]", held if len(held) == len(remaining) else [])
    return MessageParts(ReadyView([_component(part) for part in parts if part != ()]), list(files), known)
