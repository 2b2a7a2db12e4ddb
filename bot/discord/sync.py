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

COMMANDS_KEY_PREFIX: Final = "commands."
"""What begins the name of the value about an application's commands; its id follows."""

log = structlog.get_logger(__name__)


async def sync_commands(tree: app_commands.CommandTree[Any], store: Store) -> dict[str, int]:
    """Register the tree's commands unless the same ones were registered before; return their ids by name.

    A command keeps its id as long as there is one of its name, so what was noted before is right where registering
    fails, too.
    """
    translator = tree.translator
    commands = tree.get_commands()
    if translator is not None:
        payload = [await command.get_translated_payload(tree, translator) for command in commands]
    else:
        payload = [command.to_dict(tree) for command in commands]
    digest = hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()
    name = f"{COMMANDS_KEY_PREFIX}{tree.client.application_id}"
    known: dict[str, Any] = await store.key_values.get(PLATFORM, name) or {}
    ids: dict[str, int] = known.get("ids") or {}
    if ids and known.get("digest") == digest:
        return ids
    try:
        registered = await tree.sync()
    except discord.HTTPException as error:
        log.error("commands-not-registered", status=error.status, code=error.code, reason=error.text)
        return ids
    ids = {command.name: command.id for command in registered if command.type is discord.AppCommandType.chat_input}
    await store.key_values.set(PLATFORM, name, {"digest": digest, "ids": ids})
    log.info("commands-registered", count=len(payload))
    return ids
