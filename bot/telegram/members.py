"""Who is in a group now (https://core.telegram.org/bots/api#getchatmember)."""

from typing import Final

from telegram import Bot, ChatMember, ChatMemberRestricted
from telegram.error import BadRequest

from bot.interface.requests import Membership, Undeliverable
from bot.telegram.errors import mentions

NEVER_THERE: Final = ("user not found", "participant_id_invalid", "user_id_invalid")
"""What Telegram answers for people who never were in a group, and about others where it does not tell.

Where members are hidden and the bot is no administrator: teloxide issue 1349, tdlib issue 589.
"""
NOT_TOLD: Final = ("chat_admin_required", "member list is inaccessible")
"""What Telegram answers where only administrators are told who is in a group."""


async def read_membership(bot: Bot, chat: int, user: int) -> Membership | None:
    """Return somebody's membership in a group now, None for those who are no members; TelegramError.

    "The method is only guaranteed to work for other users if the bot is an administrator in the chat" (getChatMember).
    """
    try:
        member = await bot.get_chat_member(chat, user)
    except BadRequest as error:
        refused = any(mentions(error, words) for words in NOT_TOLD)
        if not refused and not any(mentions(error, words) for words in NEVER_THERE):
            raise
        # Who administers a group is told everywhere.
        administrators = [each.user.id for each in await bot.get_chat_administrators(chat)]
        if user in administrators:
            return Membership(manager=True)
        if not refused and await _is_administrator(bot, chat):
            return None
        raise Undeliverable("forbidden") from error
    if isinstance(member, ChatMemberRestricted):
        return Membership() if member.is_member else None
    if member.status in (ChatMember.LEFT, ChatMember.BANNED):
        return None
    return Membership(manager=member.status in (ChatMember.OWNER, ChatMember.ADMINISTRATOR))


async def _is_administrator(bot: Bot, chat: int) -> bool:
    """Return True if the bot is an administrator of a group: only then it is told whether others are in it."""
    itself = await bot.get_chat_member(chat, bot.id)
    return itself.status in (ChatMember.OWNER, ChatMember.ADMINISTRATOR)
