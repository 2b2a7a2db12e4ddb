"""The application context: store, catalogues, pictures, searches, signals, queues, and common queries."""

import asyncio
import secrets
from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Final

import structlog
from cachetools import LRUCache

from bot.kernel.advice import Advice
from bot.kernel.cards import Picture
from bot.kernel.names import GameNames, load_game_names, log_unknown_name
from bot.kernel.operations.clock import Arrivals, Clock, Times
from bot.kernel.operations.limits import HourlyRateLimiter, WorkQueues
from bot.kernel.operations.listening import PRESENCE_NEWS, Presence
from bot.kernel.pictures import DARK, THEMES, Artist, choose_theme
from bot.kernel.preferences import place_of
from bot.kernel.refusals import Refused
from bot.kernel.requests import Adapter, Membership, TryLater, Undeliverable
from bot.kernel.table import GamePeople, LineCache, NotInstalled, Table, broken_event, translate_errors
from bot.kernel.texts import Speaker, Texts
from bot.thinking.thinkers import SearchPool
from engine import games
from storage import GameBrief, News, Person, PlaceRow, Store
from storage.places import BAN, KICK

MAX_SOURCES: Final = 5_000
"""Maximum number of cached sources."""
_UNRELATED: Final = frozenset({"game", "shown", "room", "seen", "due", "notices", "thinking", PRESENCE_NEWS})
"""The kinds of news after which people and places are as before."""


Source = tuple[Person, PlaceRow]
"""The sender of a request, and its place."""


class SourceCache:
    """The sources of recent requests, until any may have changed; they serve views, never decisions."""

    def __init__(self, store: Store, most: int = MAX_SOURCES) -> None:
        self._sources: LRUCache[tuple[int, Hashable], Source] = LRUCache(most)
        self._changes = 0
        """How often people or places may have changed; part of the keys."""
        store.add_listener(self._on_store_change)

    async def read(self, key: Hashable, ask: Callable[[], Awaitable[Source]]) -> Source:
        """Return the source with a key; `ask` fetches it if it is not cached."""
        now = (self._changes, key)
        found = self._sources.get(now)
        if found is None:
            self._sources[now] = found = await ask()
        return found

    def _on_store_change(self, news: News) -> None:
        self._changes += news.kind not in _UNRELATED


ANSWER_LIFETIME_SECONDS: Final = 60.0
"""Seconds for which a platform's positive answer about a person in a place stays valid."""
MAX_ANSWERS: Final = 5000
"""Maximum number of answers in the cache, about 1 MB."""

_UNANSWERED: Final = "refusal.membership-unanswered"
_GUEST: Final = "refusal.membership-guest"
_NOT_TOLD: Final = "refusal.membership-not-told"

log = structlog.get_logger(__name__)


class MembershipUnknown(Refused):
    """It is unknown who is in a place: the platform does not answer now, or does not give the bot this information."""

    @property
    def is_temporary(self) -> bool:
        """True if the platform may answer soon."""
        return self.key == _UNANSWERED


