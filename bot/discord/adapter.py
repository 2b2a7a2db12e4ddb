"""Boards on Discord: sent with the bot's own token, edited, retired, put into threads."""

from __future__ import annotations

import base64
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

import discord
import structlog

from bot.cards import Card, Text
from bot.discord.decode import PLATFORM
from bot.discord.errors import ARCHIVED, THREAD_EXISTS, told
from bot.discord.layout import sheet, shows, without_buttons
from bot.requests import Place, TryLater, Undeliverable
from bot.texts import Texts
from storage import Store

LONGEST_NONCE: Final = 25
LONGEST_TITLE: Final = 100
MOST_REMEMBERED: Final = 1000
AWAY: Final = 5.0
"""How many seconds to wait while there is no connection yet."""

log = structlog.get_logger(__name__)


class DiscordAdapter:
    """What the program asks of Discord; `client` says who is logged in, None if nobody is yet."""

    platform = PLATFORM

    def __init__(
        self, store: Store, texts: Texts, client: Callable[[], discord.Client | None], *, language: str
    ) -> None:
        self._store = store
        self._texts = texts
        self._client = client
        self._language = language
        self._shown: OrderedDict[int, discord.Message] = OrderedDict()

    async def send(self, place: Place, card: Card, key: str) -> str:
        """Show a card as a new message and return its id.

        The same key soon again makes no second message: Discord answers with the first one.
        """
        called = await self.called(card)
        # discord.py lets exactly these be called, nobody if there are none.
        allowed = discord.AllowedMentions(
            everyone=False, users=[discord.Object(user) for user in called.values()], roles=False, replied_user=False
        )

        async def send(*, picture: bool, note: Text = ()) -> discord.Message:
            made = sheet(card, called, picture=picture, note=note)
            message = await self._target(place).send(
                view=made.view, files=made.files, allowed_mentions=allowed, nonce=nonce_of(key)
            )
            if not shows(message, made):
                # Sent before the program died, and the game has moved on since then.
                made = sheet(card, called, picture=picture, note=note)
                message = await message.edit(view=made.view, attachments=made.files)
            return message

        with told():
            try:
                message = await send(picture=True)
            except discord.Forbidden:
                # Perhaps it is only the picture that may not be here.
                if card.picture is None:
                    raise
                message = await send(picture=False, note=self._no_picture(place))
        self._remember(message)
        return str(message.id)

    async def edit(self, place: Place, message: str, card: Card) -> None:
        """Show a card in place of the one that the message shows; edits call nobody."""
        called = await self.called(card)
        target = self._target(place).get_partial_message(int(message))

        async def edit(*, picture: bool, note: Text = ()) -> None:
            made = sheet(card, called, picture=picture, note=note)
            self._remember(
                await target.edit(
                    view=made.view, attachments=made.files, allowed_mentions=discord.AllowedMentions.none()
                )
            )

        with told():
            try:
                await edit(picture=True)
            except discord.HTTPException as error:
                if error.code == ARCHIVED:
                    # A new message wakes a thread up; an edit of an old one cannot.
                    raise Undeliverable("message-gone") from error
                if not isinstance(error, discord.Forbidden) or card.picture is None:
                    raise
                await edit(picture=False, note=self._no_picture(place))

    async def retire(self, place: Place, message: str, *, remove: bool) -> None:
        """Take the buttons off an old board, or the whole message."""
        target = self._target(place).get_partial_message(int(message))
        shown = self._shown.pop(target.id, None)
        with told():
            if remove:
                await target.delete()
                return
            shown = shown or await target.fetch()
            await target.edit(
                view=without_buttons(shown),
                attachments=shown.attachments,
                allowed_mentions=discord.AllowedMentions.none(),
            )

    async def open_thread(self, place: Place, message: str, title: str) -> str | None:
        """Start a thread from a message and return its id; None where there can be none.

        Started again it is the same thread: one that comes from a message has the message's id.
        """
        if place.kind == "private" or place.thread is not None:
            return None
        http = self._connected().http
        try:
            with told():
                await http.start_thread_with_message(
                    int(place.channel), int(message), name=title[:LONGEST_TITLE], auto_archive_duration=10080
                )
        except (Undeliverable, TryLater) as error:
            cause = error.__cause__
            if isinstance(cause, discord.HTTPException) and cause.code == THREAD_EXISTS:
                return message
            if isinstance(error, TryLater):
                raise
            log.info("no-thread", channel=place.channel, reason=error.reason)
            return None
        return message

    async def called(self, card: Card) -> dict[int, int]:
        """Return the ids on Discord of the people whom a card calls, by person."""
        called: dict[int, int] = {}
        for person in (card.mention, *card.also):
            for identity in await self._store.identities(person) if person is not None else ():
                if person is not None and identity.platform == PLATFORM:
                    called[person] = int(identity.user)
        return called

    def _remember(self, message: discord.Message | None) -> None:
        """Remember how a board looks, unless other processes may change it, too."""
        if message is None or self._store.shared:
            return
        self._shown[message.id] = message
        while len(self._shown) > MOST_REMEMBERED:
            self._shown.popitem(last=False)

    def _connected(self) -> discord.Client:
        client = self._client()
        if client is None or client.is_closed():
            raise TryLater(AWAY)
        return client

    def _target(self, place: Place) -> discord.PartialMessageable:
        return self._connected().get_partial_messageable(int(place.thread or place.channel))

    def _no_picture(self, place: Place) -> Text:
        return self._texts.speaker(place.language or self._language).of(PLATFORM).say("missing.attach")


def nonce_of(key: str) -> str:
    """Return a short text by which Discord knows the same message again."""
    return base64.b32encode(hashlib.sha256(key.encode()).digest()).decode()[:LONGEST_NONCE]
