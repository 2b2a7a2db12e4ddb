"""Posts: the messages that are kept up to date in places, and the state of their delivery."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from sqlalchemy import Integer, Text, and_, bindparam, case, cast, delete, func, or_, select, update

from storage.columns import AnySelect, Condition, Json, RowData, Undecodable, Utc, to_json
from storage.competition_schema import competitions
from storage.database import Database, Repository, given, in_batches, pick
from storage.errors import NoSuchGame
from storage.message_schema import BOARD, Notice, Post, notices, posts
from storage.notices import Notices
from storage.places import PLACE_COLUMNS, place_of, with_inherited
from storage.schema import (
    DeclaredTable,
    columns_of,
    game_places,
    games,
    identities,
    labelled,
    places,
    read_row,
)
from storage.sqlite import Prepared


@dataclass(frozen=True, slots=True)
class PostWithNotices:
    """A post with the data that delivery needs, read in one query: the notices of its game, oldest first, and more.

    `user_ids` are the platform's ids, by person, of the notices' recipients who have one there. `to_move` is the person
    whose turn it is. `is_only_open` says that no other place can show the game at present.
    """

    post: Post
    notices: tuple[Notice, ...] = ()
    user_ids: Mapping[int, str] = field(default_factory=dict)
    to_move: int | None = None
    is_only_open: bool = True


@dataclass(frozen=True, slots=True)
class DuePost:
    """A post that is due at a time, and its chat.

    `first`: as far as this process knows, no delivery was attempted since it became due.
    """

    post: int
    platform: str
    channel: str
    due_at: datetime
    first: bool = True

    @property
    def chat(self) -> tuple[str, str]:
        """The platform and the channel."""
        return self.platform, self.channel

    def to_json(self) -> list[Any]:
        """Return the JSON of a notification to other processes."""
        return [self.post, self.platform, self.channel, self.due_at.timestamp()]

    @classmethod
    def from_json(cls, fields: Sequence[Any]) -> DuePost:
        """Return the due post of another process's notification."""
        post, platform, channel, due_at, *_ = fields
        return cls(post, platform, channel, datetime.fromtimestamp(due_at, UTC), first=False)


OPEN: Final = (posts.gone.is_(False), posts.waiting.is_(False))
CHAT: Final = (places.platform, places.channel)
"""The columns that identify the chat of a place."""
DUE_COLUMNS: Final = (
    posts.id,
    *(select(column).where(places.id == posts.place).scalar_subquery() for column in CHAT),
    posts.due_at,
)
"""The columns of due posts that an UPDATE returns."""
_SHOWN_AGAIN: Final[Json] = {"announced": None, "attempts": 0, "gone": False, "waiting": False}
"""The values that make a post be shown with a new message."""
_CLOSED: Final[Json] = {"gone": True, "due_at": None, "attempts": 0, "message": None, "stale_messages": []}
"""The values of a post that can no longer be shown."""
_BATCH_SIZE: Final = 1000


# Built once: building a query takes longer than executing it.
_POSTS: Final[AnySelect] = (
    select(posts, func.coalesce(games.revision, competitions.revision, 0).label("revision"), *PLACE_COLUMNS)
    .select_from(
        with_inherited(
            posts.table.join(places, places.id == posts.place)
            .outerjoin(games, games.id == posts.game)
            .outerjoin(competitions, competitions.id == posts.competition)
        )
    )
    .order_by(posts.id)
)
_POST: Final = _POSTS.where(posts.id == bindparam("post"))
_FIND_POST: Final = Prepared(_POST)


def _build_query_with_notices() -> AnySelect:
    other = posts.alias("other")
    others = (
        select(other.id).where(other.id != posts.id).filter_by(game=posts.game, kind=BOARD, gone=False, waiting=False)
    )
    query = _POST.outerjoin_from(_POST.get_final_froms()[0], notices, notices.game == posts.game)
    user = select(func.max(identities.user_id)).filter_by(person=notices.person, platform=places.platform)
    query = query.add_columns(
        games.to_move,
        others.exists().label("has_others"),
        user.scalar_subquery().label("user_id"),
        *labelled("notice_", columns_of(Notice)),
    )
    return query.order_by(notices.id)


_POST_WITH_NOTICES: Final = Prepared(_build_query_with_notices())


