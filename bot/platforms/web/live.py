"""Messages from the room to one tab: everything its person may see, after the last change received.

A tab has a WebSocket stream; while it cannot open one, it polls for the same data.
"""

from __future__ import annotations

import asyncio
import json
from bisect import bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterator, Mapping
from contextlib import (
    AbstractContextManager,
    AsyncExitStack,
    ExitStack,
    asynccontextmanager,
    contextmanager,
    nullcontext,
    suppress,
)
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import Any, Final

import structlog
from aiohttp import WSMsgType, web

from bot.kernel.advice import SearchWatch
from bot.kernel.operations.listening import FORBIDDEN_CLOSE_CODE, Presence, Stream, log_outage
from bot.kernel.texts import Speaker
from bot.platforms.app import Tavoliere
from bot.platforms.web.lobby import Lobby, LobbyContent, lobby_to_json
from bot.platforms.web.present import (
    list_absences,
    list_mentioned_names,
    message_to_json,
    stored_title,
    table_to_json,
)
from bot.platforms.web.request_guard import Rejected
from bot.platforms.web.room import ChatRoom
from bot.platforms.web.sessions import PLATFORM
from engine import games
from storage import Identity, Json, RoomMessage, StorageError, Unavailable

MAX_OTHER_GAMES: Final = 40
"""Maximum number of other people's games sent to a tab: those changed last."""
POLL_TIMEOUT_SECONDS: Final = 10.0
"""Seconds for which a person counts as present after a poll; `bot/platforms/public/static/live.js` polls every 3 s."""
MAX_FINISHED_GAMES: Final = 8
"""Maximum number of a viewer's own finished games sent, the newest; each stays until viewed."""


class GameListing:
    """List of the room's games in one language; entries that do not depend on the viewer are built once."""

    def __init__(self, room: ChatRoom, speaker: Speaker, presence: Presence) -> None:
        self._speaker = speaker
        self._presence = presence
        self._headlines = room.tables()
        self._order = {message: at for at, message in enumerate(self._headlines)}
        self._mine: dict[int, set[int]] = defaultdict(set)
        for message, headline in self._headlines.items():
            for each in headline["sitting"]:
                if each["person"] is not None:
                    self._mine[each["person"]].add(message)
        self._calls: dict[int, dict[int, Json]] = defaultdict(dict)
        for message, card in room.all_mentions():
            for person in card["calls"]:
                self._calls[person][message] = card
        self._open = [message for message, headline in self._headlines.items() if headline["status"] != "over"]
        self._others: dict[int, Json] = {}

    def concerns(self, person: int | None) -> bool:
        """Return True if a person's list differs from the list for everybody."""
        return person in self._mine or person in self._calls

    def for_viewer(self, viewer: int | None) -> list[Json]:
        """Return the room's games, the viewer's own first, and the other messages that wait for them."""
        if viewer is None:
            return self._other_games(set())
        calls = dict(sorted(self._calls.get(viewer, {}).items()))
        asked = {card.get("about") for card in calls.values()}
        about = {int(each) for each in asked if each is not None and each.isdecimal()}
        near = self._mine.get(viewer, set()) | ((calls.keys() | about) & self._headlines.keys())
        found, over = [], []
        rest = set(near)
        for message in sorted(near, key=self._order.__getitem__):
            headline = self._headlines[message]
            table = self._table(headline, viewer)
            # The board itself or an offer calls the viewer.
            called = calls.pop(message, None) is not None or str(message) in asked
            entry = {"message": message, **table, "offer": str(message) in asked, "waits": called or table["turn"]}
            if headline["status"] == "over":
                over.append(entry)
            else:
                found.append(entry)
        beside = [
            {"message": message, "waits": True, **self._title(card)}
            for message, card in calls.items()
            if card.get("about") is None
        ]
        ended = [entry for entry in over if entry["mine"]][-MAX_FINISHED_GAMES:]
        return [*found, *beside, *ended, *self._other_games(rest)]

    def _other_games(self, without: set[int]) -> list[Json]:
        """Return other people's running games, those changed last."""
        others = (message for message in reversed(self._open) if message not in without)
        return [self._other_game(message) for message in islice(others, MAX_OTHER_GAMES)][::-1]

    def _other_game(self, message: int) -> Json:
        if message not in self._others:
            table = self._table(self._headlines[message], None)
            self._others[message] = {"message": message, **table, "offer": False, "waits": False}
        return self._others[message]

    def _table(self, headline: Json, viewer: int | None) -> Json:
        """Return a game in the list, with its absent players."""
        absences = list_absences(headline, self._presence)
        return {**table_to_json(headline, viewer, self._speaker), **({"away": absences} if absences else {})}

    def _title(self, card: Json) -> Json:
        """Return the game that a card shows and the other people in it, or the beginning of its text."""
        game = card["picture"]["name"].partition(".")[0] if card["picture"] else ""
        if game not in games:
            return {"title": stored_title(card), "others": []}
        return {"title": self._speaker.game_name(game), "others": list_mentioned_names(card, card["calls"])}


