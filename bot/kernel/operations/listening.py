"""Keeps a platform's listener running: restarts it with exponential back-off after any failure, and reports its status.

The hub of all live streams: their topics, limits, heartbeats and end.

Presence: a person has left the page or an app when their streams in all processes are closed.

A stream stores only the newest change of each topic, so that a slow client delays nothing and needs little memory. A
closed stream frees its place at once. The hub closes WebSockets; server-sent events end on their own.
"""

from __future__ import annotations

import asyncio
import random
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from enum import IntEnum
from pathlib import Path
from typing import Any, ClassVar, Final

import structlog
from aiohttp import WSCloseCode, web
from cachetools import LRUCache
from structlog.typing import FilteringBoundLogger

from bot.kernel.operations.metrics import UNREADABLE_EVENTS
from bot.kernel.operations.tasks import cancel_tasks, is_set_within
from storage import MISSED_NEWS, GameRow, News, StorageError, Store, Unavailable

MAX_REASON_LENGTH: Final = 200


def log_outage(log: FilteringBoundLogger, event: str, error: StorageError, **details: Any) -> None:
    """Log that work waits for the database, with a traceback only if the error is a bug of ours and no outage."""
    if isinstance(error, Unavailable):
        log.error(
            event, code=error.code, reason=str(error.params.get("reason", error.code))[:MAX_REASON_LENGTH], **details
        )
    else:
        log.error(event, exc_info=error, **details)


def describe_outage(error: BaseException) -> str:
    """Return the cause of an error in one line: its type, its message, and where it was raised."""
    error = error.__cause__ or error
    return " ".join(f"{type(error).__name__}: {error}".split())[:MAX_REASON_LENGTH] + _describe_origin(error)


