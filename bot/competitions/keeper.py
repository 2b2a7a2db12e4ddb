"""Code that cups, leagues and ladders share: reading, storing, making, entering, leaving and ending."""

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, Final, Generic, Literal, cast
from weakref import WeakKeyDictionary

from bot.competitions.competition import AnyState, CurrentGame, S, TimedEvent
from bot.competitions.events import (
    RULES_VERSION,
    CommonTerms,
    CompetitionEvent,
    Ended,
    Entered,
    EventCodec,
    Events,
    Excluded,
    InvalidCompetition,
    Leaving,
    Left,
    Stays,
)
from bot.kernel.context import Context, Public
from bot.kernel.line import joining_id
from bot.kernel.names import tell_all_apart
from bot.kernel.operations.clock import Clock
from bot.kernel.permissions import find_page, is_here, is_manager
from bot.kernel.preferences import check_start
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext, note_public
from bot.kernel.requests import Reply
from bot.kernel.texts import Text
from bot.lobby.service import check_limit
from bot.table.game_lookup import check_may_take_part, not_installed_refusal
from bot.table.ratings import rating_points
from engine import fair, games
from engine.record import FORGOTTEN_NAME
from storage import (
    CodeTaken,
    CompetitionChange,
    CompetitionKind,
    CompetitionRow,
    Conflict,
    EntrantRow,
    Event,
    NewEvent,
    NewNotice,
    Person,
    PlaceRow,
    ProcessedEvent,
    Store,
    read_code,
)
from storage.addresses import generate_code
from storage.competition_schema import COMPETITION_KINDS
from storage.schema import LIVE, PEOPLE_POOL, SLOW

MAX_COMMIT_ATTEMPTS: Final = 8
"""Maximum number of attempts to store a step while other writers are faster."""
RECHECK_INTERVAL: Final = timedelta(hours=1)
"""Interval in which the job looks at a running competition even if no event wakes it."""

Entry = Literal["here", "group", "code"]


@dataclass(frozen=True)
class StoredCompetition(Generic[S]):
    """A stored competition with its people and its state."""

    row: CompetitionRow
    entries: Mapping[int, EntrantRow]
    people: Mapping[int, Person]
    state: S

    def person_of(self, entrant: int) -> Person | None:
        """Return the person with a number; None if there is none, or if they were linked with another person."""
        entry = self.entries.get(entrant)
        return self.people.get(entry.person) if entry is not None and entry.person is not None else None

    def name(self, entrant: int) -> str:
        """Return the name of the person with a number; `FORGOTTEN_NAME` if there is none."""
        return self._names.get(entrant, FORGOTTEN_NAME)

    @cached_property
    def _names(self) -> Mapping[int, str]:
        """The names of the known people by their numbers; no two names look alike."""
        people = {number: self.person_of(number) for number in self.entries}
        return tell_all_apart({number: person.name for number, person in people.items() if person is not None})

    def numbers_of(self, entrants: Iterable[int]) -> dict[int, int]:
        """Return the numbers of entrants by their people's ids, without forgotten people."""
        return {person.id: number for number in entrants if (person := self.person_of(number)) is not None}

    def entrant_of(self, person: int) -> int | None:
        """Return a person's number, None if they never entered."""
        return next((number for number, each in self.entries.items() if each.person == person), None)

    @property
    def refusals(self) -> frozenset[tuple[int, int]]:
        """Pairs of current entrants of whom the first has blocked the second."""
        numbers = self.numbers_of(self.state.present)
        return frozenset(
            (numbers[person], numbers[other])
            for person in numbers
            for other in self.people[person].settings.get("blocked", [])
            if other in numbers
        )

    @property
    def blocked(self) -> frozenset[frozenset[int]]:
        """Pairs of current entrants of whom one has blocked the other."""
        return frozenset(map(frozenset, self.refusals))


AnyStored = StoredCompetition[Any]


async def check_may_run(context: Context, requester: RequestContext, row: CompetitionRow) -> None:
    """Raise Refused unless the requester runs a competition: its maker and the managers of its channel do.

    A maker who has left the channel does not run it any more. MembershipUnknown if the platform cannot be asked.
    """
    if row.maker == requester.id:
        home = await context.store.places.get(row.place)
        runs = home is None or await is_here(context, requester, home)
    else:
        at_home = requester.place.id == row.place and requester.request.place.kind == "group"
        runs = at_home and await is_manager(context, requester)
    if not runs:
        raise Refused("refusal.cup-not-yours")


