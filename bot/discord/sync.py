"""Telling Discord of our commands when they have changed, and only then."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any, Final

import discord
import structlog
from discord import app_commands

FILE: Final = "discord-commands.json"

log = structlog.get_logger(__name__)


async def sync_if_changed(tree: app_commands.CommandTree[Any], folder: Path) -> bool:
    """Register the tree's commands unless the same ones were registered before; say whether they were.

    What was registered last is kept as a hash in a file of the folder, by application.
    """
    translator = tree.translator
    commands = tree.get_commands()
    if translator is not None:
        payload = [await command.get_translated_payload(tree, translator) for command in commands]
    else:
        payload = [command.to_dict(tree) for command in commands]
    digest = hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()
    application = str(tree.client.application_id)
    file = folder / FILE
    known = await asyncio.to_thread(_read, file)
    if known.get(application) == digest:
        return False
    try:
        await tree.sync()
    except discord.HTTPException as error:
        log.error("commands-not-registered", status=error.status, code=error.code, reason=error.text)
        return False
    await asyncio.to_thread(_write, file, known | {application: digest})
    log.info("commands-registered", count=len(payload))
    return True


def _read(file: Path) -> dict[str, str]:
    try:
        known = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _write(file: Path, known: dict[str, str]) -> None:
    try:
        file.write_text(json.dumps(known), "utf-8")
    except OSError as error:
        # They are then registered again at the next start, which does no harm.
        log.warning("commands-not-noted", reason=str(error))
