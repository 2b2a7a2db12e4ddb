"""Webhooks: where what happens in a place is sent, and how far each was told."""

from collections.abc import Collection
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import and_, delete, insert, literal, or_, select, update

from storage.competition_schema import competition_places, competitions
from storage.database import Repository, upsert
from storage.schema import game_places, games, places, webhook_cursors, webhooks


@dataclass(frozen=True, slots=True)
class StoredWebhook:
    """An address that learns what happens in a place; `stopped` says why it is no longer, empty while it is.

    `failing_since` is when the first of the `attempts` failed that have all failed since; `due_at` when the next is, or
    until when it waits without having failed.
    """

    id: int
    place: int
    address: str
    secret: str = field(repr=False)
    person: int | None
    made_at: datetime
    stopped: str = ""
    failing_since: datetime | None = None
    attempts: int = 0
    due_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class WebhookCursor:
    """What a webhook was told of a game or a competition: the revision, the turns or rounds, whether it has ended."""

    webhook: int
    subject: str
    revision: int
    turn: int
    over: bool


class Webhooks(Repository):
    """The verbs about webhooks."""

    async def list_all(self) -> list[StoredWebhook]:
        """Return the webhooks that are told something."""
        query = select(webhooks).where(webhooks.c.id > 0).filter_by(stopped="").order_by(webhooks.c.id)
        return await self._read_rows(query, StoredWebhook)

    async def list_in_place(self, place: int) -> list[StoredWebhook]:
        """Return the webhooks of a place, those that were stopped, too."""
        query = select(webhooks).filter_by(place=place).order_by(webhooks.c.id)
        return await self._read_rows(query, StoredWebhook)

    async def get(self, webhook: int) -> StoredWebhook | None:
        """Return a webhook, None if there is none."""
        query = select(webhooks).filter_by(id=webhook)
        return await self._read_one(query, lambda row: StoredWebhook(**row))

    async def create(
        self, place: int, address: str, secret: str, person: int, at: datetime, most: int
    ) -> StoredWebhook | None:
        """Add a webhook to a place, None where it has `most` already; one with the same address is replaced."""
        async with self._database.transaction() as connection:
            # Two concurrent additions are counted one after the other, without blocking references to the place.
            held = select(places.c.id).filter_by(id=place).with_for_update(key_share=True)
            await connection.execute(held)
            query = select(webhooks.c.id, webhooks.c.address).filter_by(place=place)
            known = (await connection.execute(query)).all()
            same = [row.id for row in known if row.address == address]
            if len(known) - len(same) >= most:
                return None
            for each in same:
                await _delete(connection, each)
            values = {"place": place, "address": address, "secret": secret, "person": person, "made_at": at}
            added = insert(webhooks).values(**values, stopped="", attempts=0).returning(*webhooks.c)
            self._database.emit_after_commit("webhooks")
            return StoredWebhook(**(await connection.execute(added)).mappings().one())

    async def remove(self, webhook: int) -> None:
        """Take a webhook away."""
        async with self._database.transaction() as connection:
            await _delete(connection, webhook)
            self._database.emit_after_commit("webhooks")

    async def note_failure(self, webhook: StoredWebhook, at: datetime, due_at: datetime) -> None:
        """Note that a webhook could not be told, and when it is tried again."""
        values = {"attempts": webhook.attempts + 1, "failing_since": webhook.failing_since or at, "due_at": due_at}
        await self._change(webhook.id, **values)

    async def postpone(self, webhook: int, due_at: datetime) -> None:
        """Note that a webhook is told nothing until a time, though it did not fail."""
        await self._change(webhook, due_at=due_at)

    async def stop(self, webhook: int, reason: str) -> None:
        """Note that a webhook is told nothing more, and why."""
        await self._change(webhook, stopped=reason, due_at=None)

    async def note_sent(self, cursor: WebhookCursor) -> None:
        """Note how far a webhook was told of something; it fails no longer."""
        held_up = or_(webhooks.c.attempts > 0, webhooks.c.due_at.is_not(None))
        fine = update(webhooks).where(held_up).filter_by(id=cursor.webhook)
        async with self._database.transaction() as connection:
            held = select(webhooks.c.id).filter_by(id=cursor.webhook).with_for_update()
            if (await connection.execute(held)).first() is None:
                return  # it was taken away meanwhile
            await upsert(connection, webhook_cursors, ("webhook", "subject"), asdict(cursor))
            await connection.execute(fine.values(attempts=0, failing_since=None, due_at=None))

    async def cursor(self, webhook: int, subject: str) -> WebhookCursor | None:
        """Return how far a webhook was told of something, None if it was told nothing."""
        query = select(webhook_cursors).filter_by(webhook=webhook, subject=subject)
        return await self._read_one(query, lambda row: WebhookCursor(**row))

    async def note_unreadable(self, webhook: int, subject: str) -> None:
        """Leave a game or a competition that cannot be read, until it changes: then all that is new is told."""
        kind, _, code = subject.partition(":")
        table, first = (games, -1) if kind == "game" else (competitions, 0)
        known = await self.cursor(webhook, subject) or WebhookCursor(webhook, subject, 0, first, over=False)
        revision = await self._read_value(select(table.c.revision).filter_by(id=code))
        await self.note_sent(replace(known, revision=known.revision if revision is None else revision))

    async def list_behind(
        self, webhook: StoredWebhook, since: datetime, limit: int = 100, *, among: Collection[str] | None = None
    ) -> list[str]:
        """Return the games and competitions that a webhook is to be told of, those that changed first before others.

        `since` is from when on games are looked through, not before the webhook was made; `among` is which games are
        looked at, None is all.
        """
        return [
            *[
                f"game:{each}"
                for each in await self._list_games_behind(webhook, max(since, webhook.made_at), limit, among)
            ],
            *[f"competition:{each}" for each in await self._list_competitions_behind(webhook, limit)],
        ]

    async def _list_games_behind(
        self, webhook: StoredWebhook, since: datetime, limit: int, among: Collection[str] | None
    ) -> list[str]:
        if among is not None and not among:
            return []
        reported = and_(
            webhook_cursors.c.webhook == webhook.id, webhook_cursors.c.subject == literal("game:") + games.c.id
        )
        query = (
            select(games.c.id).join(game_places, game_places.c.game == games.c.id).outerjoin(webhook_cursors, reported)
        )
        query = query.where(game_places.c.place == webhook.place, games.c.started_at.is_not(None))
        query = query.where(games.c.updated_at >= since)
        if among is not None:
            query = query.where(games.c.id.in_(sorted(among)))
        query = query.where(or_(webhook_cursors.c.revision.is_(None), webhook_cursors.c.revision < games.c.revision))
        query = query.order_by(games.c.updated_at, games.c.id).limit(limit)
        return await self._read_column(query)

    async def _list_competitions_behind(self, webhook: StoredWebhook, limit: int) -> list[str]:
        reported = and_(
            webhook_cursors.c.webhook == webhook.id,
            webhook_cursors.c.subject == literal("competition:") + competitions.c.id,
        )
        query = select(competitions.c.id)
        query = query.join(competition_places, competition_places.c.competition == competitions.c.id)
        query = query.outerjoin(webhook_cursors, reported).where(competition_places.c.place == webhook.place)
        fresh = or_(competitions.c.ended_at.is_(None), competitions.c.ended_at >= webhook.made_at)
        query = query.where(competitions.c.kind == "cup", competitions.c.status != "open", fresh)
        behind = webhook_cursors.c.revision < competitions.c.revision
        query = query.where(or_(webhook_cursors.c.revision.is_(None), behind))
        query = query.order_by(competitions.c.created_at, competitions.c.id).limit(limit)
        return await self._read_column(query)

    async def _change(self, webhook: int, **values: Any) -> None:
        async with self._database.transaction() as connection:
            await connection.execute(update(webhooks).filter_by(id=webhook).values(**values))
            self._database.emit_after_commit("webhooks")


async def _delete(connection: Any, webhook: int) -> None:
    await connection.execute(delete(webhook_cursors).filter_by(webhook=webhook))
    await connection.execute(delete(webhooks).filter_by(id=webhook))
