"""Events after which the bot may perhaps write again where it could not."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import discord

PERMISSION_EVENTS: Final = frozenset(
    {
        "GUILD_CREATE",
        "CHANNEL_UPDATE",
        "THREAD_UPDATE",
        "THREAD_LIST_SYNC",
        "GUILD_ROLE_CREATE",
        "GUILD_ROLE_UPDATE",
        "GUILD_ROLE_DELETE",
        "GUILD_MEMBER_UPDATE",
    }
)
"""What is told when permissions change (page Gateway Events), and at each connection: that may have been missed.

The bot receives events of itself as a member only, since it asks for no more (same page, Guild Member Update). For
a channel that becomes visible to it, THREAD_LIST_SYNC reports the threads (page Threads).
"""


def watch_permissions(client: discord.Client, changed: Callable[[str], None]) -> None:
    """Have a client, before it connects, tell of the servers where what the bot may do has perhaps changed."""
    parsers = client._connection.parsers  # noqa: SLF001 - discord.py tells of some of these events in no other way
    for event in PERMISSION_EVENTS:
        parsers[event] = partial(_read, event, parsers[event], changed)


def _read(event: str, parse: Callable[[Any], None], changed: Callable[[str], None], data: Any) -> None:
    parse(data)
    guild = data.get("id" if event == "GUILD_CREATE" else "guild_id") if isinstance(data, dict) else None
    if guild is not None:
        changed(str(guild))