def to_post(row: RowData) -> Post:
    """Return the post of a database row; if its message id is unreadable, it has no message and wants a new one."""
    own = {name: row[name] for name in _OWN_COLUMNS}
    if type(own["message"]) is Undecodable:
        own |= {"message": None, "shown_revision": None, "announced": None}
    stale_messages: dict[str, int | None] = {}
    for entry in own["stale_messages"]:
        match entry:  # older rows have messages without their revisions; invalid values are skipped
            case str():
                stale_messages[entry] = None
            case [str(message), (int() | None) as revision]:
                stale_messages[message] = revision
    own["stale_messages"] = stale_messages
    return Post(place=place_of(row), **own)


_OWN_COLUMNS: Final = tuple(field.name for field in fields(Post) if field.name != "place")

_UPDATE_POST: Final = update(posts).filter_by(id=bindparam("post"))
# With several processes the game is locked before its post, as in a commit: a revision read without the lock could be
# outdated, and an outdated board would count as current.


def _select_revision_now(table: DeclaredTable, subject: str) -> Any:
    own = select(table.revision).filter_by(id=bindparam(f"of_{subject}")).with_for_update(read=True)
    return select(own.cte(f"{subject}_now").c.revision).scalar_subquery()


_REVISION_NOW: Final = func.coalesce(
    _select_revision_now(games, "game"), _select_revision_now(competitions, "competition"), 0
)
_AT_PARAMETER: Final = bindparam("at", type_=Utc())


def _is_as_before(name: str) -> Any:
    column = posts[name]
    return column.is_not_distinct_from(bindparam(f"before_{name}", type_=column.type))


_NEW: Final = {
    name: bindparam(f"new_{name}", type_=posts[name].type)
    for name in ("message", "shown_revision", "announced", "content", "shown_at", "stale_messages")
}
_WRITE_IF_SAME: Final = Prepared(
    _UPDATE_POST.where(
        *map(_is_as_before, ("message", "shown_revision", "announced")),
        # An edit that was requested during an earlier delivery has changed `due_at`.
        or_(posts.shown_revision.is_not(None), _is_as_before("due_at")),
        cast(posts.stale_messages, Text) == bindparam("stale_before", type_=Text()),
    )
    .filter_by(gone=False)
    .values(
        **_NEW,
        attempts=0,
        due_at=case(
            (bindparam("new_shown_revision", type_=Integer()) >= _REVISION_NOW, bindparam("then", type_=Utc())),
            else_=_AT_PARAMETER,
        ),
    )
    .returning(posts.due_at)
)


@dataclass(frozen=True, slots=True)
class ShownPost:
    """What a message shows: the revision of its subject, `announced`, and `content`, None if that is not compared."""

    message: str
    revision: int
    announced: int
    content: str | None = None


def _build_shown_change(now: Post, known: Post, shown: ShownPost, at: datetime, later: datetime) -> Post:
    """Return a post after its message has shown something; old messages are retired at `later`.

    `now` is the post as stored, `known` as read before the message was written. The returned `due_at` is valid if the
    message shows the current revision.
    """
    if now.place.channel != known.place.channel:
        return replace(now, attempts=0)  # it was shown in a chat that has got another id meanwhile
    stale_messages = {old: revision for old, revision in now.stale_messages.items() if old != shown.message}
    if now.message is not None and now.message != shown.message:
        # The message of a lobby, announced as 0, shows no position.
        stale_messages[now.message] = 0 if now.announced == 0 else now.shown_revision
    # A new message was requested while the old one was edited: it is still wanted.
    wanted = now.announced is None and now.message == shown.message
    # An edit was requested after the message was written: it shows the revision, but outdated details.
    outdated = (
        now.message is not None
        and now.shown_revision is None
        and (known.shown_revision is not None or now.due_at != known.due_at)
    )
    return replace(
        now,
        message=shown.message,
        shown_revision=None if outdated else shown.revision,
        announced=None if wanted else shown.announced,
        content=shown.content,
        shown_at=at,
        stale_messages=stale_messages,
        attempts=0,
        due_at=at if wanted or outdated else later if stale_messages else None,
    )


def _build_retired_change(known: Post, messages: Collection[str], at: datetime, later: datetime) -> Post:
    """Return a post after old messages have been retired; the remaining ones are retired at `later`."""
    stale_messages = {old: shown for old, shown in known.stale_messages.items() if old not in messages}
    due_at = at if known.announced is None else later if stale_messages else None
    return replace(known, stale_messages=stale_messages, attempts=0, due_at=due_at)


