"""Boards of puzzles and of moments of one's own games: a tree answers, and wrong turns are refuted."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import partial
from typing import Any, Final, Self

import structlog

from bot.boards import moment_cards
from bot.boards.board import HINT, BoardScene, BoardStep, NoSuchBoard, PrivateBoard, reply_privately, show, show_step
from bot.boards.moment_cards import MOMENTS_PRESS, SHOW_BETTER, SHOW_PLAYED, back_button
from bot.boards.puzzles import cards
from bot.boards.puzzles.daily import count_streak, is_about_daily, switch_daily
from bot.boards.puzzles.daily_cards import seat_names
from bot.boards.puzzles.making import find_played_puzzle, next_played_puzzle, read_played
from bot.boards.puzzles.own_moments import (
    OwnMistake,
    judge_open_turn,
    mistake_of,
    percent,
    read_mistake,
    record_review,
    store_moments,
)
from bot.boards.puzzles.puzzle import Puzzle, puzzle_by_id, puzzle_on, puzzles_of
from bot.boards.puzzles.service import (
    RESERVED_DAYS_AHEAD,
    current_date,
    date_to_come,
    next_puzzle,
    opens_at,
    solved_days,
    today,
    was_shown_beside,
)
from bot.boards.puzzles.solving import (
    HINTS_PER_TURN,
    Judgement,
    PuzzleAttempt,
    Solution,
    find_solution,
    rate_attempt,
    read_solving,
)
from bot.kernel.advice import moments_search
from bot.kernel.cards import Button, Card, Row
from bot.kernel.context import Context
from bot.kernel.explanations import explain_mistake, explain_oversight, explain_turn
from bot.kernel.line import Line, follow_actions, read_actions, replay_line
from bot.kernel.pictures import BoardView
from bot.kernel.presses import OPEN_PUZZLE, PUZZLE_ANSWER, PUZZLE_CONTROL, Press, press
from bot.kernel.question_cards import button_rows
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.table import Table
from bot.kernel.texts import Span, Speaker, Text, join, pin_text, strip_styles
from bot.kernel.words.describe import line_words, turn_number
from bot.table.game_lookup import resolve_game_key
from bot.table.replaying import turns_of
from bot.thinking.analysis import Analysis, Figures, read_analysis
from bot.thinking.analyst import OwnMoments, read_own_moments
from engine import Action, EngineError, Turn, games
from storage import Attempt, Json, ProcessedEvent, PuzzleDay, PuzzleFigures, PuzzleMark, StoredMoment
from storage.puzzle_schema import GIVEN_UP, SOLVED

GO: Final = "go"
GIVE_UP: Final = "give"
GIVE_UP_YES: Final = "giveyes"
BACK: Final = "back"
WORDS: Final = "words"
SHARE: Final = "share"
RETRY: Final = "again"
SOLUTION_TURN: Final = "see"
"""The controls of a puzzle besides the hint; the last one has a number of turns."""
PLAYED_KEY: Final = "played"
"""The key of an attempt's puzzle if it comes from a game played here."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PuzzleBoard(PrivateBoard):
    """A person's attempt at a puzzle as it is stored, the puzzle, and how far it is solved.

    `over` says how this run has ended, "solved" or "given-up"; only the `first` run of anybody counts. `hinted` is how
    much of the next turn they have been told. `day` is the calendar date whose puzzle it is now, None for any other
    puzzle; `streak` is told once it is solved on that date. `played` is set for a puzzle from a game played here.
    `seen` is how many turns of the solution are shown. What is being stored: `solved_on`, the date whose puzzle it has
    solved, and `decided`, whether it now turns out if the attempt counts.
    """

    stored: Attempt
    puzzle: Puzzle
    solving: PuzzleAttempt
    over: str = ""
    first: bool = True
    hinted: int = 0
    day: date | None = None
    streak: int = 0
    played: bool = False
    seen: int = 0
    solved_on: PuzzleDay | None = None
    decided: bool = False

    kind = "puzzle"
    answers = PUZZLE_ANSWER
    controls = PUZZLE_CONTROL
    low_priority = True
    max_marked = 12

    @property
    def code(self) -> str:
        """The attempt's code."""
        return cards.attempt_code(self.stored.id)

    @property
    def game(self) -> str:
        """The key of its game."""
        return self.puzzle.game

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

    @property
    def solution(self) -> Solution:
        """The puzzle's solution."""
        return find_solution(self.puzzle)

    @classmethod
    async def load(cls, context: Context, requester: RequestContext, code: str) -> PuzzleBoard:
        """Return the requester's board with the code of an attempt; NoSuchBoard, Refused without a puzzle."""
        number = cards.read_attempt_code(code)
        attempt = await context.store.puzzles.get_attempt(number) if number is not None else None
        if attempt is None:
            raise NoSuchBoard("refusal.stale")
        if attempt.person != requester.person.id:
            raise NoSuchBoard(
                "refusal.not-your-puzzle", rows=((cards.open_button(requester.speaker, attempt.puzzle),),)
            )
        return cls.read(context, attempt)

    @staticmethod
    def read(context: Context, attempt: Attempt) -> PuzzleBoard:
        """Return the board of an attempt; from the beginning where it cannot be read any more. Refused."""
        state = attempt.state
        if (own := _read_own(attempt)) is not None:
            puzzle = own.puzzle()
            return MomentBoard(attempt, puzzle, PuzzleAttempt(puzzle), own=own).continued()
        found = puzzle_by_id(attempt.puzzle) or read_played(state.get(PLAYED_KEY, {}))
        if found is None:
            raise Refused("refusal.puzzle-gone")
        day, played = current_date(found, context.clock()), PLAYED_KEY in state
        return PuzzleBoard(attempt, found, PuzzleAttempt(found), day=day, played=played).continued()

    def continued(self) -> Self:
        """Return the board, just begun, where its attempt has left it."""
        attempt, puzzle, state = self.stored, self.puzzle, self.stored.state
        begun = self.solving if attempt.result else replace(self.solving, wrong=attempt.wrong, hints=attempt.hints)
        fresh = replace(self, solving=begun, first=not attempt.result)
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

    def restarted(self) -> Self:
        """Return the restarted board, for a run that counts only for the streak."""
        return replace(self, solving=PuzzleAttempt(self.puzzle), over="", first=False, hinted=0, streak=0)

    def to_json(self) -> Json:
        """Return the board as JSON for `read`."""
        state = {"solving": self.solving.to_json(), "over": self.over, "first": self.first, "hinted": self.hinted}
        return {**state, PLAYED_KEY: self.puzzle.to_json()} if self.played else state

    def counted(self, context: Context, place: int) -> Self:
        """Return the board with its row, in which this press counts."""
        attempt, now = self.stored, context.clock()
        tried = now if attempt.wrong or attempt.result or self.solving.done else None
        attempt = replace(
            attempt,
            state=self.to_json(),
            place=place,
            presses=attempt.presses + self.first,
            tried_at=attempt.tried_at or tried,
            ended_at=attempt.ended_at or (now if attempt.result else None),
        )
        decided = attempt.rated is None and bool(attempt.wrong or attempt.result)
        return replace(self, stored=attempt, decided=decided)

    async def prepare(self, context: Context, requester: RequestContext) -> Self:
        """Return the board with its row, what is decided counted."""
        puzzle = self.stored.puzzle
        figures = (await context.store.puzzles.get_figures([puzzle])).get(puzzle)
        board, day = self.counted(context, requester.place.id), self._find_solved_day(figures)
        seen = (board.decided or day is not None) and await was_shown_beside(context, requester, puzzle)
        if board.decided:
            public = seen or (figures is not None and figures.public_at is not None)
            board = replace(board, stored=replace(board.stored, rated=not board.stored.hints and not public))
        if day is None or seen:
            return board
        solved_on = date.fromisoformat(day.day)
        streak = count_streak([*await solved_days(context, board.stored.person), solved_on], solved_on).now
        return replace(board, streak=streak, solved_on=day)

    async def write(self, context: Context, processed: ProcessedEvent) -> None:
        """Store the attempt, and what it counts for; Conflict."""
        store, attempt = context.store, self.stored
        async with store.transaction():
            await store.puzzles.update_attempt(attempt, context.clock(), processed, day=self.solved_on)
            if self.decided and attempt.rated:
                await rate_attempt(store, attempt.person, self.puzzle, solved=attempt.mark == "clean")

    def _find_solved_day(self, figures: PuzzleFigures | None) -> PuzzleDay | None:
        """Return the date for which the puzzle has just been solved, None where it counts for none.

        A person who solved it earlier may solve it again on its date, which counts as that first run did. This excludes
        people who have seen its solution, or tried it while it was reserved for its date.
        """
        attempt, mark = self.stored, self.mark
        if self.day is None or mark is None:
            return None
        opens = opens_at(self.day)
        if figures is not None and figures.public_at is not None and figures.public_at >= opens:
            return None
        if attempt.ended_at is not None and attempt.ended_at >= opens:
            return None
        if attempt.tried_at is not None and attempt.tried_at < opens:
            mark = attempt.mark if attempt.tried_at < opens - RESERVED_DAYS_AHEAD else None
        return PuzzleDay(attempt.person, self.day.isoformat(), attempt.puzzle, mark) if mark is not None else None

    async def play(self, context: Context, requester: RequestContext, actions: Sequence[Action]) -> BoardStep:
        """Play actions of the solver; a wrong turn leaves the board as it was before it, and is refuted."""
        # What a wrong turn overlooks is searched for.
        judged = await self.judge_open(context, await asyncio.to_thread(self.solving.play, actions))
        after, speaker = replace(self, solving=judged.solving), requester.speaker
        if judged.verdict == "wrong":
            return self._refute(after.with_counts(), requester, judged)
        if judged.verdict == "solved":
            return BoardStep(after.ended(SOLVED))
        if judged.verdict == "on":
            return BoardStep(after)
        voice = speaker.of(self.game)
        move, reply = line_words(voice, judged.turn), line_words(voice, judged.reply)
        return BoardStep(replace(after, hinted=0), [voice.say("puzzle.right", move=move, reply=reply)])

    async def judge_open(self, context: Context, judged: Judgement) -> Judgement:
        """Return the judgement of a turn that the tree does not judge."""
        return judged

    def _refute(self, after: Self, requester: RequestContext, judged: Judgement) -> BoardStep:
        """Return the step of a wrong turn: what it overlooks, with the way back to the puzzle."""
        speaker, names = requester.speaker, self.names(requester)
        voice = speaker.of(self.game)
        before = replace(self.solving, begun=()).line
        line, missed = follow_actions(before, judged.turn), judged.overlooked
        parts = [voice.say("puzzle.wrong", move=line_words(voice, judged.turn))]
        answer: tuple[Action, ...] = ()
        if missed is not None:
            parts.append(cards.sentence_words(voice, missed))
            answer = read_actions(line.state, missed.reply)
            played = read_actions(before.state, judged.turn)
            parts.append(explain_oversight(voice, before.state, played, answer, names))
        said = [join([part for part in parts if part], " "), speaker.say("puzzle.wrong.back")]

        def card(later: PrivateBoard) -> Card:
            ways = [later.button(speaker, "button.puzzle.retry", GO, style="primary")]
            ways.append(later.button(speaker, "button.puzzle.hint", HINT))
            ways.append(later.button(speaker, "button.puzzle.give-up", GIVE_UP))
            return Card(join([self.title(speaker), *said]), rows=button_rows(ways))

        return BoardStep(after, card=card, scene=self.shown(requester, line, answer, words=join(said, " ")))

    def with_counts(self) -> Self:
        """Return the board with its errors and hints counted, if this run is."""
        if not self.first:
            return self
        return replace(self, stored=replace(self.stored, wrong=self.solving.wrong, hints=self.solving.hints))

    def ended(self, result: str) -> Self:
        return replace(self, over=result, stored=replace(self.stored, result=result) if self.first else self.stored)

    async def suggest(self, context: Context, requester: RequestContext) -> BoardStep | None:
        """Give a hint, one step more than the last."""
        if not self.asks:
            return None
        hinted = min(self.hinted + 1, HINTS_PER_TURN)
        solving = replace(self.solving, begun=(), hints=self.solving.hints + 1)
        after = replace(self, solving=solving, hinted=hinted).with_counts()
        hint, line = solving.hint(hinted), solving.line
        said = cards.sentence_words(requester.speaker.of(self.game), hint.sentence)
        turn = read_actions(line.state, hint.turn)
        return BoardStep(after, [said], scene=self.shown(requester, line, turn, cells=hint.cells, words=said))

    async def press(self, context: Context, requester: RequestContext, path: Sequence[str]) -> BoardStep | Reply | None:
        """Give a hint, give up, describe the board, share the result, or begin another run."""
        deed = ".".join(path)
        if deed == GO:
            return BoardStep(self, changed=False)
        if deed == WORDS:
            return reply_privately(
                self.description_card(requester, [self.title(requester.speaker), self._goal(requester.speaker)], GO)
            )
        if not self.asks:
            return self.press_done(requester, deed)
        if deed == HINT:
            return await self.suggest(context, requester)
        if deed == GIVE_UP:
            # Asked below the board, so that a "no" goes on where they were.
            return BoardStep(self, changed=False, card=lambda _: self._confirm_card(requester.speaker))
        if deed == GIVE_UP_YES:
            return BoardStep(replace(self, solving=replace(self.solving, begun=())).ended(GIVEN_UP))
        return BoardStep(replace(self, solving=self.solving.back())) if deed == BACK else None

    def press_done(self, requester: RequestContext, deed: str) -> BoardStep | Reply | None:
        """Return what a control of a run that is over leads to."""
        if deed == SHARE:
            return reply_privately(self._share_card(requester.speaker))
        if deed == RETRY:
            return BoardStep(self.restarted())
        at = deed.removeprefix(SOLUTION_TURN)
        known = (str(at) for at in range(len(self.solution.turns) + 1))
        if self.over != GIVEN_UP or at == deed or at not in known:
            return None
        return BoardStep(replace(self, seen=int(at)), changed=False)

    def names(self, requester: RequestContext) -> tuple[str, ...]:
        """Return the names by seat: the solver, and the opponent everywhere else."""
        return seat_names(self.puzzle, requester.speaker, requester.person.name)

    def shown(self, requester: RequestContext, line: Line, marked: Sequence[Action] = (), **hint: Any) -> BoardScene:
        """Return a line as the picture shows it, in which the solver is "You"."""
        view = BoardView(viewer=self.puzzle.seat, caption=requester.speaker.line("puzzle.caption"))
        names = seat_names(self.puzzle, requester.speaker, requester.speaker.line("daily.you"))
        return BoardScene(line, view, marked, names=names, **hint)

    def scene(self, requester: RequestContext) -> BoardScene:
        """Return the board; of a puzzle that was given up, the solution as far as it is shown, with its next turn."""
        if self.over != GIVEN_UP:
            return self.shown(requester, self.line)
        turns = self.solution.turns
        line = replay_line(self.puzzle.state(), [text for turn in turns[: self.seen] for text in turn])
        return self.shown(requester, line, read_actions(line.state, turns[self.seen] if self.seen < len(turns) else ()))

    def title(self, speaker: Speaker) -> Text:
        """Return the text above the board."""
        if self.played:
            return speaker.say("puzzle.title.played", game=speaker.of(self.game).line("name"))
        return cards.puzzle_title(speaker, self.puzzle, self.day)

    def words(self, requester: RequestContext, step: BoardStep, question: Sequence[Text]) -> Sequence[Text]:
        """Return the goal or the result, and what is said."""
        speaker = requester.speaker
        shown = [pin_text(self._goal(speaker))] if self.asks else self.result_words(requester)
        return [self.title(speaker), *shown, *step.said, *question]

    def result_words(self, requester: RequestContext) -> Sequence[Text]:
        """Return the result of the run, what it counts for, and the solution."""
        attempt, speaker = self.stored, requester.speaker
        parts = [cards.mark_words(speaker, self.mark)]
        if self.streak:
            parts.append(speaker.say("puzzle.streak", n=self.streak))
        if self.first and attempt.rated is False:
            parts.append(speaker.say("puzzle.not-rated.hinted" if attempt.hints else "puzzle.not-rated.public"))
        if not self.first and not self.streak:
            parts.append(speaker.say("puzzle.known"))
        return [join(parts, " "), *cards.solution_words(speaker, self.puzzle, self.names(requester))]

    def rows(self, requester: RequestContext, step: BoardStep) -> tuple[Row, ...]:
        """Return the buttons beside those that play."""
        speaker = requester.speaker
        if step.is_choosing:
            return ()
        if not self.asks:
            return button_rows(self.ways_on(speaker))
        ways = [self.button(speaker, "button.puzzle.back", BACK)] if self.solving.begun else []
        ways.append(self.button(speaker, "button.puzzle.hint", HINT))
        ways.append(self.button(speaker, "button.puzzle.give-up", GIVE_UP))
        ways.append(self.button(speaker, "button.words", WORDS))
        # Today's puzzle may be of a game that a person has never seen.
        ways.append(Button(speaker.of(self.game).line("button.rules"), press("rules", None, 0, self.game)))
        return button_rows(ways)

    def ways_on(self, speaker: Speaker) -> list[Button]:
        """Return the buttons below a run that is over; they play the solution of one that was given up."""
        ways = []
        if self.over == GIVEN_UP and self.seen:
            ways.append(self.button(speaker, "button.try.back", f"{SOLUTION_TURN}{self.seen - 1}"))
        if self.over == GIVEN_UP and self.seen < len(self.solution.turns):
            ways.append(self.button(speaker, "button.try.on", f"{SOLUTION_TURN}{self.seen + 1}"))
        further = cards.HERE if self.played else cards.NEXT
        following = press(OPEN_PUZZLE, cards.PUZZLE_SCOPE, 0, further, self.game)
        ways.append(Button(speaker.line("button.puzzle.next"), following, "primary"))
        ways.append(self.button(speaker, "button.puzzle.share", SHARE))
        ways.append(self.button(speaker, "button.puzzle.again", RETRY))
        return [*ways, self.button(speaker, "button.words", WORDS)]

    def _goal(self, speaker: Speaker) -> Text:
        return cards.goal_words(speaker, self.puzzle, self.solving.goal)

    def _confirm_card(self, speaker: Speaker) -> Card:
        """Return the question whether to show the solution."""
        yes = self.button(speaker, "button.puzzle.give-up.yes", GIVE_UP_YES, style="danger")
        words = join([self.title(speaker), pin_text(speaker.say("puzzle.give-up.sure"))])
        return Card(words, rows=((yes, self.button(speaker, "button.puzzle.give-up.no", GO)),))

    def _share_card(self, speaker: Speaker) -> Card:
        """Return a result as a spoiler-free line of text for sharing."""
        mark = self.mark if self.first else self.stored.mark
        name, result = speaker.of(self.game).line("name"), strip_styles(cards.mark_words(speaker, mark))
        if self.day is None:
            line = speaker.line("puzzle.share.line", game=name, result=result)
        else:
            day = cards.day_words(speaker, self.day)
            line = speaker.line("puzzle.share.line.day", game=name, day=day, result=result)
        text = join([speaker.say("puzzle.share"), (Span(line, code=True),)])
        return Card(text, rows=((self.button(speaker, "button.back", GO),),))


