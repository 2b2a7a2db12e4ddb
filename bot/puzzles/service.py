"""Solving puzzles: chooses the next one, carries attempts on and stores them."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Final

import structlog

from bot.core.browsers import browser_of_user, people_sharing_browser
from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.play.clocks import timezone_of
from bot.play.game_lookup import is_any_newer
from bot.play.ratings import OVERALL_KEY
from bot.puzzles.calendar import puzzle_on
from bot.puzzles.own_moments import OwnMistake, judge_open_turn, read_mistake, record_review
from bot.puzzles.played_games import read_played
from bot.puzzles.puzzle import Puzzle, puzzle_by_id, puzzles_of
from bot.puzzles.solver_ratings import first_rating, puzzle_points, rate_attempt
from bot.puzzles.solving import HINTS_PER_TURN, Judgement, PuzzleAttempt, read_solving
from bot.puzzles.streaks import count_streak
from bot.tables.line import Line, follow_action
from engine import Action, EngineError, games
from storage import Attempt, Conflict, GameBrief, Json, PuzzleDay, PuzzleFigures, PuzzleMark, WaitingGame
from storage.puzzle_schema import GIVEN_UP, SOLVED

RESERVED_DAYS_AHEAD: Final = timedelta(days=60)
"""Number of coming dates whose puzzles are not given out."""
_RESERVED_DAYS_PAST: Final = 2
"""Number of past dates whose puzzles are not given out."""
PLAYED_KEY: Final = "played"
"""The key of an attempt's puzzle if it comes from a game played here."""
_MAX_CANDIDATES: Final = 40
"""Number of candidates whose ratings are read."""


async def next_puzzle(context: Context, person: int, game: str | None = None) -> Puzzle | None:
    """Return a puzzle at somebody's level, of a game or of the one that they have tried least; None if none is left."""
    tried = await context.store.puzzles.list_attempts(person)
    done = {attempt.puzzle for attempt in tried if attempt.tried_at is not None or attempt.hints}
    counts = Counter(attempt.game_key for attempt in tried if attempt.puzzle in done)
    known = done | _reserved_puzzles(context.clock().date())
    keys = [game] if game is not None else sorted(games, key=lambda key: counts[key])
    ratings = await context.store.puzzles.list_ratings(person)
    for key in keys:
        left = [each for each in puzzles_of(key).values() if each.id not in known]
        if not left:
            continue
        mine = ratings.get(key) or ratings.get(OVERALL_KEY) or first_rating(person, key)
        left.sort(key=lambda each: (abs(puzzle_points(each, None)[0] - mine.mu), each.id))
        nearest = left[:_MAX_CANDIDATES]
        figures = await context.store.puzzles.get_figures([each.id for each in nearest])
        return min(nearest, key=lambda each: (abs(puzzle_points(each, figures.get(each.id))[0] - mine.mu), each.id))
    return None


def _reserved_puzzles(now: date) -> set[str]:
    """Return the puzzles of the dates about now, and soon."""
    dates = (now + timedelta(days=number) for number in range(-_RESERVED_DAYS_PAST, RESERVED_DAYS_AHEAD.days + 1))
    return {puzzle_on(day).id for day in dates}


