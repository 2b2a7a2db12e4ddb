"""Small named values of the platforms' adapters, such as a read position; drafts of forms; interaction tokens."""

from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from sqlalchemy import bindparam, func, select, update

from storage.columns import BROKEN_JSON, Json, Undecodable
from storage.database import Repository
from storage.errors import Unavailable
from storage.message_schema import BOARD, InteractionPass, NewInteractionPass, interaction_tokens as tokens, posts
from storage.schema import FormDraft, form_drafts, games, key_values, places
from storage.sqlite import Prepared

_VALUE: Final = Prepared(select(key_values.value).filter_by(platform=bindparam("platform"), name=bindparam("name")))
_TRIAL_KEY: Final = "trial"
"""Both the platform and the name of the value that `KeyValues.check_writable` writes."""
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
        async with self._database.write_autocommit():
            if value is None:
                await self._delete(key_values, **key)
            else:
                await self._upsert(key_values, {**key, "value": value})

    async def announce(self, platform: str, name: str, value: Json) -> None:
        """Store a value, replacing the previous one, and notify the listeners of all processes of its name."""
        async with self._transaction():
            await self.set(platform, name, value)
            self._emit("value", (platform, name))

    async def get_or_add(self, platform: str, name: str, value: Json) -> Json:
        """Return the value of a name; store the given one if it is missing or unreadable, unless a peer was faster."""
        async with self._transaction():
            row = {"platform": platform, "name": name, "value": value}
            if await self._insert_if_new(key_values, row):
                return value
            stored = await self.get(platform, name)
            if stored is not None:
                return stored
            await self._upsert(key_values, row)
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
        """Write about as many bytes as a move does and delete them again; Unavailable if that fails."""
        await self.set(_TRIAL_KEY, _TRIAL_KEY, {"text": "x" * _TRIAL_BYTES})
        await self.set(_TRIAL_KEY, _TRIAL_KEY, None)
        self._database.trouble = None


class FormDrafts(Repository):
    """Queries and commands for drafts of forms."""

    async def put(self, draft: FormDraft) -> None:
        """Store a draft, replacing the one with its code."""
        async with self._database.write_autocommit():
            await self._upsert(form_drafts, asdict(draft))

    async def get(self, code: str, person: int, now: datetime) -> FormDraft | None:
        """Return a person's draft, None if it is unknown, another person's, or expired."""
        return await self._find(FormDraft, form_drafts.expires_at >= now, code=code, person=person)

    async def delete_expired(self, now: datetime) -> None:
        """Delete all drafts that have expired."""
        await self._delete(form_drafts, form_drafts.expires_at < now)


_MAX_PASSES: Final = 50


class InteractionPasses(Repository):
    """Queries and commands for interaction tokens."""

    async def add(self, place: int, new: NewInteractionPass, at: datetime) -> InteractionPass:
        """Store the token of a press; messages that could not be shown in its place become due.

        Idempotent, because an event may be delivered twice.
        """
        values: Json = {"place": place, "sent": [], "made_at": at} | asdict(new)
        async with self._transaction():
            await self._insert_if_new(tokens, values)
            again = {"waiting": False, "attempts": 0}
            await self._update(posts, again, place=place, waiting=True, gone=False)
            return (await self._list(InteractionPass, place=place, secret=new.secret))[0]

    async def list_usable(
        self, platform: str, channel: str, thread: str | None, now: datetime
    ) -> list[InteractionPass]:
        """Return the usable tokens of a place, newest first."""
        place = select(places.id).filter_by(platform=platform, channel=channel, thread=thread or "")
        theirs = tokens.place == place.scalar_subquery()
        return await self._list(InteractionPass, _is_valid(now), theirs, order=[tokens.id.desc()], limit=_MAX_PASSES)

    async def places_without(self, game: str, now: datetime) -> set[int]:
        """Return the places that show a game where the bot is a guest and cannot send a new message at present."""
        good = (
            select(tokens.id)
            .where(_is_valid(now), tokens.spare.is_(None) | (tokens.spare > 0))
            .filter_by(place=posts.place)
        )
        guest = select(places.id).filter_by(id=posts.place, guest=True)
        return set(
            await self._read_column(
                select(posts.place)
                .where(guest.exists())
                .filter_by(game=game, kind=BOARD, gone=False)
                .where(posts.waiting | ~good.exists())
            )
        )

    async def record_answered(self, place: int, secret: str, at: datetime) -> int:
        """Record that a press was answered and make the outdated boards of its place due; return their number."""
        now = select(games.revision).filter_by(id=posts.game).scalar_subquery()
        news = posts.announced.is_(None) | posts.shown_revision.is_distinct_from(now)
        async with self._transaction():
            await self._update(tokens, {"answered": True}, place=place, secret=secret)
            again = {"due_at": at, "waiting": False, "attempts": 0}
            if count := await self._update(posts, again, news, place=place, kind=BOARD, gone=False):
                self._emit("due")
            return count

    async def record_spent(self, brought: int) -> None:
        """Record that a token allows no more new messages; it can still edit."""
        await self._update(tokens, {"spare": 0}, id=brought)

    async def record_sent(self, brought: int, message: str) -> None:
        """Record that a message was sent with a token, which can edit it and allows one fewer new message."""
        async with self._transaction():
            for sent in await self._read_column(select(tokens.sent).filter_by(id=brought).with_for_update()):
                await self._update(tokens, {"sent": [*sent, message], "spare": tokens.spare - 1}, id=brought)

    async def delete(self, brought: int) -> None:
        """Delete an unusable token."""
        await self._delete(tokens, id=brought)

    async def delete_expired(self, now: datetime) -> int:
        """Delete all expired tokens and return their number."""
        old = tokens.until <= now
        if await self._find(InteractionPass, old) is None:
            return 0  # the usual case needs no write
        return await self._delete(tokens, old)

    async def promote_guest_places(self, platform: str, group: str, at: datetime) -> int:
        """Record that the bot is now a member of a group, whose places no longer need tokens.

        Returns the number of places that have changed.
        """
        guests = {"platform": platform, "group_id": group, "guest": True}
        if not await self._read_column(select(places.id).filter_by(**guests).limit(1)):
            return 0  # the usual case needs no write
        async with self._transaction():
            promoted = update(places).filter_by(**guests).values(guest=False).returning(places.id)
            found = await self._read_column(promoted)
            self._change_everybody()
            await self.open_places(found, at)
            return len(found)

    async def open_places(self, found: Any, at: datetime) -> None:
        """Make everything that places show due, and delete their tokens."""
        await self._delete(tokens, tokens.place.in_(found))
        live = select(games.id).where(games.status != "over").filter_by(id=posts.game).exists()
        again = {"waiting": False, "due_at": func.coalesce(posts.due_at, at), "attempts": 0}
        await self._update(posts, again, posts.place.in_(found), live, gone=False)


def _is_valid(now: datetime) -> Any:
    return tokens.until.is_(None) | (tokens.until > now)
