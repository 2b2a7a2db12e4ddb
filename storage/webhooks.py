"""Webhooks: the addresses to which a place's events are sent, and what each was sent so far."""

from collections.abc import Collection
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, insert, literal, or_, select

from storage.competition_schema import competitions
from storage.database import Repository
from storage.message_schema import IS_TABLE, StoredWebhook, WebhookCursor, posts, webhook_cursors, webhooks
from storage.schema import game_places, games, places


class Webhooks(Repository):
    """Queries and commands for webhooks."""

    async def list_all(self) -> list[StoredWebhook]:
        """Return the webhooks that were not stopped."""
        return await self._list(StoredWebhook, webhooks.id > 0, stopped="", order=["id"])

    async def list_in_place(self, place: int) -> list[StoredWebhook]:
        """Return the webhooks of a place, including stopped ones."""
        return await self._list(StoredWebhook, place=place, order=["id"])

    async def get(self, webhook: int) -> StoredWebhook | None:
        """Return a webhook, None if there is none."""
        return await self._find(StoredWebhook, id=webhook)

    async def create(
        self, place: int, address: str, secret: str, person: int, at: datetime, most: int
    ) -> StoredWebhook | None:
        """Add a webhook to a place, replacing one with the same address; None if it has `most` already."""
        async with self._transaction():
            # The lock serializes concurrent additions, without blocking references to the place.
            await self._read(select(places.id).filter_by(id=place).with_for_update(key_share=True))
            known = await self.list_in_place(place)
            same = [each.id for each in known if each.address == address]
            if len(known) - len(same) >= most:
                return None
            if same:
                await self.remove(*same)
            self._emit("webhooks")
            values = {"place": place, "address": address, "secret": secret, "person": person, "made_at": at}
            return (await self._read_rows(insert(webhooks).values(values).returning(webhooks), StoredWebhook))[0]

    async def remove(self, *gone: int) -> None:
        """Delete webhooks."""
        async with self._transaction():
            await self._delete(webhook_cursors, webhook_cursors.webhook.in_(gone))
            await self._delete(webhooks, webhooks.id.in_(gone))
            self._emit("webhooks")

    async def note_failure(self, webhook: StoredWebhook, at: datetime, due_at: datetime) -> None:
        """Record that sending to a webhook failed, and when to retry."""
        values = {"attempts": webhook.attempts + 1, "failing_since": webhook.failing_since or at, "due_at": due_at}
        await self._change(webhook.id, **values)

    async def postpone(self, webhook: int, due_at: datetime) -> None:
        """Record that nothing is sent to a webhook until a time, although it did not fail."""
        await self._change(webhook, due_at=due_at)

    async def stop(self, webhook: int, reason: str) -> None:
        """Record that nothing more is sent to a webhook, and why."""
        await self._change(webhook, stopped=reason, due_at=None)

    async def note_sent(self, cursor: WebhookCursor) -> None:
        """Record what a webhook was sent about a subject, and reset its failures."""
        held_up = or_(webhooks.attempts > 0, webhooks.due_at.is_not(None))
        async with self._transaction():
            if not await self._lock(webhooks, id=cursor.webhook):
                return  # it was deleted meanwhile
            await self._upsert(webhook_cursors, asdict(cursor))
            fine = {"attempts": 0, "failing_since": None, "due_at": None}
            await self._update(webhooks, fine, held_up, id=cursor.webhook)

    async def cursor(self, webhook: int, subject: str) -> WebhookCursor | None:
        """Return what a webhook was sent about a subject, None if nothing."""
        return await self._find(WebhookCursor, webhook=webhook, subject=subject)

    async def list_behind(
        self, webhook: StoredWebhook, since: datetime, limit: int = 100, *, among: Collection[str] | None = None
    ) -> dict[str, int]:
        """Return the revisions of the games and competitions with changes that a webhook was not sent.

        The earliest changes come first. Games that have changed since `since`, and since the webhook was created, are
        considered; `among` restricts them, None means all.
        """
        played = _behind(webhook, literal("game:") + games.id, games.revision).join(game_places)
        played = played.where(
            game_places.place == webhook.place,
            games.started_at.is_not(None),
            games.updated_at >= max(since, webhook.made_at),
            *([] if among is None else [games.id.in_(sorted(among))]),
        )
        competing = _behind(webhook, literal("competition:") + competitions.id, competitions.revision)
        competing = competing.join(posts, posts.competition == competitions.id).where(
            posts.place == webhook.place,
            IS_TABLE,
            or_(competitions.ended_at.is_(None), competitions.ended_at >= webhook.made_at),
            competitions.kind == "cup",
            competitions.status != "open",
        )
        ours = await self._read_pairs(played.order_by(games.updated_at, games.id).limit(limit))
        cups = await self._read_pairs(competing.order_by(competitions.created_at, competitions.id).limit(limit))
        return ours | cups

    async def _change(self, webhook: int, **values: Any) -> None:
        async with self._transaction():
            await self._update(webhooks, values, id=webhook)
            self._emit("webhooks")


def _behind(webhook: StoredWebhook, subject: ColumnElement[str], revision: ColumnElement[int]) -> Any:
    """Return a query for the subjects, with their revisions, whose newest revision a webhook was not sent."""
    reported = and_(webhook_cursors.webhook == webhook.id, webhook_cursors.subject == subject)
    query = select(subject, revision).outerjoin(webhook_cursors, reported)
    return query.where(or_(webhook_cursors.revision.is_(None), webhook_cursors.revision < revision))
