"""Competitions for public pages: without the names of hidden people, and with public games only."""

from dataclasses import dataclass, replace
from typing import Any

from bot.core.context import Context
from bot.history.competitions import AnyCompetition, read_competition
from bot.matches.stored import StoredCompetition
from bot.public.answers import NothingToShow
from bot.public.consent import Allowed, Consent, is_hidden
from engine import games
from storage import CompetitionKind, CompetitionRow


@dataclass(frozen=True, slots=True)
class EntrantPages:
    """The profiles of a competition's people who want one, and the pages of its games, by their codes."""

    profiles: dict[int, str]
    games: dict[str, str]


class ShownCompetitions:
    """Reads competitions for public pages."""

    def __init__(self, context: Context, consent: Consent) -> None:
        self._context = context
        self._consent = consent

    async def row(self, allowed: Allowed, kind: CompetitionKind) -> CompetitionRow:
        """Return the competition of a page; NothingToShow if it is of another kind, or its game is not installed."""
        row = await self._context.store.competitions.get(allowed.page.competition or "")
        if row is None or row.kind != kind or row.game_key not in games:
            raise NothingToShow("unknown")
        return row

    async def read(self, allowed: Allowed, kind: CompetitionKind) -> AnyCompetition:
        """Return a competition without the names of hidden people; NothingToShow."""
        found = await read_competition(self._context, await self.row(allowed, kind))
        return replace(found, people={number: each for number, each in found.people.items() if not is_hidden(each)})

    async def pages(self, competition: StoredCompetition[Any]) -> EntrantPages:
        """Return the page ids of a competition's people and games."""
        profiles = await self._consent.pages_of_people(competition.people.values())
        return EntrantPages(profiles, await self._pages_of_games(competition.row.id))

    async def _pages_of_games(self, code: str) -> dict[str, str]:
        public = self._context.store.public
        found = await public.list_games_of_competition(code, await self._consent.places())
        people = await public.people_of_games(found)
        shown = [game for game in found if not any(map(is_hidden, people[game]))]
        made = await public.create_ids("game", shown, self._context.clock())
        return {game: made[game] for game in shown}


def name_of(competition: StoredCompetition[Any], entrant: int, computer: str) -> str:
    """Return the name of an entrant, or of a computer (number below 0)."""
    return competition.name(entrant) if entrant >= 0 else computer