_EARLIEST_TIMEZONE: Final = timezone(timedelta(hours=14))
_LATEST_TIMEZONE: Final = timezone(timedelta(hours=-12))
"""The first and the last time zone of a date."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PuzzleBoard:
    """Somebody's board: the attempt as it is kept, the puzzle, and how far it is solved.

    `over` says how this run has ended, "solved" or "given-up"; only the `first` run of anybody counts. `hinted` is how
    much of the next turn they have been told. `day` is the calendar date whose puzzle it is now, None for any other
    puzzle; `streak` is told once it is solved on that date. `own` is set for a moment of an own game, `played` for
    a puzzle from a game played here.
    """

    attempt: Attempt
    puzzle: Puzzle
    solving: PuzzleAttempt
    over: str = ""
    first: bool = True
    hinted: int = 0
    day: date | None = None
    streak: int = 0
    own: OwnMistake | None = None
    played: bool = False

    @property
    def line(self) -> Line:
        """The line of play with the unfinished turn."""
        return self.solving.line

    @property
    def asks(self) -> bool:
        """True if the solver is to move."""
        return not self.over

    @property
    def mark(self) -> PuzzleMark | None:
        """How it was solved in this run, None if it was not."""
        if self.over != SOLVED:
            return None
        return "hinted" if self.solving.hints else "errors" if self.solving.wrong else "clean"


def today(context: Context, asker: RequestContext) -> date:
    """Return the calendar date where somebody asks: of the channel if it has said its zone, else their own."""
    place = asker.place.effective if asker.place.kind != "private" else {}
    settings = place if place.get("timezone") else asker.person.settings
    return context.clock().astimezone(timezone_of(settings)).date()


def current_date(puzzle: Puzzle, now: datetime) -> date | None:
    """Return the date that it is now, somewhere on Earth, whose puzzle this is; None if there is none."""
    return _find_date(puzzle, now.astimezone(_LATEST_TIMEZONE).date(), now.astimezone(_EARLIEST_TIMEZONE).date())


def opens_at(day: date) -> datetime:
    """Return when a date begins where on Earth it begins first."""
    return datetime.combine(day, time(), _EARLIEST_TIMEZONE).astimezone(UTC)


def date_to_come(puzzle: Puzzle, now: datetime) -> date | None:
    """Return the date whose puzzle this will be, if that is soon and has not begun anywhere on Earth; else None."""
    tomorrow = now.astimezone(_EARLIEST_TIMEZONE).date() + timedelta(days=1)
    return _find_date(puzzle, tomorrow, now.date() + RESERVED_DAYS_AHEAD)


def _find_date(puzzle: Puzzle, first: date, last: date) -> date | None:
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    return next((day for day in days if puzzle_on(day).id == puzzle.id), None)


async def open_puzzle(context: Context, asker: RequestContext, puzzle: Puzzle, *, played: bool = False) -> PuzzleBoard:
    """Return somebody's board with a puzzle, where they have left it; Refused if it is that of a date to come.

    `played`: it comes from a game played here, and is stored with the attempt, since no file has it.
    """
    if (day := date_to_come(puzzle, context.clock())) is not None:
        raise Refused("refusal.puzzle-of-a-day-to-come", day=asker.mine.day(datetime.combine(day, time(12), UTC)).text)
    person, place = asker.person.id, asker.place
    counts = place.kind != "private"
    state: Json | None = {PLAYED_KEY: puzzle.to_json()} if played else None
    begun = await context.store.puzzles.begin_attempt(
        person, puzzle.id, puzzle.game, puzzle.motif, context.clock(), place.id, counts=counts, state=state
    )
    return read_board(context, begun)


async def open_own_moment(context: Context, asker: RequestContext, own: OwnMistake) -> PuzzleBoard:
    """Return a person's board with a moment of their own games, restarted if it was finished before."""
    puzzle = own.puzzle()
    state: Json = {"own": own.to_json()}
    attempt = await context.store.puzzles.begin_attempt(
        asker.person.id, puzzle.id, puzzle.game, puzzle.motif, context.clock(), asker.place.id, state=state
    )
    board = read_board(context, attempt)
    if board.asks and not attempt.result:
        return board
    again = restart(board)
    stored = replace(attempt, state=_state_of(again), place=asker.place.id)
    try:
        return replace(again, attempt=await context.store.puzzles.update_attempt(stored, context.clock()))
    except Conflict as error:
        raise Refused("refusal.moved-on") from error


def read_own(attempt: Attempt) -> OwnMistake | None:
    """Return the own moment of an attempt, None for other puzzles."""
    try:
        return read_mistake(attempt.state["own"])
    except (KeyError, TypeError):
        return None


def puzzle_of(attempt: Attempt) -> Puzzle | None:
    """Return the puzzle of an attempt, None if there is no such puzzle any more."""
    own = read_own(attempt)
    if own is not None:
        return own.puzzle()
    return puzzle_by_id(attempt.puzzle) or read_played(attempt.state.get(PLAYED_KEY, {}))