class Memberships:
    """Who is in a place according to its platform; the only source for requests from other places.

    Only positive answers are cached, for frequent checks: a person who has just come back is let in at once.
    """

    def __init__(self, store: Store, clock: Times, adapters: Mapping[str, Adapter]) -> None:
        self._store = store
        self._clock = clock
        self._adapters = adapters
        self._answers: LRUCache[tuple[int, int], tuple[float, Membership]] = LRUCache(MAX_ANSWERS)
        """The time and content of the last positive answer, by place and person."""
        # People are linked or forgotten, or the channel of a place changes.
        store.add_listener(self._forget_answers, {"people"})

    def _forget_answers(self, _: News) -> None:
        self._answers = LRUCache(MAX_ANSWERS)

    def can_tell(self, place: PlaceRow) -> bool:
        """Return True if the platform can say who is in a group: it knows members, and the bot is in the group."""
        return place.kind == "group" and not self.is_guest(place) and self._knows_members(place)

    def is_guest(self, place: PlaceRow) -> bool:
        """Return True if the bot is no member of a place, or the place is a single message: its members are unknown."""
        adapter = self._adapters.get(place.platform)
        return place.guest or (adapter is not None and adapter.is_edit_only(place.channel))

    def _knows_members(self, place: PlaceRow) -> bool:
        adapter = self._adapters.get(place.platform)
        return adapter is None or adapter.knows_members

    async def find(self, place: PlaceRow, person: int) -> Membership | None:
        """Return a person's membership in a place now, None if they are no member.

        Raises MembershipUnknown if the platform cannot be asked.
        """
        asked, answers = self._clock.monotonic(), self._answers
        answers.pop((place.id, person), None)
        found = await self._ask(place, person)
        if found is not None and self.can_tell(place):
            # What changed meanwhile has replaced the cache.
            answers[place.id, person] = asked, found
        return found

    async def is_member(self, place: PlaceRow, person: int) -> bool:
        """Return True if a person is in a place now; may raise MembershipUnknown."""
        return await self.find(place, person) is not None

    async def was_member_lately(self, place: PlaceRow, person: int) -> bool:
        """Return True if a person was in a place within the last minute; may raise MembershipUnknown."""
        return (self._recall(place.id, person) or await self.find(place, person)) is not None

    async def managed_lately(self, place: int, person: int) -> bool:
        """Return True if a person managed a place within the last minute; may raise MembershipUnknown.

        On a platform that does not know members, it is enough that the person is not banned.
        """
        found = self._recall(place, person)
        if found is not None:
            return found.manager
        row = await self._store.places.get(place)
        if row is None:
            return False
        if row.kind == "group" and not self._knows_members(row):
            return not await self._is_banned(row, person)
        found = await self.find(row, person)
        return found is not None and found.manager

    def _recall(self, place: int, person: int) -> Membership | None:
        known = self._answers.get((place, person))
        if known is not None and self._clock.monotonic() < known[0] + ANSWER_LIFETIME_SECONDS:
            return known[1]
        return None

    async def _ask(self, place: PlaceRow, person: int) -> Membership | None:
        adapter = self._adapters.get(place.platform)
        if place.kind == "private":
            # Only its owner was ever in it, and manages it.
            is_here = bool(await self._store.places.filter_seen(place.id, [person]))
            return Membership(manager=True) if is_here else None
        if adapter is None:
            raise MembershipUnknown(_UNANSWERED)
        if not adapter.knows_members:
            # The platform has no members and leaves banning to us: everybody who was ever there counts as a member.
            was_here = await self._store.places.filter_seen(place.id, [person])
            return Membership() if was_here and not await self._is_banned(place, person) else None
        if self.is_guest(place):
            raise MembershipUnknown(_GUEST)
        roles: set[str] = set()
        found: list[Membership] = []
        for identity in await self._store.people.identities(person):
            if identity.platform != place.platform:
                continue
            try:
                each = await adapter.find_membership(place_of(place), identity.user_id)
            except TryLater as error:
                log.warning("member-unknown", channel=place.channel, reason="unanswered", seconds=error.seconds)
                raise MembershipUnknown(_UNANSWERED) from error
            except Undeliverable as error:
                log.warning("member-unknown", channel=place.channel, reason=error.reason)
                raise MembershipUnknown(f"{_NOT_TOLD}.{place.platform}") from error
            if each is not None:
                found.append(each)
                roles |= each.roles
        return Membership(frozenset(roles), any(each.manager for each in found)) if found else None

    async def _is_banned(self, place: PlaceRow, person: int) -> bool:
        held = await self._store.bans.list_in_place(place.id, self._clock())
        return any(each.kind in (BAN, KICK) and each.person == person for each in held)


MAX_CONCURRENT: Final = 2
"""Maximum number of concurrent low-priority requests; these few already use the whole processor.

Measured with 200 solvers of one puzzle and 20 tables on 2 cores. Two at a time: 1 to 2 s from a press to its board
(median of several runs; at most 2.2 to 3.7 s), and 15 to 21 s until all have solved it. All at once: 2.4 to 3.1 s, at
most 9 s. One at a time: 1.1 to 1.8 s, at most 1.9 to 3.2 s, and 28 to 34 s.
"""
MAX_WAITING_PER_PERSON: Final = 5
"""Maximum number of one person's long requests that wait for the running one."""


