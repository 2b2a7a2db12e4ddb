"""Whether a game counts for the leaderboard as agreed: where one hand may hold both sides, it does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bot.core.context import Context
from bot.core.request_context import find_browsers, seated_people, shares_browser
from bot.play.replaying import line_after, line_of_play, replay_steps
from bot.tables.line import Line
from bot.tables.table import Table
from storage import GameProgress, GameRow
from storage.bans import BAN, KICK

MIN_RATED_TURNS: Final = 3
"""So many turns everybody has had before somebody resigns or all agree on a draw, or that rates nobody."""
ONE_BROWSER: Final = "browser"
EARLY: Final = "early"
"""Why a game rates nobody: two of its people share a browser; it was given up before everybody had had their turns."""
KEPT_OUT: Final = "kept-out"
"""So does one in which somebody's time ran out who was not let in: no manager wins by keeping others out."""
LEAVING_REASONS: Final = frozenset({"resigned", "forgotten"})
"""Why a seat leaves a game of its own will."""


async def shares_one_browser(context: Context, row: GameRow) -> bool:
    """Say whether a game that was to count will not, since two of those who play or are asked to share a browser."""
    computer = any(entry.computer is not None for entry in row.seats)
    return row.terms.rated and not computer and await shares_browser(context, seated_people(row))


async def with_unrated_reason(context: Context, row: GameRow) -> GameRow:
    """Return the row of a game that begins or ends with why it rates nobody, if it is one that does not."""
    if row.course.uncounted is None and await shares_one_browser(context, row):
        return replace(row, course=replace(row.course, uncounted=ONE_BROWSER))
    return row


async def course_after_leaving(context: Context, table: Table, seat: int, why: str) -> GameProgress:
    """Return the course of a game that a seat leaves: too early and of its own will, it counts for that seat no more.

    Nor does it where its time runs out while its person is kept out of where it is played. Where only one is left that
    it counts for, it counts for nobody; the others rate each other as ever.
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
    """Return the course of a game that all agree to end in a draw: too early, it counts for nobody."""
    course = table.row.course
    early = is_rated(table.row) and await is_early(context, table)
    return replace(course, uncounted=EARLY) if early else course


async def is_early(context: Context, table: Table) -> bool:
    """Say whether somebody who still plays has not finished `LEAST_TURNS` turns yet."""
    line = table.playing
    if line.turns is None:
        # An older version counted none.
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


def is_rated(row: GameRow) -> bool:
    """Say whether a game was to count for the leaderboard, and nothing has come between."""
    computer = any(entry.computer is not None for entry in row.seats)
    return row.terms.rated and not computer and row.course.uncounted is None


def is_known_early(table: Table) -> bool:
    """Say whether a rated game would count for nobody if it ended in a draw now, as far as its turns were counted."""
    line = table.playing
    return is_rated(table.row) and line.turns is not None and _has_few_turns(line, table.row.seat_count)


def _has_few_turns(line: Line, seat_count: int) -> bool:
    seats = [seat for seat in range(seat_count) if line.state.is_playing(seat)]
    return min((line.turn_count(seat) or 0 for seat in seats), default=0) < MIN_RATED_TURNS