@dataclass(frozen=True, slots=True)
class MomentBoard(PuzzleBoard):
    """A moment of one's own games: not rated, but repeated in time; a search judges what its tree does not."""

    own: OwnMistake = field(kw_only=True)

    def to_json(self) -> Json:
        """Return the board as JSON for `read`."""
        return {**PuzzleBoard.to_json(self), "own": self.own.to_json()}

    async def prepare(self, context: Context, requester: RequestContext) -> Self:
        """Return the moment with its row."""
        board = self.counted(context, requester.place.id)
        return replace(board, stored=replace(board.stored, rated=False)) if board.decided else board

    async def write(self, context: Context, processed: ProcessedEvent) -> None:
        """Store the attempt, and when the moment comes again; Conflict."""
        async with context.store.transaction():
            await context.store.puzzles.update_attempt(self.stored, context.clock(), processed)
            if self.over:
                await record_review(context, self.own, self.mark)

    async def judge_open(self, context: Context, judged: Judgement) -> Judgement:
        """Return the judgement of another turn than the better one: by a search."""
        return await judge_open_turn(context, self.own, judged, self.stored.person)

    def press_done(self, requester: RequestContext, deed: str) -> BoardStep | Reply | None:
        """Show one of the two turns, or begin another run."""
        if deed in (SHOW_PLAYED, SHOW_BETTER):
            return BoardStep(self, changed=False, scene=self._turn_scene(requester, deed))
        return BoardStep(self.restarted()) if deed == RETRY else None

    def names(self, requester: RequestContext) -> tuple[str, ...]:
        """Return everybody's own name, by seat."""
        return self.own.names

    def shown(self, requester: RequestContext, line: Line, marked: Sequence[Action] = (), **hint: Any) -> BoardScene:
        """Return a line as the picture shows it, with everybody's own name."""
        view = BoardView(viewer=self.puzzle.seat, caption=requester.speaker.line("own.caption"))
        return BoardScene(line, view, marked, **hint)

    def scene(self, requester: RequestContext) -> BoardScene:
        """Return the board; once the run is over, the better turn."""
        return self._turn_scene(requester, SHOW_BETTER) if self.over else self.shown(requester, self.line)

    def _turn_scene(self, requester: RequestContext, which: str) -> BoardScene:
        actions = self.own.actions("played" if which == SHOW_PLAYED else "better")
        return self.shown(
            requester, Line(self.puzzle.state()), actions, words=requester.speaker.say(f"own.alt.{which}")
        )

    def title(self, speaker: Speaker) -> Text:
        """Return the text above the board: the game and the turn."""
        voice, own = speaker.of(self.game), self.own
        turn = turn_number(voice, games[self.game], own.choice.turn)
        name = voice.line("name")
        return voice.say("own.title", game=name, turn=turn, code=own.game, at=own.at + 1, count=own.count)

    def result_words(self, requester: RequestContext) -> Sequence[Text]:
        """Return how a person has done, what was better and why, and what was wrong with what they played."""
        own, choice, voice = self.own, self.own.choice, requester.speaker.of(self.game)
        better, played = own.actions(SHOW_BETTER), own.actions(SHOW_PLAYED)
        parts = [cards.mark_words(requester.speaker, self.mark)]
        found = self.solving.done[0] if self.solving.done else ()
        if found and found != choice.better:
            parts.append(voice.say("own.as-good", move=line_words(voice, found)))
        lines = [
            join(parts, " "),
            voice.say("own.better", better=line_words(voice, choice.better)),
            explain_turn(voice, own.state, better, own.names),
            voice.say("own.played", played=line_words(voice, choice.played), **self._figures(voice)),
            explain_mistake(voice, own.state, played, better, own.names),
        ]
        return [line for line in lines if line]

    def ways_on(self, speaker: Speaker) -> list[Button]:
        """Return the buttons below a moment that is done with: the next one, the two turns, and the way back."""
        own, ways = self.own, list[Button]()
        if own.at + 1 < own.count:
            following = press(MOMENTS_PRESS, own.game, 0, str(own.at + 1))
            ways.append(Button(speaker.line("button.own.next"), following, "primary"))
        ways.append(self.button(speaker, "button.own.better", SHOW_BETTER))
        ways.append(self.button(speaker, "button.own.played", SHOW_PLAYED))
        ways.append(self.button(speaker, "button.puzzle.again", RETRY))
        return [*ways, back_button(speaker, own.game, primary=own.at + 1 == own.count)]

    def _figures(self, voice: Speaker) -> dict[str, str]:
        """Return the expected values of both turns, in words if proven."""
        choice = self.own.choice
        values = {"before": choice.before, "after": choice.after}
        if not choice.proven:
            return {name: voice.line("own.percent", n=percent(value)) for name, value in values.items()}
        ends = {1.0: "win", 0.0: "loss"}
        return {name: voice.line(f"own.proven.{ends.get(value, 'draw')}") for name, value in values.items()}


