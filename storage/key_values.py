"""Small values that a platform's adapter has to remember, such as how far it has read."""

from typing import Final

from sqlalchemy import bindparam, delete, func, select

from storage.columns import BROKEN_JSON, Json, Undecodable
from storage.database import Repository, insert_if_new, upsert
from storage.errors import Unavailable
from storage.schema import key_values
from storage.sqlite import Prepared

_VALUE: Final = Prepared(select(key_values.value).filter_by(platform=bindparam("platform"), name=bindparam("name")))
_TRIAL_KEY: Final = "trial"
"""The platform and the name of the value that `KeyValues.check_writable` writes."""
_TRIAL_BYTES: Final = 32 * 1024


class KeyValues(Repository):
    """Queries and commands for named values; each name belongs to a platform."""

    async def get(self, platform: str, name: str) -> Json | None:
        """Return the value of a name, None if it is missing or unreadable."""
        value: Json | None = await self._read_value(_VALUE, {"platform": platform, "name": name})
        return None if value == BROKEN_JSON else value

    async def get_with_prefix(self, platform: str, beginning: str) -> dict[str, Json]:
        """Return all readable values whose names begin with a prefix, by name."""
        query = select(key_values.name, key_values.value).filter_by(platform=platform)
        # Not LIKE, which is case-insensitive on SQLite only.
        query = query.where(func.substr(key_values.name, 1, len(beginning)) == beginning).order_by("name")
        found = (await self._read_pairs(query)).items()
        return {name: value for name, value in found if value != BROKEN_JSON and type(name) is not Undecodable}

    async def set(self, platform: str, name: str, value: Json | None) -> None:
        """Set a value; None deletes it."""
        key = {"platform": platform, "name": name}
        async with self._database.write_autocommit() as connection:
            if value is None:
                await connection.execute(delete(key_values).filter_by(**key))
            else:
                await upsert(connection, key_values, {**key, "value": value})

    async def announce(self, platform: str, name: str, value: Json) -> None:
        """Keep a value in place of the one before, and have the listeners of all processes told of its name."""
        async with self._transaction():
            await self.set(platform, name, value)
            self._emit("value", (platform, name))

    async def get_or_add(self, platform: str, name: str, value: Json) -> Json:
        """Return the value of a name; if missing or unreadable, store this one, unless another process was faster."""
        async with self._transaction() as connection:
            row = {"platform": platform, "name": name, "value": value}
            if await insert_if_new(connection, key_values, row):
                return value
            stored = await self.get(platform, name)
            if stored is not None:
                return stored
            await upsert(connection, key_values, row)
            return value

    @property
    def write_error(self) -> Unavailable | None:
        """The error of the last failed write, None if all succeeded; it stays until `check_writable` succeeds."""
        return self._database.trouble

    @property
    def write_failures(self) -> tuple[int, str | None]:
        """The number of failed writes since the start, and the code of the last failure."""
        return self._database.failures

    async def check_writable(self) -> None:
        """Write about as much as a move does and delete it again; Unavailable if that fails."""
        await self.set(_TRIAL_KEY, _TRIAL_KEY, {"text": "x" * _TRIAL_BYTES})
        await self.set(_TRIAL_KEY, _TRIAL_KEY, None)
        self._database.trouble = None
