"""People and their identities on the platforms."""

import unicodedata
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any, Final

from sqlalchemy import and_, bindparam, func, insert, select, update

from storage.addresses import make_plain
from storage.columns import PERSON_SETTINGS, Json, RowData, Values, merge_settings, read_settings
from storage.database import Repository, given, in_batches
from storage.rows import utc_now
from storage.schema import Identity, Person, identities, members, people, places
from storage.sqlite import Prepared

SettingChanges = Values | Callable[[Json], Values]
"""Changes of settings, by name, or a function that returns them for the settings that are stored."""

_SELECT_PEOPLE: Final = select(people).where(people.id.in_(bindparam("ids", expanding=True)))
_FIND_WITH_PERSON: Final = Prepared(
    select(
        people,
        identities.name.label("identity_name"),
        identities.language.label("identity_language"),
    )
    .join(people)
    .filter_by(platform=bindparam("platform"), user_id=bindparam("user"))
)
_INSERT_PERSON: Final = Prepared(insert(people).returning(people))


@cache
def _build_search(*seen: str) -> Prepared:
    """Return the query for the people with a name, on a "platform" and seen in a "place" where that is named."""
    chosen = select(identities.person).filter_by(name_key=bindparam("key"))
    if "platform" in seen:
        chosen = chosen.filter_by(platform=bindparam("platform"))
    if "place" in seen:
        here: Any = bindparam("place")
        # A name is matched on the platform where people see it.
        chosen = chosen.join(members, and_(members.person == identities.person, members.place == here)).join(
            places, and_(places.id == here, places.platform == identities.platform)
        )
    return Prepared(select(people).where(people.id.in_(chosen)).order_by("id"))


class People(Repository):
    """Queries and commands for people."""

    async def identify(
        self, platform: str, user: str, name: str, language: str | None = None, *, at: datetime | None = None
    ) -> Person:
        """Return the person with an id of a platform, new or with their current name."""
        key = {"platform": platform, "user_id": user}
        for row in await self._read(_FIND_WITH_PERSON, {"platform": platform, "user": user}):
            if is_identity_unchanged(row.identity_name, row.identity_language, name, language):
                return to_person(row._asdict())
        said = {"name": name} | ({"language": language} if language is not None else {})
        async with self._transaction():
            while True:
                known = await self._find(Identity, **key)
                if known is None:
                    values: Json = {**said, "settings": {}, "created_at": at or utc_now()}
                    (made,) = await self._read_all(_INSERT_PERSON, to_person, values)
                    identity = {**key, **said, "person": made.id, "name_key": name_key(name)}
                    if await self._insert_if_new(identities, identity):
                        return made
                    # Another writer was faster: its person stays, ours is deleted.
                    await self._delete(people, id=made.id)
                    continue
                await self._update(identities, {**said, "name_key": name_key(name)}, **key)
                if await self._update(people, said, id=known.person):
                    self._emit("person", known.person)
                    return (await self._read_all(_SELECT_PEOPLE, to_person, {"ids": [known.person]}))[0]
                # The person id of the identity is damaged: a new person is created.
                await self._delete(identities, **key)

    async def get(self, person: int) -> Person | None:
        """Return a person, None if there is no such person."""
        return (await self.get_many([person])).get(person)

    async def get_many(self, ids: Collection[int]) -> dict[int, Person]:
        """Return the existing people among some ids, by id, from the cache as far as possible."""
        cache = self._database.readable_cache
        changes = cache.changes
        known: dict[int, Person] = {person: row for person in ids if (row := cache.rows.get(person)) is not None}
        unknown = set(ids) - known.keys()
        if not unknown:
            return known
        found = await self._read_all(_SELECT_PEOPLE, to_person, {"ids": sorted(unknown)})
        cache.keep(found, changes)
        return known | {person.id: person for person in found}

    async def identities(self, *people: int) -> list[Identity]:
        """Return the identities of some people, ordered by person and platform."""
        theirs = identities.person.in_(sorted(set(people)))
        return await self._list(Identity, theirs, order=["person", "platform", "user_id"])

    async def identities_with_prefix(self, platform: str, beginning: str) -> list[Identity]:
        """Return the identities of a platform whose ids begin with a prefix, ordered by id."""
        # Not LIKE, which is case-insensitive on SQLite only.
        begins = func.substr(identities.user_id, 1, len(beginning)) == beginning
        return await self._list(Identity, begins, platform=platform, order=["user_id"])

    async def ids_of_users(self, platform: str, users: Collection[str]) -> dict[str, int | None]:
        """Return the person ids of a platform's user ids, None for unknown ones."""
        found: dict[str, int | None] = dict.fromkeys(users)
        query = select(identities.user_id, identities.person).filter_by(platform=platform)
        for some in in_batches(found):
            found |= await self._read_pairs(query.where(identities.user_id.in_(some)))
        return found

    async def add_identity(self, person: int, platform: str, user: str, name: str, language: str | None) -> bool:
        """Add an identity to a person; False if it exists already."""
        values = {"platform": platform, "user_id": user, "person": person, "language": language}
        async with self._transaction():
            self._emit("person", person)
            return await self._insert_if_new(identities, values | {"name": name, "name_key": name_key(name)})

    async def record_reachability(self, platform: str, user: str, *, can_dm: bool, certain: bool = True) -> None:
        """Record whether a private message reaches an identity; an uncertain value only replaces an unknown one."""
        key = {"platform": platform, "user_id": user}
        known = await self._find(Identity, **key)
        if known is None or known.can_dm == can_dm or not (certain or known.can_dm is None):
            return  # the usual case needs no write
        async with self._transaction():
            new = update(identities).filter_by(**key, **({} if certain else {"can_dm": None})).values(can_dm=can_dm)
            for person in await self._read_column(new.returning(identities.person)):
                self._emit("person", person)

    async def change_settings(self, person: int, changes: SettingChanges) -> Person | None:
        """Change some settings of a person (None deletes one) and return the person, None if there is none.

        Changes that depend on the stored settings are given as a function of these.
        """
        mine = people.id == person
        async with self._transaction():
            for known in await self._read_all(select(people).where(mine).with_for_update(), to_person):
                changed = changes(known.settings) if callable(changes) else changes
                settings = merge_settings(known.settings, changed, PERSON_SETTINGS)
                await self._update(people, {"settings": settings}, mine)
                self._emit("person", person)
                return replace(known, settings=settings)
        return None

    async def find(self, name: str, *, platform: str | None = None, place: int | None = None) -> list[Person]:
        """Return the people with a name, ignoring case and a leading @, on a platform or seen in a place."""
        seen = given(platform=platform, place=place)
        return await self._read_all(_build_search(*seen), to_person, {"key": name_key(name), **seen})


def is_identity_unchanged(known_name: str, known_language: str | None, name: str, language: str | None) -> bool:
    """Return whether a person's name and language on a platform equal the stored ones."""
    return known_name == name and language in (None, known_language)


def name_key(name: str) -> str:
    """Return a name in the form for comparisons: plain, without case, quotes and a leading @."""
    plain = make_plain(unicodedata.normalize("NFKC", make_plain(name)).casefold())
    return " ".join(plain.replace('"', "").split()).removeprefix("@")


def to_person(row: RowData, prefix: str = "") -> Person:
    """Return the person in the columns of a database row that begin with a prefix."""
    person, settings = row[f"{prefix}id"], row[f"{prefix}settings"]
    return Person(person, row[f"{prefix}name"], row[f"{prefix}language"], read_settings("people", person, settings))
