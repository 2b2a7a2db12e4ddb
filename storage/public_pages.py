"""Public pages: unguessable ids, and the data that decides what may be shown."""

import json
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from sqlalchemy import ARRAY, ColumnElement, Integer, Select, and_, any_, func, literal, or_, select, union, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.competition_schema import competition_games, competition_places, competitions
from storage.competitions import CompetitionKind, CompetitionRow
from storage.database import Repository, insert_if_new
from storage.games import BRIEF_COLUMNS, read_briefs
from storage.people import to_person
from storage.places import inherited_columns, to_place, with_inherited
from storage.rows import GameBrief, Person, PlaceRow
from storage.schema import game_places, games, people, places, public_pages, seats

PUBLIC_ID_BYTES: Final = 16
MAX_GAMES_OF_COMPETITION: Final = 2000
"""So many games of one competition are looked at for its page, the newest."""
PageKind = Literal["game", "competition", "person"]
_BATCH_SIZE: Final = 500
_PERSON: Final = ("id", "name", "language", "settings")


@dataclass(frozen=True, slots=True)
class PublicPage:
    """The id of a public page and its subject; all subjects are None once a person was forgotten."""

    id: str
    kind: PageKind
    game: str | None
    competition: str | None
    person: int | None
    made_at: datetime


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
        query = select(public_pages).filter_by(id=page)
        return await self._read_one(query, lambda row: PublicPage(**row))

    async def find_ids(self, kind: PageKind, subjects: Collection[str | int]) -> dict[str | int, str]:
        """Return the page ids of some games, competitions or people, as far as they have one."""
        column, found, wanted = public_pages.c[kind], dict[str | int, str](), list(dict.fromkeys(subjects))
        async with self._database.read_autocommit() as connection:
            for at in range(0, len(wanted), _BATCH_SIZE):
                query = select(column, public_pages.c.id).where(column.in_(wanted[at : at + _BATCH_SIZE]))
                found |= {row[0]: row[1] for row in await connection.execute(query)}
        return found

    async def create_ids(self, kind: PageKind, subjects: Collection[str | int], at: datetime) -> dict[str | int, str]:
        """Return the page ids of some games, competitions or people, creating missing ones."""
        found = await self.find_ids(kind, subjects)
        missing = [each for each in dict.fromkeys(subjects) if each not in found]
        if not missing:
            return found
        async with self._database.transaction() as connection:
            for each in missing:
                values: dict[str, Any] = {
                    "id": secrets.token_urlsafe(PUBLIC_ID_BYTES),
                    "kind": kind,
                    kind: each,
                    "made_at": at,
                }
                await insert_if_new(connection, public_pages, values)
        return found | await self.find_ids(kind, missing)

    async def game_consent(self, game: str) -> GameConsent | None:
        """Return the data that decides whether a game may be public, None if there is no such game."""
        where = select(game_places.c.place).filter_by(game=game)
        async with self._database.read_snapshot() as connection:
            query = select(games.c.revision, games.c.status, games.c.place).filter_by(id=game)
            head = (await connection.execute(query)).one_or_none()
            if head is None:
                return None
            shown = await _read_places(connection, or_(places.c.id.in_(where), places.c.id == head.place))
            own = select(seats.c.person).where(seats.c.state != "declined").filter_by(game=game)
            # A finished game keeps its original players; the merged person's settings decide.
            now = select(people.c.merged_into).where(people.c.id.in_(own))
            seated = select(people).where(or_(people.c.id.in_(own), people.c.id.in_(now)))
            sitting = tuple(to_person(row) for row in (await connection.execute(seated)).mappings())
        return GameConsent(head.revision, head.status, shown, sitting)

    async def people_of_games(self, codes: Collection[str]) -> dict[str, list[Person]]:
        """Return the players of some games by game: as whom they played, and into whom they were merged."""
        now = people.alias("now")
        query = select(
            seats.c.game, *(people.c[name] for name in _PERSON), *(now.c[name].label(f"now_{name}") for name in _PERSON)
        )
        query = query.join(people, people.c.id == seats.c.person).outerjoin(now, now.c.id == people.c.merged_into)
        query = query.where(seats.c.game.in_(sorted(codes)), seats.c.state != "declined")
        found: dict[str, list[Person]] = {code: [] for code in codes}
        async with self._database.read_autocommit() as connection:
            for row in (await connection.execute(query)).mappings():
                found[row["game"]].append(to_person(row))
                if row["now_id"] is not None:
                    found[row["game"]].append(to_person(row, "now_"))
        return found

    async def competition_places(self, competition: str) -> tuple[PlaceRow, ...]:
        """Return the places that show a competition."""
        where = select(competition_places.c.place).filter_by(competition=competition)
        own = select(competitions.c.place).filter_by(id=competition)
        async with self._database.read_autocommit() as connection:
            return await _read_places(connection, or_(places.c.id.in_(where), places.c.id.in_(own)))

    async def list_public_places(self) -> tuple[PlaceRow, ...]:
        """Return the places whose setting makes their games public, and those that may inherit it."""
        parent = places.alias("parent")
        found = [select(parent.c.id).where(parent.c.public)]
        for inside in (places.c.channel, places.c.group_id):
            same = and_(places.c.platform == parent.c.platform, inside == parent.c.channel)
            found.append(select(places.c.id).join(parent, same).where(parent.c.public))
        async with self._database.read_snapshot() as connection:
            ids = list((await connection.execute(union(*found))).scalars())
            parts = [ids[at : at + _BATCH_SIZE] for at in range(0, len(ids), _BATCH_SIZE)]
            shown = [await _read_places(connection, places.c.id.in_(part)) for part in parts]
        return tuple(place for part in shown for place in part)

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

        `after` is the creation time and id of the last game of the page before.
        """
        if not allowed:
            return []
        here = select(game_places.c.game).where(self._is_among(game_places.c.place, allowed))
        query: Select[Any] = select(*BRIEF_COLUMNS).where(games.c.id.in_(here), self._are_games_shown(allowed))
        if after is not None:
            before = and_(games.c.created_at == after[0], games.c.id < after[1])
            query = query.where(or_(games.c.created_at < after[0], before))
        if game_key is not None:
            query = query.where(games.c.game == game_key)
        if status is not None:
            query = query.where(games.c.status == status)
        if person is not None:
            query = query.where(
                games.c.id.in_(select(seats.c.game).where(seats.c.person.in_(_build_merged_people_query(person))))
            )
        if competition is not None:
            paired = select(competition_games.c.game).filter_by(competition=competition)
            query = query.where(games.c.id.in_(paired))
        query = query.order_by(games.c.created_at.desc(), games.c.id.desc()).limit(limit)
        async with self._database.read_snapshot() as connection:
            return await read_briefs(connection, query)

    async def list_games_of_competition(
        self, competition: str, allowed: Collection[int], *, limit: int = MAX_GAMES_OF_COMPETITION
    ) -> list[str]:
        """Return the games of a competition that are shown in some places and nowhere else, the newest first."""
        query = select(games.c.id).join(competition_games, competition_games.c.game == games.c.id)
        query = query.where(competition_games.c.competition == competition, self._are_games_shown(allowed))
        query = query.order_by(games.c.created_at.desc(), games.c.id.desc()).limit(limit)
        return await self._read_column(query)

    def _are_games_shown(self, allowed: Collection[int]) -> ColumnElement[bool]:
        """Return the condition that a game has begun and is shown in some places and nowhere else."""
        elsewhere = select(game_places.c.game).where(
            game_places.c.game == games.c.id, ~self._is_among(game_places.c.place, allowed)
        )
        return and_(~elsewhere.exists(), self._is_among(games.c.place, allowed), games.c.started_at.is_not(None))

    def _is_among(self, column: ColumnElement[Any], ids: Collection[int]) -> ColumnElement[bool]:
        """Return the condition that a column is one of some numbers, however many: they are one parameter."""
        if self._database.is_sqlite:
            each = func.json_each(json.dumps(sorted(ids))).table_valued("value")
            return column.in_(select(each.c.value))
        return column == any_(literal(sorted(ids), ARRAY(Integer)))

    async def list_competitions(
        self,
        allowed: Collection[int],
        *,
        limit: int,
        after: tuple[datetime, str] | None = None,
        kind: CompetitionKind = "cup",
    ) -> list[CompetitionRow]:
        """Return competitions of a kind that are shown in some places and nowhere else, newest first."""
        if not allowed:
            return []
        elsewhere = select(competition_places.c.competition).where(
            competition_places.c.competition == competitions.c.id, ~self._is_among(competition_places.c.place, allowed)
        )
        query = select(competitions).where(~elsewhere.exists()).filter_by(kind=kind)
        query = query.where(self._is_among(competitions.c.place, allowed))
        if after is not None:
            before = and_(competitions.c.created_at == after[0], competitions.c.id < after[1])
            query = query.where(or_(competitions.c.created_at < after[0], before))
        query = query.order_by(competitions.c.created_at.desc(), competitions.c.id.desc()).limit(limit)
        return await self._read_rows(query, CompetitionRow)

    async def current_person(self, person: int) -> int:
        """Return the person into whom a person was merged, or themselves."""
        query = select(func.coalesce(people.c.merged_into, people.c.id)).where(people.c.id == person)
        found: int | None = await self._read_value(query)
        return person if found is None else found


async def forget_pages(connection: AsyncConnection, persons: Sequence[int]) -> None:
    """Remove forgotten people from their pages; the ids stay taken."""
    await connection.execute(update(public_pages).where(public_pages.c.person.in_(persons)).values(person=None))


def _build_merged_people_query(person: int) -> Any:
    """Return the query for all the people that a person has been."""
    return select(people.c.id).where(or_(people.c.id == person, people.c.merged_into == person))


async def _read_places(connection: AsyncConnection, where: Any) -> tuple[PlaceRow, ...]:
    query = select(places, *inherited_columns()).select_from(with_inherited(places)).where(where)
    return tuple(to_place(row) for row in (await connection.execute(query)).mappings())
