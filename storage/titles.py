"""Titles won in seasons of leagues, on ladders and in months of channels."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.competition_schema import titles
from storage.database import insert_if_new
from storage.repository import Repository


@dataclass(frozen=True, slots=True)
class NewTitle:
    """A title of a person: its kind, game, `source` (a competition or a place) and `period`."""

    person: int
    kind: str
    game_key: str
    source: str
    period: str


@dataclass(frozen=True, slots=True)
class Title(NewTitle):
    """A title with the time when it was won."""

    earned_at: datetime


class Titles(Repository):
    """Queries and commands for titles."""

    async def award(self, given: Sequence[NewTitle], at: datetime) -> None:
        """Award titles to people, each once."""
        async with self._database.transaction() as connection:
            await store_titles(connection, given, at)

    async def list_for_person(self, person: int) -> list[Title]:
        """Return the titles of a person, newest first."""
        columns = [titles.c[name] for name in ("person", "kind", "game_key", "source", "period", "earned_at")]
        query = select(*columns).where(titles.c.person == person).order_by(titles.c.earned_at.desc(), titles.c.id)
        return await self._read_rows(query, Title)


async def store_titles(connection: AsyncConnection, given: Sequence[NewTitle], at: datetime) -> None:
    """Store titles that people do not have yet, within a transaction."""
    for each in given:
        await insert_if_new(connection, titles, asdict(each) | {"original": each.person, "earned_at": at})


async def transfer_titles(connection: AsyncConnection, gone: int, remaining: int) -> None:
    """Transfer the titles of a person to another; one that both have stays once."""
    mine = titles.alias("remaining")
    keys = ("kind", "game_key", "source", "period")
    same = select(mine.c.id).where(mine.c.person == remaining, *(mine.c[key] == titles.c[key] for key in keys))
    await connection.execute(delete(titles).where(titles.c.person == gone, same.exists()))
    await connection.execute(update(titles).where(titles.c.person == gone).values(person=remaining))


async def restore_titles(connection: AsyncConnection, person: int, own: int) -> None:
    """Restore the titles that a person had won before they were merged."""
    query = update(titles).where(titles.c.person == person, titles.c.original == own)
    await connection.execute(query.values(person=own))


async def forget_titles(connection: AsyncConnection, people: Collection[int]) -> None:
    """Delete the titles of forgotten people."""
    await connection.execute(delete(titles).where(titles.c.person.in_(people) | titles.c.original.in_(people)))
