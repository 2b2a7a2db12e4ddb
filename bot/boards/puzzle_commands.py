"""Opens puzzles: today's and others, and moments of one's own games after a game or when a repetition is due."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Final

from bot.boards import moment_cards
from bot.boards.board import BoardStep, reply_privately, show, show_step
from bot.boards.puzzles import PLAYED_KEY, PuzzleBoard
from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.cards import Button
from bot.interface.presses import Press, press
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.play.game_lookup import resolve_game_key
from bot.play.records import turns_of
from bot.puzzles import cards
from bot.puzzles.calendar import puzzle_on
from bot.puzzles.daily import is_about_daily, switch_daily
from bot.puzzles.own_moments import OwnMistake, mistake_of, store_moments
from bot.puzzles.played_games import find_played_puzzle, next_played_puzzle
from bot.puzzles.puzzle import Puzzle, puzzle_by_id, puzzles_of
from bot.puzzles.service import date_to_come, next_puzzle, today
from bot.tables.table import Table
from bot.thinking.advice import moments_search
from bot.thinking.analysis import Analysis, read_analysis
from bot.thinking.figures import Figures
from bot.thinking.own_moments import OwnMoments, read_own_moments
from engine import EngineError, Turn
from storage import Attempt, Json, StoredMoment

WHICH: Final = (cards.TODAY, cards.YESTERDAY, cards.NEXT, cards.HERE, moment_cards.OWN)
"""Which puzzle may be asked for."""


async def open_puzzle(context: Context, asker: RequestContext, puzzle: Puzzle, *, played: bool = False) -> Reply:
    """Show somebody's board with a puzzle, where they have left it; Refused if it is that of a date to come.

    `played`: it comes from a game played here, and is stored with the attempt, since no file has it.
    """
    if (day := date_to_come(puzzle, context.clock())) is not None:
        raise Refused("refusal.puzzle-of-a-day-to-come", day=cards.day_words(asker.mine, day))
    state: Json | None = {PLAYED_KEY: puzzle.to_json()} if played else None
    attempt = await _begin(context, asker, puzzle, state, counts=asker.place.kind != "private")
    return replace(await show(context, asker, PuzzleBoard.read(context, attempt)), update=False)


async def open_own_moment(context: Context, asker: RequestContext, found: OwnMistake | Reply) -> Reply:
    """Show a person's board with a moment of their own games, restarted if it was finished before.

    A reply that was given in its place is shown as it is.
    """
    if isinstance(found, Reply):
        return found
    attempt = await _begin(context, asker, found.puzzle(), {"own": found.to_json()})
    board = PuzzleBoard.read(context, attempt)
    again = attempt.result or not board.asks
    step = BoardStep(board.restarted()) if again else BoardStep(board, changed=False)
    return replace(await show_step(context, asker, step), update=False)


async def _begin(
    context: Context, asker: RequestContext, puzzle: Puzzle, state: Json | None, *, counts: bool = False
) -> Attempt:
    now, place = context.clock(), asker.place.id
    return await context.store.puzzles.begin_attempt(
        asker.person.id, puzzle.id, puzzle.game, puzzle.motif, now, place, counts=counts, state=state
    )


async def puzzle(context: Context, asker: RequestContext, values: Mapping[str, str]) -> Reply:
    """Open today's puzzle, yesterday's, one of a game at one's level, or the next one at one's level."""
    if is_about_daily(values):
        return await switch_daily(context, asker, values)
    game = await resolve_game_key(context, values["game"]) if values.get("game") else None
    return await open_which(context, asker, values.get("which") or (cards.NEXT if game else cards.TODAY), game)


async def press_puzzle(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Open a puzzle by its id, or as the command does."""
    which, *rest = pressed.path or (cards.TODAY,)
    if which in WHICH:
        game = await resolve_game_key(context, rest[0]) if rest else None
        return await open_which(context, asker, which, game)
    if (meant := puzzle_by_id(pressed.rest)) is not None:
        return await open_puzzle(context, asker, meant)
    meant = await find_played_puzzle(context, asker.person.id, pressed.rest)
    if meant is None:
        raise Refused("refusal.puzzle-gone")
    return await open_puzzle(context, asker, meant, played=True)


async def open_which(context: Context, asker: RequestContext, which: str, game: str | None) -> Reply:
    """Open today's puzzle, yesterday's, or one that somebody has not tried; Refused where there is none."""
    person = asker.person.id
    if which == moment_cards.OWN:
        return await open_own_moment(context, asker, await find_due(context, asker, game))
    if which == cards.HERE:
        found, missing = await next_played_puzzle(context, person, game), "refusal.no-played-puzzle"
    elif game is not None and not puzzles_of(game):
        raise Refused("refusal.no-puzzles")
    elif which == cards.NEXT:
        found, missing = await next_puzzle(context, person, game), "refusal.no-puzzle-left"
    else:
        found, missing = puzzle_on(today(context, asker) - timedelta(days=which == cards.YESTERDAY)), ""
    if found is None:
        raise Refused(missing)
    return await open_puzzle(context, asker, found, played=which == cards.HERE)


async def press_moments(context: Context, asker: RequestContext, pressed: Press) -> Reply:
    """Open a moment of an own game: the first unsolved one, or one by its number."""
    found = await find_moment(context, asker, pressed)
    return replace(await open_own_moment(context, asker, found), update=True)


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
        return reply_privately(replace(moment_cards.searching_card(asker.mine, table.row.id, progress), search=search))
    if not own.moments:
        return reply_privately(moment_cards.nothing_found_card(asker.mine, table.row.game, table.row.id, own.good))
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
    return reply_privately(moment_cards.none_due_card(asker.mine, counts, day))


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
