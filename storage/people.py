"""People and their identities on the platforms."""

import unicodedata
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any, Final

from sqlalchemy import RowMapping, and_, bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Database, Repository, insert_if_new
from storage.plain_text import make_plain
from storage.rows import Identity, Json, Person, utc_now
from storage.schema import identities, members, people, places
from storage.settings_data import PERSON_SETTINGS, check_declared, read_person_settings
from storage.sqlite import Prepared

SettingChanges = Mapping[str, Any] | Callable[[Json], Mapping[str, Any]]
"""Changes of settings, by name, or a function that returns them for the settings that are stored."""

_BATCH_SIZE: Final = 500
"""Maximum number of rows named in one statement."""
_SELECT_PEOPLE: Final = select(people).where(people.c.id.in_(bindparam("ids", expanding=True)))
_SELECT_IDENTITIES: Final = (
    select(identities).filter_by(person=bindparam("of")).order_by(identities.c.platform, identities.c.user_id)
)
_SELECT_IDENTITIES_OF_PEOPLE: Final = (
    select(identities)
    .where(identities.c.person.in_(bindparam("ids", expanding=True)))
    .order_by(identities.c.person, identities.c.platform, identities.c.user_id)
)


_FIND_WITH_PERSON: Final = Prepared(
    select(
        *people.c,
        *(identities.c[name] for name in ("platform", "user_id", "person", "can_dm")),
        identities.c.name.label("identity_name"),
        identities.c.language.label("identity_language"),
    )
    .join(people, people.c.id == identities.c.person)
    .where(identities.c.platform == bindparam("platform"), identities.c.user_id == bindparam("user"))
)
_IDENTITY: Final = Prepared(select(identities).filter_by(platform=bindparam("platform"), user_id=bindparam("user")))
_PERSON: Final = Prepared(select(people).filter_by(id=bindparam("person")))
_ADD_PERSON: Final = Prepared(insert(people).returning(people.c.id))


def _record_can_dm(*, certain: bool) -> Prepared:
    """Return the statement that records whether an identity is reached, if that is news, and returns its person."""
    new = identities.c.can_dm.is_distinct_from(bindparam("reached")) if certain else identities.c.can_dm.is_(None)
    whose = (identities.c.platform == bindparam("of_platform"), identities.c.user_id == bindparam("of_user"))
    statement = update(identities).where(*whose, new).values(can_dm=bindparam("reached"))
    return Prepared(statement.returning(identities.c.person))


_RECORD_CAN_DM: Final = {certain: _record_can_dm(certain=certain) for certain in (False, True)}


class People(Repository):
    """Queries and commands for people."""

    async def identify(
        self, platform: str, user: str, name: str, language: str | None = None, *, at: datetime | None = None
    ) -> Person:
        """Return the person with an id of a platform, new or with their current name."""
        row = await self._read_one(_FIND_WITH_PERSON, lambda found: found, {"platform": platform, "user": user})
        if row is not None:
            known = to_identity({**row, "name": row["identity_name"], "language": row["identity_language"]})
            if is_identity_unchanged(known, name, language):
                return to_person(row)
        async with self._database.transaction() as connection:
            person = await _refresh(connection, platform, user, name, language, at or utc_now())
            if row is not None:
                self._database.change_rows(person.id)
                self._database.emit_after_commit("person", person.id)
            return person

    async def get(self, person: int) -> Person | None:
        """Return a person, None if there is no such."""
        return (await self.get_many([person])).get(person)

    async def get_many(self, ids: Collection[int]) -> dict[int, Person]:
        """Return those of some people who exist, by id."""
        return await people_by_id(self._database, ids)

    async def identities(self, person: int) -> list[Identity]:
        """Return the identities of a person, ordered by platform."""
        return await self._read_all(_SELECT_IDENTITIES, to_identity, {"of": person})

    async def identities_of_many(self, people: Collection[int]) -> list[Identity]:
        """Return the identities of several people, ordered by person."""
        return await self._read_all(_SELECT_IDENTITIES_OF_PEOPLE, to_identity, {"ids": sorted(set(people))})

    async def identities_with_prefix(self, platform: str, beginning: str) -> list[Identity]:
        """Return the identities of a platform whose ids begin with a prefix, ordered by id."""
        query = select(identities).filter_by(platform=platform)
        # Not LIKE, which is case-insensitive on SQLite only.
        query = query.where(func.substr(identities.c.user_id, 1, len(beginning)) == beginning)
        query = query.order_by(identities.c.user_id)
        return await self._read_all(query, to_identity)

    async def ids_of_users(self, platform: str, users: Collection[str]) -> dict[str, int | None]:
        """Return the person ids of a platform's user ids, None for unknown ones."""
        found: dict[str, int | None] = dict.fromkeys(users)
        asked = list(found)
        async with self._database.read_autocommit() as connection:
            for at in range(0, len(asked), _BATCH_SIZE):
                query = select(identities.c.user_id, identities.c.person)
                query = query.where(identities.c.user_id.in_(asked[at : at + _BATCH_SIZE])).filter_by(platform=platform)
                found |= {row[0]: row[1] for row in await connection.execute(query)}
        return found

    async def add_identity(self, person: int, platform: str, user: str, name: str, language: str | None) -> bool:
        """Add an identity to a person; False if it exists already."""
        values = {"platform": platform, "user_id": user, "person": person, "language": language}
        async with self._database.transaction() as connection:
            new = await insert_if_new(connection, identities, values | {"name": name, "name_key": name_key(name)})
            self._database.change_rows(person)
            self._database.emit_after_commit("person", person)
        return bool(new)

    async def record_reachability(self, platform: str, user: str, *, can_dm: bool, certain: bool = True) -> None:
        """Record whether a private message reaches an identity; an uncertain value only replaces an unknown one."""
        known = await self._read_one(_IDENTITY, to_identity, {"platform": platform, "user": user})
        if known is None or known.can_dm == can_dm or not (certain or known.can_dm is None):
            return  # as a rule: then nothing is to be written
        values = {"of_platform": platform, "of_user": user, "reached": can_dm}
        async with self._database.transaction() as connection:
            for person in (await _RECORD_CAN_DM[certain].rows(connection, values)).scalars():
                self._database.change_rows(person)
                self._database.emit_after_commit("person", person)

    async def change_settings(self, person: int, changes: SettingChanges) -> Person | None:
        """Change some settings of a person (None deletes one) and return the person, None if there is none.

        Changes that depend on what is stored are given as a function of that.
        """
        query = select(people).filter_by(id=person).with_for_update()
        async with self._database.transaction() as connection:
            row = (await connection.execute(query)).mappings().one_or_none()
            if row is None:
                return None
            stored = read_person_settings(person, row["settings"])
            changed = changes(stored) if callable(changes) else changes
            check_declared(changed, PERSON_SETTINGS)
            settings = merge_settings(stored, changed)
            await connection.execute(update(people).filter_by(id=person).values(settings=settings))
            self._database.change_rows(person)
            self._database.emit_after_commit("person", person)
            return to_person({**row, "settings": settings})

    async def find(self, name: str, *, platform: str | None = None, place: int | None = None) -> list[Person]:
        """Return the people with a name, ignoring case and a leading @, on a platform or seen in a place."""
        chosen = select(identities.c.person).filter_by(name_key=name_key(name))
        if platform is not None:
            chosen = chosen.where(identities.c.platform == platform)
        if place is not None:
            # A name is matched on the platform where people see it.
            chosen = chosen.join(members, and_(members.c.person == identities.c.person, members.c.place == place))
            chosen = chosen.join(places, and_(places.c.id == place, places.c.platform == identities.c.platform))
        query = select(people).where(people.c.id.in_(chosen)).order_by(people.c.id)
        return await self._read_all(query, to_person)


