"""Stored cups, the actions of people, and the job: start, rounds, games, results and end.

Each step is stored only if the cup still has the revision for which it was decided, and games together with the event
that attaches them. So a step that is repeated after a crash or in another process has no effect.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from bot.competitions.competition import Competition
from bot.competitions.events import (
    MIN_ENTRANTS,
    CompetitionEvent,
    CupEnded,
    CupGave,
    CupPaused,
    CupPostponed,
    CupResult,
    CupResumed,
    CupStarted,
    CupTerms,
    Ending,
    GameAttached,
    Here,
    InvalidCompetition,
)
from bot.competitions.games import CompetitionWorker, open_match
from bot.competitions.keeper import (
    MAX_COMMIT_ATTEMPTS,
    RECHECK_INTERVAL,
    CompetitionKeeper,
    StoredCompetition,
    check_enough_for_table,
    check_installed,
    read_ratings,
)
from bot.competitions.pairing import close, list_missed, next_event, start_event
from bot.competitions.standings import ranking, winners
from bot.kernel.context import Context
from bot.kernel.line import event_id
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext, find_sharers
from bot.kernel.requests import Reply
from storage import Conflict, EntrantRow, NewNotice

ENTRY_LIFETIME: Final = timedelta(days=30)
"""Time for which a cup waits for entrants, from its creation or its planned start."""
MAX_PAUSE: Final = timedelta(days=14)
"""Maximum length of a pause; then the cup resumes automatically, because the person who paused it may be gone."""
MAX_LOT_WAIT: Final = timedelta(hours=1)
"""Time for which the lot waits, after entering has closed, for what browsers have committed to."""
MAX_START_DELAY: Final = timedelta(days=90)


@dataclass(frozen=True)
class Cup(StoredCompetition[Competition]):
    """A stored cup with its state and the people of its entrants."""

    @property
    def lapses_at(self) -> datetime:
        """The time until which it waits for entrants."""
        return (self.state.terms.starts_at or self.state.created_at or self.row.created_at) + ENTRY_LIFETIME

    @property
    def rests_until(self) -> datetime | None:
        """When it resumes automatically; None while it is not paused."""
        return None if self.state.paused_at is None else self.state.paused_at + MAX_PAUSE

    @property
    def begins_by(self) -> datetime | None:
        """The time until which the next live game waits for its players; None if no game waits."""
        waiting = [game.begins_by for *_, game in self.state.games_to_wait_for()]
        return min((each for each in waiting if each is not None), default=None)

    @property
    def drawn_by(self) -> datetime | None:
        """The latest time of its lot; None before entering has closed and after the lot."""
        closed_at = self.state.closed_at if self.state.stage == "open" else None
        return None if closed_at is None else closed_at + MAX_LOT_WAIT


class CupKeeper(CompetitionKeeper[Competition, Cup]):
    """Reads and stores cups; no one can enter after the start."""

    kind = "cup"
    state = Competition
    stored = Cup
    ended = CupEnded(Ending.STOPPED)
    counts_durations = True

    def check_terms(self, context: Context, terms: CupTerms) -> None:
        """Raise Refused for a start in the past or too far ahead, or fewer people than a table takes."""
        now = context.clock()
        if terms.starts_at is not None and not now < terms.starts_at <= now + MAX_START_DELAY:
            raise Refused("refusal.cup-starts", days=MAX_START_DELAY.days)
        check_enough_for_table(terms.least, terms.fewest)

    def check_entering(self, found: Cup, own: int | None) -> None:
        """Raise Refused if a person with this number, None for a new one, cannot enter now."""
        state = found.state
        if state.stage == "running":
            raise Refused("refusal.cup-started")
        if state.stage == "open" and state.closed is not None:
            raise Refused("refusal.cup-closed")
        super().check_entering(found, own)
        if state.is_full:
            raise Refused("refusal.cup-full", most=state.terms.most)


CUPS: Final = CupKeeper()


async def give(context: Context, requester: RequestContext, code: str, reply: Reply) -> None:
    """Reveal what the requester's browser committed to when they entered; after entering has closed, the lot needs it.

    Do nothing if the lot does not wait for it. Refused if it does not match the commitment.
    """
    for _ in range(MAX_COMMIT_ATTEMPTS):
        cup = await CUPS.find(context, code)
        own = cup.entrant_of(requester.id)
        if own is None or own not in cup.state.awaited:
            return
        pledge = requester.request.pledge if requester.request.ids == "chosen" else None
        given = CupGave(own, (pledge.link or "") if pledge is not None and pledge.game == cup.row.id else "")
        try:
            await CUPS.store(context, cup, [given], person=requester.id, processed=requester.receipt(reply))
        except Conflict:
            continue
        except InvalidCompetition as error:
            raise Refused("refusal.stale") from error
        return
    raise Refused("refusal.moved-on")


async def be_here(context: Context, requester: RequestContext, code: str, reply: Reply) -> None:
    """Record that the requester is there for their live game; Refused if no game waits for them."""

    def step(cup: Cup) -> Here:
        own = CUPS.my_number(cup, requester)
        if all(own not in game.missing for *_, game in cup.state.games_to_wait_for()):
            raise Refused("refusal.cup-not-awaited")
        return Here(own)

    await CUPS.commit(context, requester, code, step, reply, takes_part=True)


async def set_paused(context: Context, requester: RequestContext, code: str, reply: Reply, *, paused: bool) -> None:
    """Pause or resume the cup: while it is paused, no round begins. Refused if the requester does not run it."""

    def step(cup: Cup) -> CupPaused | CupResumed:
        if cup.state.stage != "running":
            raise Refused("refusal.cup-not-started")
        if cup.state.paused == paused:
            raise Refused("refusal.cup-paused" if paused else "refusal.cup-not-paused")
        return CupPaused() if paused else CupResumed()

    await CUPS.commit(context, requester, code, step, reply, runs=True)


class CompetitionRounds(CompetitionWorker[Cup]):
    """The worker that advances cups."""

    keeper = CUPS

    def next_look(self, found: Cup, now: datetime) -> datetime:
        """Return when a cup that is not over is looked at again."""
        if found.state.stage == "running":
            return min(now + RECHECK_INTERVAL, found.begins_by or datetime.max.replace(tzinfo=now.tzinfo))
        if found.drawn_by is not None:
            return found.drawn_by
        return min(each for each in (found.state.until, found.lapses_at) if each is not None)

    async def take_step(self, found: Cup) -> bool:
        """Take the first due step; return True if there was one. Raises Conflict if another process was faster."""
        context, state = self._context, found.state
        if state.stage == "open":
            return await _start_events(context, found)
        if found.rests_until is not None and found.rests_until <= context.clock():
            await CUPS.store(context, found, [CupResumed()])
            return True
        running = [
            (game, partial(CupResult, number, board, at))
            for number, board, at, game in state.games()
            if game.id is not None and game.places is None
        ]
        if ended := await self.read_results(running, found):
            await CUPS.store(context, found, ended)
            return True
        for number, board, at, game in state.games_to_open():
            slot, attached = f"{number}.{board}.{at}", partial(GameAttached, number, board, at)
            await open_match(context, CUPS, found, slot, game.seats, attached)
            return True
        if missed := list_missed(state, context.clock()):
            await CUPS.store(context, found, missed)
            return True
        # Pairing many entrants would block the event loop for too long.
        events = await asyncio.to_thread(next_event, state, found.row.seed, found.blocked)
        if events:
            events = await _with_uncounted(context, found, events)
            entries, notices = _final_entries(context, found, events), _live_notices(context, found, events)
            await CUPS.store(context, found, events, entries=entries, notices=notices)
        return bool(events)


def _live_notices(context: Context, found: Cup, events: Sequence[CompetitionEvent]) -> list[NewNotice]:
    """Return the notices for the players of live games that these events pair."""
    state, now = found.state, context.clock()
    for event in events:
        state = state.apply(now, event)
    before = {(number, board, at) for number, board, at, _ in found.state.games_to_wait_for()}
    waiting = [each for *slot, game in state.games_to_wait_for() if tuple(slot) not in before for each in game.missing]
    return CUPS.make_notices(context, found, "here", [Here(each) for each in waiting], Here)


async def start_now(context: Context, requester: RequestContext, code: str, reply: Reply) -> None:
    """Start a cup by hand; Refused if the requester does not run it, it has begun, or it has too few entrants."""

    async def step(cup: Cup) -> list[CompetitionEvent]:
        if cup.state.stage != "open":
            raise Refused("refusal.cup-started")
        check_installed(context, cup.row)
        if cup.state.closed is not None:
            raise Refused("refusal.cup-closed")
        try:
            return await _closing_events(
                context, cup, event_id(requester.request) if requester.request.ids == "drawn" else ""
            )
        except InvalidCompetition as error:
            raise Refused("refusal.cup-too-few", n=len(cup.state.present), least=MIN_ENTRANTS) from error

    await CUPS.commit(context, requester, code, step, reply, runs=True)


async def _start_events(context: Context, cup: Cup) -> bool:
    """Start a cup that is due or full; postpone it or let it lapse if it has too few entrants."""
    state, now = cup.state, context.clock()
    if cup.drawn_by is not None:
        if state.awaited and now < cup.drawn_by:
            return False
        await CUPS.store(context, cup, [await _create_start(context, cup, state)])
        return True
    enough = len(state.present) >= state.terms.least
    late = state.until is not None and state.until <= now
    postponed = state.terms.starts_at is not None and state.until is None
    if cup.lapses_at <= now and not state.is_full and not (enough and (late or postponed)):
        await CUPS.store(context, cup, [CupEnded(Ending.LAPSED)])
        return True
    later = context.clock.put_off(state.until) if state.until is not None and late and not state.is_full else None
    if later is not None:
        # After our downtime, people still get time to enter.
        await CUPS.store(context, cup, [CupPostponed(later)])
        return True
    if state.is_full or (enough and (late or postponed)):
        await CUPS.store(context, cup, await _closing_events(context, cup))
        return True
    if late and state.terms.lapses:
        await CUPS.store(context, cup, [CupEnded(Ending.LAPSED)])
        return True
    if late:
        await CUPS.store(context, cup, [CupPostponed()])
        return True
    return False


async def _closing_events(context: Context, cup: Cup, cause: str = "") -> list[CompetitionEvent]:
    """Return the events that close entering, and start if the lot waits for no one; InvalidCompetition if too few."""
    closed = close(cup.state, cause)
    after = cup.state.apply(context.clock(), closed)
    return [closed] if after.awaited else [closed, await _create_start(context, cup, after)]


async def _create_start(context: Context, cup: Cup, state: Competition) -> CupStarted:
    ratings = await read_ratings(context, cup)
    return start_event(state, cup.row.seed, ratings, await _find_browser_sharers(context, cup))


async def _find_browser_sharers(context: Context, cup: Cup) -> list[int]:
    """Return the entrants of a lot who share a browser with another of them."""
    people = cup.numbers_of(cup.state.lots or cup.state.drawn_among or cup.state.present)
    return [people[person] for person in sorted(await find_sharers(context, people))]


async def _with_uncounted(
    context: Context, cup: Cup, events: tuple[CompetitionEvent, ...]
) -> tuple[CompetitionEvent, ...]:
    """Add to an ending the winners whose win does not count, because they share a browser with another entrant."""
    if events != (CupEnded(Ending.PLAYED),):
        return events
    sharing = {*cup.state.sharing, *await _find_browser_sharers(context, cup)}
    won = winners(cup.state.apply(context.clock(), events[0]))
    return (CupEnded(Ending.PLAYED, tuple(sorted(sharing & set(won)))),)


def _final_entries(context: Context, cup: Cup, events: Sequence[CompetitionEvent]) -> list[EntrantRow]:
    """Return the entries with their final places if these events end a cup that was played.

    A win that does not count has no place.
    """
    state = cup.state
    for event in events:
        state = state.apply(context.clock(), event)
    if state.ending != Ending.PLAYED:
        return []
    first = winners(state)
    places = {row.entrant: row.place for row in ranking(state).rows if row.place != 1 or row.entrant in first}
    places = {number: place for number, place in places.items() if place != 1 or number not in state.uncounted}
    return [replace(entry, rank=places[number]) for number, entry in cup.entries.items() if number in places]
