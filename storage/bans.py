"""Who is banned from a place or muted there, where the platform has no such thing for managers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, delete, insert, or_, select

from storage.database import Repository
from storage.schema import bans

BAN: Final = "ban"
KICK: Final = "kick"
MUTE: Final = "mute"
"""Kept out for good, kept out for a while, not allowed to speak."""


@dataclass(frozen=True, slots=True)
class Ban:
    """What holds for all names of a `browser`, by what their ids begin with, and for a `person`.

    The browser is empty where none is known, the person None once forgotten, `until` None where it has no end.
    """

    kind: str
    browser: str
    person: int | None
    until: datetime | None

    def holds_for(self, person: int | None, browsers: Collection[str]) -> bool:
        """Say whether it holds for a person, or for somebody who has some browsers."""
        return (person is not None and person == self.person) or (self.browser != "" and self.browser in browsers)


_BAN_COLUMNS: Final = [bans.c[name] for name in ("kind", "browser", "person", "until")]


class Bans(Repository):
    """The verbs about bars; one holds for a person and for everybody of one browser, until a moment or for good."""

    async def add(
        self, place: int, kind: str, person: int, browsers: Collection[str], until: datetime | None, at: datetime
    ) -> None:
        """Bar a person from a place, with all browsers of theirs; what of the kind held for them before is past."""
        async with self._database.transaction() as connection:
            self._database.emit_after_commit("bans")
            await connection.execute(
                delete(bans).where(bans.c.place == place, bans.c.kind == kind, _matches_anybody([person], browsers))
            )
            values: dict[str, Any] = {"place": place, "kind": kind, "person": person, "until": until, "made_at": at}
            for browser in sorted(browsers) or [""]:
                await connection.execute(insert(bans).values(**values, browser=browser))

    async def remove(self, place: int, kind: str, people: Collection[int], browsers: Collection[str]) -> bool:
        """Take back what bars some people or browsers from a place; False if nothing did."""
        async with self._database.transaction() as connection:
            self._database.emit_after_commit("bans")
            query = delete(bans).where(bans.c.place == place, bans.c.kind == kind, _matches_anybody(people, browsers))
            return bool((await connection.execute(query)).rowcount)

    async def list_in_place(self, place: int, now: datetime) -> list[Ban]:
        """Return what holds in a place, in the order in which it was made."""
        query = select(*_BAN_COLUMNS).where(bans.c.place == place, or_(bans.c.until.is_(None), bans.c.until > now))
        async with self._database.read_autocommit() as connection:
            found = await connection.execute(query.order_by(bans.c.id))
            return [Ban(**row) for row in found.mappings()]

    async def delete_expired(self, before: datetime) -> None:
        """Forget what has not held since a moment."""
        async with self._database.transaction() as connection:
            await connection.execute(delete(bans).where(bans.c.until <= before))


def _matches_anybody(people: Collection[int], browsers: Collection[str]) -> ColumnElement[bool]:
    return or_(bans.c.person.in_(people), bans.c.browser.in_([browser for browser in browsers if browser]))
