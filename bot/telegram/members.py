"""Who is in a group now (https://core.telegram.org/bots/api#getchatmember), and who is mentioned there."""

from typing import Final

from telegram import Bot, ChatMember, ChatMemberRestricted
from telegram.error import BadRequest

from bot.interface.cards import Card
from bot.telegram.decode import PLATFORM
from bot.telegram.errors import mentions
from storage import Store

NEVER_THERE: Final = ("user not found", "participant_id_invalid", "user_id_invalid")
"""What Telegram answers for people who never were in a group."""


async def is_member(bot: Bot, chat: int, user: int) -> bool:
    """Return True if somebody is in a group now; TelegramError."""
    try:
        member = await bot.get_chat_member(chat, user)
    except BadRequest as error:
        if any(mentions(error, words) for words in NEVER_THERE):
            return False
        raise
    if isinstance(member, ChatMemberRestricted):
        return member.is_member
    return member.status not in (ChatMember.LEFT, ChatMember.BANNED)


async def mentioned_users(store: Store, card: Card) -> dict[int, int]:
    """Return the Telegram ids of the people whom a card mentions, by person."""
    called: dict[int, int] = {}
    for person in card.calls:
        for identity in await store.people.identities(person):
            if identity.platform == PLATFORM:
                called[person] = int(identity.user)
    return called
