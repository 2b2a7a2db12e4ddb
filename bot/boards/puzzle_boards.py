"""Boards of puzzles and of moments of a person's games: a tree has the answers, and wrong turns are refuted."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date, timedelta
from functools import partial
from itertools import chain
from typing import Any, ClassVar, Final, Self

import structlog

from bot.boards.board import BoardScene, BoardStep, NoSuchBoard, PrivateBoard, reply_privately, show, show_step
from bot.boards.puzzles.cards import (
    HERE,
    NEXT,
    PUZZLE_SCOPE,
    TODAY,
    YESTERDAY,
    attempt_code,
    day_words,
    goal_words,
    mark_words,
    open_button,
    sentence_words,
    solution_words,
)
from bot.boards.puzzles.daily import count_streak, is_about_daily, switch_daily
from bot.boards.puzzles.daily_cards import seat_names
from bot.boards.puzzles.making import next_played_puzzle, read_played
from bot.boards.puzzles.own_moments import (
    MOMENTS_PRESS,
    OWN,
    SHOW_BETTER,
    SHOW_PLAYED,
    OwnMistake,
    back_button,
    nothing_found_card,
    percent,
    record_review,
    refute_turn,
    store_moments,
)
from bot.boards.puzzles.proving import Refutation
from bot.boards.puzzles.puzzle import Puzzle, TurnTexts, puzzle_by_id, puzzle_on, puzzles_of
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
    PuzzleAttempt,
    find_solution,
    rate_attempt,
    read_solving,
)
from bot.kernel.advice import moments_search
from bot.kernel.cards import Button, Card, Row
from bot.kernel.context import Context
from bot.kernel.explanations import explain_mistake, explain_oversight, explain_turn
from bot.kernel.forms import Values
from bot.kernel.line import Line, follow_actions, read_actions, replay_line
from bot.kernel.pictures import BoardView
from bot.kernel.presses import OPEN_PUZZLE, PUZZLE_ANSWER, PUZZLE_CONTROL, Press, read_number
from bot.kernel.question_cards import button_rows, make_button
from bot.kernel.refusals import Refused
from bot.kernel.request_context import RequestContext
from bot.kernel.requests import Reply
from bot.kernel.texts import Span, Text, join, pin_text, strip_styles
from bot.kernel.words.describe import line_words, turn_number
from bot.table.game_lookup import resolve_game_key
from bot.table.replaying import turns_of
from bot.thinking.analysis import Figures, read_analysis, read_data
from bot.thinking.analyst import OwnMoments, read_own_moments
from engine import Action, EngineError, Turn, games
from storage import Attempt, Json, ProcessedEvent, PuzzleDay, PuzzleFigures, PuzzleMark, StoredMoment
from storage.puzzle_schema import GIVEN_UP, SOLVED, get_mark

PLAYED_KEY: Final = "played"
"""The key of an attempt's puzzle if it comes from a game played here."""
OWN_KEY: Final = "own"
"""The key of an attempt's moment if it comes from one of the person's games, and of such moments in an analysis."""
_STORED_FIELDS: Final = ("over", "first", "hinted")
"""The fields of a puzzle's board that are stored unchanged."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PuzzleBoard(PrivateBoard):
    """A person's stored attempt at a puzzle, and the progress.

    `over` is the result of this run, "solved" or "given-up"; only a person's `first` run counts. `hinted` is the number
    of hints for the next turn so far. `day` is the current date whose puzzle it is, None for any other puzzle; `streak`
    is shown once it is solved on that date. `played`: True for a puzzle from a game played here. `seen` is the number
    of turns of the solution that are shown. Set for storing: `solved_on`, the date whose puzzle was just solved, and
    `decided`, True if it was just decided whether the attempt counts.
    """

    stored: Attempt
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
    caption: ClassVar[str] = "puzzle.caption"

    @property
    def code(self) -> str:
        """The attempt's code."""
        return attempt_code(self.stored.id)

    @property
    def game(self) -> str:
        """The key of the puzzle's game."""
        return self.puzzle.game

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle."""
        return self.solving.puzzle

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
        """How the puzzle was solved in this run, None if it was not solved."""
        return get_mark(self.solving.wrong, self.solving.hints) if self.over == SOLVED else None

    @classmethod
    async def load(cls, context: Context, requester: RequestContext, code: str) -> PuzzleBoard:
        """Return the requester's board with the code of an attempt; NoSuchBoard, Refused without a puzzle."""
        number = read_number(code.removeprefix("P"))
        attempt = await context.store.puzzles.get_attempt(number) if number is not None else None
        if attempt is None:
            raise NoSuchBoard("refusal.stale")
        if attempt.person != requester.id:
            button = open_button(requester.speaker, attempt.puzzle)
            raise NoSuchBoard("refusal.not-your-puzzle", rows=((button,),))
        return cls.read(context, requester, attempt)

    @staticmethod
    def read(context: Context, requester: RequestContext, attempt: Attempt) -> PuzzleBoard:
        """Return the board of an attempt; from the start if its state is unreadable. Refused if the puzzle is gone."""
        state = attempt.state
        if OWN_KEY in state:
            own = _read_moment(state[OWN_KEY])
            return MomentBoard(context, requester, attempt, PuzzleAttempt(own.puzzle()), own=own).continued()
        found = puzzle_by_id(attempt.puzzle) or read_played(state.get(PLAYED_KEY, {}))
        if found is None:
            raise Refused("refusal.puzzle-gone")
        day, played = current_date(found, context.clock()), PLAYED_KEY in state
        board = PuzzleBoard(context, requester, attempt, PuzzleAttempt(found), day=day, played=played)
        return board.continued()

    def continued(self) -> Self:
        """Return this new board with the stored state of its attempt."""
        attempt, state = self.stored, self.stored.state
        begun = self.solving if attempt.result else replace(self.solving, wrong=attempt.wrong, hints=attempt.hints)
        fresh = replace(self, solving=begun, first=not attempt.result)
        if "solving" not in state:
            return fresh
        try:
            solving = read_solving(self.puzzle, state["solving"])
            if solving.line.state.game.key != self.game:
                return fresh
            return replace(fresh, solving=solving, **{name: state[name] for name in _STORED_FIELDS})
        except (EngineError, KeyError, TypeError, ValueError) as error:
            # The attempt was stored under other rules, or for another puzzle.
            log.warning("attempt-not-readable", puzzle=self.puzzle.id, reason=str(error))
            return fresh

    def restarted(self) -> Self:
        """Return the restarted board, for a run that only counts for the streak."""
        return replace(self, solving=PuzzleAttempt(self.puzzle), over="", first=False, hinted=0, streak=0)

    def to_json(self) -> Json:
        """Return the board as JSON for `read`."""
        state = {"solving": self.solving.to_json(), **{name: getattr(self, name) for name in _STORED_FIELDS}}
        return {**state, PLAYED_KEY: self.puzzle.to_json()} if self.played else state

    def counted(self) -> Self:
        """Return the board with its row, with this press counted."""
        attempt, now = self.stored, self.context.clock()
        if self.first:
            attempt = replace(attempt, wrong=self.solving.wrong, hints=self.solving.hints, result=self.over)
        tried = now if attempt.wrong or attempt.result or self.solving.done else None
        attempt = replace(
            attempt,
            state=self.to_json(),
            place=self.requester.place.id,
            presses=attempt.presses + self.first,
            tried_at=attempt.tried_at or tried,
            ended_at=attempt.ended_at or (now if attempt.result else None),
        )
        decided = attempt.rated is None and bool(attempt.wrong or attempt.result)
        return replace(self, stored=attempt, decided=decided)

    async def prepare(self) -> Self:
        """Return the board with its row, and decide if the attempt counts for the rating and the streak."""
        context, puzzle = self.context, self.stored.puzzle
        figures = (await context.store.puzzles.get_figures([puzzle])).get(puzzle)
        board = self.counted()
        day = self._find_solved_day(figures, board.stored.mark)
        seen = (board.decided or day is not None) and await was_shown_beside(context, self.requester, puzzle)
        if board.decided:
            public = seen or (figures is not None and figures.public_at is not None)
            board = replace(board, stored=replace(board.stored, rated=not board.stored.hints and not public))
        if day is None or seen:
            return board
        solved_on = date.fromisoformat(day.day)
        streak = count_streak([*await solved_days(context, board.stored.person), solved_on], solved_on).now
        return replace(board, streak=streak, solved_on=day)

    async def write(self, processed: ProcessedEvent) -> None:
        """Store the attempt, its date and its rating; Conflict."""
        store, attempt = self.context.store, self.stored
        async with store.transaction():
            await store.puzzles.update_attempt(attempt, self.context.clock(), processed, day=self.solved_on)
            if self.decided and attempt.rated:
                await rate_attempt(store, attempt.person, self.puzzle, solved=attempt.mark == "clean")

    def _find_solved_day(self, figures: PuzzleFigures | None, first_mark: PuzzleMark | None) -> PuzzleDay | None:
        """Return the date for which the puzzle was just solved, None if it counts for no date.

        A person who solved it earlier may solve it again on its date; that counts like their first run. It does not
        count for people who have seen its solution, or tried it while it was reserved for its date.
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
            mark = first_mark if attempt.tried_at < opens - RESERVED_DAYS_AHEAD else None
        return PuzzleDay(attempt.person, self.day.isoformat(), attempt.puzzle, mark) if mark is not None else None

    async def play(self, actions: Sequence[Action]) -> BoardStep:
        """Play actions of the solver; a wrong turn is refuted, and the board is as before that turn."""
        judged = self.solving.play(actions)
        after, voice = replace(self, solving=judged.solving), self.voice
        if judged.verdict == "wrong":
            missed = await self.refute(judged.turn)
            if missed is not None:
                return self._show_refutation(after, judged.turn, missed)
            done = (*self.solving.done, judged.turn)
            after = replace(self, solving=replace(self.solving, begun=(), done=done, solved=True))
        if judged.verdict == "on":
            return BoardStep(after)
        if judged.verdict == "right":
            move, reply = line_words(voice, judged.turn), line_words(voice, judged.reply)
            return BoardStep(replace(after, hinted=0), [voice.say("puzzle.right", move=move, reply=reply)])
        return BoardStep(replace(after, over=SOLVED))

    async def refute(self, turn: TurnTexts) -> Refutation | None:
        """Return what a turn outside the tree overlooks, None if it is right as well."""
        # In a thread: this needs a search.
        return await asyncio.to_thread(self.solving.refute, turn)

    def _show_refutation(self, after: Self, turn: TurnTexts, missed: Refutation) -> BoardStep:
        """Return the step of a wrong turn: its refutation, with buttons back to the puzzle."""
        voice, before = self.voice, replace(self.solving, begun=()).line
        line = follow_actions(before, turn)
        answer, played = read_actions(line.state, missed.reply), read_actions(before.state, turn)
        parts = [
            voice.say("puzzle.wrong", move=line_words(voice, turn)),
            sentence_words(voice, missed),
            explain_oversight(voice, before.state, played, answer, self.names),
        ]
        said = [join(parts, " "), self.speaker.say("puzzle.wrong.back")]

        def card(later: PrivateBoard) -> Card:
            ways = [
                later.button("button.puzzle.retry", "go", style="primary"),
                later.button("button.puzzle.hint", "hint"),
                later.button("button.puzzle.give-up", "give"),
            ]
            return Card(join([self.title, *said]), rows=button_rows(ways))

        return BoardStep(after, card=card, scene=self.shown(line, answer, words=join(said, " ")))

    async def suggest(self) -> BoardStep | None:
        """Give a hint that reveals more than the last one."""
        hinted = min(self.hinted + 1, HINTS_PER_TURN)
        solving = replace(self.solving, begun=(), hints=self.solving.hints + 1)
        after = replace(self, hinted=hinted, solving=solving)
        hint, line = after.solving.hint(hinted), after.line
        said = sentence_words(self.voice, hint.sentence)
        turn = read_actions(line.state, hint.turn)
        return BoardStep(after, [said], scene=self.shown(line, turn, cells=hint.cells, words=said))

    async def press(self, path: Sequence[str]) -> BoardStep | Reply | None:
        """Give a hint, give up, describe the board, share the result, or begin another run."""
        match path:
            case ["go"]:
                return BoardStep(self, changed=False)
            case ["words"]:
                return reply_privately(self.description_card([self.title, self._goal], "go"))
            case [action] if not self.asks:
                return self.press_done(action)
            case ["hint"]:
                return await self.suggest()
            case ["give"]:
                # The question is below the board, so that the puzzle goes on after a "no".
                return BoardStep(self, changed=False, card=lambda _: self._confirm_card())
            case ["giveyes"]:
                return BoardStep(replace(self, solving=replace(self.solving, begun=()), over=GIVEN_UP))
            case ["back"]:
                return BoardStep(replace(self, solving=self.solving.back()))
        return None

    def press_done(self, action: str) -> BoardStep | Reply | None:
        """Return the step or reply of a control after the end of a run."""
        if action == "share":
            return reply_privately(self._share_card())
        if action == "again":
            return BoardStep(self.restarted())
        seen = read_number(action.removeprefix("see"))
        if seen is None or seen > len(self._solution):
            return None
        return BoardStep(replace(self, seen=seen), changed=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names by seat: the solver, and the opponent in all other seats."""
        return seat_names(self.puzzle, self.speaker, self.requester.person.name)

    @property
    def _solution(self) -> Sequence[Sequence[str]]:
        """The turns of the solution to look at; empty unless the puzzle was given up."""
        return find_solution(self.puzzle) if self.over == GIVEN_UP else ()

    @property
    def drawn_names(self) -> tuple[str, ...]:
        """The names in the picture, with the solver as "You"."""
        return seat_names(self.puzzle, self.speaker, self.speaker.line("daily.you"))

    def shown(self, line: Line, marked: Sequence[Action] = (), **hint: Any) -> BoardScene:
        """Return the scene of a line."""
        view = BoardView(viewer=self.puzzle.seat, caption=self.speaker.line(self.caption))
        return BoardScene(line, view, marked, names=self.drawn_names, **hint)

    @property
    def scene(self) -> BoardScene:
        """The board; after giving up, the shown turns of the solution, with the next turn marked."""
        if self.over != GIVEN_UP:
            return self.shown(self.line)
        turns = self._solution
        line = replay_line(self.puzzle.state(), chain.from_iterable(turns[: self.seen]))
        return self.shown(line, read_actions(line.state, next(iter(turns[self.seen :]), ())))

    @property
    def title(self) -> Text:
        """The text above the board."""
        speaker, name = self.speaker, self.voice.game_name()
        if self.played:
            return speaker.say("puzzle.title.played", game=name)
        if self.day is None:
            return speaker.say("puzzle.title", game=name)
        return speaker.say("puzzle.title.day", game=name, day=day_words(speaker, self.day))

    def words(self, step: BoardStep, question: Sequence[Text]) -> Sequence[Text]:
        """Return the goal or the result, with the words of the step."""
        shown = [pin_text(self._goal)] if self.asks else self.result_words()
        return [self.title, *shown, *step.said, *question]

    def result_words(self) -> Sequence[Text]:
        """Return the result of the run, the streak, and the solution."""
        attempt, speaker = self.stored, self.speaker
        is_unrated = self.first and attempt.rated is False
        reason = "puzzle.not-rated.hinted" if attempt.hints else "puzzle.not-rated.public"
        parts = [
            mark_words(speaker, self.mark),
            speaker.say("puzzle.streak", n=self.streak) if self.streak else (),
            speaker.say(reason) if is_unrated else (),
            () if self.first or self.streak else speaker.say("puzzle.known"),
        ]
        return [join(parts, " "), *solution_words(speaker, self.puzzle, self.names)]

    def rows(self, step: BoardStep) -> Sequence[Row]:
        """Return the buttons, except those that play."""
        if step.is_choosing:
            return ()
        if not self.asks:
            return button_rows(self.ways_on())
        return button_rows(
            [
                self.button("button.puzzle.back", "back") if self.solving.begun else None,
                self.button("button.puzzle.hint", "hint"),
                self.button("button.puzzle.give-up", "give"),
                self.button("button.words", "words"),
                # Today's puzzle may be from a game that is new to the person.
                make_button(self.voice, "button.rules", "rules", None, 0, self.game),
            ]
        )

    def ways_on(self) -> list[Button | None]:
        """Return the buttons after the end of a run; after giving up, they also step through the solution."""
        seen = self.seen
        following = (OPEN_PUZZLE, PUZZLE_SCOPE, 0, HERE if self.played else NEXT, self.game)
        return [
            self.button("button.try.back", f"see{seen - 1}") if seen else None,
            self.button("button.try.on", f"see{seen + 1}") if seen < len(self._solution) else None,
            make_button(self.speaker, "button.puzzle.next", *following, style="primary"),
            self.button("button.puzzle.share", "share"),
            self.button("button.puzzle.again", "again"),
            self.button("button.words", "words"),
        ]

    @property
    def _goal(self) -> Text:
        return goal_words(self.speaker, self.puzzle, self.solving.goal)

    def _confirm_card(self) -> Card:
        """Return the question whether to show the solution."""
        yes = self.button("button.puzzle.give-up.yes", "giveyes", style="danger")
        words = join([self.title, pin_text(self.speaker.say("puzzle.give-up.sure"))])
        return Card(words, rows=((yes, self.button("button.puzzle.give-up.no", "go")),))

    def _share_card(self) -> Card:
        """Return a result as a spoiler-free line of text for sharing."""
        speaker, mark = self.speaker, self.mark if self.first else self.stored.mark
        name, result = self.voice.game_name(), strip_styles(mark_words(speaker, mark))
        if self.day is None:
            line = speaker.line("puzzle.share.line", game=name, result=result)
        else:
            day = day_words(speaker, self.day)
            line = speaker.line("puzzle.share.line.day", game=name, day=day, result=result)
        text = join([speaker.say("puzzle.share"), (Span(line, code=True),)])
        return Card(text, rows=((self.button("button.back", "go"),),))


