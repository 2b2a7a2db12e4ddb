"""Edits whose pictures are looked after: an answer that lacks them is not taken for granted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import discord
import structlog

from bot.discord.errors import refused
from bot.discord.layout import MessageParts
from bot.discord.looks import lacking

log = structlog.get_logger(__name__)


async def put(
    edit: Callable[[MessageParts], Awaitable[discord.Message]], make: Callable[[], MessageParts]
) -> discord.Message:
    """Edit a message until it shows the pictures and files of a sheet, twice at most; what the last edit raises."""
    made = make()
    try:
        message = await edit(made)
        if not made.files or not lacking(message, made):
            return message
        log.info("picture-uploaded-again", message=message.id)
    except discord.HTTPException as error:
        if not made.files or not refused(error):
            raise
        log.info("picture-uploaded-again", code=error.code, reason=error.text)
    made = make()
    message = await edit(made)
    if lacking(message, made):
        log.warning("picture-lost", message=message.id)
    return message
