"""Events that are only ever added to: a game's, a competition's."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Table, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.rows import NewEvent, ProcessedEvent


async def insert_events(
    connection: AsyncConnection,
    table: Table,
    of: Column[Any],
    owner: str,
    revision: int,
    happened: Sequence[NewEvent],
    at: datetime,
    processed: ProcessedEvent | None,
) -> None:
    """Add what happened behind the `revision` events that an owner has; `of` is the column that names the owner."""
    rows = event_rows(of, owner, revision, happened, at, processed)
    if rows:
        await connection.execute(insert(table), rows)


def event_rows(
    of: Column[Any],
    owner: str,
    revision: int,
    happened: Sequence[NewEvent],
    at: datetime,
    processed: ProcessedEvent | None,
) -> list[dict[str, Any]]:
    """Return the rows of what happened behind the `revision` events that an owner has."""
    cause = f"{processed.platform}:{processed.event}" if processed is not None else None
    return [
        {of.name: owner, "number": number, "kind": event.kind, "data": event.data, "person": event.person}
        | {"at": at, "cause": event.cause or cause}
        for number, event in enumerate(happened, start=revision + 1)
    ]