@dataclass(frozen=True, slots=True)
class MomentBoard(PuzzleBoard):
    """A moment of a person's game: not rated, but repeated on a schedule; a search judges turns outside its tree."""

    own: OwnMistake = field(kw_only=True)

    caption = "own.caption"

    def to_json(self) -> Json:
        """Return the board as JSON for `read`."""
        return {**PuzzleBoard.to_json(self), OWN_KEY: asdict(self.own)}

    async def prepare(self) -> Self:
        """Return the moment with its row."""
        board = self.counted()
        return replace(board, stored=replace(board.stored, rated=False)) if board.decided else board

    async def write(self, processed: ProcessedEvent) -> None:
        """Store the attempt, and the date of the next repetition; Conflict."""
        async with self.context.store.transaction():
            await self.context.store.puzzles.update_attempt(self.stored, self.context.clock(), processed)
            if self.over:
                await record_review(self.context, self.own, self.mark)

    async def refute(self, turn: TurnTexts) -> Refutation | None:
        """Return why a turn is not as good as the better one, by a search; None if it is."""
        return await refute_turn(self.context, self.own, turn, self.stored.person)

    def press_done(self, action: str) -> BoardStep | Reply | None:
        """Show one of the two turns, or begin another run."""
        if action in (SHOW_PLAYED, SHOW_BETTER):
            return BoardStep(self, changed=False, scene=self._turn_scene(action))
        return BoardStep(self.restarted()) if action == "again" else None

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each seat in the game."""
        return self.own.names

    @property
    def drawn_names(self) -> tuple[str, ...]:
        """The picture has the names in the game, like the text."""
        return self.names

    @property
    def scene(self) -> BoardScene:
        """The board; once the run is over, the better turn."""
        return self._turn_scene(SHOW_BETTER) if self.over else self.shown(self.line)

    def _turn_scene(self, which: str) -> BoardScene:
        words = self.speaker.say(f"own.alt.{which}")
        return self.shown(Line(self.puzzle.state()), self.own.actions(which), words=words)

    @property
    def title(self) -> Text:
        """The text above the board: the game and the turn."""
        voice, own = self.voice, self.own
        turn = turn_number(voice, games[self.game], own.choice.turn)
        name = voice.game_name()
        return voice.say("own.title", game=name, turn=turn, code=own.game, at=own.at + 1, count=own.count)

    def result_words(self) -> Sequence[Text]:
        """Return the result, the better turn with its reason, and the reason why the played turn was worse."""
        own, choice, voice = self.own, self.own.choice, self.voice
        better, played = own.actions(SHOW_BETTER), own.actions(SHOW_PLAYED)
        found = self.solving.done[0] if self.solving.done else ()
        is_as_good = bool(found) and found != choice.better
        as_good = voice.say("own.as-good", move=line_words(voice, found)) if is_as_good else ()
        return [
            join([mark_words(self.speaker, self.mark), as_good], " "),
            voice.say("own.better", better=line_words(voice, choice.better)),
            explain_turn(voice, own.state, better, own.names),
            voice.say("own.played", played=line_words(voice, choice.played), **self._figures()),
            explain_mistake(voice, own.state, played, better, own.names),
        ]

    def ways_on(self) -> list[Button | None]:
        """Return the buttons after the end of a moment: the next one, the two turns, and back to the game."""
        own, is_last = self.own, self.own.at + 1 == self.own.count
        following = (MOMENTS_PRESS, own.game, 0, str(own.at + 1))
        return [
            None if is_last else make_button(self.speaker, "button.own.next", *following, style="primary"),
            self.button("button.own.better", SHOW_BETTER),
            self.button("button.own.played", SHOW_PLAYED),
            self.button("button.puzzle.again", "again"),
            back_button(self.speaker, own.game, primary=is_last),
        ]

    def _figures(self) -> dict[str, str]:
        """Return the expected values of both turns; as words if they are proven."""
        choice, voice = self.own.choice, self.voice
        values = {"before": choice.before, "after": choice.after}
        if not choice.proven:
            return {name: voice.line("own.percent", n=percent(value)) for name, value in values.items()}
        ends = {1.0: "win", 0.0: "loss"}
        return {name: voice.line(f"own.proven.{ends.get(value, 'draw')}") for name, value in values.items()}


WHICH: Final = (TODAY, YESTERDAY, NEXT, HERE, OWN)
"""The values that select a puzzle."""


async def open_puzzle(context: Context, requester: RequestContext, puzzle: Puzzle, *, played: bool = False) -> Reply:
    """Show a person's board with a puzzle in its last state; Refused for a puzzle of a coming date.

    `played`: the puzzle comes from a game played here, and is stored with the attempt, because no file has it.
    """
    if (day := date_to_come(puzzle, context.clock())) is not None:
        raise Refused("refusal.puzzle-of-a-day-to-come", day=day_words(requester.speaker, day))
    state: Json = {PLAYED_KEY: puzzle.to_json()} if played else {}
    board = await _begin(context, requester, puzzle, state, counts=requester.place.kind != "private")
    return replace(await show(board), update=False)


async def open_own_moment(context: Context, requester: RequestContext, own: OwnMistake) -> Reply:
    """Show a person's board with a moment of their own games, restarted if it was finished before."""
    board = await _begin(context, requester, own.puzzle(), {OWN_KEY: asdict(own)})
    is_over = board.stored.result or not board.asks
    return await show_step(BoardStep(board.restarted()) if is_over else BoardStep(board, changed=False))


