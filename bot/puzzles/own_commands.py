"""Opens the moments of a player's own games: after a game, and when a repetition is due."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.explore.commands import reply_privately
from bot.interface.cards import Button
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.play.records import turns_of
from bot.puzzles import own_cards
from bot.puzzles.own_moments import OwnMistake, mistake_of, store_moments
from bot.tables.table import Table
from bot.thinking.advice import moments_search
from bot.thinking.analysis import Analysis, read_analysis
from bot.thinking.figures import Figures
from bot.thinking.own_moments import OwnMoments, read_own_moments
from engine import EngineError, Turn
from storage import StoredMoment


async def find_moment(context: Context, asker: RequestContext, pressed: Press) -> OwnMistake | Reply:
    """Return the moment of a press (without a number the first unsolved one), or a reply if there is none.

    Refused for a game that is not over or not analysed, and for anybody who did not play it.
    """
    table = await context.table(pressed.game or "")
    seat = _seat_of(asker, table)
    found = read_analysis(await context.store.analyses.get(table.row.id))
    if found is None:
        look = Button(asker.mine.line("button.analyse"), press("analyse", table.row.id), "primary")
        raise Refused("refusal.own-not-analysed", rows=((look,),))
    turns = await turns_of(context, table)
    async with context.person_queue.turn(asker.person.id):
        own = await _search(context, asker, table, seat, found, turns)
    if own is None:
        search = moments_search(table.row.id, seat)
        progress = context.advice.progress(search)
        return reply_privately(replace(own_cards.searching_card(asker.mine, table.row.id, progress), search=search))
    if not own.moments:
        return reply_privately(own_cards.nothing_found_card(asker.mine, table.row.game, table.row.id, own.good))
    names = table.in_language(asker.mine).names
    stored = await store_moments(context, asker.person.id, table.row.id, turns, own.moments, names)
    return _load_mistake(stored, pressed.rest)


async def find_due(context: Context, asker: RequestContext, game: str | None) -> OwnMistake | Reply:
    """Return the moment that has been due for the longest, or a reply if none is due."""
    now, person = context.clock(), asker.person.id
    due = await context.store.own_moments.next_due(person, now, game)
    if due is not None:
        return _check_readable(due)
    counts = await context.store.own_moments.counts(person, now, game)
    day = (asker.mine.day(counts.next_due),) if counts.next_due is not None else ()
    return reply_privately(own_cards.none_due_card(asker.mine, counts, day))


def _seat_of(asker: RequestContext, table: Table) -> int:
    """Return the seat that somebody had in a game that is over; Refused."""
    if table.row.status != "over":
        raise Refused("refusal.not-over-yet")
    for seat in table.brief.seats:
        if seat.person == asker.person.id and seat.seat is not None:
            return seat.seat
    raise Refused("refusal.own-not-played")


async def _search(
    context: Context, asker: RequestContext, table: Table, seat: int, found: Analysis, turns: list[Turn]
) -> OwnMoments | None:
    """Return a seat's moments, found once for each game and seat; None while the search goes on."""
    game = table.row.id
    known = (await context.store.analyses.get(game) or {}).get("own", {})
    stored = read_own_moments(known.get(str(seat)))
    if stored is not None:
        return stored
    return await context.advice.own_moments(
        game, turns, seat, found, asker.person.id, partial(_store_result, context, game, seat, turns)
    )


async def _store_result(
    context: Context, game: str, seat: int, turns: Sequence[Turn], found: OwnMoments, figures: Figures
) -> OwnMoments:
    """Store the moments of a seat, and return them with the figures that the game's analysis tells."""
    data = await context.store.analyses.get(game)
    analysis = read_analysis(data)
    if data is not None and analysis is not None:
        # Somebody else's moments may have been found meanwhile: the figures that it has settled stay.
        merged = Figures(turns, {**figures.settled, **analysis.settled})
        found = found.with_figures(turns, merged)
        own = {**data.get("own", {}), str(seat): found.to_json()}
        stored = {**analysis.with_settled(merged).to_json(), "own": own}
        await context.store.analyses.store(game, stored, context.clock())
    return found


def _load_mistake(stored: Sequence[StoredMoment], number: str) -> OwnMistake:
    at = int(number) if number.isdecimal() and len(number) < 3 else None
    if at is not None and at < len(stored):
        return _check_readable(stored[at])
    return _check_readable(next((each for each in stored if not each.solved), stored[0]))


def _check_readable(stored: StoredMoment) -> OwnMistake:
    try:
        own = mistake_of(stored)
        own.puzzle().state()
    except (EngineError, KeyError, TypeError, ValueError) as error:
        raise Refused("refusal.puzzle-gone") from error
    return own
