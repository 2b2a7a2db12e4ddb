"""Entries to the Activity: a button under boards, and the entry point command, which Discord itself answers."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

import discord
import structlog

from bot.kernel.cards import MAX_OPTIONS, Button, Card
from bot.kernel.context import Context
from bot.kernel.presses import press
from bot.kernel.texts import Speaker
from bot.platforms.discord.decode import PLATFORM, Interaction
from bot.platforms.discord.errors import read_responses
from storage import Json, StorageError, Store

OPEN_DEED: Final = "app"
"""First word of the payload of the button that opens a game in the Activity."""
LAUNCH_KEY_PREFIX: Final = "launch."
LAUNCH_MEMORY: Final = timedelta(minutes=10)
"""Time for which the game of a pressed launch button is remembered."""
ENTRY_POINT_TYPE: Final = 4
MAX_BUTTONS_IN_ROW: Final = 5
_ENTRY_POINT_FIELDS: Final = (
    "id", "type", "name", "name_localizations", "description", "description_localizations", "handler",
    "default_member_permissions", "nsfw", "integration_types", "contexts",
)  # fmt: skip

log = structlog.get_logger(__name__)


def with_open_button(card: Card, speaker: Speaker) -> Card:
    """Return a board's card with the button that opens it in the Activity; any other card unchanged."""
    game = card.headline
    if game is None or game.status == "lobby":
        return card
    button = Button(speaker.of(PLATFORM).line("button.app"), press(OPEN_DEED, game.code, game.revision))
    if game.live and len(card.rows) < MAX_OPTIONS:
        return replace(card, rows=((button,), *card.rows))
    last = card.rows[-1] if card.rows else ()
    if isinstance(last, tuple) and 0 < len(last) < MAX_BUTTONS_IN_ROW:
        return replace(card, rows=(*card.rows[:-1], (*last, button)))
    return replace(card, rows=(*card.rows, (button,))) if len(card.rows) < MAX_OPTIONS else card


async def launch_activity(interaction: Interaction, game: str, context: Context) -> str | None:
    """Open the Activity as the first response to a press; Discord does not allow it after another response.

    The response carries no data: the game is stored until the page asks for it. Returns None, or the key of the
    sentence that says why the Activity could not be opened.
    """
    try:
        with read_responses():
            answer = await interaction.response.launch_activity()
    except discord.HTTPException as error:
        log.warning("activity-not-launched", interaction=interaction.id, code=error.code, reason=error.text)
        return "app.not-enabled"
    if answer.activity_id is not None:
        try:
            await remember_launch(context.store, answer.activity_id, str(interaction.user.id), game, context.clock())
        except StorageError as error:
            # The page then shows the list of the person's games instead.
            log.warning("activity-launch-not-stored", interaction=interaction.id, reason=str(error))
    return None


async def remember_launch(store: Store, instance: str, user: str, game: str, at: datetime) -> None:
    """Store which game a person wants to open in an Activity instance, and notify their page if it is already open."""
    value = {"game": game, "at": round(at.timestamp())}
    await store.key_values.announce(PLATFORM, launch_key(instance, user), value)


def launch_key(instance: str, user: str) -> str:
    """Return the key of the stored game that a person wants to open in an instance."""
    return f"{LAUNCH_KEY_PREFIX}{instance}.{user}"


async def read_launch(store: Store, instance: str, user: str, now: datetime) -> tuple[str, float]:
    """Return the game that a person wants to open in an instance, empty if none, and the time (Unix seconds)."""
    remembered = await store.key_values.get(PLATFORM, launch_key(instance, user))
    if remembered is None:
        return "", 0.0
    at = float(remembered.get("at") or 0)
    fresh = now.timestamp() - at < LAUNCH_MEMORY.total_seconds()
    return str(remembered.get("game") or "") if fresh else "", at


async def forget_old_launches(store: Store, before: datetime) -> None:
    """Delete stored launches from before a time."""
    for name, value in (await store.key_values.get_with_prefix(PLATFORM, LAUNCH_KEY_PREFIX)).items():
        if float(value.get("at") or 0) < before.timestamp():
            await store.key_values.set(PLATFORM, name, None)


def list_entry_points(registered: Iterable[Mapping[str, Any]]) -> list[Json]:
    """Return the entry point commands among those that are registered, to be registered again with ours.

    An application with an Activity has one, which Discord has created and answers itself. It may not overwrite its
    commands without it (page Application Commands, Entry Point Commands).
    """
    return [
        {name: each[name] for name in _ENTRY_POINT_FIELDS if each.get(name) is not None}
        for each in registered
        if each.get("type") == ENTRY_POINT_TYPE
    ]