async def _begin(
    context: Context, requester: RequestContext, puzzle: Puzzle, state: Json, *, counts: bool = False
) -> PuzzleBoard:
    now, place = context.clock(), requester.place.id
    attempt = await context.store.puzzles.begin_attempt(
        requester.id, puzzle.id, puzzle.game, puzzle.motif, now, place, counts=counts, state=state
    )
    return PuzzleBoard.read(context, requester, attempt)


async def puzzle(context: Context, requester: RequestContext, values: Values) -> Reply:
    """Open today's puzzle, yesterday's, or one at the person's level, of a game or of any game."""
    if is_about_daily(values):
        return await switch_daily(context, requester, values)
    game = await resolve_game_key(context, values["game"]) if values.get("game") else None
    return await open_which(context, requester, values.get("which") or (NEXT if game else TODAY), game)


async def press_puzzle(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Open a puzzle by its id, or like the command."""
    which, *rest = pressed.path or (TODAY,)
    if which in WHICH:
        game = await resolve_game_key(context, rest[0]) if rest else None
        return await open_which(context, requester, which, game)
    if (meant := puzzle_by_id(pressed.rest)) is not None:
        return await open_puzzle(context, requester, meant)
    stored = await context.store.played_puzzles.get(pressed.rest, requester.id)
    meant = read_played(stored.data) if stored is not None else None
    if meant is None:
        raise Refused("refusal.puzzle-gone")
    return await open_puzzle(context, requester, meant, played=True)


async def open_which(context: Context, requester: RequestContext, which: str, game: str | None) -> Reply:
    """Open today's puzzle, yesterday's, or one that a person has not tried; Refused if there is none."""
    person = requester.id
    if which == OWN:
        return await open_due_moment(context, requester, game)
    if which == HERE:
        found, missing = await next_played_puzzle(context, person, game), "refusal.no-played-puzzle"
    elif game is not None and not puzzles_of(game):
        raise Refused("refusal.no-puzzles")
    elif which == NEXT:
        found, missing = await next_puzzle(context, person, game), "refusal.no-puzzle-left"
    else:
        found, missing = puzzle_on(today(context, requester) - timedelta(days=which == YESTERDAY)), ""
    if found is None:
        raise Refused(missing)
    return await open_puzzle(context, requester, found, played=which == HERE)


async def press_moments(context: Context, requester: RequestContext, pressed: Press) -> Reply:
    """Open a moment of the requester's game: the first unsolved one, or one by its number; show a card without any.

    Refused for a game that is not over or not analysed, and for people who did not play it.
    """
    table = await context.table(pressed.game)
    code, seat, speaker = table.id, table.seat_of(requester.id), requester.speaker
    if not table.row.is_over:
        raise Refused("refusal.not-over-yet")
    if seat is None:
        raise Refused("refusal.own-not-played")
    async with context.person_queue.turn(requester.id):
        data = await context.store.analyses.get(code)
        found = read_analysis(data)
        if data is None or found is None:
            look = make_button(speaker, "button.analyse", "analyse", code, style="primary")
            raise Refused("refusal.own-not-analysed", rows=((look,),))
        turns, own = await turns_of(context, table), read_own_moments(data.get(OWN_KEY, {}).get(str(seat)))
        if own is None:
            store = partial(_store_result, context, code, seat, turns)
            own = await context.advice.own_moments(code, turns, seat, found, requester.id, store)
    if own is None:
        search = moments_search(code, seat)
        done, total = context.advice.progress(search)
        look = make_button(speaker, "button.look", MOMENTS_PRESS, code, style="primary")
        words = speaker.say("own.searching", done=done, total=total)
        return reply_privately(Card(words, rows=((look,),), search=search))
    if not own.moments:
        return reply_privately(nothing_found_card(speaker, table.row.game, code, own.good))
    names = table.in_language(speaker).names
    stored = await store_moments(context, requester.id, code, turns, own.moments, names)
    named = {str(at): each for at, each in enumerate(stored)}.get(pressed.rest)
    chosen = named or next((each for each in stored if not each.solved), stored[0])
    return await open_own_moment(context, requester, _moment_of(chosen))


async def open_due_moment(context: Context, requester: RequestContext, game: str | None) -> Reply:
    """Open the moment that has been due for the longest; if none is due, show when the next one is."""
    now, speaker, moments = context.clock(), requester.speaker, context.store.own_moments
    due = await moments.next_due(requester.id, now, game)
    if due is not None:
        return replace(await open_own_moment(context, requester, _moment_of(due)), update=False)
    counts = await moments.counts(requester.id, now, game)
    if not counts.total:
        return reply_privately(Card(speaker.say("own.no-moments")))
    day = speaker.day(counts.next_due) if counts.next_due is not None else ()
    return reply_privately(Card(speaker.say("own.none-due", n=counts.total, solved=counts.solved, day=day)))


async def _store_result(
    context: Context, game: str, seat: int, turns: Sequence[Turn], found: OwnMoments, figures: Figures
) -> OwnMoments:
    """Store the moments of a seat, and return them with the figures of the game's analysis."""
    data = await context.store.analyses.get(game)
    analysis = read_analysis(data)
    if data is not None and analysis is not None:
        # A search for the other person may have finished meanwhile: keep the figures that it has settled.
        merged = Figures(turns, {**figures.settled, **analysis.settled})
        found = found.with_figures(turns, merged)
        own = {**data.get(OWN_KEY, {}), str(seat): found.to_json()}
        await context.store.analyses.store(
            game, {**analysis.with_settled(merged).to_json(), OWN_KEY: own}, context.clock()
        )
    return found


def _moment_of(stored: StoredMoment) -> OwnMistake:
    return _read_moment({**stored.data, "id": stored.id, "game": stored.game})


def _read_moment(data: Json) -> OwnMistake:
    """Return a stored moment; Refused if it is unreadable."""
    try:
        own = read_data(OwnMistake, data)
        own.puzzle().state()
    except (EngineError, KeyError, TypeError, ValueError) as error:
        raise Refused("refusal.puzzle-gone") from error
    return own