def check_enough_for_table(least: int, fewest: int) -> None:
    """Raise Refused if a competition could begin with fewer people than its smallest table needs."""
    if least < fewest:
        raise Refused("refusal.cup-least-seats", least=least, fewest=fewest)


def check_installed(context: Context, row: CompetitionRow) -> None:
    """Raise Refused if the competition's game is not installed."""
    if row.game_key not in games:
        raise not_installed_refusal(context, row.game_key)


async def check_may_enter(context: Context, requester: RequestContext, found: AnyStored) -> None:
    """Raise Refused if the requester is not in a place where they may enter, or the place does not allow the game."""
    place, entry = requester.place, found.state.terms.entry
    host = await context.store.places.get(found.row.place)
    if host is not None and entry != "code" and not _is_at(place, host, entry):
        raise Refused("refusal.cup-elsewhere" if entry == "here" else "refusal.cup-other-server")
    check_start(place, found.row.game_key, requester.speaker)


async def check_may_see(context: Context, requester: RequestContext, found: AnyStored) -> None:
    """Raise Refused like `check_may_take_part`, but not for those who have entered, or if it has a public page."""
    if found.entrant_of(requester.id) is not None:
        return
    try:
        await check_may_take_part(context, requester, found.row)
    except Refused:
        if await find_page(context, found.row.kind, found.row.id) is None:
            raise


async def show_where_asked(context: Context, requester: RequestContext, found: AnyStored) -> bool:
    """Show a competition in the requester's place if they may enter there; False if it is shown there already."""
    code, place = found.row.id, requester.place
    shown = {each.place.id for each in await context.store.posts.list_of_competition(code) if not each.gone}
    if place.kind != "group" or place.id in shown:
        return False
    await check_may_enter(context, requester, found)
    await context.store.competitions.add_place(code, place.id, context.clock())
    return True


def _is_at(place: PlaceRow, host: PlaceRow, entry: Entry) -> bool:
    is_on_server = entry == "group" and place.group is not None and place.group == host.group
    return place.platform == host.platform and (place.channel == host.channel or is_on_server)


async def read_ratings(context: Context, competition: AnyStored) -> dict[int, int]:
    """Return the points of the current entrants who have a rating among people in the game, at its pace."""
    by_person = competition.numbers_of(competition.state.present)
    known = await context.store.ratings.list_for_people(list(by_person))
    wanted = (competition.row.game_key, PEOPLE_POOL, LIVE if competition.state.terms.is_live else SLOW)
    return {
        by_person[each.person]: rating_points(each) for each in known if (each.game_key, each.pool, each.pace) == wanted
    }


def list_departures(found: AnyStored) -> list[Left]:
    """Return the events for people who are gone: they were forgotten, or linked with another entrant."""
    return [
        Left(number, Leaving.FORGOTTEN if found.entries[number].person is not None else Leaving.LINKED)
        for number in found.state.present
        if not found.entries[number].inside
    ]


