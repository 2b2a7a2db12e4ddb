"""The application context: store, catalogues, pictures, searches, signals and queues; and common queries."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Final

from bot.core.completion_index import CompletionIndex
from bot.core.memberships import Memberships
from bot.interface.refusals import Refused
from bot.interface.requests import Adapter
from bot.language.game_names import GameNames, load_game_names
from bot.language.stored_names import log_unknown_name
from bot.language.texts import Speaker, Texts
from bot.operations.clock import Clock
from bot.operations.limits import HourlyRateLimiter, WorkQueues
from bot.pictures.artist import Artist
from bot.tables.table import GamePeople, LineCache, Table, broken_event, check_installed, translate_errors
from bot.thinking.advice import Advice
from bot.thinking.thinkers import SearchPool
from storage import GameBrief, Person, PlaceRow, Store

MAX_CONCURRENT: Final = 2
"""Maximum number of low-priority requests at a time; these few use the processor as fully as all at once would.

Measured with 200 solvers of one puzzle beside 20 tables on 2 cores: from a press to its board 1 to 2 s (the median of
some runs; at most 2.2 to 3.7), and 15 to 21 s until all have solved it. All at once: 2.4 to 3.1 s, at most 9. One at a
time: 1.1 to 1.8 s, at most 1.9 to 3.2, and 28 to 34 s.
"""
MAX_WAITING_PER_PERSON: Final = 5
"""Maximum number of one person's long requests that wait for the running one."""


def make_person_queue() -> WorkQueues:
    """Return the queue of long requests, which runs those of each person one after the other; Refused if it is full."""
    return WorkQueues(1, MAX_WAITING_PER_PERSON, partial(Refused, "refusal.one-by-one"))


class Signals:
    """Wakes jobs, by the kinds of the store's news, and the callers that wait for a computer's turn.

    The kinds: "notices" somebody may have to be notified, "thinking" a computer may have to act, "competition"
    something in a competition may be due, "analysis" an analysis was stored, "daily" a daily post may be due, "teams" a
    round of votes may be over.
    """

    def __init__(self) -> None:
        self._events: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.resting: set[str] = set()
        """Games whose computer does nothing for now: it failed, or another process holds the game."""
        self._ended = asyncio.Event()

    def event(self, kind: str) -> asyncio.Event:
        """Return the event that is set while something of a kind may be due; the worker clears it."""
        return self._events[kind]

    def wake(self, kind: str) -> None:
        """Wake the jobs that listen to a kind: to `kind` itself, and to `kind/…` where several share it."""
        for name, event in self._events.items():
            if name == kind or name.startswith(f"{kind}/"):
                event.set()

    def wake_all(self) -> None:
        """Wake all jobs."""
        for event in self._events.values():
            event.set()

    def notify_changed(self, *, thinking: bool = True) -> None:
        """Wake the computers if one may be due; due boards are announced by the store."""
        if thinking:
            self.wake("thinking")

    def notify_computer_done(self) -> None:
        """Wake all callers that wait for a computer to end what it was doing, successfully or not."""
        self._ended.set()
        self._ended = asyncio.Event()

    @property
    def next_computer_done(self) -> asyncio.Event:
        """The event set when a computer next ends what it is doing; read it before checking whether one has."""
        return self._ended


MAX_GAMES_PER_HOUR: Final = 40
"""Maximum number of games and competitions that a person, or a browser, may open or enter within an hour."""
CHANGES_PER_HOUR: Final = 120
"""The same for other public actions: offer, leave, resign, show a board again, run a competition."""
MOVES_PER_HOUR: Final = 1800
"""The same for presses and typed lines that play: a turn may take three."""