RECENT_CHANGES: Final = 300
"""Number of newest changes cached for tabs that have all earlier changes; other tabs get the newest messages anew."""
BROADCAST_IDLE_RATIO: Final = 4
"""Pause after a broadcast, in multiples of its duration: broadcasting takes at most a fifth of the time."""
MAX_BROADCAST_IDLE_SECONDS: Final = 2.0
DEBOUNCE_SECONDS_PER_TAB: Final = 0.001
"""Seconds to wait for further changes, per tab: by then an action is answered and has had all its effects."""
MAX_DEBOUNCE_SECONDS: Final = 0.25
BROADCAST_BATCH_SIZE: Final = 8
"""Number of tabs woken before other tasks get a turn."""
_DATABASE_RETRY_SECONDS: Final = 1.0
"""Seconds to wait before retrying after a database outage."""

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class RoomSnapshot:
    """Snapshot of the room as JSON texts, each encoded when the first viewer needs it.

    `change` is the number of the newest change of the room, `before` the number of the last change before `recent`, the
    cached changes. `speakers` are the people of the subscribers' names.
    """

    hub: BroadcastHub
    number: int
    change: int
    before: int
    recent: list[RoomMessage]
    people: str
    spoken: str
    speakers: Mapping[str, int | None]
    content: LobbyContent
    _listings: dict[str, GameListing] = field(default_factory=dict)
    _parts: dict[Hashable, str] = field(default_factory=dict)

    def has_changed_owner(self, viewer: Identity | None) -> bool:
        """Return True if a name had another person, or none, at the snapshot: it was linked or forgotten."""
        return viewer is not None and self.speakers.get(viewer.user_id, viewer.person) != viewer.person

    def messages(self, viewer: Identity, since: int, language: str) -> str | None:
        """Return the changes after `since` that a person may see; None if there are none."""
        unseen = self.recent[bisect_right(self.recent, since, key=attrgetter("change")) :]
        found = [
            self._message(message, viewer.person, language)
            for message in unseen
            if message.recipient in (None, viewer.person)
        ]
        return f"[{','.join(found)}]" if found else None

    def _message(self, message: RoomMessage, viewer: int, language: str) -> str:
        concerned = viewer if viewer in _people_concerned(message) else None
        speaker = self.hub.texts.speaker(language)
        return self._encode_once(
            (message.change, concerned, language), lambda: message_to_json(message, concerned, speaker)
        )

    def lobby(self, language: str) -> str:
        """Return the lobby's content besides the games, in a language."""
        return self._encode_once(language, lambda: lobby_to_json(self.content, self.hub.texts.speaker(language)))

    def tables(self, viewer: int | None, language: str) -> str:
        """Return the room's games as a person sees them, and the other messages that wait for this person."""
        if language not in self._listings:
            speaker = self.hub.texts.speaker(language)
            self._listings[language] = GameListing(self.hub.room, speaker, self.hub.front.presence)
        listing = self._listings[language]
        concerned = viewer if listing.concerns(viewer) else None
        return self._encode_once((concerned, language), lambda: listing.for_viewer(concerned))

    def _encode_once(self, part: Hashable, make: Callable[[], Any]) -> str:
        """Return a part as JSON text, which is made for its first viewer."""
        if part not in self._parts:
            self._parts[part] = _encode(make())
        return self._parts[part]