async def people_by_id(database: Database, ids: Collection[int]) -> dict[int, Person]:
    """Return those of some people who exist, by id, from the cache as far as possible."""
    cache = database.readable_cache
    known = cache.get_people(ids) if cache is not None else {}
    unknown = set(ids) - known.keys()
    if not unknown:
        return known
    with database.reading() as reading:
        async with database.read_autocommit() as connection:
            rows = (await connection.execute(_SELECT_PEOPLE, {"ids": sorted(unknown)})).mappings()
            found = {row["id"]: to_person(row) for row in rows}
        reading.keep(found.values())
    return known | found


def is_identity_unchanged(known: Identity, name: str, language: str | None) -> bool:
    """Return whether what a platform says about a person equals what is stored."""
    return known.name == name and language in (None, known.language)


def name_key(name: str) -> str:
    """Return the form in which names are compared: plain, without case, quotes and a leading @."""
    plain = make_plain(unicodedata.normalize("NFKC", make_plain(name)).casefold())
    return " ".join(plain.replace('"', "").split()).removeprefix("@")


def merge_settings(settings: Json, changes: Mapping[str, Any]) -> Json:
    """Return settings with some changes; None deletes one."""
    return {name: value for name, value in {**settings, **changes}.items() if value is not None}


def to_person(row: RowMapping | Mapping[str, Any], prefix: str = "") -> Person:
    """Return the person in the columns of a database row that begin with a prefix."""
    person, settings = row[f"{prefix}id"], row[f"{prefix}settings"]
    return Person(person, row[f"{prefix}name"], row[f"{prefix}language"], read_person_settings(person, settings))


def to_identity(row: RowMapping | Mapping[str, Any]) -> Identity:
    """Return the identity of a database row."""
    return Identity(row["platform"], row["user_id"], row["person"], row["name"], row["language"], row["can_dm"])


async def _read_identity(connection: AsyncConnection, platform: str, user: str) -> Identity | None:
    row = (await _IDENTITY.rows(connection, {"platform": platform, "user": user})).mappings().one_or_none()
    return None if row is None else to_identity(row)


async def _read_person(connection: AsyncConnection, person: int) -> Person:
    return to_person((await _PERSON.rows(connection, {"person": person})).mappings().one())


async def _refresh(
    connection: AsyncConnection, platform: str, user: str, name: str, language: str | None, at: datetime
) -> Person:
    known = await _read_identity(connection, platform, user)
    if known is None:
        values: dict[str, Any] = {"name": name, "language": language, "settings": {}, "created_at": at}
        person: int = (await _ADD_PERSON.rows(connection, values)).scalar_one()
        identity = {"platform": platform, "user_id": user, "person": person, "language": language}
        if await insert_if_new(connection, identities, identity | {"name": name, "name_key": name_key(name)}):
            return await _read_person(connection, person)
        # Another writer was faster: their person stays, ours is deleted.
        await connection.execute(delete(people).filter_by(id=person))
        return await _refresh(connection, platform, user, name, language, at)
    said = {"name": name} | ({"language": language} if language is not None else {})
    where = and_(identities.c.platform == platform, identities.c.user_id == user)
    await connection.execute(update(identities).where(where).values(**said, name_key=name_key(name)))
    changed = await connection.execute(update(people).filter_by(id=known.person).values(**said))
    if changed.rowcount == 0:
        # The number of the person is damaged, so that nobody knows who it was: a new person comes.
        await connection.execute(delete(identities).where(where))
        return await _refresh(connection, platform, user, name, language, at)
    return await _read_person(connection, known.person)