def make_person_queue() -> WorkQueues:
    """Return the queue of long requests: those of one person run one after the other. A full queue raises Refused."""
    return WorkQueues(1, MAX_WAITING_PER_PERSON, partial(Refused, "refusal.one-by-one"))


class Signals:
    """Wakes jobs, by the kinds of the store's news, and the callers that wait for a computer's turn.

    The kinds: "notices" (a person may have to be notified), "thinking" (a computer may have to act), "competition"
    (something in a competition may be due), "analysis" (an analysis was stored), "daily" (a daily post may be due),
    "teams" (a round of votes may be over).
    """

    def __init__(self) -> None:
        self._events: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.resting: set[str] = set()
        """Games whose computer is paused: it failed, or another process holds the game."""
        self.computer_done = asyncio.Event()
        """The event that is set when a computer next finishes; read it before checking whether one has."""

    def event(self, kind: str) -> asyncio.Event:
        """Return the event that is set while work of a kind may be due; the worker clears it."""
        return self._events[kind]

    def wake(self, kind: str) -> None:
        """Wake the jobs that listen to a kind: to `kind` itself, and to `kind/…` if several jobs share it."""
        for name, event in self._events.items():
            if name == kind or name.startswith(f"{kind}/"):
                event.set()

    def wake_all(self) -> None:
        """Wake all jobs."""
        for event in self._events.values():
            event.set()

    def notify_computer_done(self) -> None:
        """Wake all callers that wait for a computer to finish its work, successfully or not."""
        self.computer_done.set()
        self.computer_done = asyncio.Event()


