"""Decision whether a game is rated as agreed: it is not if one person may play both sides."""

from dataclasses import replace
from typing import Final

from bot.core.browsers import find_browsers, find_sharers
from bot.core.context import Context
from bot.core.request_context import list_seated_people
from bot.play.replaying import line_after, line_of_play, replay_steps
from bot.tables.line import Line
from bot.tables.table import Table
from storage import GameBrief, GameProgress, GameRow
from storage.places import BAN, KICK

MIN_RATED_TURNS: Final = 3
"""Number of turns that everybody must have had before a resignation or an agreed draw is rated."""
ONE_BROWSER: Final = "browser"
EARLY: Final = "early"
"""Why a game is unrated: two of its people share a browser; it was given up before everybody had enough turns."""
KEPT_OUT: Final = "kept-out"
"""Also unrated: a banned player's time ran out. No manager wins by keeping others out."""
LEAVING_REASONS: Final = frozenset({"resigned", "forgotten"})
"""Reasons of leaving voluntarily."""


async def shares_one_browser(context: Context, row: GameRow) -> bool:
    """Return True if a game that was to be rated will not be, since two of its (invited) players share a browser."""
    computer = any(entry.computer is not None for entry in row.seats)
    return row.terms.rated and not computer and bool(await find_sharers(context, list_seated_people(row)))


async def with_unrated_reason(context: Context, row: GameRow) -> GameRow:
    """Return the row of a game that begins or ends, with the reason if it is unrated."""
    if row.course.uncounted is None and await shares_one_browser(context, row):
        return replace(row, course=replace(row.course, uncounted=ONE_BROWSER))
    return row


async def course_after_leaving(context: Context, table: Table, seat: int, why: str) -> GameProgress:
    """Return the course of a game that a seat leaves: too early and voluntarily, it becomes unrated for that seat.

    So it does if their time runs out while they are banned from where it is played. If it stays rated for one seat
    only, it is unrated for all; otherwise the others rate each other as usual.
    """
    course = replace(table.row.course, left={**table.row.course.left, seat: why})
    if why == "time" and await _is_banned(context, table, seat):
        reason = KEPT_OUT
    elif why in LEAVING_REASONS and await is_early(context, table):
        reason = EARLY
    else:
        return course
    unrated = course.unrated | {seat}
    counted = [each for each in range(table.row.seat_count) if each not in unrated]
    alone = course.uncounted is None and len(counted) < 2
    return replace(course, unrated=unrated, uncounted=reason if alone and is_rated(table.row) else course.uncounted)


async def course_after_agreeing(context: Context, table: Table) -> GameProgress:
    """Return the course of a game that ends in an agreed draw: too early, it is unrated for all."""
    course = table.row.course
    early = is_rated(table.row) and await is_early(context, table)
    return replace(course, uncounted=EARLY) if early else course


async def is_early(context: Context, table: Table) -> bool:
    """Return True if somebody who still plays has not finished `MIN_RATED_TURNS` turns yet."""
    line = table.playing
    if line.turns is None:
        # An older version did not count turns.
        async with replay_steps(context, table.row) as events:
            line = line_after(table.row, line_of_play(events))
    return _has_few_turns(line, table.row.seat_count)


async def _is_banned(context: Context, table: Table, seat: int) -> bool:
    person = table.person_at(seat)
    holding = await context.store.bans.list_in_place(table.row.place, context.clock()) if person is not None else []
    if person is None or not holding:
        return False
    known = (await find_browsers(context, [person])).get(person, frozenset())
    browsers = [beginning for _, beginning in known]
    return any(bar.kind in (BAN, KICK) and bar.holds_for(person, browsers) for bar in holding)


def is_rated(brief: GameBrief) -> bool:
    """Return True if a game was to be rated, and nothing has changed that."""
    computer = any(entry.computer is not None for entry in brief.seats)
    return brief.terms.rated and not computer and brief.course.uncounted is None


def is_known_early(table: Table) -> bool:
    """Return True if a rated game would be unrated if it ended in a draw now, as far as its turns were counted."""
    line = table.playing
    return is_rated(table.row) and line.turns is not None and _has_few_turns(line, table.row.seat_count)


def _has_few_turns(line: Line, seat_count: int) -> bool:
    seats = [seat for seat in range(seat_count) if line.state.is_playing(seat)]
    return min((line.turn_count(seat) or 0 for seat in seats), default=0) < MIN_RATED_TURNS