class BroadcastHub:
    """Reads the room after each change while it has subscribers, and wakes them in batches."""

    def __init__(self, front: Tavoliere, room: ChatRoom) -> None:
        self.front = front
        self.texts = front.context.texts
        self.room = room
        self._store = front.context.store
        self._lobby = Lobby(front, room)
        front.presence.add_listener(lambda _: room.changed.set())
        self._midnight: asyncio.TimerHandle | None = None
        self._subscribers: dict[asyncio.Event, Identity | None] = {}
        self._recent: deque[RoomMessage] = deque()
        self._before = self._change = 0
        self._loop: asyncio.Task[None] | None = None
        self._reads_begun = 0
        self._read_finished = asyncio.Event()
        self._failure: Exception | None = None
        """The error of the last read, None if it succeeded."""
        self._snapshot: RoomSnapshot | None = None
        self._polling: dict[str, tuple[ExitStack, asyncio.TimerHandle | None]] = {}
        """The people whose tabs poll, by user id (empty for guests): their subscription and the timer that ends it."""

    def keep_present(self, viewer: Identity | None) -> None:
        """Keep a person present, and keep reading the room, until `POLL_TIMEOUT_SECONDS` after the last call."""
        key = "" if viewer is None else viewer.user_id
        stack, timer = self._polling.get(key, (ExitStack(), None))
        if timer is None:
            stack.enter_context(self.subscribe(viewer, asyncio.Event()))
            stack.callback(self._polling.pop, key)
        else:
            timer.cancel()
        timer = asyncio.get_running_loop().call_later(POLL_TIMEOUT_SECONDS, stack.close)
        self._polling[key] = stack, timer

    @contextmanager
    def subscribe(self, viewer: Identity | None, wake: asyncio.Event) -> Iterator[None]:
        """Set `wake` on each new snapshot; the viewer, None for a guest, counts as present meanwhile."""
        self._subscribers[wake] = viewer
        people = [] if viewer is None else [viewer.person]
        self.room.here.update(people)
        self.room.changed.set()
        if self._loop is None:
            self._loop = asyncio.create_task(self._run(), name="editions")
        try:
            with nullcontext() if viewer is None else self.front.presence.open(viewer.person):
                yield
        finally:
            del self._subscribers[wake]
            self.room.here -= Counter(people)
            self.room.changed.set()
            if not self._subscribers:
                self._stop_reading()

    def _stop_reading(self) -> None:
        if self._loop is not None:
            self._loop.cancel()
        if self._midnight is not None:
            self._midnight.cancel()
        self._loop = self._snapshot = None

    async def latest(self) -> RoomSnapshot:
        """Return the latest snapshot, waiting for the first one."""
        return self._snapshot or await self.read_next()

    async def read_next(self, *, waits_for_database: bool = True) -> RoomSnapshot:
        """Return the first snapshot whose reading begins after this call.

        Without `waits_for_database`, raises Unavailable if the read fails.
        """
        wanted = self._reads_begun + 1
        self.room.changed.set()
        while self._snapshot is None or self._snapshot.number < wanted:
            await self._read_finished.wait()
            if self._failure is not None and self._reads_begun >= wanted and not waits_for_database:
                raise Unavailable from self._failure
        return self._snapshot

    async def _run(self) -> None:
        clock = asyncio.get_running_loop().time
        self._recent = deque(maxlen=RECENT_CHANGES)
        self._before = self._change = -1
        while True:
            self.room.changed.clear()
            begun = clock()
            try:
                self._reads_begun += 1
                self._snapshot = await self._read(self._reads_begun)
                self._finish_read(None)
                await self._wake_subscribers()
            except Exception as error:
                # Catch everything: tabs must not wait forever for the next snapshot.
                self._finish_read(error)
                if isinstance(error, StorageError):
                    log_outage(log, "room-waits-for-the-database", error)
                    self.room.changed.set()
                else:
                    log.exception("room-broadcast-failed")
                await asyncio.sleep(_DATABASE_RETRY_SECONDS)
            # Requests of players have priority: with many tabs, collect changes before the next broadcast.
            await asyncio.sleep(min(MAX_BROADCAST_IDLE_SECONDS, BROADCAST_IDLE_RATIO * (clock() - begun)))
            await self.room.changed.wait()
            await asyncio.sleep(min(MAX_DEBOUNCE_SECONDS, DEBOUNCE_SECONDS_PER_TAB * len(self._subscribers)))

    def _finish_read(self, failure: Exception | None) -> None:
        self._failure = failure
        finished, self._read_finished = self._read_finished, asyncio.Event()
        finished.set()

    async def _wake_subscribers(self) -> None:
        called = self.room.mentioned_people()
        people = {wake: viewer and viewer.person for wake, viewer in self._subscribers.items()}
        waiting = sorted(people, key=lambda wake: people[wake] not in called)
        for at in range(0, len(waiting), BROADCAST_BATCH_SIZE):
            for wake in waiting[at : at + BROADCAST_BATCH_SIZE]:
                wake.set()
            await asyncio.sleep(0)

    async def _read(self, number: int) -> RoomSnapshot:
        if self._change < 0:
            # Tabs that come back get only what they have missed, if it is not too much.
            self._before = self._change = max(0, await self._store.room.last_change() - RECENT_CHANGES)
        while found := await self._store.room.changes_since(self._change, RECENT_CHANGES):
            for message in found:
                if len(self._recent) == self._recent.maxlen:
                    self._before = self._recent[0].change
                self._recent.append(message)
            self._change = found[-1].change
        place = await self.room.place()
        known = await self._store.places.members(place.id)
        users = {viewer.user_id for viewer in self._subscribers.values() if viewer is not None}
        speakers = await self._store.people.ids_of_users(PLATFORM, list(users))
        here, called = set(self.room.here), self.room.mentioned_people()
        people = [
            {"person": each.id, "name": each.name, "here": each.id in here, "waiting": each.id in called}
            for each in known
        ]
        people.sort(key=lambda each: (not each["here"], str(each["name"]).casefold()))
        spoken = self.texts.supported(place.effective.get("language"))
        lobby, seconds = await self._lobby.read(place, known)
        # The next day's puzzle is shown even without another change.
        if self._midnight is not None:
            self._midnight.cancel()
        self._midnight = asyncio.get_running_loop().call_later(seconds, self.room.changed.set)
        return RoomSnapshot(
            self,
            number,
            self._change,
            self._before,
            list(self._recent),
            _encode(people),
            _encode(spoken),
            speakers,
            lobby,
        )


