"""A card as a message of Discord: text, picture, buttons and menus as components V2."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

import discord
from discord import ui

from bot.discord.items import PressButton, PressMenu
from bot.discord.markdown import MAX_TEXT_LENGTH, NO_MENTIONS, Mentions, markdown
from bot.interface.cards import Button, Card, Menu, Picture, Row
from bot.language.rich_text import Span, Text

MAX_ALT_LENGTH: Final = 1024
MAX_HIDDEN_LENGTH: Final = 1100
MAX_NOTE_LENGTH: Final = 1500
"""Of what stands below the text of a card: the description of a picture that may not be shown, and why."""
MAX_PLACEHOLDER_LENGTH: Final = 150
MAX_LABEL_LENGTH: Final = 80
MAX_OPTION_LENGTH: Final = 100
_EMPTY_TEXT: Final = "…"

BUTTON_STYLES: Final = {
    "plain": discord.ButtonStyle.secondary,
    "primary": discord.ButtonStyle.primary,
    "danger": discord.ButtonStyle.danger,
}


@dataclass(frozen=True, slots=True)
class MessageParts:
    """What discord.py takes to show something; made anew for every request, since a file can be sent once.

    `attached` are files that the message has already and that are to stay.
    """

    view: ui.LayoutView
    files: list[discord.File]
    attached: list[discord.Attachment] = field(default_factory=list)

    @property
    def attachments(self) -> list[discord.Attachment | discord.File]:
        """What an edit says about files: which the message has afterwards; nothing where none is brought or named.

        Then all stay, which loses no picture of a board whose attachment is not known. Only a private answer, whose
        pictures are always sent anew, is edited with an empty list (`bot/discord/dispatcher.py`).
        """
        listed: list[discord.Attachment | discord.File] = [*self.attached, *self.files]
        return listed or discord.utils.MISSING

    @property
    def media(self) -> int:
        """How many pictures and files are to be seen."""
        galleries = sum(len(item.items) for item in self.view.children if isinstance(item, ui.MediaGallery))
        return galleries + sum(isinstance(item, ui.File) for item in self.view.children)


def message_parts(
    card: Card, mentions: Mentions = NO_MENTIONS, *, picture: bool = True, note: Text = ()
) -> MessageParts:
    """Return a card as a layout, with what becomes a mention on Discord.

    Without `picture` there are no files, and the picture's description is shown in its place; `note` is said below
    everything else.
    """
    view = ui.LayoutView(timeout=None)
    files: list[discord.File] = []
    attached = MAX_NOTE_LENGTH if note or not picture else 0
    said = markdown(card.text, mentions, MAX_TEXT_LENGTH - attached)
    shown = card.picture if picture else None
    hidden = card.picture.alt if card.picture is not None and not picture else ""
    if said.strip() or (shown is None and not hidden):
        view.add_item(ui.TextDisplay(said if said.strip() else _EMPTY_TEXT))
    if shown is not None:
        files.append(picture_file(shown))
        view.add_item(ui.MediaGallery(discord.MediaGalleryItem(files[0])))
    for part, most in (((Span(hidden),), MAX_HIDDEN_LENGTH), (note, MAX_NOTE_LENGTH - MAX_HIDDEN_LENGTH)):
        below = markdown(part, mentions, most)
        if below.strip():
            view.add_item(ui.TextDisplay(below))
    if card.file is not None and picture:
        files.append(discord.File(io.BytesIO(card.file.content), card.file.name))
        view.add_item(ui.File(files[-1]))
    numbers = count()
    for row in card.rows:
        view.add_item(_row(row, numbers))
    # Its items are dynamic, so discord.py need not remember each message that was ever sent.
    view.stop()
    return MessageParts(view, files)


def picture_file(picture: Picture) -> discord.File:
    """Return a picture as a file with its description; as its animation if it has one."""
    moving = picture.animation
    content, name = (moving.gif, moving.name) if moving is not None else (picture.png, picture.name)
    return discord.File(io.BytesIO(content), name, description=picture.alt[:MAX_ALT_LENGTH] or None)


def shows_text(message: discord.Message, made: MessageParts) -> bool:
    """Say whether a message has the words of a sheet."""
    meant = [item.content.strip() for item in made.view.children if isinstance(item, ui.TextDisplay)]
    return meant == [part.content.strip() for part in message.components if isinstance(part, discord.TextDisplay)]


def presses_of(message: discord.Message) -> set[str]:
    """Return what the buttons of a message carry."""
    rows = (part.children for part in message.components if isinstance(part, discord.ActionRow))
    ids = (str(item.custom_id) for row in rows for item in row if isinstance(item, discord.Button))
    return {carried.partition("|")[2] for carried in ids}


def _row(row: Row, numbers: count[int]) -> ui.ActionRow[Any]:
    if isinstance(row, Menu):
        options = [
            discord.SelectOption(label=_label(each, MAX_OPTION_LENGTH), value=each.press) for each in row.options
        ]
        return ui.ActionRow(PressMenu.create(next(numbers), row.placeholder[:MAX_PLACEHOLDER_LENGTH], options))
    return ui.ActionRow(*(_button(button, next(numbers)) for button in row))


def _button(button: Button, number: int) -> PressButton:
    label = _label(button, MAX_LABEL_LENGTH)
    return PressButton.create(number, button.press, label, BUTTON_STYLES[button.style], disabled=button.disabled)


def _label(button: Button, most: int) -> str:
    return button.label[:most] or _EMPTY_TEXT
