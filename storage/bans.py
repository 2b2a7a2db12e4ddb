"""Bans and mutes of people in places whose platform has no moderation of its own."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, delete, insert, or_, select

from storage.repository import Repository
from storage.schema import bans

BAN: Final = "ban"
KICK: Final = "kick"
MUTE: Final = "mute"
"""Banned for good, banned for a while, not allowed to speak."""


@dataclass(frozen=True, slots=True)
class Ban:
    """A ban of a `person` and of all identities of a `browser` (matched by the prefix of their ids).

    `browser` is empty if unknown, `person` is None once forgotten, `until` is None if the ban has no end.
    """

    kind: str
    browser: str
    person: int | None
    until: datetime | None

    def holds_for(self, person: int | None, browsers: Collection[str]) -> bool:
        """Return whether the ban applies to a person or to one of their browsers."""
        return (person is not None and person == self.person) or (self.browser != "" and self.browser in browsers)


_BAN_COLUMNS: Final = [bans.c[name] for name in ("kind", "browser", "person", "until")]


class Bans(Repository):
    """Queries and commands for bans; each applies to a person and to one browser, until a time or for good."""

    async def add(
        self, place: int, kind: str, person: int, browsers: Collection[str], until: datetime | None, at: datetime
    ) -> None:
        """Ban a person and all their browsers from a place, replacing earlier bans of this kind."""
        async with self._database.transaction() as connection:
            self._database.emit_after_commit("bans")
            await connection.execute(
                delete(bans).where(bans.c.place == place, bans.c.kind == kind, _matches_anybody([person], browsers))
            )
            values: dict[str, Any] = {"place": place, "kind": kind, "person": person, "until": until, "made_at": at}
            for browser in sorted(browsers) or [""]:
                await connection.execute(insert(bans).values(**values, browser=browser))

    async def remove(self, place: int, kind: str, people: Collection[int], browsers: Collection[str]) -> bool:
        """Delete the bans of some people or browsers in a place; return False if there were none."""
        async with self._database.transaction() as connection:
            self._database.emit_after_commit("bans")
            query = delete(bans).where(bans.c.place == place, bans.c.kind == kind, _matches_anybody(people, browsers))
            return bool((await connection.execute(query)).rowcount)

    async def list_in_place(self, place: int, now: datetime) -> list[Ban]:
        """Return the bans in effect in a place, oldest first."""
        query = select(*_BAN_COLUMNS).where(bans.c.place == place, or_(bans.c.until.is_(None), bans.c.until > now))
        return await self._read_rows(query.order_by(bans.c.id), Ban)

    async def delete_expired(self, before: datetime) -> None:
        """Delete the bans that ended before a time."""
        await self._write(delete(bans).where(bans.c.until <= before))


def _matches_anybody(people: Collection[int], browsers: Collection[str]) -> ColumnElement[bool]:
    return or_(bans.c.person.in_(people), bans.c.browser.in_([browser for browser in browsers if browser]))