def _read_own(attempt: Attempt) -> OwnMistake | None:
    """Return the own moment of an attempt, None for other puzzles."""
    try:
        return read_mistake(attempt.state["own"])
    except (KeyError, TypeError):
        return None


WHICH: Final = (cards.TODAY, cards.YESTERDAY, cards.NEXT, cards.HERE, moment_cards.OWN)
"""Which puzzle may be asked for."""


async def open_puzzle(context: Context, requester: RequestContext, puzzle: Puzzle, *, played: bool = False) -> Reply:
    """Show a person's board with a puzzle, where they have left it; Refused if it is that of a date to come.

    `played`: it comes from a game played here, and is stored with the attempt, since no file has it.
    """
    if (day := date_to_come(puzzle, context.clock())) is not None:
        raise Refused("refusal.puzzle-of-a-day-to-come", day=cards.day_words(requester.speaker, day))
    state: Json | None = {PLAYED_KEY: puzzle.to_json()} if played else None
    attempt = await _begin(context, requester, puzzle, state, counts=requester.place.kind != "private")
    return replace(await show(context, requester, PuzzleBoard.read(context, attempt)), update=False)


async def open_own_moment(context: Context, requester: RequestContext, found: OwnMistake | Reply) -> Reply:
    """Show a person's board with a moment of their own games, restarted if it was finished before.

    A reply that was given in its place is shown as it is.
    """
    if isinstance(found, Reply):
        return found
    attempt = await _begin(context, requester, found.puzzle(), {"own": found.to_json()})
    board = PuzzleBoard.read(context, attempt)
    again = attempt.result or not board.asks
    step = BoardStep(board.restarted()) if again else BoardStep(board, changed=False)
    return replace(await show_step(context, requester, step), update=False)