class Public(StrEnum):
    """The kinds of public actions, each with its own hourly limit."""

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
    """The application context, passed to every handler, service and job.

    `entropy` returns the 32 secret bytes of a game's seed. `language` is the default language. Nobody may have more
    than `most_games` games that are not over, or `most_computer_games` against computers. `adapters` deliver boards, by
    platform. `signals` wake the jobs.
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
    """Public address of the page, without a slash at its end; empty if it has none."""
    is_chat_public: bool = False
    """Whether the chat page, too, can be reached at that address."""
    person_queue: WorkQueues = field(default_factory=make_person_queue)
    low_priority: WorkQueues = field(default_factory=partial(WorkQueues, MAX_CONCURRENT))
    advice: Advice = field(init=False)
    game_names: GameNames = field(init=False)
    completion_index: CompletionIndex = field(init=False)
    memberships: Memberships = field(init=False)
    paces: Mapping[Public, HourlyRateLimiter] = field(init=False)
    """Recent public actions of each person and each browser."""

    def __post_init__(self) -> None:
        self.advice = Advice(self.thinkers)
        self.game_names = load_game_names(self.texts)
        self.completion_index = CompletionIndex(self.store)
        self.memberships = Memberships(self.store, self.clock, self.adapters)
        self.paces = {kind: HourlyRateLimiter(most, self.clock.monotonic) for kind, most in PUBLIC_PER_HOUR.items()}

    def place_language(self, place: PlaceRow) -> str:
        """Return the language of a place: the chosen one, its person's or that of the first there, else the default."""
        settings = place.effective
        return self._find_language(settings.get("language"), settings.get("own_language")) or self.language

    def person_language(self, person: Person) -> str | None:
        """Return the language that a person has chosen, or else that of their platform; None if neither is known."""
        return self._find_language(person.settings.get("language"), person.language)

    def _find_language(self, *stored: str | None) -> str | None:
        """Return the first stored language for which there are catalogues."""
        for language in stored:
            if language and (found := self.texts.supported(language)):
                return found
            if language:
                log_unknown_name("language", language)
        return None

    def shows_small_pictures(self, platform: str) -> bool:
        """Return True if a platform shows pictures so low that the wide shape of a board is easier to read there."""
        return platform in self.adapters and self.adapters[platform].shows_small_pictures

    def draws_for_readers(self, platform: str) -> bool:
        """Return True if everybody on a platform sees boards drawn for them."""
        return platform in self.adapters and self.adapters[platform].draws_for_readers

    def edits_alone(self, place: PlaceRow) -> bool:
        """Return True if a place is a single message that can only be edited."""
        return place.platform in self.adapters and self.adapters[place.platform].is_edit_only(place.channel)

    def sends_silently(self, platform: str) -> bool:
        """Return True if messages can come without a sound on a platform."""
        return platform in self.adapters and self.adapters[platform].sends_silently

    def is_private_place(self, place: PlaceRow) -> bool:
        """Return True if nobody else can read the replies to a person in a place."""
        adapter = self.adapters.get(place.platform)
        return place.kind == "private" or adapter is None or not adapter.replies_are_public

    def speaker(self, language: str | None, platform: str | None = None) -> Speaker:
        """Return the speaker of a language, or of the default one, in the words of a platform."""
        return self.texts.speaker(self.texts.supported(language) or self.language, platform)

    def place_speaker(self, place: PlaceRow) -> Speaker:
        """Return the speaker of what all in a place read."""
        return self.speaker(self.place_language(place), place.platform)

    async def table(self, game: str) -> Table:
        """Return a game's table; Refused if there is none, BrokenGame if it cannot be read or was set aside.

        NotInstalled, which is a BrokenGame, if the game played there is not installed now.
        """
        table = await self.table_as_stored(game)
        with translate_errors(game):
            if table.row.unread:
                raise ValueError(", ".join(table.row.unread))
        check_installed(game, table.row.game)
        with translate_errors(game):
            line = self.lines.read(table.row)
            if table.row.status == "playing" and table.row.course.set_aside is not None:
                raise broken_event(game, table.row.course.set_aside)
        return replace(table, line=line)

    async def table_as_stored(self, game: str) -> Table:
        """Return a game's table with its people and without its line, for what also works with a damaged game."""
        found = await self.store.games.get_with_people(game)
        if found is None:
            raise Refused("refusal.no-such-game", code=game)
        row, people = found
        others = _people_in([row]) - people.keys()
        if others:
            people |= await self.store.people.get_many(others)
        return Table(brief=row, row=row, people=people, line=None, voice=self.speaker(None))

    async def people_of_games(self, briefs: Iterable[GameBrief]) -> list[GamePeople]:
        """Return several games with their people."""
        listed = list(briefs)
        return self._group_people(listed, await self.store.people.get_many(_people_in(listed)))

    async def cached_people_of_games(self, briefs: Iterable[GameBrief]) -> list[GamePeople]:
        """Return several games with their people, possibly from the cache: only for what decides nothing."""
        listed = list(briefs)
        return self._group_people(listed, await self.completion_index.people(_people_in(listed)))

    def _group_people(self, briefs: Iterable[GameBrief], people: Mapping[int, Person]) -> list[GamePeople]:
        return [GamePeople(brief, people, voice=self.speaker(None)) for brief in briefs]


def _people_in(briefs: Iterable[GameBrief]) -> set[int]:
    seated = {entry.person for brief in briefs for entry in brief.seats if entry.person is not None}
    others = {offer.person for brief in briefs for offer in brief.offers.pending if offer.person is not None}
    return seated | others | {brief.starter for brief in briefs}
