"""What is known of those in a lobby besides their seats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bot.context.context import Context
from bot.lessons import lesson_of
from bot.services.counting import of_one_browser
from storage import GameRow


@dataclass(frozen=True, slots=True)
class AroundLobby:
    """What is known of those in a lobby.

    `beginners` are those who are asked and can learn the game first, since it is new to them. `one_browser`: the game
    will not count, since two of them share one.
    """

    beginners: frozenset[int] = frozenset()
    one_browser: bool = False


NOTHING: Final = AroundLobby()


async def around_lobby(context: Context, row: GameRow) -> AroundLobby:
    """Return what is known of those in a lobby; nothing once the game has begun, or never will."""
    if row.status != "lobby":
        return NOTHING
    asked = [entry.person for entry in row.seats if entry.state == "invited" and entry.person is not None]
    taught = lesson_of(row.game) is not None
    new = frozenset([person for person in asked if taught and await context.store.is_new_to(person, row.game)])
    return AroundLobby(new, await of_one_browser(context, row))
