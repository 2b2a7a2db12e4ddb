"""Stored cups, the actions of people, and the job: start, rounds, games, results and end.

Each step is stored only if the cup still has the revision for which it was decided, and games together with the event
that attaches them. So a step that is repeated after a crash or in another process has no effect.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from bot.competitions.competition import Competition
from bot.competitions.events import (
    MIN_ENTRANTS,
    CupEnded,
    CupGave,
    CupPaused,
    CupPostponed,
    CupResumed,
    CupStarted,
    CupTerms,
    Ending,
    Events,
    Here,
    InvalidCompetition,
)
from bot.competitions.keeper import (
    CompetitionAction,
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
from bot.kernel.request_context import find_sharers
from storage import CompetitionChange, EntrantRow

MAX_START_DELAY: Final = timedelta(days=90)

Cup = StoredCompetition[Competition]


class CupKeeper(CompetitionKeeper[Competition]):
    """Reads, stores and advances cups; no one can enter after the start."""

    kind = "cup"
    state = Competition
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
        if found.state.stage == "running":
            raise Refused("refusal.cup-started")
        if found.state.closed is not None:
            raise Refused("refusal.cup-closed")
        super().check_entering(found, own)

    async def due_events(self, context: Context, found: Cup) -> Events:
        """Return the automatic events that are due, except games and their results."""
        state, now = found.state, context.clock()
        if state.stage == "open":
            return await _start_events(context, found)
        if state.rests_until is not None and state.rests_until <= now:
            return (CupResumed(),)
        if missed := list_missed(state, now):
            return missed
        # Pairing many entrants would block the event loop for too long.
        events = await asyncio.to_thread(next_event, state, found.row.seed, found.blocked)
        if events != (CupEnded(Ending.PLAYED),):
            return events
        # A win does not count if its winner shares a browser with another entrant.
        sharing = {*state.sharing, *await _find_browser_sharers(context, found)}
        won = winners(state.apply(now, events[0]))
        return (CupEnded(Ending.PLAYED, tuple(sorted(sharing.intersection(won)))),)

    async def with_consequences(
        self,
        context: Context,
        found: Cup,
        after: Competition,
        _events: Events,
        change: CompetitionChange,
    ) -> CompetitionChange:
        """Return a change with the final places of a cup that was played, and notices for the players of live games."""
        before = {tuple(slot) for *slot, _ in found.state.games_to_wait_for()}
        waiting = [
            each for *slot, game in after.games_to_wait_for() if tuple(slot) not in before for each in game.missing
        ]
        about = {each: f"here:{each}:{found.state.revision}" for each in waiting}
        entrants = (*change.entrants, *_final_entries(found, after))
        return replace(change, entrants=entrants, notices=self.make_notices(context, found, about))


CUPS: Final = CupKeeper()


async def give(action: CompetitionAction[Competition]) -> Sequence[CupGave]:
    """Reveal what the requester's browser committed to when they entered; after entering has closed, the lot needs it.

    Do nothing if the lot does not wait for it. InvalidCompetition if it does not match the commitment.
    """
    own, request = action.found.entrant_of(action.requester.id), action.requester.request
    if own is None or own not in action.state.awaited:
        return ()
    pledge = request.pledge if request.ids == "chosen" else None
    return (CupGave(own, (pledge.link or "") if pledge is not None and pledge.game == action.found.row.id else ""),)


async def be_here(action: CompetitionAction[Competition]) -> Sequence[Here]:
    """Record that the requester is there for their live game; Refused if no game waits for them."""
    own = action.own
    if all(own not in game.missing for *_, game in action.state.games_to_wait_for()):
        raise Refused("refusal.cup-not-awaited")
    return (Here(own),)


async def pause(action: CompetitionAction[Competition]) -> Sequence[CupPaused]:
    """Pause the cup: until it is resumed, no round begins."""
    _check_paused(action.state, paused=False)
    return (CupPaused(),)


async def resume(action: CompetitionAction[Competition]) -> Sequence[CupResumed]:
    """Resume the cup after a pause."""
    _check_paused(action.state, paused=True)
    return (CupResumed(),)


def _check_paused(state: Competition, *, paused: bool) -> None:
    if state.stage != "running":
        raise Refused("refusal.cup-not-started")
    if state.paused != paused:
        raise Refused("refusal.cup-not-paused" if paused else "refusal.cup-paused")


async def start_now(action: CompetitionAction[Competition]) -> Events:
    """Start a cup by hand; Refused if it has begun or has too few entrants."""
    cup, request = action.found, action.requester.request
    if cup.state.stage != "open":
        raise Refused("refusal.cup-started")
    check_installed(action.context, cup.row)
    if cup.state.closed is not None:
        raise Refused("refusal.cup-closed")
    try:
        return await _closing_events(action.context, cup, event_id(request) if request.ids == "drawn" else "")
    except InvalidCompetition as error:
        raise Refused("refusal.cup-too-few", n=len(cup.state.present), least=MIN_ENTRANTS) from error


async def _start_events(context: Context, cup: Cup) -> Events:
    """Return the events that start a cup that is due or full, or let it wait or lapse if it has too few entrants."""
    state, now = cup.state, context.clock()
    if state.drawn_by is not None:
        return () if state.awaited and now < state.drawn_by else (await _create_start(context, cup, state),)
    late = state.until is not None and state.until <= now
    postponed = state.terms.starts_at is not None and state.until is None
    is_ready = state.is_full or (len(state.present) >= state.terms.least and (late or postponed))
    if state.lapses_at <= now and not is_ready:
        return (CupEnded(Ending.LAPSED),)
    later = context.clock.put_off(state.until) if state.until is not None and late and not state.is_full else None
    if later is not None:
        # After our downtime, people still get time to enter.
        return (CupPostponed(later),)
    if is_ready:
        return await _closing_events(context, cup)
    if late:
        return (CupEnded(Ending.LAPSED) if state.terms.lapses else CupPostponed(),)
    return ()


async def _closing_events(context: Context, cup: Cup, cause: str = "") -> Events:
    """Return the events that close entering, and start if the lot waits for no one; InvalidCompetition if too few."""
    closed = close(cup.state, cause)
    after = cup.state.apply(context.clock(), closed)
    return (closed,) if after.awaited else (closed, await _create_start(context, cup, after))


async def _create_start(context: Context, cup: Cup, state: Competition) -> CupStarted:
    ratings = await read_ratings(context, cup)
    return start_event(state, cup.row.seed, ratings, await _find_browser_sharers(context, cup))


async def _find_browser_sharers(context: Context, cup: Cup) -> list[int]:
    """Return the entrants of a lot who share a browser with another of them."""
    people = cup.numbers_of(cup.state.in_lot)
    return [people[person] for person in sorted(await find_sharers(context, people))]


def _final_entries(cup: Cup, after: Competition) -> list[EntrantRow]:
    """Return the entries with their final places if a cup was played; a win that does not count has no place."""
    if after.ending != Ending.PLAYED:
        return []
    first = set(winners(after)).difference(after.uncounted)
    places = {row.entrant: row.place for row in ranking(after).rows if row.place != 1 or row.entrant in first}
    return [replace(entry, rank=places[number]) for number, entry in cup.entries.items() if number in places]