async def _begin(
    context: Context, requester: RequestContext, puzzle: Puzzle, state: Json | None, *, counts: bool = False
) -> Attempt:
    now, place = context.clock(), requester.place.id
    return await context.store.puzzles.begin_attempt(
        requester.person.id, puzzle.id, puzzle.game, puzzle.motif, now, place, counts=counts, state=state
    )


async def puzzle(context: Context, requester: RequestContext, values: Mapping[str, str]) -> Reply:
    """Open today's puzzle, yesterday's, one of a game at one's level, or the next one at one's level."""
    if is_about_daily(values):
        return await switch_daily(context, requester, values)
    game = await resolve_game_key(context, values["game"]) if values.get("game") else None
    return await open_which(context, requester, values.get("which") or (cards.NEXT if game else cards.TODAY), game)


async def press_puzzle(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Open a puzzle by its id, or as the command does."""
    which, *rest = pressed.path or (cards.TODAY,)
    if which in WHICH:
        game = await resolve_game_key(context, rest[0]) if rest else None
        return await open_which(context, requester, which, game)
    if (meant := puzzle_by_id(pressed.rest)) is not None:
        return await open_puzzle(context, requester, meant)
    meant = await find_played_puzzle(context, requester.person.id, pressed.rest)
    if meant is None:
        raise Refused("refusal.puzzle-gone")
    return await open_puzzle(context, requester, meant, played=True)


async def open_which(context: Context, requester: RequestContext, which: str, game: str | None) -> Reply:
    """Open today's puzzle, yesterday's, or one that a person has not tried; Refused where there is none."""
    person = requester.person.id
    if which == moment_cards.OWN:
        return await open_own_moment(context, requester, await find_due(context, requester, game))
    if which == cards.HERE:
        found, missing = await next_played_puzzle(context, person, game), "refusal.no-played-puzzle"
    elif game is not None and not puzzles_of(game):
        raise Refused("refusal.no-puzzles")
    elif which == cards.NEXT:
        found, missing = await next_puzzle(context, person, game), "refusal.no-puzzle-left"
    else:
        found, missing = puzzle_on(today(context, requester) - timedelta(days=which == cards.YESTERDAY)), ""
    if found is None:
        raise Refused(missing)
    return await open_puzzle(context, requester, found, played=which == cards.HERE)


async def press_moments(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Open a moment of an own game: the first unsolved one, or one by its number."""
    found = await find_moment(context, requester, pressed)
    return replace(await open_own_moment(context, requester, found), update=True)


async def find_moment(context: Context, requester: RequestContext, pressed: Press) -> OwnMistake | Reply:
    """Return the moment of a press (without a number the first unsolved one), or a reply if there is none.

    Refused for a game that is not over or not analysed, and for anybody who did not play it.
    """
    table = await context.table(pressed.game or "")
    seat = _seat_of(requester, table)
    found = read_analysis(await context.store.analyses.get(table.row.id))
    if found is None:
        look = Button(requester.speaker.line("button.analyse"), press("analyse", table.row.id), "primary")
        raise Refused("refusal.own-not-analysed", rows=((look,),))
    turns = await turns_of(context, table)
    async with context.person_queue.turn(requester.person.id):
        own = await _search(context, requester, table, seat, found, turns)
    if own is None:
        search = moments_search(table.row.id, seat)
        progress = context.advice.progress(search)
        return reply_privately(
            replace(moment_cards.searching_card(requester.speaker, table.row.id, progress), search=search)
        )
    if not own.moments:
        return reply_privately(
            moment_cards.nothing_found_card(requester.speaker, table.row.game, table.row.id, own.good)
        )
    names = table.in_language(requester.speaker).names
    stored = await store_moments(context, requester.person.id, table.row.id, turns, own.moments, names)
    return _load_mistake(stored, pressed.rest)


async def find_due(context: Context, requester: RequestContext, game: str | None) -> OwnMistake | Reply:
    """Return the moment that has been due for the longest, or a reply if none is due."""
    now, person = context.clock(), requester.person.id
    due = await context.store.own_moments.next_due(person, now, game)
    if due is not None:
        return _check_readable(due)
    counts = await context.store.own_moments.counts(person, now, game)
    day = (requester.speaker.day(counts.next_due),) if counts.next_due is not None else ()
    return reply_privately(moment_cards.none_due_card(requester.speaker, counts, day))


def _seat_of(requester: RequestContext, table: Table) -> int:
    """Return the seat that a person had in a game that is over; Refused."""
    if table.row.status != "over":
        raise Refused("refusal.not-over-yet")
    for seat in table.brief.seats:
        if seat.person == requester.person.id and seat.seat is not None:
            return seat.seat
    raise Refused("refusal.own-not-played")


async def _search(
    context: Context, requester: RequestContext, table: Table, seat: int, found: Analysis, turns: list[Turn]
) -> OwnMoments | None:
    """Return a seat's moments, found once for each game and seat; None while the search goes on."""
    game = table.row.id
    known = (await context.store.analyses.get(game) or {}).get("own", {})
    stored = read_own_moments(known.get(str(seat)))
    if stored is not None:
        return stored
    return await context.advice.own_moments(
        game, turns, seat, found, requester.person.id, partial(_store_result, context, game, seat, turns)
    )


async def _store_result(
    context: Context, game: str, seat: int, turns: Sequence[Turn], found: OwnMoments, figures: Figures
) -> OwnMoments:
    """Store the moments of a seat, and return them with the figures that the game's analysis tells."""
    data = await context.store.analyses.get(game)
    analysis = read_analysis(data)
    if data is not None and analysis is not None:
        # Another person's moments may have been found meanwhile: the figures that it has settled stay.
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
