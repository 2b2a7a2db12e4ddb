"""Edits whose pictures are looked after: an answer that lacks them is not taken for granted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import discord
import structlog

from bot.discord.errors import is_invalid_request
from bot.discord.layout import MessageParts
from bot.discord.message_look import lacks_files

log = structlog.get_logger(__name__)


async def edit_until_shown(
    edit: Callable[[MessageParts], Awaitable[discord.Message]], make: Callable[[], MessageParts]
) -> discord.Message:
    """Edit a message until it shows the pictures and files of a sheet, twice at most; what the last edit raises."""
    made = make()
    try:
        message = await edit(made)
        if not made.files or not lacks_files(message, made):
            return message
        log.info("picture-uploaded-again", message=message.id)
    except discord.HTTPException as error:
        if not made.files or not is_invalid_request(error):
            raise
        log.info("picture-uploaded-again", code=error.code, reason=error.text)
    made = make()
    message = await edit(made)
    if lacks_files(message, made):
        log.warning("picture-lost", message=message.id)
    return message
