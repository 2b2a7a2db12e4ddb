"""Events of Discord's that discord.py cannot read: passed over alone, or they would end the connection."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import discord

from bot.discord.decode import PLATFORM
from bot.operations.listening import drop_message

REQUIRED_EVENTS: Final = frozenset({"READY", "RESUMED"})
"""Without having read these there is no connection that could go on."""


def skip_unreadable_events(client: discord.Client) -> None:
    """Have a client, before it connects, pass over each event that it cannot read; it is logged and counted."""
    parsers = client._connection.parsers  # noqa: SLF001 - discord.py has no other way to what it reads events with
    for event, parse in parsers.items():
        if event not in REQUIRED_EVENTS:
            parsers[event] = partial(_read, event, parse)


def _read(event: str, parse: Callable[[Any], None], data: Any) -> None:
    try:
        parse(data)
    except Exception as error:  # noqa: BLE001 - logged there: whatever was told, all else must still be heard
        drop_message(PLATFORM, event, error)
