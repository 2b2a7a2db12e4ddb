"""What is known of those in a lobby besides their seats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bot.core.context import Context
from bot.lessons import lesson_of
from bot.play.rated_games import shares_one_browser
from storage import GameRow, PlaceRow


@dataclass(frozen=True, slots=True)
class LobbyContext:
    """What is known of those in a lobby.

    `beginners` are those who are asked and can learn the game first, since it is new to them. `one_browser`: the game
    will not count, since two of them share one. `pressed`: where it is shown nothing changes without a press, `quiet`:
    nothing that changes there calls anybody.
    """

    beginners: frozenset[int] = frozenset()
    one_browser: bool = False
    pressed: bool = False
    quiet: bool = False


EMPTY_LOBBY_CONTEXT: Final = LobbyContext()


async def read_lobby_context(context: Context, row: GameRow, place: PlaceRow | None = None) -> LobbyContext:
    """Return what is known of those in a lobby, and of where it is shown if that is a place of people.

    There is nothing to know once the game has begun, or never will.
    """
    if row.status != "lobby":
        return EMPTY_LOBBY_CONTEXT
    asked = [entry.person for entry in row.seats if entry.state == "invited" and entry.person is not None]
    taught = lesson_of(row.game) is not None
    new = frozenset([person for person in asked if taught and await context.store.lessons.is_new_to(person, row.game)])
    pressed, quiet = place is not None and place.guest, place is not None and context.edits_alone(place)
    return LobbyContext(new, await shares_one_browser(context, row), pressed, quiet)
