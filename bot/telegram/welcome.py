"""Changes of the bot's membership and permissions, and of a group's id."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Final

import structlog
from telegram import ChatMember, ChatMemberRestricted, ChatMemberUpdated

from bot.interface.requests import Place
from bot.language.texts import Texts
from bot.learn.cards import welcome_card
from bot.telegram.adapter import TelegramAdapter
from bot.telegram.decode import PLATFORM, place_of
from bot.telegram.layout import CATALOGUE_DOMAIN
from bot.telegram.rate_limits import CallKind
from storage import Store

LEFT_STATUSES: Final = (ChatMember.LEFT, ChatMember.BANNED)

log = structlog.get_logger(__name__)


class Welcome:
    """Updates of the stored data of groups."""

    def __init__(
        self,
        store: Store,
        adapter: TelegramAdapter,
        texts: Texts,
        wake: Callable[[], None],
        reopened: Callable[[str], Awaitable[None]],
        *,
        clock: Callable[[], datetime],
        language: str,
    ) -> None:
        self._store = store
        self._adapter = adapter
        self._texts = texts
        self._wake = wake
        self._reopened = reopened
        self._clock = clock
        self._language = language

    async def on_membership_changed(self, change: ChatMemberUpdated) -> None:
        """Send a welcome to a new group; show what waited where we may write again."""
        before, after = change.old_chat_member, change.new_chat_member
        log.info("bot-membership-changed", chat=change.chat.id, before=before.status, after=after.status)
        where = place_of(change.chat)
        if may_write(after) and where.group is not None:
            # Also if we could write before: what members may do does not hold for administrators.
            await self._reopened(where.group)
        if not may_write(after) or is_member(before):
            return
        row = await self._store.places.get_or_create(
            where.platform, where.channel, where.thread, where.group, where.kind, where.title
        )
        live = await self._store.games.list_in_place(row.id)
        for brief in live:
            await self._store.posts.add(brief.id, row.id, self._clock())
        if live:
            self._wake()
        elif where.kind == "group":
            spoken = row.effective.get("language") or self._texts.supported(change.from_user.language_code)
            if spoken and not row.effective.get("language"):
                # The person who adds the bot probably speaks the group's language; /settings changes it.
                await self._store.places.change_settings(row.id, {"language": spoken})
            await self._greet(where, spoken or self._language)

    async def on_topic_reopened(self, chat: int) -> None:
        """Show what waited in a group because a topic of it was closed."""
        await self._reopened(str(chat))

    async def on_group_migrated(self, old: int, new: int) -> None:
        """Keep the games of a group whose id has changed."""
        log.info("group-moved", before=old, after=new)
        await self._store.places.move_channel(PLATFORM, str(old), str(new), self._clock())
        self._wake()

    async def _greet(self, place: Place, language: str) -> None:
        card = welcome_card(self._texts.speaker(language), CATALOGUE_DOMAIN)

        async def work() -> None:
            await self._adapter.post(place, card, CallKind.NOTE)

        await self._adapter.outbox.put(int(place.channel), "welcome", CallKind.NOTE, work)


def may_write(member: ChatMember) -> bool:
    """Return True if the bot can write with this membership."""
    return is_member(member) and (not isinstance(member, ChatMemberRestricted) or member.can_send_messages)


def is_member(member: ChatMember) -> bool:
    """Return True if the bot is in the chat with this membership."""
    return member.is_member if isinstance(member, ChatMemberRestricted) else member.status not in LEFT_STATUSES
