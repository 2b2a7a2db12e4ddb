"""Lists of public games and competitions, newest first, with cursors."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.core.context import Context
from bot.public.answers import NothingToShow
from bot.public.consent import Consent, is_hidden
from bot.tables.table import GamePeople
from storage import CompetitionKind, CompetitionRow, GameBrief

MAX_BATCHES: Final = 5
"""Maximum number of batches read for one page of a list, if much of it is not public."""


@dataclass(frozen=True, slots=True)
class GameFilter:
    """A filter for games: by kind, status, player, competition."""

    game: str | None = None
    status: str | None = None
    person: int | None = None
    competition: str | None = None


@dataclass(frozen=True, slots=True)
class GameList:
    """Games with their players and page ids, and the cursor if there may be more."""

    games: Sequence[tuple[GamePeople, str]]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class CompetitionList:
    """Competitions with their page ids, and the cursor if there may be more."""

    found: Sequence[tuple[CompetitionRow, str]]
    cursor: str | None


class Listing:
    """Lists public games and competitions. A cursor is the page id of the last item that was read."""

    def __init__(self, context: Context, consent: Consent) -> None:
        self._context = context
        self._consent = consent

    async def games(self, asked: GameFilter, limit: int, cursor: str | None = None) -> GameList:
        """Return games; NothingToShow for an unknown cursor."""
        public, allowed = self._context.store.public, await self._consent.places()
        after = await self._game_position(cursor)
        shown: list[GameBrief] = []
        last: GameBrief | None = None
        more = True
        for _ in range(MAX_BATCHES):
            found = await public.list_games(
                allowed,
                limit=limit + 1,
                after=after,
                game_key=asked.game,
                status=asked.status,
                person=asked.person,
                competition=asked.competition,
            )
            people = await public.people_of_games([each.id for each in found])
            for brief in found:
                if len(shown) == limit:
                    break
                last = brief
                if not any(map(is_hidden, people[brief.id])):
                    shown.append(brief)
            else:
                more = len(found) > limit
            if len(shown) == limit or not more or last is None:
                break
            after = last.created_at, last.id
        ids = await public.create_ids(
            "game", [each.id for each in (*shown, *([last] if last else []))], self._context.clock()
        )
        seated = await self._context.people_of_games(shown)
        listed = [(each, ids[each.brief.id]) for each in seated]
        return GameList(listed, ids[last.id] if more and last is not None else None)

    async def competitions(self, kind: CompetitionKind, limit: int, cursor: str | None = None) -> CompetitionList:
        """Return competitions of a kind; NothingToShow for an unknown cursor."""
        public, allowed = self._context.store.public, await self._consent.places()
        after = await self._competition_position(cursor)
        found = await public.list_competitions(allowed, limit=limit + 1, after=after, kind=kind)
        shown = found[:limit]
        ids = await public.create_ids("competition", [each.id for each in shown], self._context.clock())
        more = ids[shown[-1].id] if len(found) > limit else None
        return CompetitionList([(each, ids[each.id]) for each in shown], more)

    async def _game_position(self, cursor: str | None) -> tuple[datetime, str] | None:
        if cursor is None:
            return None
        page = await self._context.store.public.get(cursor)
        row = await self._context.store.games.get(page.game) if page is not None and page.game is not None else None
        if row is None:
            raise NothingToShow("unknown")
        return row.created_at, row.id

    async def _competition_position(self, cursor: str | None) -> tuple[datetime, str] | None:
        if cursor is None:
            return None
        page = await self._context.store.public.get(cursor)
        code = page.competition if page is not None else None
        row = await self._context.store.competitions.get(code) if code is not None else None
        if row is None:
            raise NothingToShow("unknown")
        return row.created_at, row.id