def read_board(context: Context, attempt: Attempt) -> PuzzleBoard:
    """Return the board of an attempt; from the beginning where it cannot be read any more. Refused without a puzzle."""
    own, puzzle = read_own(attempt), puzzle_of(attempt)
    if puzzle is None:
        raise Refused("refusal.puzzle-gone")
    day, state = current_date(puzzle, context.clock()) if own is None else None, attempt.state
    begun = PuzzleAttempt.start(puzzle)
    if not attempt.result:
        begun = replace(begun, wrong=attempt.wrong, hints=attempt.hints)
    fresh = PuzzleBoard(attempt, puzzle, begun, first=not attempt.result, day=day, own=own, played=PLAYED_KEY in state)
    if "solving" not in state:
        return fresh
    try:
        solving = read_solving(puzzle, state["solving"])
        if solving.line.state.game.key != puzzle.game:
            return fresh
        return replace(fresh, solving=solving, over=state["over"], first=state["first"], hinted=state["hinted"])
    except (EngineError, KeyError, TypeError, ValueError, StopIteration) as error:
        # Kept by other rules, or of a puzzle that was another one.
        log.warning("attempt-not-readable", puzzle=puzzle.id, reason=str(error))
        return fresh


def board_among(
    context: Context, attempt: Attempt | None, asker: RequestContext, waiting: Sequence[GameBrief | WaitingGame]
) -> PuzzleBoard | None:
    """Return the board that something typed is for: that of the last attempt, unless a game has begun to wait since."""
    if attempt is None or puzzle_of(attempt) is None:
        return None
    # In private somebody goes on with what was begun among others, too.
    if attempt.place != asker.place.id and asker.place.kind != "private":
        return None
    if is_any_newer(waiting, attempt.touched_at):
        return None
    board = read_board(context, attempt)
    return board if board.asks else None


async def play_actions(
    context: Context, board: PuzzleBoard, actions: Sequence[Action]
) -> tuple[PuzzleBoard, Judgement]:
    """Return the board after actions of the solver, and what is to be said of them.

    A wrong turn leaves the board as it was before it. Raises IllegalAction, GameOver.
    """
    # What a wrong turn overlooks is searched for.
    judged = await asyncio.to_thread(board.solving.play, actions)
    if board.own is not None:
        judged = await judge_open_turn(context, board.own, judged, board.attempt.person)
    after = replace(board, solving=judged.solving)
    if judged.verdict == "wrong":
        return _with_counts(after), judged
    if judged.verdict == "right":
        after = replace(after, hinted=0)
    return (_end_run(after, SOLVED) if judged.verdict == "solved" else after), judged


def record_refutation(board: PuzzleBoard, judged: Judgement) -> tuple[Line, list[Action]]:
    """Return the line after a wrong turn, and the actions that follow it in what it overlooks."""
    line = _rewind_turn(board.solving).line
    for text in judged.turn:
        line = follow_action(line, text)
    state, actions = line.state, list[Action]()
    for text in judged.overlooked.line[0] if judged.overlooked and judged.overlooked.line else ():
        actions.append(state.read(text))
        state = state.advance(actions[-1])
    return line, actions


def solution(board: PuzzleBoard, at: int = 0) -> tuple[Line, list[Action]]:
    """Return the line after so many turns of a puzzle's solution, and the next turn of it, empty at its end."""
    turns, line = board.solving.solution().turns, Line(board.puzzle.state())
    for text in (each for turn in turns[:at] for each in turn):
        line = follow_action(line, text)
    state, actions = line.state, list[Action]()
    for text in turns[at] if at < len(turns) else ():
        actions.append(state.read(text))
        state = state.advance(actions[-1])
    return line, actions


def take_back(board: PuzzleBoard) -> PuzzleBoard:
    """Return the board one press back in the unfinished turn."""
    return replace(board, solving=board.solving.back())


def give_hint(board: PuzzleBoard) -> PuzzleBoard:
    """Return the board after a hint, one step more than the last."""
    after = replace(
        board, solving=_rewind_turn(board.solving).with_hint(), hinted=min(board.hinted + 1, HINTS_PER_TURN)
    )
    return _with_counts(after)


def give_up(board: PuzzleBoard) -> PuzzleBoard:
    """Return the board after giving up."""
    return _end_run(replace(board, solving=_rewind_turn(board.solving)), GIVEN_UP)


def restart(board: PuzzleBoard) -> PuzzleBoard:
    """Return the restarted board, for a run that counts only for the streak."""
    return replace(board, solving=PuzzleAttempt.start(board.puzzle), over="", first=False, hinted=0, streak=0)


