"""Telling Discord of our commands when they have changed, and only then."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

import discord
import structlog
from discord import app_commands

from bot.discord.decode import PLATFORM
from storage import Store

NOTE: Final = "commands."
"""What begins the name of the value about an application's commands; its id follows."""

log = structlog.get_logger(__name__)


async def sync_if_changed(tree: app_commands.CommandTree[Any], store: Store) -> bool:
    """Register the tree's commands unless the same ones were registered before; say whether they were."""
    translator = tree.translator
    commands = tree.get_commands()
    if translator is not None:
        payload = [await command.get_translated_payload(tree, translator) for command in commands]
    else:
        payload = [command.to_dict(tree) for command in commands]
    digest = hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()
    name = f"{NOTE}{tree.client.application_id}"
    if await store.value(PLATFORM, name) == {"digest": digest}:
        return False
    try:
        await tree.sync()
    except discord.HTTPException as error:
        log.error("commands-not-registered", status=error.status, code=error.code, reason=error.text)
        return False
    await store.set_value(PLATFORM, name, {"digest": digest})
    log.info("commands-registered", count=len(payload))
    return True
