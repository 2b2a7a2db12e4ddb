"""Data about people and place that a lobby's card needs besides the seats."""

from dataclasses import dataclass
from typing import Final

from bot.core.context import Context
from bot.lessons import lesson_of
from bot.play.rated_games import shares_one_browser
from storage import GameRow, PlaceRow


@dataclass(frozen=True, slots=True)
class LobbyContext:
    """Facts about the people of a lobby and its place.

    `beginners` are invited people who can learn the game first, since it is new to them. `one_browser`: True if the
    game will be unrated because two of them share a browser. `pressed`: True if nothing changes in its place without a
    press. `quiet`: True if changes in its place notify nobody.
    """

    beginners: frozenset[int] = frozenset()
    one_browser: bool = False
    pressed: bool = False
    quiet: bool = False


EMPTY_LOBBY_CONTEXT: Final = LobbyContext()


async def read_lobby_context(context: Context, row: GameRow, place: PlaceRow | None = None) -> LobbyContext:
    """Return the context of a lobby, and of its place if that is given.

    It is empty once the game has begun or was called off.
    """
    if row.status != "lobby":
        return EMPTY_LOBBY_CONTEXT
    asked = [entry.person for entry in row.seats if entry.state == "invited" and entry.person is not None]
    taught = lesson_of(row.game) is not None
    new = frozenset([person for person in asked if taught and await context.store.lessons.is_new_to(person, row.game)])
    pressed, quiet = place is not None and place.guest, place is not None and context.edits_alone(place)
    return LobbyContext(new, await shares_one_browser(context, row), pressed, quiet)
