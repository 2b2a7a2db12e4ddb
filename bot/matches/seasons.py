"""Code that leagues and ladders share: reading, storing, making, entering, leaving and ending."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from bot.competitions.events import CommonTerms, EventCodec, InvalidCompetition
from bot.core.context import Context, Public
from bot.core.request_context import RequestContext, note_public
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.lobby.service import check_limit
from bot.matches.folding import Foldable, fold_events
from bot.matches.making import check_may_make, create_competition
from bot.matches.steps import commit_step
from bot.matches.stored import (
    MAX_COMMIT_ATTEMPTS,
    StoredCompetition,
    check_installed,
    check_may_enter,
    check_may_manage,
    find_competition,
    show_where_asked,
)
from bot.tables.chance import joining_id
from storage import (
    CompetitionChange,
    CompetitionKind,
    CompetitionRow,
    Conflict,
    EntrantRow,
    NewEvent,
    NewNotice,
    NewTitle,
    Person,
    ProcessedEvent,
)


class SeasonStanding(Foldable, Protocol):
    """The common part of a league's and a ladder's state."""

    @property
    def terms(self) -> CommonTerms:
        """The terms that its maker chose."""

    @property
    def over(self) -> bool:
        """Whether it has ended."""

    @property
    def present(self) -> tuple[int, ...]:
        """The numbers of those who take part."""

    def is_excluded(self, entrant: int) -> bool:
        """Return whether an entrant was excluded and cannot come back."""


T = TypeVar("T", bound=CommonTerms)
E = TypeVar("E")
S = TypeVar("S", bound=SeasonStanding)


@dataclass(frozen=True, slots=True)
class StoredSeason(StoredCompetition, Generic[S]):
    """A stored league or ladder with its state and its people."""

    stands: S


C = TypeVar("C", bound=StoredSeason[Any])


@dataclass(frozen=True, slots=True)
class Happenings(Generic[E]):
    """The event types that leagues and ladders both have."""

    made: Callable[[Any, str, str], E]
    entered: Callable[[int, str], E]
    left: Callable[[int], E]
    excluded: Callable[[int], E]
    ended: Callable[[], E]


@dataclass(frozen=True, slots=True)
class SeasonKeeper(Generic[T, E, S, C]):
    """Reads and stores all leagues, or all ladders.

    `created` and `apply` fold the events, `stored` builds the stored form, `happenings` are the event types. `already`
    and `not_in` are the refusals for people who take part already and who do not. One person may have made up to
    `most_made` that are not over.
    """

    kind: CompetitionKind
    codec: EventCodec[E]
    created: Callable[[E], S]
    apply: Callable[[S, datetime, E], S]
    stored: Callable[[CompetitionRow, Mapping[int, EntrantRow], Mapping[int, Person], S], C]
    happenings: Happenings[E]
    already: str
    not_in: str
    most_made: int

    async def find(self, context: Context, code: str) -> C:
        """Return the one with a code; Refused if there is none or it cannot be read."""
        return await self.read(context, await find_competition(context, code, self.kind))

    async def read(self, context: Context, row: CompetitionRow) -> C:
        """Return the state of a stored one; Refused if its events are invalid."""
        stands = await fold_events(context, row, self.codec, self.created, self.apply)
        entries = {each.number: each for each in await context.store.competitions.entrants(row.id)}
        ids = {each.person for each in entries.values() if each.person is not None} | {row.maker}
        return self.stored(row, entries, await context.store.people.get_many(ids), stands)

    async def store(
        self,
        context: Context,
        found: C,
        events: Sequence[E],
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
            stands = self.apply(stands, now, event)
        row = replace(
            found.row,
            status="over" if stands.over else "running",
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
        )
        stored = await context.store.competitions.commit(change)
        context.signals.wake("competition")
        if notices:
            context.signals.wake("notices")
        return stored

    async def make(self, context: Context, asker: RequestContext, terms: T, reply: Reply) -> str:
        """Make one that is shown in the asker's place, and return its code; Refused."""
        await check_may_make(context, asker, terms, self.kind, self.most_made)

        def first_event(row: CompetitionRow) -> NewEvent:
            return self._new_event(self.happenings.made(terms, row.id, row.seed_hash), asker.person.id)

        return await create_competition(context, asker, terms, self.kind, "running", first_event, reply)

    async def enter(self, context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
        """Let the asker enter, or come back; Refused if they may not.

        If they take part already, show it in their place, unless it is shown there.
        """
        if asker.request.nonmember:
            raise Refused("refusal.alone")
        for _ in range(MAX_COMMIT_ATTEMPTS):
            found = await self.find(context, code)
            stands: SeasonStanding = found.stands
            check_installed(context, found.row)
            mine, entry_rule = found.entrant_of(asker.person.id), stands.terms.entry
            if stands.over:
                raise Refused("refusal.cup-over")
            if mine in stands.present:
                if await show_where_asked(context, asker, found.row, entry_rule):
                    return
                raise Refused(self.already)
            if mine is not None and stands.is_excluded(mine):
                raise Refused("refusal.cup-excluded")
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
                        [self.happenings.entered(number, by)],
                        person=asker.person.id,
                        entries=[EntrantRow(number, asker.person.id, asker.place.id, by)],
                        processed=asker.receipt(reply),
                    )
                    await show_where_asked(context, asker, found.row, entry_rule)
            except Conflict:
                continue
            except InvalidCompetition as error:
                raise Refused(f"refusal.{self.kind}-full") from error
            note_public(context, asker, Public.BEGIN)
            # Wake the job again: a look during the transaction did not see the change.
            context.signals.wake("competition")
            return
        raise Refused("refusal.moved-on")

    async def leave(self, context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
        """Let the asker leave; their running games are played to the end."""

        def step(found: C) -> tuple[E, EntrantRow | None]:
            mine = self.my_number(found, asker)
            return self.happenings.left(mine), replace(found.entries[mine], inside=False)

        await self.commit(context, asker, code, step, reply)

    async def exclude(self, context: Context, asker: RequestContext, code: str, entrant: int, reply: Reply) -> None:
        """Exclude an entrant for good; Refused if the asker does not run it."""

        def step(found: C) -> tuple[E, EntrantRow | None]:
            check_may_manage(found.row, asker)
            if entrant not in found.stands.present:
                raise Refused("refusal.cup-not-in")
            return self.happenings.excluded(entrant), replace(found.entries[entrant], inside=False)

        await self.commit(context, asker, code, step, reply)

    async def end(self, context: Context, asker: RequestContext, code: str, reply: Reply) -> None:
        """End it, while running games go on; Refused if the asker does not run it."""

        def step(found: C) -> tuple[E, EntrantRow | None]:
            check_may_manage(found.row, asker)
            return self.happenings.ended(), None

        await self.commit(context, asker, code, step, reply)

    async def commit(
        self,
        context: Context,
        asker: RequestContext,
        code: str,
        step: Callable[[C], tuple[E, EntrantRow | None]],
        reply: Reply,
        promise: Callable[[C, E], Sequence[NewNotice]] = lambda _found, _event: (),
    ) -> C:
        """Store a person's action with its notices; return the state before it."""

        async def store(found: C, event: E, entries: Sequence[EntrantRow]) -> None:
            await self.store(
                context,
                found,
                [event],
                person=asker.person.id,
                entries=entries,
                notices=promise(found, event),
                processed=asker.receipt(reply),
            )

        return await commit_step(context, code, self._find_anew, step, store)

    def my_number(self, found: C, asker: RequestContext) -> int:
        """Return the asker's number; Refused if they do not take part."""
        mine = found.entrant_of(asker.person.id)
        if mine is None or mine not in found.stands.present:
            raise Refused(self.not_in)
        return mine

    async def _find_anew(self, context: Context, code: str) -> C:
        with context.store.recalling(anew=True):
            # Another process may have stored a block that this one has not heard of.
            return await self.find(context, code)

    def _new_event(self, event: E, person: int | None) -> NewEvent:
        return NewEvent(self.codec.kind_of(event), self.codec.to_json(event), person)
