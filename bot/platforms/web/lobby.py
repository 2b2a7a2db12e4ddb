"""The lobby's content besides the games: the puzzle of the day and the room's leaderboard, read once for all tabs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from bot.boards.puzzles.cards import day_words, goal_words
from bot.boards.puzzles.daily import today_at
from bot.boards.puzzles.puzzle import puzzle_on
from bot.kernel.texts import Speaker, strip_styles
from bot.people.standings.service import Rank
from bot.platforms.app import Tavoliere
from bot.platforms.web.request_guard import Rejected
from bot.platforms.web.room import ChatRoom
from storage import Json, Person, PlaceRow

MAX_RANKS: Final = 5
"""Maximum number of people on the lobby's leaderboard."""


@dataclass(frozen=True, slots=True)
class LobbyContent:
    """The room's date, whose puzzle is shown, and its leaderboard."""

    day: date
    ranks: tuple[Rank, ...]


class Lobby:
    """Reads the content; the leaderboard is read again only after a game has ended or a name has changed."""

    def __init__(self, front: Tavoliere, room: ChatRoom) -> None:
        self._front = front
        self._room = room
        self._ranks: tuple[Rank, ...] = ()
        self._known: object = None

    async def read(self, place: PlaceRow, people: Sequence[Person]) -> tuple[LobbyContent, float]:
        """Return the content, and the seconds until the next day begins in the room."""
        over = frozenset(message for message, headline in self._room.tables().items() if headline["status"] == "over")
        known = over, frozenset((each.id, each.name) for each in people)
        if known != self._known:
            self._ranks = tuple((await self._front.rank_in_place(place))[:MAX_RANKS])
            self._known = known
        now = self._room.clock()
        today = today_at(place, 0, now)
        return LobbyContent(today.date, self._ranks), (today.next_at - now).total_seconds()


def lobby_to_json(content: LobbyContent, speaker: Speaker) -> Json:
    """Return the content as JSON in the speaker's language."""
    puzzle = puzzle_on(content.day)
    return {
        "puzzle": {
            "day": content.day.isoformat(),
            "date": day_words(speaker, content.day),
            "title": speaker.game_name(puzzle.game),
            "goal": strip_styles(goal_words(speaker, puzzle, puzzle.goal)),
        },
        "leaders": [
            {
                "place": each.row.place,
                "person": each.person,
                "name": each.row.name,
                "points": None if each.row.points is None else speaker.number(each.row.points),
                "results": [each.row.wins, each.row.draws, each.row.losses],
            }
            for each in content.ranks
        ],
    }


def read_day(text: str, place: PlaceRow, now: datetime) -> date:
    """Return the date in an address; Rejected if it is none, or after the room's date."""
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise Rejected(404, "no-such-game") from error
    if day > today_at(place, 0, now).date:
        raise Rejected(404, "no-such-game")
    return day
