"""What messages of a room show, kept by its content: the same picture once, so many bytes at most, the oldest out."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import Final

from sqlalchemy import delete, exists, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import upsert
from storage.schema import room_drawings, room_messages, room_pictures

MAX_BYTES: Final = 32 * 1024 * 1024
"""So much is kept of all that was drawn on request: films, sheets, charts, hints, files to take away."""
_BATCH_SIZE: Final = 500


async def put_picture(connection: AsyncConnection, message: int, content: bytes, change: int) -> None:
    """Have a message show a drawing; the oldest go where there are too many."""
    digest = hashlib.sha256(content).hexdigest()
    before = await _shown_by(connection, [message])
    known = select(room_drawings.c.digest).where(room_drawings.c.digest == digest)
    if (await connection.execute(known)).scalar_one_or_none() is None:
        values = {"digest": digest, "size": len(content), "change": change, "content": content}
        await connection.execute(insert(room_drawings).values(**values))
    else:
        await connection.execute(update(room_drawings).where(room_drawings.c.digest == digest).values(change=change))
    await upsert(connection, room_pictures, ("message",), {"message": message, "digest": digest})
    await _drop_unshown(connection, before)
    await _make_room(connection, digest)


async def drop_pictures(connection: AsyncConnection, messages: Collection[int]) -> None:
    """Have messages show nothing any more; a drawing that no other one shows is gone."""
    before = await _shown_by(connection, messages)
    if before:
        await connection.execute(delete(room_pictures).where(room_pictures.c.message.in_(messages)))
        await _drop_unshown(connection, before)


async def _shown_by(connection: AsyncConnection, messages: Collection[int]) -> set[str]:
    query = select(room_pictures.c.digest).where(room_pictures.c.message.in_(messages))
    return set((await connection.execute(query)).scalars())


async def _drop_unshown(connection: AsyncConnection, digests: Collection[str]) -> None:
    shown = exists().where(room_pictures.c.digest == room_drawings.c.digest)
    await connection.execute(delete(room_drawings).where(room_drawings.c.digest.in_(digests), ~shown))


async def _make_room(connection: AsyncConnection, newest: str) -> None:
    """Forget the oldest drawings until the rest fit; the newest stays, however large."""
    total = (await connection.execute(select(func.sum(room_drawings.c.size)))).scalar_one() or 0
    if total <= MAX_BYTES:
        return
    query = select(room_drawings.c.digest, room_drawings.c.size).where(room_drawings.c.digest != newest)
    old = []
    for digest, size in await connection.execute(query.order_by(room_drawings.c.change)):
        old.append(digest)
        total -= size
        if total <= MAX_BYTES:
            break
    for at in range(0, len(old), _BATCH_SIZE):
        some = old[at : at + _BATCH_SIZE]
        showing = select(room_pictures.c.message).where(room_pictures.c.digest.in_(some))
        await connection.execute(update(room_messages).where(room_messages.c.id.in_(showing)).values(picture=None))
        await connection.execute(delete(room_pictures).where(room_pictures.c.digest.in_(some)))
        await connection.execute(delete(room_drawings).where(room_drawings.c.digest.in_(some)))
