"""Kinds of posts: each renders its content; the outbox sends, edits, retries and retires the posts.

A kind shows *the latest only* if it is rendered again whenever it is due (boards, tables). It is *news* if its first
rendering is the last one: then it is sent once, in the order of promises.
"""

import asyncio
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog

from bot.kernel.cards import Card, Picture
from bot.kernel.context import Context
from bot.kernel.operations.listening import log_outage
from bot.kernel.operations.metrics import DELIVERIES
from bot.kernel.operations.tasks import cancel_tasks, is_set_within
from bot.kernel.preferences import place_of
from bot.kernel.requests import Adapter, Place, TryLater, Undeliverable
from bot.kernel.texts import Speaker, strip_styles
from storage import Notice, Post, PostWithNotices, StorageError


def digest_of_card(card: Card) -> str:
    """Return a digest of the words of a card, so that no names are stored."""
    return hashlib.sha256(strip_styles(card.text).encode()).hexdigest()[:16]


class PutOff(Exception):
    """A post is not shown before a given time; this is no failure."""

    def __init__(self, until: datetime) -> None:
        super().__init__(until)
        self.until = until


@dataclass(frozen=True, slots=True)
class Rendering:
    """The current content of a post.

    A new message is sent if `announced` differs from that of the current message, or if there are `notices`, whose
    people it mentions. Otherwise the message is edited, unless its `content` is the same. `edited` is the card of an
    edit, if it differs from that of a new message. A `lasting` message is never replaced. An edit that is not `urgent`
    waits for everything else in its chat. After its `last` rendering a post stays unchanged. A deleted message is sent
    again, unless it is sent only `once` or was the last.
    """

    card: Card
    announced: int = 1
    revision: int = 0
    content: str | None = None
    notices: tuple[Notice, ...] = ()
    edited: Card | None = None
    lasting: bool = False
    urgent: bool = True
    last: bool = False
    once: bool = False
    after: Callable[[], Awaitable[None]] | None = None


@dataclass(slots=True)
class Showing:
    """A post during delivery, as it was last read; `retire` retires its old messages.

    `language` is the language of the only reader; None for that of the place.
    """

    context: Context
    adapter: Adapter
    found: PostWithNotices
    retire: Callable[[Adapter, Post], Awaitable[tuple[Post, TryLater | None]]]
    language: str | None = None

    @property
    def post(self) -> Post:
        """The post as it was last read or written."""
        return self.found.post

    @property
    def place(self) -> Place:
        """The post's place, as adapters know it."""
        return place_of(self.post.place, self.language or self.context.place_language(self.post.place))


class PostKind(ABC):
    """A kind of post.

    `waits`: True if a post that may not be shown now waits until its place is open again. `is_kept`: False if an ended
    post is deleted some days later.
    """

    waits = True
    is_kept = True
    deliveries = DELIVERIES
    """The metric that counts the deliveries."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._store, self._clock = context.store, context.clock

    @abstractmethod
    async def render(self, showing: Showing) -> Rendering | None:
        """Return the current content of a post, None if it has none (any more): then its messages lose their buttons.

        Raises Undeliverable, TryLater or PutOff, and Refused if its subject cannot be read.
        """

    async def redraw(self, post: Post, revision: int) -> Picture | None:
        """Return the picture of an old message of a post, None if it had none."""
        return None

    async def retired_card(self, post: Post, revision: int | None) -> Card | None:
        """Return the card that replaces an old message of a post; None if the message only loses its buttons."""
        return None

    async def translate(self, post: Post, speaker: Speaker) -> Card | None:
        """Return a post's card for one reader, without its picture; None if all readers see the same."""
        return None

    async def on_shown(self, post: Post) -> None:  # noqa: B027 - most kinds store nothing more
        """Store the consequences of a new, recorded message; after a crash this may be skipped."""

    async def on_rate_limit(self, post: Post, until: datetime) -> None:  # noqa: B027 - few kinds have a clock
        """Store the consequences of a post that is delayed by a platform's rate limit."""

    async def on_undeliverable(self, post: Post, error: Undeliverable) -> None:  # noqa: B027
        """Store the consequences of a post that cannot be shown, in the transaction that records the failure."""


MAX_SLEEP_SECONDS: Final = 60.0
"""Maximum seconds between two scans of the database."""
DATABASE_RETRY_SECONDS: Final = 2.0
"""Seconds between two attempts while the database is unavailable."""
MAX_ROUNDS: Final = 500
"""Maximum number of consecutive rounds, of up to some hundred items each; more only happen if handled items stay due.
"""

log = structlog.get_logger(__name__)


def back_off_seconds(failures: int, first: float, longest: float) -> float:
    """Return the pause after another failure that follows `failures` in a row; it doubles with each."""
    return min(first * 2.0 ** min(failures, 20), longest)


class DueWorker(ABC):
    """A worker that handles due items in sequence."""

    failure_pause_seconds = MAX_SLEEP_SECONDS
    """Seconds until the next round after an unexpected failure."""
    min_pause_seconds = 1.0
    """Minimum seconds between two rounds that are due to the time."""

    def __init__(self, context: Context, wanted: asyncio.Event, name: str) -> None:
        """Create the worker; `wanted` is set when something may be due, `name` is its name in logs."""
        self._context = context
        self._store, self._clock = context.store, context.clock
        self._wanted = wanted
        self._name = name
        self._loop: asyncio.Task[None] | None = None
        self._busy = asyncio.Lock()

    def start(self) -> None:
        """Start, first with what was due when the program last stopped; if already started, run another round soon."""
        if self._loop is None:
            self._loop = asyncio.create_task(self._run(), name=self._name)
        self._wanted.set()

    async def close(self) -> None:
        """Stop; unfinished work is done at the next start."""
        await cancel_tasks(self._loop)
        self._loop = None

    async def run_until_idle(self) -> None:
        """Handle everything that is due now, as far as possible; at most MAX_ROUNDS rounds."""
        for _ in range(MAX_ROUNDS):
            if not await self._run_once():
                return
        log.error("job-does-not-rest", job=self._name)

    @abstractmethod
    async def _run_due(self) -> bool:
        """Handle what is due; return True if anything was done."""

    async def _next_due_at(self) -> datetime | None:
        """Return when the next item is due, None if nothing is scheduled."""
        return None

    async def _run_once(self) -> bool:
        async with self._busy:
            return await self._run_due()

    async def _run(self) -> None:
        rounds, waits = 0, False
        while True:
            self._wanted.clear()
            pause = MAX_SLEEP_SECONDS
            try:
                handled = await self._run_once()
                if waits:
                    log.info("database-is-back", job=self._name)
                    waits = False
                if handled:
                    rounds += 1
                    if rounds < MAX_ROUNDS:
                        continue
                    log.error("job-does-not-rest", job=self._name)
                rounds = 0
                due = await self._next_due_at()
                if due is not None:
                    left = (due - self._clock()).total_seconds()
                    pause = min(pause, max(self.min_pause_seconds, left))
            except StorageError as error:
                if not waits:
                    log_outage(log, f"{self._name}-waits-for-the-database", error)
                waits = True
                pause = DATABASE_RETRY_SECONDS
            except Exception:
                # Catch all errors: one unreadable item must not stop the others.
                log.exception("job-failed", job=self._name)
                pause = self.failure_pause_seconds
            await is_set_within(self._wanted, pause)
