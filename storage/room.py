"""The chat room of the local page: its messages, their changes and pictures."""

import hashlib
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import BigInteger, and_, case, cast, func, insert, or_, select, update

from storage.columns import Condition, Json
from storage.database import Repository, in_batches
from storage.message_schema import RoomMessage, room_drawings, room_messages, room_pictures, rooms

MAX_BYTES: Final = 32 * 1024 * 1024
"""Maximum bytes of all stored pictures: those drawn on request (films, sheets, charts, hints and downloads)."""
_ROOM: Final = "room"
"""The name of the room in the database."""
_LARGEST_CHANGE: Final = 2**31 - 1


class RoomHistory(Repository):
    """Queries and commands for the messages of the room; a `viewer` sees public messages and their own private ones."""

    async def add_message(
        self,
        at: datetime,
        *,
        author: int | None = None,
        recipient: int | None = None,
        text: str = "",
        card: Json | None = None,
        picture: bytes | None = None,
        key: str | None = None,
    ) -> RoomMessage:
        """Add a message and return it; for a key that was used before, return the existing message."""
        async with self._transaction():
            self._emit("room")
            change = await self._increment_change()
            if key is not None and (known := await self._list_whole(room=_ROOM, key=key)):
                return known[0]
            values = {"room": _ROOM, "change": change, "key": key, "author": author, "recipient": recipient}
            values |= {"text": text, "card": card, "picture": None if picture is None else change}
            values |= {"created_at": at, "deleted": False}
            message: Any = await self._read_value(insert(room_messages).values(**values).returning(room_messages.id))
            if picture is not None:
                await self._put_picture(message, picture, change)
            return (await self.get_many([message]))[0]

    async def update_message(
        self,
        message: int,
        at: datetime,
        *,
        text: str = "",
        card: Json | None = None,
        picture: bytes | None = None,
        deleted: bool = False,
    ) -> RoomMessage | None:
        """Replace the content of a message and return it, None if it is deleted or missing."""
        async with self._transaction():
            self._emit("room")
            change = await self._increment_change()
            # From now on no other transaction can delete it.
            if await self._find(RoomMessage, id=message, deleted=False) is None:
                return None
            values = {"text": text, "card": card, "edited_at": at, "deleted": deleted, "change": change}
            values["picture"] = None if picture is None else change
            await self._update(room_messages, values, id=message)
            if picture is None:
                await self._drop_pictures([message])
            else:
                await self._put_picture(message, picture, change)
            return (await self.get_many([message]))[0]

    async def delete_message(self, message: int, at: datetime) -> RoomMessage | None:
        """Delete the content of a message and return it, None if it is gone already."""
        return await self.update_message(message, at, deleted=True)

    async def get(self, message: int) -> RoomMessage | None:
        """Return a message, None if there is no such message."""
        return next(iter(await self._list_whole(id=message)), None)

    async def list_messages(
        self, viewer: int | None, *, before: int | None = None, limit: int = 50
    ) -> list[RoomMessage]:
        """Return the newest messages that are not deleted, or those before a given one, oldest first."""
        where = [_is_visible_to(viewer), *([] if before is None else [room_messages.id < before])]
        newest = room_messages.id.desc()
        return (await self._list_whole(*where, order=newest, limit=limit, room=_ROOM, deleted=False))[::-1]

    async def messages_after(self, message: int, limit: int = 200) -> list[RoomMessage]:
        """Return the messages after a given one that are not deleted, for all viewers, in order."""
        return await self._list_whole(room_messages.id > message, limit=limit, room=_ROOM, deleted=False)

    async def changes_since(self, change: int, limit: int) -> list[RoomMessage]:
        """Return the messages that were added, edited or deleted after a change, for all viewers, in that order."""
        # With an upper limit: SQLite could hold a text there, which is above any number, so that none would follow it.
        later = room_messages.change > change, room_messages.change < _LARGEST_CHANGE
        return await self._list_whole(*later, order="change", limit=limit, room=_ROOM)

    async def get_many(self, messages: Collection[int]) -> list[RoomMessage]:
        """Return messages by id, deleted or not, oldest first."""
        return await self._list_whole(room_messages.id.in_(messages))

    async def _list_whole(
        self, *where: Condition, order: Any = "id", limit: int | None = None, **equal: Any
    ) -> list[RoomMessage]:
        """Return messages; a card that does not match its kind of author (a person or the bot) is dropped."""
        found = await self._list(RoomMessage, *where, order=[order], limit=limit, **equal)
        return [
            each
            if each.card is None or ("name" in each.card) == (each.author is not None)
            else replace(each, card=None)
            for each in found
        ]

    async def last_change(self) -> int:
        """Return the number of the newest change in the room, 0 if there is none."""
        return await self._read_value(select(rooms.change).filter_by(name=_ROOM)) or 0

    async def delete_old_messages(self, keep: int, private: int, but: Collection[int] = ()) -> list[int]:
        """Delete all but the newest messages, and all but the newest private ones of each person.

        `keep` and `private` are the numbers of messages to keep, deleted ones included; those in `but` stay as well.
        Returns the ids of the deleted messages.
        """
        mine = func.row_number().over(partition_by=room_messages.recipient, order_by=room_messages.id.desc())
        every = func.row_number().over(order_by=room_messages.id.desc())
        listed = select(room_messages.id, room_messages.recipient, mine.label("mine"), every.label("every"))
        ranked = listed.filter_by(room=_ROOM).subquery()
        too_old = or_(ranked.c.every > keep, and_(ranked.c.recipient.is_not(None), ranked.c.mine > private))
        async with self._transaction():
            old = sorted(set(await self._read_column(select(ranked.c.id).where(too_old))).difference(but))
            for some in in_batches(old):
                await self._drop_pictures(some)
                await self._delete(room_messages, room_messages.id.in_(some))
        return old

    async def picture(self, message: int, viewer: int | None) -> bytes | None:
        """Return the picture of a message, None if there is none that the viewer may see."""
        return await self._read_value(
            select(room_drawings.content)
            .select_from(room_drawings.table.join(room_pictures).join(room_messages))
            .where(_is_visible_to(viewer), room_messages.id == message)
        )

    async def _put_picture(self, message: int, content: bytes, change: int) -> None:
        """Attach a picture to a message, and delete the oldest pictures beyond the maximum."""
        digest = hashlib.sha256(content).hexdigest()
        values = {"digest": digest, "size": len(content), "change": change, "content": content}
        before = await self._list_pictures_shown_by([message])
        if not await self._insert_if_new(room_drawings, values):
            await self._update(room_drawings, {"change": change}, digest=digest)
        await self._upsert(room_pictures, {"message": message, "digest": digest})
        await self._drop_unshown(before)
        await self._make_room(digest)

    async def _drop_pictures(self, messages: Collection[int]) -> None:
        """Detach the pictures of messages and delete pictures that no other message shows."""
        before = await self._list_pictures_shown_by(messages)
        if before:
            await self._delete(room_pictures, room_pictures.message.in_(messages))
            await self._drop_unshown(before)

    async def _list_pictures_shown_by(self, messages: Collection[int]) -> list[str]:
        return await self._read_column(select(room_pictures.digest).where(room_pictures.message.in_(messages)))

    async def _drop_unshown(self, digests: Collection[str]) -> None:
        shown = select(room_pictures.message).filter_by(digest=room_drawings.digest).exists()
        await self._delete(room_drawings, room_drawings.digest.in_(digests), ~shown)

    async def _make_room(self, newest: str) -> None:
        """Delete the oldest pictures until the rest fits; the newest stays, however large."""
        total = await self._read_value(select(func.sum(room_drawings.size))) or 0
        if total <= MAX_BYTES:
            return
        query = select(room_drawings.digest, room_drawings.size).where(room_drawings.digest != newest)
        old = []
        for digest, size in await self._read(query.order_by(room_drawings.change)):
            old.append(digest)
            total -= size
            if total <= MAX_BYTES:
                break
        for some in in_batches(old):
            showing = select(room_pictures.message).where(room_pictures.digest.in_(some))
            await self._update(room_messages, {"picture": None}, room_messages.id.in_(showing))
            for table in (room_pictures, room_drawings):
                await self._delete(table, table.digest.in_(some))

    async def _increment_change(self) -> int:
        """Return the number of the next change in the room, which no other transaction can change until the end."""
        await self._insert_if_new(rooms, {"name": _ROOM, "change": 0})
        query = update(rooms).filter_by(name=_ROOM).values(change=_NEXT_CHANGE).returning(rooms.change)
        change: int = (await self._read_column(query))[0]
        return change


def _is_visible_to(viewer: int | None) -> Condition:
    return or_(room_messages.recipient.is_(None), room_messages.recipient == viewer)


# A damaged number must not prevent new messages: the next number is above those of all messages. SQLite could hold a
# text there, which is above any number.
_NEWEST_CHANGE: Final = (
    select(func.coalesce(func.max(room_messages.change), 0))
    .where(room_messages.change < _LARGEST_CHANGE)
    .filter_by(room=rooms.name)
    .scalar_subquery()
)
_CHANGE: Final = cast(rooms.change, BigInteger)
_NEXT_CHANGE: Final = case((_CHANGE < _NEWEST_CHANGE, _NEWEST_CHANGE), else_=_CHANGE) + 1