async def store_board(
    context: Context, asker: RequestContext, board: PuzzleBoard, answer: Callable[[PuzzleBoard], Reply]
) -> tuple[PuzzleBoard, Reply]:
    """Store a board as it is now, count what is decided, and return it with the answer, made of it as it will be.

    Refused if it has moved on meanwhile.
    """
    now, store, attempt, own = context.clock(), context.store, board.attempt, board.own
    figures = None if own is not None else (await store.puzzles.get_figures([attempt.puzzle])).get(attempt.puzzle)
    attempt = replace(
        attempt,
        state=_state_of(board),
        place=asker.place.id,
        presses=attempt.presses + board.first,
        tried_at=attempt.tried_at or (now if attempt.wrong or attempt.result or board.solving.done else None),
        ended_at=attempt.ended_at or (now if attempt.result else None),
    )
    decided = attempt.rated is None and bool(attempt.wrong or attempt.result)
    day = _solved_date(board, figures)
    seen = (decided or day is not None) and own is None and await _was_shown_beside(context, asker, attempt.puzzle)
    if decided:
        public = seen or (figures is not None and figures.public_at is not None)
        attempt = replace(attempt, rated=own is None and not attempt.hints and not public)
    day = None if seen else day
    if day is not None:
        solved_on = date.fromisoformat(day.day)
        days = [*await solved_days(context, attempt.person), solved_on]
        board = replace(board, streak=count_streak(days, solved_on).now)
    reply = answer(replace(board, attempt=replace(attempt, revision=attempt.revision + 1)))
    try:
        async with store.transaction():
            attempt = await store.puzzles.update_attempt(attempt, now, asker.receipt(reply), day=day)
            if decided and attempt.rated:
                await rate_attempt(store, attempt.person, board.puzzle, solved=attempt.mark == "clean")
            if own is not None and board.over:
                await record_review(context, own, board.mark)
    except Conflict as error:
        raise Refused("refusal.moved-on") from error
    return replace(board, attempt=attempt), reply


def _state_of(board: PuzzleBoard) -> Json:
    """Return a board as JSON for `read_board`."""
    state = {"solving": board.solving.to_json(), "over": board.over, "first": board.first, "hinted": board.hinted}
    if board.played:
        return {**state, PLAYED_KEY: board.puzzle.to_json()}
    return state if board.own is None else {**state, "own": board.own.to_json()}


async def solved_days(context: Context, person: int) -> list[date]:
    """Return the dates whose puzzle somebody has solved."""
    return [date.fromisoformat(each.day) for each in await context.store.puzzles.list_solved_days(person)]


def _rewind_turn(solving: PuzzleAttempt) -> PuzzleAttempt:
    """Return the attempt at the beginning of the current turn."""
    while solving.begun:
        solving = solving.back()
    return solving


def _with_counts(board: PuzzleBoard) -> PuzzleBoard:
    """Return the board with its errors and hints counted, if this run is."""
    if not board.first:
        return board
    attempt = replace(board.attempt, wrong=board.solving.wrong, hints=board.solving.hints)
    return replace(board, attempt=attempt)


def _end_run(board: PuzzleBoard, result: str) -> PuzzleBoard:
    attempt = replace(board.attempt, result=result) if board.first else board.attempt
    return replace(board, over=result, attempt=attempt)


async def _was_shown_beside(context: Context, asker: RequestContext, puzzle: str) -> bool:
    """Return True if another name of the asker's browser has been shown the solution of a puzzle."""
    if browser_of_user(context, asker.request.user) is None:
        return False
    beside = await people_sharing_browser(context, asker.person.id) - {asker.person.id}
    return bool(beside) and await context.store.puzzles.has_ended(puzzle, beside)


def _solved_date(board: PuzzleBoard, figures: PuzzleFigures | None) -> PuzzleDay | None:
    """Return the date for which a puzzle has just been solved, None where it counts for none.

    A person who solved it earlier may solve it again on its date, which counts as that first run did. This excludes
    people who have seen its solution, or tried it while it was reserved for its date.
    """
    attempt, mark = board.attempt, board.mark
    if board.day is None or mark is None:
        return None
    opens = opens_at(board.day)
    if figures is not None and figures.public_at is not None and figures.public_at >= opens:
        return None
    if attempt.ended_at is not None and attempt.ended_at >= opens:
        return None
    if attempt.tried_at is not None and attempt.tried_at < opens:
        mark = attempt.mark if attempt.tried_at < opens - RESERVED_DAYS_AHEAD else None
    return PuzzleDay(attempt.person, board.day.isoformat(), attempt.puzzle, mark) if mark is not None else None
