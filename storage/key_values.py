"""Small things that a platform's front has to remember: how far it has read, what is to be taken away later."""

from __future__ import annotations

from typing import Final

from sqlalchemy import bindparam, delete, func, select

from storage.columns import BROKEN_JSON, Undecodable
from storage.database import Repository, insert_if_new, upsert
from storage.driver import Prepared
from storage.errors import Unavailable
from storage.rows import Json
from storage.schema import key_values

_VALUE: Final = Prepared(
    select(key_values.c.value).where(
        key_values.c.platform == bindparam("of_platform"), key_values.c.name == bindparam("of_name")
    )
)
_TRIAL: Final = "trial"
"""The platform and the name of the value that `KeyValues.try_writing` writes."""
_TRIAL_BYTES: Final = 32 * 1024


class KeyValues(Repository):
    """The verbs about named values; each name belongs to a platform."""

    async def get(self, platform: str, name: str) -> Json | None:
        """Return the value of a name, None if there is none that can be read: the next one takes its place."""
        async with self._database.read_autocommit() as connection:
            found = await _VALUE.rows(connection, {"of_platform": platform, "of_name": name})
        value: Json | None = found.scalar_one_or_none()
        return None if value == BROKEN_JSON else value

    async def get_with_prefix(self, platform: str, beginning: str) -> dict[str, Json]:
        """Return all values whose names begin with a text, by name, as far as both can be read."""
        query = select(key_values.c.name, key_values.c.value).where(key_values.c.platform == platform)
        # Not LIKE, which on SQLite alone would not tell capitals from small letters.
        query = query.where(func.substr(key_values.c.name, 1, len(beginning)) == beginning).order_by(key_values.c.name)
        async with self._database.read_autocommit() as connection:
            found = (await connection.execute(query)).all()
        return {name: value for name, value in found if value != BROKEN_JSON and type(name) is not Undecodable}

    async def set(self, platform: str, name: str, value: Json | None) -> None:
        """Keep a value in place of the one before; None takes it away."""
        async with self._database.write_autocommit() as connection:
            if value is None:
                where = (key_values.c.platform == platform, key_values.c.name == name)
                await connection.execute(delete(key_values).where(*where))
            else:
                values = {"platform": platform, "name": name, "value": value}
                await upsert(connection, key_values, ("platform", "name"), values)

    async def get_or_add(self, platform: str, name: str, value: Json) -> Json:
        """Return the value of a name; where there is none, this one is kept, unless another process was quicker."""
        async with self._database.transaction() as connection:
            row = {"platform": platform, "name": name, "value": value}
            if await insert_if_new(connection, key_values, row):
                return value
            found = await _VALUE.rows(connection, {"of_platform": platform, "of_name": name})
            stored: Json = found.scalar_one()
            return stored

    @property
    def write_error(self) -> Unavailable | None:
        """Why a change of any kind could not be written, None if all could; it stays until `try_writing` succeeds."""
        return self._database.trouble

    @property
    def write_failures(self) -> tuple[int, str | None]:
        """How often a change could not be written since the opening, and the code of why the last one could not."""
        return self._database.failures

    async def check_writable(self) -> None:
        """Write as much as a move does and take it away again; Unavailable says why that cannot be done."""
        await self.set(_TRIAL, _TRIAL, {"text": "x" * _TRIAL_BYTES})
        await self.set(_TRIAL, _TRIAL, None)
        self._database.trouble = None
