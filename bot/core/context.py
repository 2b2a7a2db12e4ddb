"""What the program works with: store, catalogues, pictures, searches, signals, queues; and common questions."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from bot.core.completion_index import CompletionIndex
from bot.interface.refusals import Refused
from bot.interface.requests import Adapter, EditOnlyPlaces, PublicReplies, ReaderPictures, SmallPictures
from bot.language.game_names import GameNames
from bot.language.texts import Speaker, Texts
from bot.operations.hourly_limits import HourlyRateLimiter
from bot.pictures.artist import Artist
from bot.tables.table import GamePeople, LineCache, Table, as_broken_game, broken_event, check_installed
from bot.thinking.advice import Advice
from bot.thinking.thinkers import SearchPool
from storage import GameBrief, Person, PlaceRow, Store

MAX_CONCURRENT: Final = 2
"""How many are done at a time; so few keep the processor as busy as all at once would.

Measured with 200 solvers of one puzzle beside 20 tables on 2 cores: from a press to its board 1 to 2 s (the median of
some runs; at most 2.2 to 3.7), and 15 to 21 s until all have solved it. All at once: 2.4 to 3.1 s, at most 9. One at
a time: 1.1 to 1.8 s, at most 1.9 to 3.2, and 28 to 34 s.
"""


class LowPriorityQueue:
    """Lets in as many at a time as a board does not notice, in the order of their coming."""

    def __init__(self, at_once: int = MAX_CONCURRENT) -> None:
        self._places = asyncio.Semaphore(at_once)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[bool]:
        """Wait for one's turn and keep it; say whether there was anything to wait for."""
        waited = self._places.locked()
        async with self._places:
            yield waited


MAX_WAITING_PER_PERSON: Final = 6
"""How many pieces of one person's may wait, with the one that is under way."""


class PerPersonQueue:
    """Keeps a queue for each person who asks for several long pieces at once."""

    def __init__(self) -> None:
        self._locks: dict[int, asyncio.Lock] = {}
        self._waiting: Counter[int] = Counter()

    @asynccontextmanager
    async def turn(self, person: int) -> AsyncIterator[None]:
        """Wait until the person's earlier pieces are done; Refused to somebody who has too many waiting already."""
        if self._waiting[person] >= MAX_WAITING_PER_PERSON:
            raise Refused("refusal.one-by-one")
        lock = self._locks.setdefault(person, asyncio.Lock())
        self._waiting[person] += 1
        try:
            async with lock:
                yield
        finally:
            self._waiting[person] -= 1
            if not self._waiting[person]:
                del self._waiting[person], self._locks[person]


class Signals:
    """Says what may be due, by the kinds of the store's news, and when a computer has ended its turn.

    The kinds: "notices" somebody may have to be told something, "thinking" a computer may be due, "competition"
    something of a competition, "analysis" an analysis was stored, "daily" what comes once a day, "teams" that a
    round of votes may be over.
    """

    def __init__(self) -> None:
        self._events: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.resting: set[str] = set()
        """The games in which nothing is to be expected of a computer for now: it failed, or another process has it."""
        self._ended = asyncio.Event()

    def event(self, kind: str) -> asyncio.Event:
        """Return the event that is set while something of a kind may be due; the worker clears it."""
        return self._events[kind]

    def wake(self, kind: str) -> None:
        """Have the jobs look whether something of a kind is due: `kind`, and `kind/…` of those that part it."""
        for name, event in self._events.items():
            if name == kind or name.startswith(f"{kind}/"):
                event.set()

    def wake_all(self) -> None:
        """Have all jobs look."""
        for event in self._events.values():
            event.set()

    def notify_changed(self, *, thinking: bool = True) -> None:
        """Have computers think if one may be due; of boards that are due the store tells."""
        if thinking:
            self.wake("thinking")

    def notify_computer_done(self) -> None:
        """Tell all who wait that a computer has ended what it was at, whatever came of it."""
        self._ended.set()
        self._ended = asyncio.Event()

    @property
    def next_computer_done(self) -> asyncio.Event:
        """What is set when next a computer ends what it is at; to be taken before looking whether it has."""
        return self._ended


Clock = Callable[[], datetime]

MAX_GAMES_PER_HOUR: Final = 40
"""So many games and competitions one person, or one browser, may open or enter within an hour."""
CHANGES_PER_HOUR: Final = 120
"""So much else that all see they may do within an hour: offer, leave, resign, show a board again, run a competition."""
MOVES_PER_HOUR: Final = 1800
"""And so many presses and typed lines by which they play: a turn may take three."""


class Public(StrEnum):
    """What somebody does so that others see it, by how often in an hour they may."""

    BEGIN = "begin"
    CHANGE = "change"
    MOVE = "move"


PUBLIC_PER_HOUR: Final[Mapping[Public, int]] = {
    Public.BEGIN: MAX_GAMES_PER_HOUR,
    Public.CHANGE: CHANGES_PER_HOUR,
    Public.MOVE: MOVES_PER_HOUR,
}