_POST_OF_MESSAGE: Final = Prepared(
    _POSTS.where(
        places.platform == bindparam("at_platform"),
        places.channel == bindparam("at_channel"),
        posts.message == bindparam("shown"),
    ).limit(1)
)
_BOARDS_OF_GAME: Final = Prepared(
    _POSTS.where(posts.game == bindparam("game"), posts.kind == BOARD, *OPEN).limit(_BATCH_SIZE)
)
_DUE_POSTS: Final = select(posts.id.label("post"), *CHAT, posts.due_at).join(places, places.id == posts.place)
_DUE_UNTIL: Final = (
    _DUE_POSTS.where(posts.due_at <= bindparam("until", type_=Utc()), *OPEN)
    .order_by(posts.due_at, posts.id)
    .limit(bindparam("most", type_=Integer()))
)
_DUE_ANYWHERE: Final = Prepared(_DUE_UNTIL)
_DUE_POST: Final = Prepared(
    _DUE_POSTS.where(*(posts[name] == bindparam(name) for name in ("kind", "subject", "place")))
)
_STATUS_LOCKED: Final = Prepared(select(games.status).filter_by(id=bindparam("game")).with_for_update(read=True))


@dataclass(frozen=True, slots=True)
class NewPost:
    """A post to be created, due at `due_at`, by default at once; see `Post`."""

    kind: str
    subject: str
    place: int
    made_at: datetime
    due_at: datetime | None = None
    game: str | None = None
    competition: str | None = None

    @property
    def key(self) -> Json:
        """Return the unique key of the post."""
        return {"kind": self.kind, "subject": self.subject, "place": self.place}

    @property
    def values(self) -> Json:
        """Return the columns of a new post."""
        return asdict(self) | {"due_at": self.due_at or self.made_at, "stale_messages": []}


def _equal(**values: Any) -> list[Condition]:
    return [posts[name] == value for name, value in values.items()]


