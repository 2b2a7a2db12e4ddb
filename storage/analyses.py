"""What was found out about finished games: worked out once, read again at once."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select

from storage.database import Repository, upsert
from storage.rows import Json
from storage.schema import analyses


class Analyses(Repository):
    """The verbs about analyses; a game has at most one."""

    async def get(self, game: str) -> Json | None:
        """Return what was found out about a game, None if nothing was yet."""
        query = select(analyses.c.found).where(analyses.c.game == game)
        async with self._database.read_autocommit() as connection:
            found: Json | None = (await connection.execute(query)).scalar_one_or_none()
        return found

    async def store(self, game: str, found: Json, at: datetime) -> None:
        """Keep what was found out about a game, in place of what was before."""
        async with self._database.transaction() as connection:
            await upsert(connection, analyses, ("game",), {"game": game, "found": found, "made_at": at})