@dataclass
class Context:
    """The application context: what every handler, service and job is given.

    `entropy` gives the 32 secret bytes of a game's seed; `language` is spoken where none is known; nobody may have
    more than `most_games` that are not over, or `most_computer_games` against computers; `adapters` deliver boards, by
    platform; `signals` tell the jobs that there is something to do.
    """

    store: Store
    texts: Texts
    clock: Clock
    entropy: Callable[[], bytes]
    artist: Artist
    language: str
    most_games: int = 100
    thinkers: SearchPool = field(default_factory=SearchPool)
    adapters: dict[str, Adapter] = field(default_factory=dict)
    signals: Signals = field(default_factory=Signals)
    lines: LineCache = field(default_factory=LineCache)
    most_computer_games: int = 10
    web_address: str = ""
    """The address of the page for the world, without a slash at its end; empty where it has none."""
    person_queue: PerPersonQueue = field(default_factory=PerPersonQueue)
    low_priority: LowPriorityQueue = field(default_factory=LowPriorityQueue)
    advice: Advice = field(init=False)
    game_names: GameNames = field(init=False)
    completion_index: CompletionIndex = field(init=False)
    paces: Mapping[Public, HourlyRateLimiter] = field(init=False)
    """What each person, and each browser, has made public lately."""

    def __post_init__(self) -> None:
        self.advice = Advice(self.thinkers)
        self.game_names = GameNames(self.texts)
        self.completion_index = CompletionIndex(self.store)
        self.paces = {kind: HourlyRateLimiter(most, self.clock) for kind, most in PUBLIC_PER_HOUR.items()}

    def place_language(self, place: PlaceRow) -> str:
        """Return the language of a place: the one chosen, in private that of the person, or the usual one."""
        known = (place.effective.get("language"), place.settings.get("own_language"))
        return next((language for language in known if self.texts.supported(language)), None) or self.language

    def shows_small_pictures(self, platform: str) -> bool:
        """Say whether a platform shows pictures so low that the wide shape of a board is easier to read there."""
        return isinstance(self.adapters.get(platform), SmallPictures)

    def draws_for_readers(self, platform: str) -> bool:
        """Say whether everybody on a platform sees boards as drawn for them."""
        return isinstance(self.adapters.get(platform), ReaderPictures)

    def edits_alone(self, place: PlaceRow) -> bool:
        """Say whether a place is one message, which only edits change."""
        adapter: object = self.adapters.get(place.platform)
        return isinstance(adapter, EditOnlyPlaces) and adapter.is_edit_only(place.channel)

    def is_private_place(self, place: PlaceRow) -> bool:
        """Say whether nobody else can read what somebody is answered in a place."""
        return place.kind == "private" or not isinstance(self.adapters.get(place.platform), PublicReplies)

    def speaker(self, language: str | None) -> Speaker:
        """Return who speaks a language, or the usual one."""
        return self.texts.speaker(self.texts.supported(language) or self.language)

    async def table(self, game: str) -> Table:
        """Return a game at its table; Refused if there is none, BrokenGame if it cannot be read or was set aside.

        NotInstalled, which is a BrokenGame, if the game that is played there is not installed here now.
        """
        table = await self.table_as_stored(game)
        with as_broken_game(game):
            if table.row.unread:
                raise ValueError(", ".join(table.row.unread))
        check_installed(game, table.row.game)
        with as_broken_game(game):
            line = self.lines.read(table.row)
            if table.row.status == "playing" and table.row.course.set_aside is not None:
                raise broken_event(game, table.row.course.set_aside)
        return replace(table, line=line)

    async def table_as_stored(self, game: str) -> Table:
        """Return a game with its people and without its line, for what also works with a damaged one."""
        found = await self.store.games.get_with_people(game)
        if found is None:
            raise Refused("refusal.no-such-game", code=game)
        row, people = found
        others = _people_in([row]) - people.keys()
        if others:
            people |= await self.store.people.get_many(others)
        return Table(brief=row, row=row, people=people, line=None, voice=self.speaker(None))

    async def people_of_games(self, briefs: Iterable[GameBrief]) -> list[GamePeople]:
        """Return the people around several games."""
        listed = list(briefs)
        return self._group_people(listed, await self.store.people.get_many(_people_in(listed)))

    async def cached_people_of_games(self, briefs: Iterable[GameBrief]) -> list[GamePeople]:
        """Return the people around several games as far as memory knows, for what decides nothing."""
        listed = list(briefs)
        return self._group_people(listed, await self.completion_index.people(_people_in(listed)))

    def _group_people(self, briefs: Iterable[GameBrief], people: Mapping[int, Person]) -> list[GamePeople]:
        return [GamePeople(brief, people, voice=self.speaker(None)) for brief in briefs]


def _people_in(briefs: Iterable[GameBrief]) -> set[int]:
    seated = {entry.person for brief in briefs for entry in brief.seats if entry.person is not None}
    others = {offer.person for brief in briefs for offer in brief.offers.pending if offer.person is not None}
    return seated | others | {brief.starter for brief in briefs}
