"""Interaction tokens: the right to write for a while where the bot is no member, which each press there brings."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from sqlalchemy import RowMapping, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.database import Repository
from storage.schema import games, places, surfaces
from storage.schema import interaction_tokens as tokens

_MAX_PASSES: Final = 50


@dataclass(frozen=True, slots=True)
class NewInteractionPass:
    """The token of a press where the bot is no member: a `secret` with which it may write there.

    `message` is the pressed message, which the token can edit, None if there is none; `until` is when it expires, None
    if never; `spare` is the number of new messages it allows, None for any number.
    """

    secret: str = field(repr=False)
    message: str | None = None
    until: datetime | None = None
    spare: int | None = 0


@dataclass(frozen=True, slots=True)
class InteractionPass:
    """A stored token; `sent` are the messages sent with it, which it can edit as well.

    Until it is `answered`, the press itself is still being answered with it, or the process that did so has died.
    """

    id: int
    secret: str = field(repr=False)
    message: str | None
    sent: tuple[str, ...]
    until: datetime | None
    spare: int | None
    answered: bool
    made_at: datetime

    def can_edit(self, message: str) -> bool:
        """Return whether a message can be edited with it."""
        return message == self.message or message in self.sent

    @property
    def can_send(self) -> bool:
        """True if a new message can be sent with it."""
        return self.spare is None or self.spare > 0


class InteractionPasses(Repository):
    """Queries and commands for interaction tokens."""

    async def add(self, place: int, new: NewInteractionPass, at: datetime) -> InteractionPass:
        """Store the token of a press; messages that could not be shown in its place become due.

        Storing it again, when an event is delivered twice, changes nothing.
        """
        async with self._database.transaction() as connection:
            known = await _read(connection, tokens.c.place == place, tokens.c.secret == new.secret)
            if not known:
                values: dict[str, Any] = {"place": place, "secret": new.secret, "message": new.message, "sent": []}
                values |= {"until": new.until, "spare": new.spare, "made_at": at}
                await connection.execute(insert(tokens).values(**values))
                known = await _read(connection, tokens.c.place == place, tokens.c.secret == new.secret)
            waiting = (surfaces.c.place == place, surfaces.c.waiting, surfaces.c.gone.is_(False))
            await connection.execute(update(surfaces).where(*waiting).values(waiting=False, attempts=0))
            return known[0]

    async def list_usable(
        self, platform: str, channel: str, thread: str | None, now: datetime
    ) -> list[InteractionPass]:
        """Return the usable tokens of a place, newest first."""
        good = tokens.c.until.is_(None) | (tokens.c.until > now)
        there = (places.c.platform == platform, places.c.channel == channel, places.c.thread == (thread or ""))
        place = select(places.c.id).where(*there).scalar_subquery()
        async with self._database.read_autocommit() as connection:
            return await _read(connection, tokens.c.place == place, good)

    async def places_without(self, game: str, now: datetime) -> set[int]:
        """Return the places that show a game, where the bot is a guest and no new message can be sent at present."""
        good = select(tokens.c.id).where(
            tokens.c.place == surfaces.c.place,
            tokens.c.until.is_(None) | (tokens.c.until > now),
            tokens.c.spare.is_(None) | (tokens.c.spare > 0),
        )
        query = select(surfaces.c.place).join(places, places.c.id == surfaces.c.place)
        query = query.where(surfaces.c.game == game, surfaces.c.gone.is_(False), places.c.guest)
        return set(await self._read_column(query.where(surfaces.c.waiting | ~good.exists())))

    async def record_answered(self, place: int, secret: str, at: datetime) -> int:
        """Record that a press was answered and mark what its place shows as due; return the number of messages."""
        behind = select(surfaces.c.id).join(games, games.c.id == surfaces.c.game)
        behind = behind.where(surfaces.c.place == place, surfaces.c.gone.is_(False))
        news = surfaces.c.announced_turn.is_(None) | (surfaces.c.shown_revision.is_distinct_from(games.c.revision))
        async with self._database.transaction() as connection:
            mine = (tokens.c.place == place, tokens.c.secret == secret)
            await connection.execute(update(tokens).where(*mine).values(answered=True))
            found = (await connection.execute(behind.where(news).limit(_MAX_PASSES))).scalars().all()
            if found:
                self._database.emit_after_commit("due")
                due: dict[str, Any] = {"due_at": at, "waiting": False, "attempts": 0}
                await connection.execute(update(surfaces).where(surfaces.c.id.in_(found)).values(**due))
            return len(found)

    async def record_spent(self, brought: int) -> None:
        """Record that a token allows no more new messages; it still can edit."""
        await self._write(update(tokens).filter_by(id=brought).values(spare=0))

    async def record_sent(self, brought: int, message: str) -> None:
        """Record that a message was sent with a token, which can edit it from now on and allows one message less."""
        query = select(tokens.c.sent).filter_by(id=brought).with_for_update()
        async with self._database.transaction() as connection:
            sent = (await connection.execute(query)).scalar_one_or_none()
            if sent is not None:
                change = update(tokens).filter_by(id=brought)
                await connection.execute(change.values(sent=[*sent, message], spare=tokens.c.spare - 1))

    async def delete(self, brought: int) -> None:
        """Delete an unusable token."""
        await self._write(delete(tokens).filter_by(id=brought))

    async def delete_expired(self, now: datetime) -> int:
        """Delete all expired tokens and return their number."""
        old = tokens.c.until <= now
        if not await self._read_column(select(tokens.c.id).where(old).limit(1)):
            return 0  # as a rule: then nothing is to be written
        return await self._write(delete(tokens).where(old))

    async def promote_guest_places(self, platform: str, group: str, at: datetime) -> int:
        """Record that the bot is now a member of a group, whose places need no tokens any more.

        Returns the number of places for which that is new.
        """
        query = select(places.c.id).where(places.c.guest).filter_by(platform=platform, group_id=group)
        if not await self._read_column(query.limit(1)):
            return 0  # as a rule: then nothing is to be written
        async with self._database.transaction() as connection:
            found = (await connection.execute(query)).scalars().all()
            self._database.change_all_rows()
            self._database.emit_after_commit("people")
            self._database.emit_after_commit("due")
            await connection.execute(update(places).where(places.c.id.in_(found)).values(guest=False))
            await open_places(connection, found, at)
            return len(found)


async def open_places(connection: AsyncConnection, found: Any, at: datetime) -> None:
    """Mark everything that places show as due, without a token."""
    await connection.execute(delete(tokens).where(tokens.c.place.in_(found)))
    open_again: dict[str, Any] = {"waiting": False, "due_at": func.coalesce(surfaces.c.due_at, at), "attempts": 0}
    mine = (surfaces.c.place.in_(found), surfaces.c.gone.is_(False))
    live = select(games.c.id).where(games.c.id == surfaces.c.game, games.c.status != "over").exists()
    await connection.execute(update(surfaces).where(*mine, live).values(**open_again))


async def _read(connection: AsyncConnection, *where: Any) -> list[InteractionPass]:
    query = select(tokens).where(*where).order_by(tokens.c.id.desc()).limit(_MAX_PASSES)
    return [_to_pass(row) for row in (await connection.execute(query)).mappings()]


def _to_pass(row: RowMapping) -> InteractionPass:
    return InteractionPass(
        id=row["id"],
        secret=row["secret"],
        message=row["message"],
        sent=tuple(str(message) for message in row["sent"]),
        until=row["until"],
        spare=row["spare"],
        answered=row["answered"],
        made_at=row["made_at"],
    )