MAX_GAMES_PER_HOUR: Final = 40
"""Maximum number of games and competitions that a person, or a browser, may open or enter within an hour."""
CHANGES_PER_HOUR: Final = 120
"""Maximum per hour of other public actions: offer, leave, resign, show a board again, run a competition."""
MOVES_PER_HOUR: Final = 1800
"""Maximum per hour of presses and typed lines that play; a turn may take three."""


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

    `entropy` returns the 32 secret bytes of a game's seed. `language` is the default language. A person may have at
    most `most_games` unfinished games, and `most_computer_games` of them against computers. `adapters` deliver boards,
    by platform. `signals` wake the jobs.
    """

    store: Store
    texts: Texts = field(default_factory=Texts)
    clock: Clock = field(default_factory=Clock)
    entropy: Callable[[], bytes] = lambda: secrets.token_bytes(32)
    artist: Artist = field(default_factory=Artist)
    language: str = "en"
    most_games: int = 100
    thinkers: SearchPool = field(default_factory=SearchPool)
    adapters: dict[str, Adapter] = field(default_factory=dict)
    signals: Signals = field(default_factory=Signals)
    lines: LineCache = field(default_factory=LineCache)
    most_computer_games: int = 10
    web_address: str = ""
    """Public address of the page, without a trailing slash; empty if it has none."""
    is_chat_public: bool = False
    """Whether the chat page can be reached at the public address, too."""
    person_queue: WorkQueues = field(default_factory=make_person_queue)
    low_priority: WorkQueues = field(default_factory=partial(WorkQueues, MAX_CONCURRENT))
    advice: Advice = field(init=False)
    arrivals: Arrivals = field(init=False)
    game_names: GameNames = field(init=False)
    sources: SourceCache = field(init=False)
    memberships: Memberships = field(init=False)
    presence: Presence = field(init=False)
    rate_limits: Mapping[Public, HourlyRateLimiter] = field(init=False)
    """Recent public actions of each person and each browser."""

    def __post_init__(self) -> None:
        self.advice = Advice(self.thinkers)
        self.arrivals = Arrivals(self.clock)
        self.game_names = load_game_names(self.texts)
        self.sources = SourceCache(self.store)
        self.memberships = Memberships(self.store, self.clock, self.adapters)
        self.presence = Presence(self.store, self.clock.monotonic)
        self.rate_limits = {
            kind: HourlyRateLimiter(most, self.clock.monotonic) for kind, most in PUBLIC_PER_HOUR.items()
        }

    def place_language(self, place: PlaceRow) -> str:
        """Return the language of a place: the chosen one, that of its person or first visitor, else the default."""
        settings = place.effective
        return self._find_language(settings.get("language"), settings.get("own_language")) or self.language

    def person_language(self, person: Person) -> str | None:
        """Return a person's chosen language, else their platform's; None if neither is known."""
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
        """Return True if a platform shows pictures so small that the wide shape of a board is easier to read."""
        return platform in self.adapters and self.adapters[platform].shows_small_pictures

    def draws_for_readers(self, platform: str) -> bool:
        """Return True if everybody on a platform sees boards drawn for them."""
        return platform in self.adapters and self.adapters[platform].draws_for_readers

    async def draw_for_all(self, place: PlaceRow, draw: Callable[[str], Awaitable[Picture | None]]) -> Picture | None:
        """Return a picture drawn in the theme of a place; where readers' screens decide, with its dark version."""
        by_screen = self.draws_for_readers(place.platform) and not place.effective.get("theme")
        picture = await draw(THEMES[0] if by_screen else choose_theme(place.effective))
        dark = await draw(DARK) if by_screen and picture is not None else None
        return picture if picture is None or dark is None else replace(picture, dark=dark.png)

    def edits_alone(self, place: PlaceRow) -> bool:
        """Return True if a place is a single message that can only be edited."""
        return place.platform in self.adapters and self.adapters[place.platform].is_edit_only(place.channel)

    def sends_silently(self, platform: str) -> bool:
        """Return True if messages can come without a sound on a platform."""
        return platform in self.adapters and self.adapters[platform].sends_silently

    def is_private_place(self, place: PlaceRow) -> bool:
        """Return True if no one else can read the replies to a person in a place."""
        adapter = self.adapters.get(place.platform)
        return place.kind == "private" or adapter is None or not adapter.replies_are_public

    def speaker(self, language: str | None, platform: str | None = None) -> Speaker:
        """Return the speaker of a language, or of the default one, in the words of a platform."""
        known = self.texts.supported(language) if language else None
        return self.texts.speaker(known or self.language, platform)

    def place_speaker(self, place: PlaceRow) -> Speaker:
        """Return the speaker for messages that everybody in a place reads."""
        return self.texts.speaker(self.place_language(place), place.platform)

    async def table(self, game: str | None) -> Table:
        """Return a game's table; raises Refused if there is none, BrokenGame if it cannot be read or was set aside.

        Raises NotInstalled, a BrokenGame, if its kind of game is not installed now.
        """
        game = game or ""
        table = await self.table_as_stored(game)
        with translate_errors(game):
            if table.row.unread:
                raise ValueError(", ".join(table.row.unread))
        if table.row.game not in games:
            raise NotInstalled("not-installed", game=game, key=table.row.game)
        with translate_errors(game):
            line = self.lines.read(table.row)
            if table.row.is_playing and table.row.progress.set_aside is not None:
                raise broken_event(game, table.row.progress.set_aside)
        return replace(table, line=line)

    async def table_as_stored(self, game: str) -> Table:
        """Return a game's table with its people but without its line, for actions that accept a damaged game."""
        found = await self.store.games.get_with_people(game)
        if found is None:
            raise Refused("refusal.no-such-game", code=game)
        row, people = found
        # The seated people are known already.
        others = {row.starter, *(offer.person or row.starter for offer in row.offers.pending)} - people.keys()
        if others:
            people |= await self.store.people.get_many(others)
        return Table(brief=row, row=row, people=people, line=None, voice=self.speaker(None))

    async def people_of_games(self, briefs: Iterable[GameBrief]) -> list[GamePeople]:
        """Return several games with their people."""
        listed = list(briefs)
        found = {entry.person for brief in listed for entry in brief.seats}
        found |= {offer.person for brief in listed for offer in brief.offers.pending}
        people = await self.store.people.get_many({*filter(None, found), *(brief.starter for brief in listed)})
        return [GamePeople(brief, people, voice=self.speaker(None)) for brief in listed]