def _encode(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"))


def _people_concerned(message: RoomMessage) -> set[int | None]:
    """Return the people for whom a message differs from the version for everybody else."""
    table = (message.card or {}).get("table") or {"sitting": ()}
    return {message.author, message.recipient, *(each["person"] for each in table["sitting"])}


HEARTBEAT: Final = "{}"
"""The message of a stream without news."""
_SEARCH_PROGRESS_SECONDS: Final = 0.5
"""Minimum seconds between two progress messages of searches."""


@asynccontextmanager
async def sending_searches(
    socket: web.WebSocketResponse, watched: AbstractContextManager[SearchWatch], *, returning: bool
) -> AsyncIterator[None]:
    """Inside the block, send the progress of the searches that a person waits for whenever it changes.

    Searches exist only in memory, so a page that is `returning` is also told that there are none.
    """

    async def send() -> None:
        with watched as watch, suppress(ConnectionResetError):
            sent: Mapping[str, tuple[int, int]] | None = None if returning else {}
            while True:
                watch.news.clear()
                progress = watch.progress()
                if progress != sent:
                    sent = progress
                    await socket.send_str(_searches_to_json(progress))
                    await asyncio.sleep(_SEARCH_PROGRESS_SECONDS)
                await watch.news.wait()

    sending = asyncio.create_task(send(), name="searches")
    try:
        yield
    finally:
        sending.cancel()


def _searches_to_json(progress: Mapping[str, tuple[int, int]]) -> str:
    return _encode({"searches": progress})


@dataclass(slots=True)
class LiveFeed:
    """The data for one tab: a stream, or the answer to one poll.

    A guest, who has no name yet, is sent the games and the lobby, but no messages. `since` is the last change that the
    tab has, None for none.
    """

    editions: BroadcastHub
    speaker: Speaker
    viewer: Identity | None
    since: int | None
    version: str
    is_manager: Callable[[], bool]
    find_refusal: Callable[[], Awaitable[Rejected | None]]
    _sent: dict[str, str] = field(default_factory=lambda: {"spoken": "null"})

    async def stream(self, socket: web.WebSocketResponse, stream: Stream) -> None:
        """Send changes until the tab disconnects."""
        with self.editions.subscribe(self.viewer, stream.news):
            leaving = asyncio.create_task(_wait_for_close(socket, stream), name="tab")
            try:
                await self._send(socket, stream)
            finally:
                leaving.cancel()

    async def poll(self) -> str:
        """Return a JSON list of the messages that a stream would send at once; Unavailable without the database."""
        self.editions.keep_present(self.viewer)
        parcel = await self._take_news(await self.editions.read_next(waits_for_database=False))
        parcels = [] if parcel is None else [parcel]
        if self.viewer is not None:
            with self.editions.front.watch_searches(self.viewer.person) as watch:
                parcels.append(_searches_to_json(watch.progress()))
        return f"[{','.join(parcels)}]"

    async def _send(self, socket: web.WebSocketResponse, stream: Stream) -> None:
        returning = self.since is not None
        await self._send_news(socket, await self.editions.read_next())
        async with AsyncExitStack() as stack:
            if self.viewer is not None:
                watched = self.editions.front.watch_searches(self.viewer.person)
                await stack.enter_async_context(sending_searches(socket, watched, returning=returning))
            while True:
                edition = await self.editions.latest()
                if edition.has_changed_owner(self.viewer) or await self.find_refusal() is not None:
                    await socket.close(code=FORBIDDEN_CLOSE_CODE)
                    return
                await self._send_news(socket, edition)
                if not await stream.wait_for_news(partial(socket.send_str, HEARTBEAT)):
                    return

    async def _send_news(self, socket: web.WebSocketResponse, edition: RoomSnapshot) -> None:
        if (parcel := await self._take_news(edition)) is not None:
            await socket.send_str(parcel)

    async def _take_news(self, edition: RoomSnapshot) -> str | None:
        """Return what the tab does not have yet as JSON, None if it has everything; from now on it has that.

        A tab that is new, has missed too much, or has a change of another room gets the newest messages.
        """
        viewer, language = self.viewer, self.speaker.language
        news = {
            "version": _encode(self.version),
            "tables": edition.tables(None if viewer is None else viewer.person, language),
            "lobby": edition.lobby(language),
        }
        if viewer is not None:
            news |= {"people": edition.people, "manager": json.dumps(self.is_manager()), "spoken": edition.spoken}
        parcel = {name: text for name, text in news.items() if self._sent.get(name) != text}
        self._sent = news
        if viewer is not None:
            if self.since is None or not edition.before <= self.since <= edition.change:
                messages, more = await self.editions.room.page(viewer)
                page = json.dumps([message_to_json(each, viewer.person, self.speaker) for each in messages])
                parcel |= {"whole": "true", "messages": page, "more": json.dumps(more), "change": str(edition.change)}
            elif (unseen := edition.messages(viewer, self.since, language)) is not None:
                parcel |= {"messages": unseen, "change": str(edition.change)}
        self.since = edition.change
        return "{" + ",".join(f'"{name}":{text}' for name, text in parcel.items()) + "}" if parcel else None


async def _wait_for_close(socket: web.WebSocketResponse, stream: Stream) -> None:
    """Wait until the tab disconnects; its messages are ignored."""
    try:
        async for message in socket:
            if message.type is WSMsgType.ERROR:
                break
    finally:
        stream.end()