def _describe_origin(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""


MIN_JITTER: Final = 0.75
"""Minimum share of a back-off that remains after jitter: several processes must not all reconnect at once."""

CONTESTED_SECONDS: Final = 120.0
"""Seconds without a conflict after which a token counts as uncontested: two long polls."""

log = structlog.get_logger(__name__)


class ConnectionLost(Exception):
    """The platform is unreachable, or asks us to wait."""


class CannotConnect(Exception):
    """Listening fails because of the configuration: `event` and `details` are logged.

    It is retried unless `final`. If `is_reported`, the code that starts the program reports it to the operator.
    """

    event: ClassVar[str]
    final: ClassVar[bool] = False
    is_reported: ClassVar[bool] = True

    def __init__(self, **details: Any) -> None:
        super().__init__(*details.values())
        self.details = details


class Listener:
    """Receives a platform's updates, and reconnects on failure.

    `listening`: True while it receives updates. `failing`: True if it ended for another reason than an unreachable
    platform or database. `contested`: True while another process receives the updates, too, with the same token.
    """

    def __init__(
        self,
        platform: str,
        listen: Callable[[], Awaitable[None]],
        connect: Callable[[], Awaitable[None]] | None = None,
        *,
        first: float,
        longest: float,
        clock: Callable[[], float] = time.monotonic,
        rest: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Create the listener; the back-off grows from `first` to `longest` seconds.

        `connect` does nothing if there is a connection. `listen` returns if listening continues in the background.
        """
        self.listening = False
        self.failing = False
        self.contested = False
        self._contested_at = 0.0
        self._platform = platform
        self._listen = listen
        self._connect = connect
        self._first = first
        self._longest = longest
        self._clock = clock
        self._rest = rest
        self._pause = first
        self._since = 0.0
        self._task: asyncio.Task[None] | None = None

    def connected(self) -> None:
        """Record that the program listens to the platform."""
        if not self.listening:
            self._since = self._clock()
        self.listening, self.failing = True, False
        if self.contested and self._clock() - self._contested_at >= CONTESTED_SECONDS:
            self.contested = False
            event = f"{self._platform}-token-free"
            log.info(event)

    def conflict(self, reason: str) -> None:
        """Record that another process receives the updates with the same token; log it once per conflict."""
        self.lost()
        if not self.contested:
            event = f"{self._platform}-token-in-use"
            log.error(event, reason=reason)
        self.contested, self._contested_at = True, self._clock()

    def lost(self) -> None:
        """Record that the platform is unreachable now; for clients that reconnect automatically."""
        if self.listening and self._clock() - self._since >= self._longest:
            self._pause = self._first
        self.listening = False

    async def start(self) -> None:
        """Connect, and listen from now on; raises a CannotConnect that is to be reported, without any retry."""
        pause = 0.0
        try:
            if self._connect is not None:
                await self._connect()
        except Exception as error:
            if isinstance(error, CannotConnect) and error.is_reported:
                self.failing = True
                raise
            pause = self._record_failure(error)
        self._task = asyncio.create_task(self._keep_listening(pause), name=self._platform)

    async def stop(self) -> None:
        """Stop listening."""
        task, self._task = self._task, None
        await cancel_tasks(task)
        self.lost()

    async def _keep_listening(self, pause: float) -> None:
        while True:
            if pause:
                await self._rest(pause)
            try:
                if self._connect is not None:
                    await self._connect()
                await self._listen()
            except Exception as error:  # noqa: BLE001 - logged there, whatever it is
                pause = self._record_failure(error)
                if isinstance(error, CannotConnect) and error.final:
                    return
            else:
                return

    def _record_failure(self, error: Exception) -> float:
        """Record and log why listening ended; return the back-off in seconds."""
        self.lost()
        self.failing = not isinstance(error, (ConnectionLost, Unavailable))
        pause = self._pause * random.uniform(MIN_JITTER, 1)
        self._pause = min(self._pause * 2, self._longest)
        if isinstance(error, ConnectionLost):
            unreachable = f"{self._platform}-unreachable"
            log.warning(unreachable, reason=str(error), seconds=round(pause, 1))
        elif isinstance(error, CannotConnect):
            log.error(error.event, **error.details)
        elif isinstance(error, StorageError):
            log_outage(log, "listening-waits-for-the-database", error, platform=self._platform)
        else:
            log.error("listener-failed", exc_info=error, platform=self._platform, seconds=round(pause, 1))
        return pause


def drop_message(platform: str, kind: str, error: Exception, **details: Any) -> None:
    """Log and count an event that a library could not parse: its kind and where parsing failed, not its content."""
    UNREADABLE_EVENTS.labels(platform, kind).inc()
    log.error("event-not-readable", platform=platform, kind=kind, reason=summarize_error(error), **details)


READING_ERRORS: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""Errors of a client library if a value of an answer is missing or of another type: it reads answers without checking.
"""


def summarize_error(error: Exception) -> str:
    """Return an error's class and where it was raised; not its text, which may quote data of a platform."""
    return f"{type(error).__name__}{_describe_origin(error)}"


HEARTBEAT_SECONDS: Final = 15.0
"""Maximum seconds between two messages of a stream: `bot/platforms/public/static/live.js` takes longer silence for a
dead stream.
"""
FORBIDDEN_CLOSE_CODE: Final = 4001
"""Close code of a stream that a person may not open (any more); a refused handshake cannot carry a code."""
TOO_MANY_CLOSE_CODE: Final = 4002
"""Close code of a stream beyond a limit."""
_PING_SECONDS: Final = 25.0

Topic = tuple[str, Any]
"""A kind and an id: a game, a table, a person (whose games have changed), a presence, a value, or all people."""
PEOPLE: Final[Topic] = ("people", None)
"""The topic of changes of any person or place."""


AWAY_SECONDS: Final = 30.0
"""Seconds after which a person whose last stream is closed counts as away; a page reconnects faster."""
ABSENT_SECONDS: Final = 60.0
"""Seconds after which a person has been away for so long that an opponent need not wait."""
MAX_ABSENT_PEOPLE: Final = 10_000
"""Maximum number of remembered people who have left."""
PRESENCE_NEWS: Final = "here"
"""The kind of news by which processes announce who has a stream, and who has none any more."""


class Absence(IntEnum):
    """Whether a person is absent from the page and apps; never a person who was not there, or acts on another front."""

    NONE = 0
    SHORT = 1
    LONG = 2


class Presence:
    """Who has the page or an app open, and who has left; `clock` returns seconds that cannot be set.

    Only a person who had a stream can be away, and not if they act on another front. With a shared store, processes
    announce their streams to each other, so that a person with a stream in another process does not count as away.
    """

    def __init__(self, store: Store | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._open: Counter[int] = Counter()
        self._remote: set[int] = set()
        """People with a stream in another process."""
        self._left: LRUCache[int, float] = LRUCache(MAX_ABSENT_PEOPLE)
        self._timers: dict[int, asyncio.TimerHandle] = {}
        self._sending: set[asyncio.Task[None]] = set()
        self._listeners: list[Callable[[int], None]] = []
        if store is not None:
            store.add_listener(self._on_store_change, {PRESENCE_NEWS})

    def add_listener(self, listener: Callable[[int], None]) -> None:
        """Call a listener with each person who becomes away, has been away for long, or is back."""
        self._listeners.append(listener)

    def absence(self, person: int | None) -> Absence:
        """Return whether a person is away."""
        left = None if person is None else self._left.get(person)
        if left is None:
            return Absence.NONE
        seconds = self._clock() - left
        return Absence((seconds >= AWAY_SECONDS) + (seconds >= ABSENT_SECONDS))

    def list_absences(self, people: Iterable[int | None]) -> list[tuple[int, Absence]]:
        """Return which of some people are away: the index of each, and the duration."""
        found = [(at, self.absence(person)) for at, person in enumerate(people)]
        return [(at, absence) for at, absence in found if absence]

    @contextmanager
    def open(self, person: int) -> Iterator[None]:
        """Record that a person has a stream inside the block."""
        self._open[person] += 1
        self.note_return(person)
        if self._open[person] == 1:
            self._tell_peers(person, is_here=True)
        try:
            yield
        finally:
            self._open[person] -= 1
            if not self._open[person]:
                del self._open[person]
                self.note_leaving(person)
                self._tell_peers(person, is_here=False)

    def note_leaving(self, person: int) -> None:
        """Record that a person was just there and has no stream: their last stream has ended, or they poll."""
        if person in self._open or person in self._remote:
            return
        was_away = self.absence(person)
        self._left[person] = self._clock()
        self._set_timer(person, AWAY_SECONDS)
        if was_away:
            self.announce(person)

    def note_return(self, person: int) -> None:
        """Record that a person is not away: they have a stream again, or act on another front."""
        was_away = person in self._left and self.absence(person)
        self._left.pop(person, None)
        if timer := self._timers.pop(person, None):
            timer.cancel()
        if was_away:
            self.announce(person)

    def announce(self, person: int) -> None:
        """Call the listeners because a person may be away, or back."""
        for listener in self._listeners:
            listener(person)

    def _set_timer(self, person: int, seconds: float) -> None:
        if timer := self._timers.pop(person, None):
            timer.cancel()

        def fire() -> None:
            del self._timers[person]
            self.announce(person)
            if seconds == AWAY_SECONDS and person in self._left:
                self._set_timer(person, ABSENT_SECONDS - AWAY_SECONDS + _TIMER_MARGIN_SECONDS)

        self._timers[person] = asyncio.get_running_loop().call_later(seconds + _TIMER_MARGIN_SECONDS, fire)

    def _tell_peers(self, person: int, *, is_here: bool) -> None:
        store = self._store
        if store is None or not store.is_shared:
            return

        async def send() -> None:
            # While the database is unavailable, games do not go on.
            with suppress(StorageError):
                await store.tell_peers(PRESENCE_NEWS, (person, is_here))

        task = asyncio.create_task(send(), name="presence")
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    def _on_store_change(self, news: News) -> None:
        if news is MISSED_NEWS:
            # Announcements of peers were missed: no person counts as away until seen again.
            for person in list(self._left):
                self.note_return(person)
        if not news.is_remote or news.details is None:
            return
        person, is_here = news.details
        if is_here:
            self._remote.add(person)
            self.note_return(person)
            return
        self._remote.discard(person)
        if person in self._open:
            # The person has a stream in this process as well.
            self._tell_peers(person, is_here=True)
        else:
            self.note_leaving(person)


_TIMER_MARGIN_SECONDS: Final = 0.01


class TooManyStreams(Exception):
    """A limit of open streams is reached."""


class Stream:
    """An open stream: the topics that it follows, and their changes since the last `take`."""

    def __init__(self, hub: StreamHub) -> None:
        self._hub = hub
        self._changes: dict[Topic, Any] = {}
        self.topics: set[Topic] = set()
        self.news = asyncio.Event()
        self.is_over = False

    def follow(self, *topics: Topic) -> None:
        """Follow these topics, and no others."""
        for topic in self.topics.difference(topics):
            self._hub.following[topic].discard(self)
            self._changes.pop(topic, None)
            if not self._hub.following[topic]:
                del self._hub.following[topic]
        for topic in topics:
            self._hub.following[topic].add(self)
        self.topics = set(topics)

    def note(self, topic: Topic, change: Any) -> None:
        """Record a topic's newest change, replacing the one recorded before, and wake the stream."""
        self._changes[topic] = change
        self.news.set()

    def take(self, *topics: Topic) -> dict[Topic, Any]:
        """Return the changes of some topics since the last call."""
        return {topic: self._changes.pop(topic) for topic in topics if topic in self._changes}

    def end(self) -> None:
        """End the stream: its client is gone, or the server stops."""
        self.is_over = True
        self.news.set()

    async def wait_for_news(self, send_heartbeat: Callable[[], Awaitable[None]], ends: float | None = None) -> bool:
        """Wait for news; return False once the stream has ended, at the loop's time `ends` at the latest.

        Meanwhile, send a heartbeat every `HEARTBEAT_SECONDS`. It is a message, since a browser's script sees neither
        the pings of a WebSocket nor the comments of server-sent events.
        """
        clock = asyncio.get_running_loop().time
        while not self.news.is_set():
            left = HEARTBEAT_SECONDS if ends is None else ends - clock()
            if left <= 0:
                return False
            if not await is_set_within(self.news, min(left, HEARTBEAT_SECONDS)):
                await send_heartbeat()
        self.news.clear()
        return not self.is_over


class StreamHub:
    """The open streams of some pages; with a store, its changes wake the streams that follow them.

    With a `presence`, a person who leaves or comes back wakes the streams that follow that person.
    """

    def __init__(self, store: Store | None = None, presence: Presence | None = None) -> None:
        self.following: defaultdict[Topic, set[Stream]] = defaultdict(set)
        self.sockets: set[web.WebSocketResponse] = set()
        self._streams: set[Stream] = set()
        self._counts: Counter[str] = Counter()
        if store is not None:
            store.add_listener(self._on_store_change)
        if presence is not None:
            presence.add_listener(lambda person: self._publish((PRESENCE_NEWS, person), None))

    @contextmanager
    def open(self, bounds: Collection[tuple[str, int]], *topics: Topic) -> Iterator[Stream]:
        """Yield a stream that follows some topics; raises TooManyStreams beyond one of the `bounds`, limits by name."""
        names = [name for name, _ in bounds]
        if any(self._counts[name] >= most for name, most in bounds):
            raise TooManyStreams
        stream = Stream(self)
        self._counts.update(names)
        self._streams.add(stream)
        try:
            stream.follow(*topics)
            yield stream
        finally:
            stream.follow()
            self._streams.discard(stream)
            self._counts.subtract(names)
            self._counts += Counter()  # drops the zero counts

    @asynccontextmanager
    async def open_socket(self, request: web.Request) -> AsyncIterator[web.WebSocketResponse]:
        """Yield a WebSocket with pings and a small message limit, until its client disconnects.

        Compression is off: it would take a quarter of a MiB per tab, and time per message.
        """
        socket = web.WebSocketResponse(heartbeat=_PING_SECONDS, max_msg_size=1024, compress=False)
        await socket.prepare(request)
        self.sockets.add(socket)
        try:
            # The client may disconnect while a message is being sent.
            with suppress(ConnectionResetError):
                yield socket
        finally:
            self.sockets.discard(socket)

    async def refuse(self, request: web.Request, code: int = FORBIDDEN_CLOSE_CODE) -> web.WebSocketResponse:
        """Answer with a WebSocket that is closed at once; the close code gives the reason."""
        async with self.open_socket(request) as socket:
            await socket.close(code=code)
        return socket

    async def close(self) -> None:
        """Close all streams because the server is stopping."""
        closing = (socket.close(code=WSCloseCode.GOING_AWAY) for socket in set(self.sockets))
        await asyncio.gather(*closing, return_exceptions=True)
        for stream in set(self._streams):
            stream.end()

    def _on_store_change(self, news: News) -> None:
        if not self._streams:
            return
        kind, what, _ = news
        if news is MISSED_NEWS:
            for stream in self._streams:
                for topic in stream.topics:
                    stream.note(topic, None)
        elif kind == "game" and isinstance(what, GameRow):
            self._publish(("game", what.id), what)
            for seat in what.seats:
                self._publish(("person", seat.person), None)
        elif kind in ("game", "votes"):
            self._publish(("game", str(what)), None)
        elif kind in ("table", "shown"):
            self._publish(("table", str(what[-1] if kind == "shown" else what)), None)
        elif kind == "value":
            self._publish(("value", tuple(what)), None)
        elif kind in ("person", "place", "people"):
            self._publish(PEOPLE, None)

    def _publish(self, topic: Topic, change: Any) -> None:
        for stream in self.following.get(topic, ()):
            stream.note(topic, change)
