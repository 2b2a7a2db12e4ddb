"""JSON for the API; `bot/public/openapi.py` has the schemas."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from bot.core.context import Context
from bot.play.rated_games import is_rated
from bot.play.ratings import rating_points
from bot.public.consent import Consent
from bot.public.listing import GameList
from bot.public.shown_games import ShownGame
from bot.puzzles.puzzle import Puzzle
from bot.puzzles.solving import find_solution
from bot.tables.table import GamePeople
from storage import Person, Rating, Title
from storage.schema import PEOPLE_POOL

Json = dict[str, Any]


class JsonViews:
    """Returns public data as JSON."""

    def __init__(self, context: Context, consent: Consent) -> None:
        self._context = context
        self._consent = consent

    def url(self, path: str) -> str:
        """Return the full address of a path."""
        return f"{self._context.web_address}{path}"

    async def game_list(self, found: GameList) -> Json:
        """Return a page of a list of games."""
        people = [person for each, _ in found.games for person in each.people.values()]
        profiles = await self._consent.pages_of_people(people)
        return {"items": [self._summary(each, page, profiles) for each, page in found.games], "next": found.cursor}

    async def game(self, game: ShownGame) -> Json:
        """Return a game without its turns."""
        table, row = game.table.in_language(None), game.table.row
        profiles = await self._consent.pages_of_people(table.people.values())
        position = {name: value for name, value in table.playing.state.to_json().items() if name != "extra"}
        return {
            **self._summary(table, game.page, profiles),
            "options": row.options,
            "rules_version": row.rules_version,
            "revision": row.revision,
            "position": position,
            "seed_hash": row.seed_hash,
            "seed": row.seed if game.is_over else None,
        }

    def _summary(self, seated: GamePeople, page: str, profiles: Mapping[int, str]) -> Json:
        seated, brief = seated.in_language(None), seated.brief
        seats = range(brief.seat_count)
        outcome = brief.outcome if brief.status == "over" else None
        mover = next((seat for seat in seats if seated.person_at(seat) == brief.to_move), None)
        return {
            "id": page,
            "url": self.url(f"/g/{page}"),
            "game": brief.game,
            "status": brief.status,
            "players": [self._player(seated, seat, profiles) for seat in seats],
            "to_move": mover if brief.to_move is not None and brief.status == "playing" else None,
            "turns": brief.turn,
            "rated": is_rated(brief),
            "created_at": time_json(brief.created_at),
            "started_at": time_json(brief.started_at),
            "ended_at": time_json(brief.ended_at),
            "outcome": None
            if outcome is None
            else {"reason": outcome["reason"], "places": list(outcome["places"]) if "places" in outcome else None},
            "links": {
                "turns": self.url(f"/api/v1/games/{page}/turns"),
                "record": self.url(f"/api/v1/games/{page}/record"),
                "stream": self.url(f"/api/v1/games/{page}/stream"),
                "preview": self.url(f"/g/{page}/preview.png"),
            },
        }

    def _player(self, seated: GamePeople, seat: int, profiles: Mapping[int, str]) -> Json:
        return {
            "seat": seat,
            "name": seated.name(seat),
            "computer": seated.level_at(seat),
            "player": profiles.get(seated.person_at(seat) or 0),
        }

    def player(self, person: Person, page: str, ratings: Sequence[Rating], titles: Sequence[Title]) -> Json:
        """Return the profile of a person who wants one."""
        return {
            "id": page,
            "url": self.url(f"/p/{page}"),
            "name": person.name,
            "ratings": [rating_json(each) for each in ratings if each.game_key and each.pool == PEOPLE_POOL],
            "titles": [
                {
                    "kind": each.kind,
                    "game": each.game_key,
                    "period": each.period,
                    "earned_at": time_json(each.earned_at),
                }
                for each in titles
            ],
        }

    async def ratings(self, best: Sequence[tuple[Rating, Person]], *, more: bool) -> Json:
        """Return the ratings of people with a profile, best first, and the cursor if there are more."""
        profiles = await self._consent.pages_of_people(person for _, person in best)
        items = [{"name": person.name, "player": profiles[person.id], **rating_json(rating)} for rating, person in best]
        return {"items": items, "next": items[-1]["player"] if more else None}

    def puzzle(self, puzzle: Puzzle, day: date) -> Json:
        """Return the puzzle of a date that has ended everywhere, with its solution."""
        solution = find_solution(puzzle)
        return {
            "date": day.isoformat(),
            "url": self.url(f"/puzzle/{day.isoformat()}"),
            "game": puzzle.game,
            "position": {name: value for name, value in puzzle.position.items() if name != "extra"},
            "seat": puzzle.seat,
            "goal": {"kind": puzzle.goal.kind, "turns": puzzle.goal.turns},
            "motif": puzzle.motif,
            "solution": [[str(action) for action in turn] for turn in solution.turns],
        }


def rating_json(rating: Rating) -> Json:
    """Return a rating."""
    return {
        "game": rating.game_key,
        "points": rating_points(rating),
        "wins": rating.wins,
        "draws": rating.draws,
        "losses": rating.losses,
    }


def time_json(at: datetime | None) -> str | None:
    """Return a time as the API gives it."""
    return None if at is None else at.isoformat().replace("+00:00", "Z")