MAX_CACHED_COMPETITIONS: Final = 200
"""Maximum number of competitions whose last state is cached; for these only newer events are read."""
MAX_UNFINISHED_PER_PERSON: Final = 5
"""Maximum number of unfinished competitions of a kind per maker."""
_CACHED_STATES: Final[WeakKeyDictionary[Store, OrderedDict[str, Any]]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class CompetitionAction(Generic[S]):
    """A person's action: the competition as it was read, and the number that their button carries."""

    keeper: "CompetitionKeeper[S]"
    context: Context
    requester: RequestContext
    found: StoredCompetition[S]
    number: int

    @property
    def state(self) -> S:
        """The state before the action."""
        return self.found.state

    @property
    def own(self) -> int:
        """The requester's number; Refused if they do not take part."""
        return self.keeper.my_number(self.found, self.requester)


@dataclass(frozen=True, slots=True)
class ActionRule:
    """The rule of a button that changes a competition.

    `step` returns the events of the action, none if there is nothing to change; it is called again if another writer
    was faster. With `runs`, the action is for those who run the competition; with `takes_part`, new games follow from
    it, which is not for those who have left. `numbered`: the button carries a number.

    The answer is `words` of the cards and the number, by default the text of the button's verb; a `silent` action has
    no answer, and is not refused once the competition is over. `update`: the answer replaces the button's message, if
    only the requester sees that message.
    """

    step: Callable[[CompetitionAction[Any]], Awaitable[Events]]
    numbered: bool = False
    update: bool = False
    words: Callable[[Any, int], Text] | None = None
    silent: bool = False
    runs: bool = False
    takes_part: bool = False


class CompetitionKeeper(ABC, Generic[S]):
    """Reads, stores and advances all competitions of a kind.

    `state` folds the events, `ended` is the event that ends one by hand. `versions` has the version of the rules in the
    first event, if that has one. `already` and `not_in` are the refusals for people who take part already and who do
    not. With `counts_durations` its times are corrected for moves of the clock.
    """

    kind: ClassVar[CompetitionKind]
    state: ClassVar[type[AnyState]]
    ended: ClassVar[CompetitionEvent] = Ended()
    versions: ClassVar[tuple[int, ...]] = (RULES_VERSION,)
    already: ClassVar[str] = "refusal.cup-in"
    not_in: ClassVar[str] = "refusal.cup-not-in.you"
    counts_durations: ClassVar[bool] = False

    # What each kind provides.

    def check_terms(self, context: Context, terms: Any) -> None:
        """Raise Refused for terms with which no competition can be made."""

    def next_game(self, found: StoredCompetition[S], _now: datetime) -> CurrentGame | None:
        """Return the next game to open, None while there is none."""
        return next((each for each in found.state.current_games() if each.game is None), None)

    @abstractmethod
    async def due_events(self, context: Context, found: StoredCompetition[S]) -> Events:
        """Return the automatic events that are due, except games and their results."""

    @abstractmethod
    async def with_consequences(
        self,
        context: Context,
        found: StoredCompetition[S],
        after: S,
        events: Events,
        change: CompetitionChange,
    ) -> CompetitionChange:
        """Return a change with what follows from its events, which lead to the state `after`."""

    # What all kinds share.

    async def find(self, context: Context, code: str) -> StoredCompetition[S]:
        """Return the competition with a code from a typed line or a button.

        Refused if there is none, if the code is that of something else, or if it cannot be read.
        """
        read = read_code(code)
        if read is None:
            raise Refused("refusal.no-such-cup", code=code[:12])
        row = await context.store.competitions.get(read)
        if row is None:
            other = await context.store.games.get(read) is not None
            raise Refused("refusal.cup-is-game" if other else "refusal.no-such-cup", code=read)
        if row.kind != self.kind:
            # A damaged row may have any kind.
            key = f"refusal.code-of.{row.kind}" if row.kind in COMPETITION_KINDS else "refusal.cup-broken"
            raise Refused(key, code=read)
        return await self.read(context, row)

    async def read(self, context: Context, row: CompetitionRow) -> StoredCompetition[S]:
        """Return a stored competition with its state; Refused if its events are invalid."""
        state = await self._fold_events(context, row)
        # Leave out people who entered after the row was read, so that all parts have the same revision.
        found = await context.store.competitions.entrants(row.id)
        entries = {each.number: each for each in found if each.number < len(state.entrants)}
        ids = {each.person for each in entries.values() if each.person is not None} | {row.maker}
        return StoredCompetition(row, entries, await context.store.people.get_many(ids), state)

    async def store(
        self,
        context: Context,
        found: StoredCompetition[S],
        events: Events,
        *,
        person: int | None = None,
        entries: Sequence[EntrantRow] = (),
        opened: Sequence[tuple[str, str]] = (),
        processed: ProcessedEvent | None = None,
    ) -> None:
        """Store the next events with their consequences, and wake the job; Conflict if another writer was faster."""
        now, state = context.clock(), found.state
        for event in events:
            state = state.apply(now, event)
        row = replace(
            found.row,
            status=state.stage,
            due_at=None if state.over else now,
            ended_at=now if state.over else None,
        )
        change = CompetitionChange(
            row=row,
            events=tuple(self._new_event(each, person) for each in events),
            at=now,
            entrants=tuple(entries),
            games=tuple(opened),
            processed=processed,
            moves=context.clock.moves,
        )
        change = await self.with_consequences(context, found, state, events, change)
        await context.store.competitions.commit(change)

    async def make(self, context: Context, requester: RequestContext, terms: CommonTerms, reply: Reply) -> str:
        """Make a competition, show it in the requester's place, and return its code; Refused if it is not possible."""
        self.check_terms(context, terms)
        check_start(requester.place, terms.game, requester.speaker)
        if requester.request.nonmember:
            raise Refused("refusal.alone")
        if requester.place.kind == "private" and terms.entry != "code":
            raise Refused("refusal.cup-private")
        await check_limit(context, requester)
        made = await context.store.competitions.list_made_by(requester.id, kind=self.kind)
        if sum(not row.is_over for row in made) >= MAX_UNFINISHED_PER_PERSON:
            raise Refused(f"refusal.{self.kind}-too-many", most=MAX_UNFINISHED_PER_PERSON)
        seed, now = context.entropy().hex(), context.clock()
        while True:
            code, seed_hash = generate_code(), fair.hash_seed(seed)
            event = self.state.created_by(terms, code, seed_hash, *self.versions)
            row = CompetitionRow(
                id=code,
                status=self.state.created(now, event).stage,
                game_key=terms.game,
                place=requester.place.id,
                maker=requester.id,
                seed=seed,
                seed_hash=seed_hash,
                revision=0,
                due_at=now,
                created_at=now,
                ended_at=None,
                kind=self.kind,
            )
            first = self._new_event(event, requester.id)
            try:
                await context.store.competitions.create(
                    row, [first], now, requester.receipt(reply), moves=context.clock.moves
                )
            except CodeTaken:
                continue
            note_public(context, requester, Public.BEGIN)
            return row.id

    async def commit(
        self,
        context: Context,
        requester: RequestContext,
        code: str,
        rule: ActionRule,
        number: int,
        answer: Callable[[StoredCompetition[S]], Reply],
    ) -> Reply:
        """Store a person's action and return its answer; Refused if the competition is over."""
        for _ in range(MAX_COMMIT_ATTEMPTS):
            found = await self.find(context, code)
            if found.state.over and not rule.silent:
                raise Refused("refusal.cup-over")
            if rule.runs:
                await check_may_run(context, requester, found.row)
            if rule.takes_part:
                await check_may_take_part(context, requester, found.row)
            reply = answer(found)
            try:
                events = await rule.step(CompetitionAction(self, context, requester, found, number))
                if events:
                    await self._store_action(context, requester, found, events, reply)
            except Conflict:
                continue
            except InvalidCompetition as error:
                raise Refused("refusal.stale") from error
            return reply
        raise Refused("refusal.moved-on")

    async def _store_action(
        self,
        context: Context,
        requester: RequestContext,
        found: StoredCompetition[S],
        events: Events,
        reply: Reply,
    ) -> None:
        """Store a person's events with the changed entries; a competition is shown where a person enters."""
        entries, entered = list[EntrantRow](), False
        for event in events:
            if isinstance(event, Entered):
                entered = True
                entries.append(EntrantRow(event.entrant, requester.id, requester.place.id, event.cause))
            elif isinstance(event, Left | Excluded):
                entries.append(replace(found.entries[event.entrant], inside=False))
        async with context.store.transaction():
            receipt = requester.receipt(reply)
            await self.store(context, found, events, person=requester.id, entries=entries, processed=receipt)
            if entered:
                await show_where_asked(context, requester, found)
        if entered:
            note_public(context, requester, Public.BEGIN)

    async def enter(self, action: CompetitionAction[S]) -> Sequence[Entered]:
        """Let the requester enter, or come back; Refused if they may not.

        If they take part already, only show it in their place; Refused if it is shown there.
        """
        context, requester, found = action.context, action.requester, action.found
        if requester.request.nonmember:
            raise Refused("refusal.alone")
        check_installed(context, found.row)
        await check_may_take_part(context, requester, found.row)
        own = found.entrant_of(requester.id)
        if own in found.state.present and await show_where_asked(context, requester, found):
            return ()
        self.check_entering(found, own)
        await check_may_enter(context, requester, found)
        await check_limit(context, requester)
        if own is not None:
            return (Entered(own, found.entries[own].joined_by),)
        taken = frozenset(each.joined_by for each in found.entries.values())
        return (Entered(len(found.entries), joining_id(requester.request, taken)),)

    def check_entering(self, found: StoredCompetition[S], own: int | None) -> None:
        """Raise Refused if a person with this number, None for a new one, cannot enter now."""
        state = found.state
        if own in state.present:
            raise Refused(self.already)
        if own is not None and state.entrants[own].state == "excluded":
            raise Refused("refusal.cup-excluded")
        if state.is_full:
            raise Refused(f"refusal.{self.kind}-full", most=state.capacity)

    async def leave(self, action: CompetitionAction[S]) -> Sequence[Left]:
        """Let the requester leave; their running games are played to the end."""
        return (Left(action.own),)

    async def stay(self, action: CompetitionAction[S]) -> Sequence[Stays]:
        """Record that the requester still takes part, after they were asked."""
        if not action.state.entrants[action.own].asked:
            raise Refused("refusal.cup-not-asked")
        return (Stays(action.own),)

    async def exclude(self, action: CompetitionAction[S]) -> Sequence[Excluded]:
        """Exclude an entrant for good."""
        if action.number not in action.state.present:
            raise Refused("refusal.cup-not-in")
        return (Excluded(action.number),)

    async def end(self, _action: CompetitionAction[S]) -> Events:
        """End the competition; running games go on."""
        return (self.ended,)

    def make_notices(
        self, context: Context, found: StoredCompetition[S], about: Mapping[int, str]
    ) -> tuple[NewNotice, ...]:
        """Return notices for entrants; `about` has what each is about: a word, and the number of what it means."""
        people = {each: found.person_of(each) for each in about}
        return tuple(
            NewNotice(person.id, self.kind, f"{found.row.id}:{about[each]}", context.clock())
            for each, person in people.items()
            if person is not None
        )

    def my_number(self, found: StoredCompetition[S], requester: RequestContext) -> int:
        """Return the requester's number; Refused if they do not take part."""
        own = found.entrant_of(requester.id)
        if own is None or own not in found.state.present:
            raise Refused(self.not_in)
        return own

    def _new_event(self, event: Any, person: int | None) -> NewEvent:
        return NewEvent(self.state.codec.kind_of(event), self.state.codec.to_json(event), person)

    async def _fold_events(self, context: Context, row: CompetitionRow) -> S:
        """Return the state of a competition; Refused if its events are invalid."""
        memory = _CACHED_STATES.setdefault(context.store, OrderedDict())
        # A move of the clock changes all times in the state.
        key = f"{row.id} {context.clock.moves if self.counts_durations else 0}"
        known: S | None = memory.get(key)
        state = known if known is not None and known.revision <= row.revision else None
        if state is None or state.revision < row.revision:
            events = await context.store.competitions.events(row.id, after=0 if state is None else state.revision)
            try:
                timed = [self._read_event(context, each) for each in events if each.number <= row.revision]
                state = cast("S", self.state.replay(timed, state))
            except InvalidCompetition as error:
                raise Refused("refusal.cup-broken", code=row.id) from error
        if state.revision != row.revision:
            raise Refused("refusal.cup-broken", code=row.id)
        memory[key] = state
        memory.move_to_end(key)
        while len(memory) > MAX_CACHED_COMPETITIONS:
            memory.popitem(last=False)
        return state

    def _read_event(self, context: Context, stored: Event) -> TimedEvent:
        at = context.clock.rebase(stored.at, stored.moves) if self.counts_durations else stored.at
        return at, read_timed_event(context.clock, self.state.codec, stored)[1]


AnyKeeper = CompetitionKeeper[Any]


def read_timed_event(clock: Clock, codec: EventCodec, stored: Event) -> TimedEvent:
    """Return a stored event with its time; if the codec shifts times, both are corrected for moves of the clock."""
    event = codec.from_json(stored.kind, stored.data)
    if codec.shifted is None:
        return stored.at, event
    at = clock.rebase(stored.at, stored.moves)
    return at, codec.shifted(event, at - stored.at)


class TitleKind(StrEnum):
    """The kinds of titles; each has an emblem of the same name."""

    LEAGUE = "league"
    LADDER = "ladder"
    MONTH = "month"
    STREAK = "streak"
    IMPROVED = "improved"
    UPSET = "upset"
    CAPTURE = "capture"
