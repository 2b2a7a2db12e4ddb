"""Small things that a platform's front has to remember: how far it has read, what is to be taken away later."""

from __future__ import annotations

from typing import Final

from sqlalchemy import delete, func, select

from storage.database import Part, upsert
from storage.errors import Unavailable
from storage.rows import Json
from storage.schema import notes

_TRIAL: Final = "trial"
"""The platform and the name of the note that `Notes.try_writing` writes."""
_TRIAL_BYTES: Final = 32 * 1024


class Notes(Part):
    """The verbs about notes; each has a name within its platform."""

    async def note(self, platform: str, name: str) -> Json | None:
        """Return what is noted under a name, None if nothing is."""
        query = select(notes.c.value).where(notes.c.platform == platform, notes.c.name == name)
        async with self._database.asking() as connection:
            value: Json | None = (await connection.execute(query)).scalar_one_or_none()
        return value

    async def notes(self, platform: str, beginning: str) -> dict[str, Json]:
        """Return everything noted under names that begin with a text, by name."""
        query = select(notes.c.name, notes.c.value).where(notes.c.platform == platform)
        # Not LIKE, which on SQLite alone would not tell capitals from small letters.
        query = query.where(func.substr(notes.c.name, 1, len(beginning)) == beginning).order_by(notes.c.name)
        async with self._database.asking() as connection:
            return {row["name"]: row["value"] for row in (await connection.execute(query)).mappings()}

    async def set_note(self, platform: str, name: str, value: Json | None) -> None:
        """Note something in place of what was noted before; None takes it away."""
        async with self._database.writing() as connection:
            if value is None:
                where = (notes.c.platform == platform, notes.c.name == name)
                await connection.execute(delete(notes).where(*where))
            else:
                values = {"platform": platform, "name": name, "value": value}
                await upsert(connection, notes, ("platform", "name"), values)

    @property
    def trouble(self) -> Unavailable | None:
        """Why a change of any kind could not be written, None if all could; it stays until `try_writing` succeeds."""
        return self._database.trouble

    async def try_writing(self) -> None:
        """Write as much as a move does and take it away again; Unavailable says why that cannot be done."""
        await self.set_note(_TRIAL, _TRIAL, {"text": "x" * _TRIAL_BYTES})
        await self.set_note(_TRIAL, _TRIAL, None)
        self._database.trouble = None
