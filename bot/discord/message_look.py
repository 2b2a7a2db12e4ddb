"""What a message of ours shows besides what can be pressed, and how an edit keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, cast
from urllib.parse import unquote, urlsplit

import discord
from discord import ui

from bot.discord.layout import MessageParts, picture_file
from bot.interface.cards import Picture


@dataclass(frozen=True, slots=True)
class KeptAttachment:
    """A file that a message has already, as an edit lists what it keeps: by its id and nothing else."""

    id: int

    def to_dict(self) -> dict[str, Any]:
        """Return the entry in the list of attachments."""
        return {"id": str(self.id)}


@dataclass(frozen=True, slots=True)
class Media:
    """A picture or a file of a message: its name, its alternative text, and its attachment's id if that is known."""

    name: str
    alt: str | None = None
    attachment: int | None = None

    @property
    def address(self) -> str:
        """How a component names it; where it lies on the CDN will not be for long."""
        return f"attachment://{self.name}"


Part = str | tuple[Media, ...] | Media
"""Words, pictures, or a file to take away."""


@dataclass(frozen=True, slots=True)
class MessageLook:
    """What a message shows besides what can be pressed, in its order."""

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
        """Return how to show it again, without anything to press; every file that there is stays."""
        return _sheet(self.parts, ())

    def with_picture(self, picture: Picture) -> MessageParts:
        """Return how to show it with another picture in the place of those that it had."""
        file = picture_file(picture)
        new = (Media(file.filename, file.description),)
        parts: list[Part] = []
        for part in self.parts:
            if isinstance(part, tuple):
                parts += [] if new in parts else [new]
            elif isinstance(part, str) or part.attachment is not None:
                # An edit that brings a file lists all that stay: what cannot be listed does not.
                parts.append(part)
        if new not in parts:
            parts.insert(1, new)
        return _sheet(tuple(parts), (file,))


def read_look(message: discord.Message) -> MessageLook:
    """Return what a message of ours shows.

    Its pictures and files are read off its components, since `attachments` lists only what none of them refers to.
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
    """Say whether a message shows fewer pictures and files than a sheet does."""
    there = 0
    for component in message.components:
        if isinstance(component, discord.MediaGalleryComponent):
            there += sum(_is_attached(item.media) for item in component.items)
        elif isinstance(component, discord.FileComponent):
            there += _is_attached(component.media)
    return there < made.media


def _media(item: discord.UnfurledMediaItem, alt: str | None, name: str | None = None) -> Media:
    address = urlsplit(item.url)
    name = name or PurePosixPath(unquote(address.path or address.netloc)).name
    return Media(name, alt, item.attachment_id)


def _is_attached(item: discord.UnfurledMediaItem) -> bool:
    """Say whether Discord has found what a media item named: then it has an address of its own."""
    return (
        urlsplit(item.url).scheme != "attachment" and item.loading_state is not discord.MediaItemLoadingState.not_found
    )


def _sheet(parts: tuple[Part, ...], files: tuple[discord.File, ...]) -> MessageParts:
    view = ui.LayoutView(timeout=None)
    media: list[Media] = []
    new = {file.filename for file in files}
    for part in parts:
        if isinstance(part, str):
            view.add_item(ui.TextDisplay(part))
        elif isinstance(part, Media):
            view.add_item(ui.File(part.address))
            media.append(part)
        elif part:
            view.add_item(
                ui.MediaGallery(*(discord.MediaGalleryItem(each.address, description=each.alt) for each in part))
            )
            media += [each for each in part if each.name not in new]
    view.stop()
    held = [KeptAttachment(each.attachment) for each in media if each.attachment is not None]
    # Without a list all files stay. One that does not name them all would remove the others.
    known = cast("list[discord.Attachment]", held if len(held) == len(media) else [])
    return MessageParts(view, list(files), known)