class Posts(Repository):
    """Queries and commands for posts."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._notices = Notices(database)

    async def add(self, game: str, place: int, at: datetime) -> None:
        """Show a game in a place with a new message, even if it is shown there already; NoSuchGame."""
        async with self._transaction():
            status = await self._read_value(_STATUS_LOCKED, {"game": game})
            if status is None:
                raise NoSuchGame(game=game)
            await self._insert_if_new(game_places, {"game": game, "place": place, "live": status != "over"})
            self._emit("shown", (place, game))
            await self.show(NewPost(BOARD, game, place, at, game=game))

    async def show(self, new: NewPost) -> None:
        """Show a subject in a place with a new message, even if it is shown there already."""
        await self._make_due(new, [])

    async def promise(self, new: NewPost, *, again: bool = False) -> bool:
        """Create the post of a subject in a place unless there is or was one; return whether it was created.

        With `again` an ended post is reopened if it was ever shown; a post that its place has refused stays closed.
        """
        return await self._make_due(new, [posts.gone, posts.shown_at.is_not(None)] if again else None)

    async def _make_due(self, new: NewPost, again: Sequence[Condition] | None) -> bool:
        """Create a post, or have the stored one shown again if it fulfils some conditions; return whether it is due."""
        async with self._transaction():
            is_due = await self._insert_if_new(posts, new.values)
            if not is_due and again is not None:
                shown_again = {**_SHOWN_AGAIN, "due_at": new.values["due_at"]}
                is_due = await self._update(posts, shown_again, *again, **new.key) == 1
            if is_due:
                found = await self._read_rows(_DUE_POST, DuePost, new.key)
                self._emit("due", tuple(found))
            return is_due

    async def list_with(self, **equal: str | int) -> list[Post]:
        """Return the posts with some values, including those that are no longer shown, oldest first."""
        return await self._read_all(_POSTS.where(*_equal(**equal)).limit(_BATCH_SIZE), to_post)

    async def mark_due(self, at: datetime, *where: Condition, is_outdated: bool = True, **equal: Any) -> None:
        """Make the open posts that fulfil some conditions due; a failed one keeps its back-off.

        `is_outdated`: their messages are outdated even if the revision of their subject is unchanged.
        """
        failed = and_(posts.attempts > 0, posts.due_at > at)
        values: Json = {"due_at": case((failed, posts.due_at), else_=at)}
        values |= {"shown_revision": None} if is_outdated else {}
        change = update(posts).where(*OPEN, *where).filter_by(**equal).values(values).returning(*DUE_COLUMNS)
        async with self._transaction():
            self._emit("due", tuple(DuePost(*row) for row in await self._read(change)))

    async def list_of_competition(self, competition: str) -> list[Post]:
        """Return a competition's tables in all places, including those no longer shown, oldest first."""
        return await self.list_with(competition=competition, subject=competition)

    async def list_for_game(self, game: str) -> list[Post]:
        """Return the boards of a game that can be written (not gone, not waiting), oldest first."""
        return await self._read_all(_BOARDS_OF_GAME, to_post, {"game": game})

    async def get(self, post: int) -> Post | None:
        """Return a post, gone or not; None if there is no such post."""
        return await self._read_one(_FIND_POST, to_post, {"post": post})

    async def get_with_notices(self, post: int) -> PostWithNotices | None:
        """Return a post, gone or not, with everything that delivery needs; None if there is no such post."""
        rows = [row._mapping for row in await self._read(_POST_WITH_NOTICES, {"post": post})]  # noqa: SLF001 - public
        if not rows:
            return None
        first, with_notices = rows[0], [row for row in rows if row["notice_id"] is not None]
        return PostWithNotices(
            to_post(first),
            tuple(read_row(Notice, row, "notice_") for row in with_notices),
            user_ids={row["notice_person"]: row["user_id"] for row in with_notices if row["user_id"] is not None},
            to_move=first["to_move"],
            is_only_open=not first["has_others"],
        )

    async def find_by_message(
        self, platform: str, channel: str, message: str, *, kind: str | None = BOARD
    ) -> Post | None:
        """Return the post of a kind (None for any) that a message shows; None if it shows none."""
        message_in = {"at_platform": platform, "at_channel": channel, "shown": message}
        found = await self._read_one(_POST_OF_MESSAGE, to_post, message_in)
        return found if found is not None and kind in (None, found.kind) else None

    async def count_due(self, now: datetime) -> int:
        """Return the number of posts that are due."""
        return int(await self._read_value(select(func.count(posts.id)).where(posts.due_at <= now)) or 0)

    async def list_due(
        self, until: datetime, limit: int = 1000, platforms: Collection[str] | None = None
    ) -> list[DuePost]:
        """Return the posts that are due up to a time, earliest first.

        `platforms` None means all platforms.
        """
        query = _DUE_ANYWHERE if platforms is None else _DUE_UNTIL.where(places.platform.in_(platforms))
        return [DuePost(*row) for row in await self._read(query, {"until": until, "most": limit})]

    async def next_due_at(self) -> datetime | None:
        """Return when the next post is due, None if none is."""
        return await self._read_earliest(posts.due_at, *OPEN)

    async def record_shown(
        self,
        known: Post,
        shown: ShownPost,
        at: datetime,
        *,
        later: datetime | None = None,
        notices: Collection[Notice] = (),
    ) -> Post | None:
        """Record what a message shows and return the post, None if there is none.

        `notices` are the notices that the message has delivered.

        `known` is the post as read before sending. An equal `announced` number means that the message was edited,
        another one that it is new. A new message retires the previous one. The post stays due if its subject has moved
        on meanwhile, if old messages are to be retired, or if a new message was requested while the old one was edited;
        if only retiring is left, it is due `later`.
        """
        change = partial(_build_shown_change, known=known, shown=shown, at=at, later=later or at)
        async with self._transaction():
            # The game is locked before its notices, as in a step.
            post = await self._update_known(known, at, change(known)) or await self._update_stored(known, at, change)
            await self._notices.record_delivered(notices, at, place=known.place.id)
            return post

    async def record_late(self, known: Post, message: str, revision: int, at: datetime) -> None:
        """Record that a message shows a perhaps outdated revision: it is updated, or retired if it is old."""

        def change(now: Post) -> Post:
            if now.message == message:
                return replace(now, shown_revision=revision, due_at=at)
            return replace(now, stale_messages={**now.stale_messages, message: revision}, due_at=at)

        async with self._transaction():
            await self._update_stored(known, at, change)
            self._emit("due")

    async def record_retired(
        self, known: Post, messages: Collection[str], at: datetime, *, later: datetime | None = None
    ) -> Post | None:
        """Record that old messages have lost their buttons or are gone; return the post, None if there is none.

        `known` is the post as last read or written. The remaining old messages are due `later`, by default at once.
        """
        change = partial(_build_retired_change, messages=messages, at=at, later=later or at)
        async with self._database.write_autocommit():
            noted = await self._update_known(known, at, change(known))
        if noted is not None:
            return noted
        async with self._transaction():
            return await self._update_stored(known, at, change)

    async def _update_known(self, known: Post, at: datetime, after: Post) -> Post | None:
        """Update a post that was read before and return it; None if it has changed since.

        It is due `at` a time unless it is done.
        """
        values = pick(known, ("message", "shown_revision", "announced", "due_at"), "before_")
        values |= pick(after, _NEW, "new_") | {"new_stale_messages": [*after.stale_messages.items()]}
        values |= {"post": known.id, "of_game": known.game, "of_competition": known.competition}
        values |= {"stale_before": to_json([*known.stale_messages.items()]), "then": after.due_at, "at": at}
        for (due_at,) in await self._read(_WRITE_IF_SAME, values):
            return replace(after, due_at=due_at)
        return None

    async def _update_stored(self, known: Post, at: datetime, change_of: Callable[[Post], Post]) -> Post | None:
        """Apply a change to a post as stored and return it; None if there is no such post.

        It is due `at` a time unless it is done.
        """
        now = await self._read_locked(known.id)
        if now is None or now.gone:
            return now
        after = change_of(now)
        is_current = after.shown_revision is not None and after.shown_revision >= now.revision
        return await self._store(replace(after, due_at=after.due_at if is_current else at))

    async def _read_locked(self, post: int) -> Post | None:
        """Return a post whose subject cannot change before this transaction ends."""
        # SQLite allows no other writer now. The subject is locked first, as in a commit: a revision read without the
        # lock could be outdated.
        if not self._database.is_sqlite:
            for table, column in ((games, posts.game), (competitions, posts.competition)):
                own = select(column).filter_by(id=post).scalar_subquery()
                await self._read(select(table.id).filter_by(id=own).with_for_update(read=True))
            await self._lock(posts, id=post)
        return await self.get(post)

    async def _store(self, post: Post) -> Post:
        values = pick(post, (*_NEW, "attempts", "due_at"))
        await self._update(posts, values | {"stale_messages": [*post.stale_messages.items()]}, id=post.id)
        return post

    async def record_failure(self, post: int, next_try: datetime) -> None:
        """Record that delivery failed and when to retry."""
        await self._change_open(post, attempts=posts.attempts + 1, due_at=next_try)

    async def put_off(self, post: int, until: datetime) -> None:
        """Postpone the processing of a post, although nothing failed."""
        await self._change_open(post, due_at=until)

    async def finish(self, post: int) -> None:
        """Record that a message shows the final state of its subject."""
        await self._change_open(post, gone=True, due_at=None, attempts=0)

    async def block(self, post: int) -> None:
        """Record that a post may not be shown in its place at present; `unblock` retries it."""
        await self._change_open(post, waiting=True, due_at=None)

    async def _change_open(self, post: int, **values: Any) -> None:
        await self._update(posts, values, *OPEN, id=post)

    async def close(self, post: int) -> None:
        """Record that a post can no longer be shown in its place."""
        await self._update(posts, _CLOSED, id=post)

    async def close_earlier(self, post: Post) -> None:
        """Close the earlier posts of the same kind in a post's place."""
        await self._update(posts, _CLOSED, posts.id < post.id, place=post.place.id, kind=post.kind, gone=False)

    async def list_changing(self, platform: str, **there: str) -> list[int]:
        """Return the ids of the posts in some places (such as a channel) that are due or can still change."""
        is_over = (
            select(subject.id).filter_by(id=column, status="over").exists()
            for subject, column in ((games, posts.game), (competitions, posts.competition))
        )
        query = (
            select(posts.id)
            .join(places, places.id == posts.place)
            .where(posts.gone.is_(False), or_(posts.due_at.is_not(None), ~or_(*is_over)))
        )
        where = (places[name] == value for name, value in {"platform": platform, **there}.items())
        return await self._read_column(query.where(*where).order_by(posts.id))

    async def delete_ended(self, kinds: Collection[str], before: datetime) -> int:
        """Delete the ended posts of some kinds that were made before a time, and return their number.

        Posts of unfinished games stay. The posts are deleted in batches, so that other writers need not wait long.
        """
        goes_on = select(games.id).where(games.status != "over").filter_by(id=posts.game).exists()
        ended = select(posts.id).where(posts.kind.in_(kinds), posts.made_at < before, ~goes_on).filter_by(gone=True)
        number = 0
        for batch in in_batches(await self._read_column(ended)):
            number += await self._write(delete(posts).where(posts.id.in_(batch)).filter_by(gone=True))
        return number

    async def unblock(self, platform: str, group: str | None, at: datetime) -> int:
        """Retry the waiting posts in a group, or on the whole platform (None); return their number."""
        there = given(platform=platform, group_id=group, guest=False)
        waiting = select(posts.id).where(posts.waiting).join(places, places.id == posts.place).filter_by(**there)
        found = await self._read_column(waiting.limit(_BATCH_SIZE))
        if not found:
            return 0  # the usual case needs no write
        async with self._transaction():
            self._emit("due")
            return await self._update(posts, {"waiting": False, "due_at": at}, posts.id.in_(found), waiting=True)
