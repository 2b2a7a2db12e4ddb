"""Code that cups, leagues and ladders share: reading, storing, making, entering, leaving and ending."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from inspect import isawaitable
from typing import Any, ClassVar, Final, Generic, TypeVar, cast
from weakref import WeakKeyDictionary

from bot.competitions.events import (
    RULES_VERSION,
    CommonTerms,
    Ended,
    Entered,
    EventCodec,
    Excluded,
    InvalidCompetition,
    Left,
    Stays,
)
from bot.competitions.state import CompetitionState
from bot.core.allowed_games import check_start
from bot.core.context import Context, Public
from bot.core.request_context import RequestContext, note_public
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.lobby.service import check_limit
from bot.matches.stored import (
    MAX_COMMIT_ATTEMPTS,
    StoredCompetition,
    check_installed,
    check_may_enter,
    check_may_run,
    check_may_see,
    check_may_take_part,
    find_competition,
    show_where_asked,
)
from bot.tables.chance import joining_id
from engine import fair
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
    NewTitle,
    ProcessedEvent,
    Store,
)
from storage.plain_text import generate_code

MAX_CACHED_COMPETITIONS: Final = 200
"""Maximum number of competitions of which the last state is cached: of long ones only newer events are read."""
MAX_UNFINISHED_PER_PERSON: Final = 5
"""Maximum number of unfinished competitions of a kind that one person has made."""
_CACHED_STATES: Final[WeakKeyDictionary[Store, OrderedDict[str, Any]]] = WeakKeyDictionary()


E = TypeVar("E")
S = TypeVar("S", bound=CompetitionState[Any, Any])
C = TypeVar("C", bound=StoredCompetition[Any])


class CompetitionKeeper(Generic[S, C]):
    """Reads and stores all competitions of a kind.

    `state` folds the events of `codec`, `stored` has it with its people, `ended` ends it by hand. `already` and
    `not_in` are the refusals for people who take part already and who do not. With `counts_durations` its times are
    those that have run, whatever moves of the clock came between.
    """

    kind: ClassVar[CompetitionKind]
    codec: ClassVar[EventCodec[Any]]
    state: ClassVar[type[CompetitionState[Any, Any]]]
    stored: ClassVar[type[StoredCompetition[Any]]] = StoredCompetition
    ended: ClassVar[Any] = Ended()
    already: ClassVar[str] = "refusal.cup-in"
    not_in: ClassVar[str] = "refusal.cup-not-in.you"
    counts_durations: ClassVar[bool] = False

    def make_first_event(self, terms: CommonTerms, code: str, seed_hash: str) -> Any:
        """Return the event by which one is made."""
        return self.state.created_by(terms, code, seed_hash, RULES_VERSION)

    def check_terms(self, context: Context, terms: Any) -> None:
        """Raise Refused for terms by which none can be made."""

    async def find(self, context: Context, code: str) -> C:
        """Return the one with a code; Refused if there is none or it cannot be read."""
        return await self.read(context, await find_competition(context, code, self.kind))

    async def find_for(self, context: Context, asker: RequestContext, code: str) -> C:
        """Return the one with a code for somebody to look at; Refused as `find`, and to those who have left it."""
        found = await self.find(context, code)
        await check_may_see(context, asker, found)
        return found

    async def read(self, context: Context, row: CompetitionRow) -> C:
        """Return the state of a stored one; Refused if its events are invalid."""
        stands = await self._fold_events(context, row)
        # Who has entered since the row was read is left out: all of it is as it was then.
        found = await context.store.competitions.entrants(row.id)
        entries = {each.number: each for each in found if each.number < len(stands.entrants)}
        ids = {each.person for each in entries.values() if each.person is not None} | {row.maker}
        return cast("C", self.stored(row, entries, await context.store.people.get_many(ids), stands))

    async def store(
        self,
        context: Context,
        found: C,
        events: Sequence[Any],
        *,
        person: int | None = None,
        entries: Sequence[EntrantRow] = (),
        opened: Sequence[tuple[str, str]] = (),
        notices: Sequence[NewNotice] = (),
        titles: Sequence[NewTitle] = (),
        processed: ProcessedEvent | None = None,
    ) -> CompetitionRow:
        """Store the next events and schedule a look at once; Conflict if another writer was faster."""
        now, stands = context.clock(), found.stands
        for event in events:
            stands = stands.apply(now, event)
        row = replace(
            found.row,
            status=stands.stage,
            due_at=None if stands.over else now,
            ended_at=now if stands.over else None,
        )
        change = CompetitionChange(
            row=row,
            events=tuple(self._new_event(each, person) for each in events),
            at=now,
            entrants=tuple(entries),
            games=tuple(opened),
            notices=tuple(notices),
            titles=tuple(titles),
            processed=processed,
            moves=context.clock.moves,
        )
        stored = await context.store.competitions.commit(change)
        context.signals.wake("competition")
        if notices:
            context.signals.wake("notices")
        return stored

    async def make(self, context: Context, asker: RequestContext, terms: CommonTerms, reply: Reply) -> str:
        """Make one that is shown in the asker's place, and return its code; Refused."""
        self.check_terms(context, terms)
        check_start(asker.place, terms.game, asker.mine)
        if asker.request.nonmember:
            raise Refused("refusal.alone")
        if asker.place.kind == "private" and terms.entry != "code":
            raise Refused("refusal.cup-private")
        await check_limit(context, asker)
        made = await context.store.competitions.list_made_by(asker.person.id, kind=self.kind)
        if sum(row.status != "over" for row in made) >= MAX_UNFINISHED_PER_PERSON:
            raise Refused(f"refusal.{self.kind}-too-many", most=MAX_UNFINISHED_PER_PERSON)
        seed, now = context.entropy().hex(), context.clock()
        while True:
            code, seed_hash = generate_code(), fair.hash_seed(seed)
            event = self.make_first_event(terms, code, seed_hash)
            row = CompetitionRow(
                id=code,
                status=self.state.created(now, event).stage,
                game_key=terms.game,
                place=asker.place.id,
                maker=asker.person.id,
                seed=seed,
                seed_hash=seed_hash,
                revision=0,
                due_at=now,
                created_at=now,
                ended_at=None,
                kind=self.kind,
            )
            first = self._new_event(event, asker.person.id)
            try:
                await context.store.competitions.create(
                    row, [first], now, asker.receipt(reply), moves=context.clock.moves
                )
            except CodeTaken:
                continue
            note_public(context, asker, Public.BEGIN)
            context.signals.wake("competition")
            return row.id

    async def enter(self, context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
        """Let the asker enter, or come back; Refused if they may not.

        If they take part already, show it in their place, unless it is shown there.
        """
        if asker.request.nonmember:
            raise Refused("refusal.alone")
        for _ in range(MAX_COMMIT_ATTEMPTS):
            found = await self.find(context, code)
            stands = found.stands
            check_installed(context, found.row)
            await check_may_take_part(context, asker, found.row)
            mine, entry_rule = found.entrant_of(asker.person.id), stands.terms.entry
            if (
                mine in stands.present
                and not stands.over
                and await show_where_asked(context, asker, found.row, entry_rule)
            ):
                return
            self.check_entering(found, mine)
            await check_may_enter(context, asker, found.row, entry_rule)
            await check_limit(context, asker)
            number = len(found.entries) if mine is None else mine
            taken = frozenset(each.joined_by for each in found.entries.values())
            by = joining_id(asker.request, taken) if mine is None else found.entries[mine].joined_by
            try:
                async with context.store.transaction():
                    await self.store(
                        context,
                        found,
                        [Entered(number, by)],
                        person=asker.person.id,
                        entries=[EntrantRow(number, asker.person.id, asker.place.id, by)],
                        processed=asker.receipt(reply),
                    )
                    await show_where_asked(context, asker, found.row, entry_rule)
            except Conflict:
                continue
            except InvalidCompetition as error:
                raise Refused(f"refusal.{self.kind}-full", most=len(stands.present)) from error
            note_public(context, asker, Public.BEGIN)
            # Wake the job again: a look during the transaction did not see the change.
            context.signals.wake("competition")
            return
        raise Refused("refusal.moved-on")

    def check_entering(self, found: C, mine: int | None) -> None:
        """Raise Refused if a person with this number, None for a new one, cannot enter now."""
        stands = found.stands
        if stands.over:
            raise Refused("refusal.cup-over")
        if mine in stands.present:
            raise Refused(self.already)
        if mine is not None and stands.entrants[mine].state == "excluded":
            raise Refused("refusal.cup-excluded")

    async def leave(self, context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
        """Let the asker leave; their running games are played to the end."""
        await self.commit(context, asker, code, lambda found: Left(self.my_number(found, asker)), reply)

    async def stay(self, context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
        """Record that the asker still takes part, after they were asked."""

        def step(found: C) -> Stays:
            mine = self.my_number(found, asker)
            if not found.stands.entrants[mine].asked:
                raise Refused("refusal.cup-not-asked")
            return Stays(mine)

        await self.commit(context, asker, code, step, reply, takes_part=True)

    async def exclude(self, context: Context, asker: RequestContext, code: str, entrant: int, reply: Reply) -> None:
        """Exclude an entrant for good; Refused if the asker does not run it."""

        def step(found: C) -> Excluded:
            if entrant not in found.stands.present:
                raise Refused("refusal.cup-not-in")
            return Excluded(entrant)

        await self.commit(context, asker, code, step, reply, runs=True)

    async def end(self, context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
        """End it, while running games go on; Refused if the asker does not run it."""
        await self.commit(context, asker, code, lambda _: self.ended, reply, runs=True)

    async def commit(
        self,
        context: Context,
        asker: RequestContext,
        code: str,
        step: Callable[[C], Any],
        reply: Reply,
        promise: Callable[[C, Any], Sequence[NewNotice]] = lambda _found, _event: (),
        *,
        runs: bool = False,
        takes_part: bool = False,
    ) -> C:
        """Store a person's action with its notices, and return the state before it; Refused if it is over.

        `step` returns an event, or is awaited for several; it is called again if another writer was faster. With
        `runs`, the action is for those who run the competition; with `takes_part`, new games follow from it, which is
        not for those who have left.
        """
        for _ in range(MAX_COMMIT_ATTEMPTS):
            found = await self.find(context, code)
            if found.row.status == "over":
                raise Refused("refusal.cup-over")
            if runs:
                await check_may_run(context, asker, found.row)
            if takes_part:
                await check_may_take_part(context, asker, found.row)
            event = step(found)
            events = await event if isawaitable(event) else [event]
            goes = isinstance(event, Left | Excluded)
            try:
                await self.store(
                    context,
                    found,
                    events,
                    person=asker.person.id,
                    entries=(replace(found.entries[event.entrant], inside=False),) if goes else (),
                    notices=promise(found, event),
                    processed=asker.receipt(reply),
                )
            except Conflict:
                continue
            return found
        raise Refused("refusal.moved-on")

    def make_notices(
        self, context: Context, found: C, about: str, events: Sequence[Any], about_type: type[Any]
    ) -> list[NewNotice]:
        """Return the notices for those whom these events of a type are about."""
        people = {each.entrant: found.person_of(each.entrant) for each in events if isinstance(each, about_type)}
        return [
            NewNotice(person.id, self.kind, f"{found.row.id}:{about}:{each}:{found.stands.revision}", context.clock())
            for each, person in people.items()
            if person is not None
        ]

    def my_number(self, found: C, asker: RequestContext) -> int:
        """Return the asker's number; Refused if they do not take part."""
        mine = found.entrant_of(asker.person.id)
        if mine is None or mine not in found.stands.present:
            raise Refused(self.not_in)
        return mine

    def _new_event(self, event: Any, person: int | None) -> NewEvent:
        return NewEvent(self.codec.kind_of(event), self.codec.to_json(event), person)

    async def _fold_events(self, context: Context, row: CompetitionRow) -> S:
        """Return the state of a competition; Refused if its events are invalid."""
        memory = _CACHED_STATES.setdefault(context.store, OrderedDict())
        # A move of the clock is one of all times in the state.
        key = f"{row.id} {context.clock.moves if self.counts_durations else 0}"
        known = memory.get(key)
        stands: S | None = known if known is not None and known.revision <= row.revision else None
        if stands is None or stands.revision < row.revision:
            events = await context.store.competitions.events(row.id, after=stands.revision if stands is not None else 0)
            try:
                for each in events:
                    if each.number > row.revision:
                        continue
                    at, event = read_timed_event(context, self.codec, each)
                    if self.counts_durations:
                        at = context.clock.rebase(each.at, each.moves)
                    stands = cast("S", self.state.created(at, event)) if stands is None else stands.apply(at, event)
            except InvalidCompetition as error:
                raise Refused("refusal.cup-broken", code=row.id) from error
        if stands is None or stands.revision != row.revision:
            raise Refused("refusal.cup-broken", code=row.id)
        memory[key] = stands
        memory.move_to_end(key)
        while len(memory) > MAX_CACHED_COMPETITIONS:
            memory.popitem(last=False)
        return stands


def read_timed_event(context: Context, codec: EventCodec[E], stored: Event) -> tuple[datetime, E]:
    """Return a stored event with its time; if its competition counts in durations, with what has not run since."""
    event = codec.from_json(stored.kind, stored.data)
    if codec.shifted is None:
        return stored.at, event
    at = context.clock.rebase(stored.at, stored.moves)
    return at, codec.shifted(event, at - stored.at)
