"""Public pages: their unguessable ids, and the data that decides what may be shown."""

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeVar

from sqlalchemy import and_, or_, select, union

from storage.columns import Condition
from storage.competition_schema import (
    CompetitionKind,
    CompetitionRow,
    competition_games,
    competitions,
)
from storage.database import Repository, given, in_batches
from storage.games import StoredGames
from storage.message_schema import IS_TABLE, PublicPage, posts, public_pages
from storage.people import to_person
from storage.places import SELECT_PLACES, place_of
from storage.schema import (
    DeclaredTable,
    GameBrief,
    PageKind,
    Person,
    PlaceRow,
    columns_of,
    game_places,
    games,
    labelled,
    people,
    places,
    seats,
)

Subject = TypeVar("Subject", bound=str | int)
"""The id of a game, a competition or a person."""
PUBLIC_ID_BYTES: Final = 16
MAX_GAMES_OF_COMPETITION: Final = 2000
"""Maximum number of games of one competition, the newest, that its page considers."""


@dataclass(frozen=True, slots=True)
class GameConsent:
    """The data that decides whether a game may be public: the places that show it, and its players."""

    revision: int
    status: str
    places: tuple[PlaceRow, ...]
    people: tuple[Person, ...]


class PublicPages(Repository):
    """Queries and commands for public pages."""

    async def get(self, page: str) -> PublicPage | None:
        """Return the page with an id, None if there never was one."""
        return await self._find(PublicPage, id=page)

    async def find_ids(self, kind: PageKind, subjects: Collection[Subject]) -> dict[Subject, str]:
        """Return the existing page ids of some games, competitions or people."""
        column, found = public_pages[kind], dict[Subject, str]()
        for some in in_batches(dict.fromkeys(subjects)):
            found |= await self._read_pairs(select(column, public_pages.id).where(column.in_(some)))
        return found

    async def create_ids(self, kind: PageKind, subjects: Collection[Subject], at: datetime) -> dict[Subject, str]:
        """Return the page ids of some games, competitions or people, creating missing ones."""
        found = await self.find_ids(kind, subjects)
        missing = [each for each in dict.fromkeys(subjects) if each not in found]
        if not missing:
            return found
        async with self._transaction():
            for each in missing:
                page = secrets.token_urlsafe(PUBLIC_ID_BYTES)
                await self._insert_if_new(public_pages, {"id": page, "kind": kind, kind: each, "made_at": at})
        return found | await self.find_ids(kind, missing)

    async def game_consent(self, game: str) -> GameConsent | None:
        """Return the data that decides whether a game may be public, None if there is no such game."""
        where = select(game_places.place).filter_by(game=game)
        async with self._database.snapshot():
            head = await self._read(select(games.revision, games.status, games.place).filter_by(id=game))
            for revision, status, place in head:
                shown = await self._read_places(or_(places.id.in_(where), places.id == place))
                # A finished game keeps its original players; the settings of the person they were merged into decide.
                return GameConsent(revision, status, shown, tuple((await self.people_of_games([game]))[game]))
        return None

    async def people_of_games(self, codes: Collection[str]) -> dict[str, list[Person]]:
        """Return the players of some games, by game: the original people, and those into whom they were merged."""
        now = people.alias("now")
        query = (
            select(seats.game, *columns_of(Person), *labelled("now_", columns_of(Person, now)))
            .join(people, people.id == seats.person)
            .outerjoin(now, now.id == people.merged_into)
            .where(seats.game.in_(sorted(codes)), seats.state != "declined")
        )
        found: dict[str, list[Person]] = {code: [] for code in codes}
        for row in await self._read_all(query, dict):
            found[row["game"]] += [to_person(row, prefix) for prefix in ("", "now_") if row[f"{prefix}id"] is not None]
        return found

    async def competition_places(self, competition: str) -> tuple[PlaceRow, ...]:
        """Return the places that show a competition."""
        where = select(posts.place).where(IS_TABLE).filter_by(competition=competition)
        own = select(competitions.place).filter_by(id=competition)
        return await self._read_places(or_(places.id.in_(where), places.id.in_(own)))

    async def list_public_places(self) -> tuple[PlaceRow, ...]:
        """Return the places whose setting makes their games public, and those that may inherit it."""
        parent = places.alias("parent")
        found = [select(parent.id).where(parent.public)]
        for inside in (places.channel, places.group_id):
            same = and_(places.platform == parent.platform, inside == parent.channel)
            found.append(select(places.id).join(parent, same).where(parent.public))
        return await self._read_places(places.id.in_(union(*found)))

    async def list_games(
        self,
        allowed: Collection[int],
        *,
        limit: int,
        after: tuple[datetime, str] | None = None,
        game_key: str | None = None,
        status: str | None = None,
        person: int | None = None,
        competition: str | None = None,
    ) -> list[GameBrief]:
        """Return started games that are shown in some places and nowhere else, newest first.

        `after` is the creation time and id of the last game of the previous page.
        """
        here = select(game_places.game).where(self._is_among(game_places.place, allowed))
        where = [games.id.in_(here), self._are_games_shown(allowed), *_is_after(games, after)]
        if person is not None:
            been = select(people.id).where(or_(people.id == person, people.merged_into == person))
            where.append(games.id.in_(select(seats.game).where(seats.person.in_(been))))
        if competition is not None:
            where.append(games.id.in_(select(competition_games.game).filter_by(competition=competition)))
        equal = given(game=game_key, status=status)
        return await StoredGames(self._database).list_briefs(*where, order=_newest(games), limit=limit, **equal)

    async def list_games_of_competition(
        self, competition: str, allowed: Collection[int], *, limit: int = MAX_GAMES_OF_COMPETITION
    ) -> list[str]:
        """Return the games of a competition that are shown in some places and nowhere else, the newest first."""
        paired = games.id.in_(select(competition_games.game).filter_by(competition=competition))
        return await self._read_column(
            select(games.id).where(paired, self._are_games_shown(allowed)).order_by(*_newest(games)).limit(limit)
        )

    def _are_games_shown(self, allowed: Collection[int]) -> Condition:
        """Return the condition that a game has begun and is shown in some places and nowhere else."""
        elsewhere = select(game_places.game).where(~self._is_among(game_places.place, allowed))
        shown = (~elsewhere.filter_by(game=games.id).exists(), self._is_among(games.place, allowed))
        return and_(*shown, games.started_at.is_not(None))

    async def list_competitions(
        self,
        allowed: Collection[int],
        *,
        limit: int,
        after: tuple[datetime, str] | None = None,
        kind: CompetitionKind = "cup",
    ) -> list[CompetitionRow]:
        """Return competitions of a kind that are shown in some places and nowhere else, newest first."""
        elsewhere = select(posts.id).where(~self._is_among(posts.place, allowed)).where(IS_TABLE)
        where = [~elsewhere.filter_by(competition=competitions.id).exists(), *_is_after(competitions, after)]
        where.append(self._is_among(competitions.place, allowed))
        return await self._list(CompetitionRow, *where, kind=kind, order=_newest(competitions), limit=limit)

    async def current_person(self, person: int) -> int:
        """Return the person into whom a person was merged, or themselves."""
        return await self._read_value(select(people.merged_into).filter_by(id=person)) or person

    async def _read_places(self, where: Any) -> tuple[PlaceRow, ...]:
        return tuple(await self._read_all(SELECT_PLACES.where(where), place_of))


def _newest(table: DeclaredTable) -> tuple[Any, Any]:
    return table.created_at.desc(), table.id.desc()


def _is_after(table: DeclaredTable, after: tuple[datetime, str] | None) -> list[Condition]:
    """Return the condition that a row comes after the last row of the previous page."""
    if after is None:
        return []
    at, last = after
    return [or_(table.created_at < at, and_(table.created_at == at, table.id < last))]
