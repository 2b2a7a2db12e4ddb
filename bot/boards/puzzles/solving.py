"""Solving a puzzle as pure functions of its tree, the sentences about each turn, and the ratings of solvers.

After a wrong turn the position is as before that turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, Literal

from bot.boards.puzzles.proving import PuzzleSentence, Refutation, WholeTurn, find_refutation, is_over, whole_turns
from bot.boards.puzzles.puzzle import WINNING_GOALS, Goal, Puzzle, RightTurn, TurnTexts
from bot.kernel.line import Line, follow_action, follow_actions, play_line, read_actions, replay_line
from bot.table.ratings import OVERALL_KEY, new_rating, rate_duel
from bot.thinking.analysis import read_data
from engine import Action, State
from storage import Json, PuzzleFigures, PuzzleRating, Store


def reason_sentence(puzzle: Puzzle, first: Sequence[str]) -> PuzzleSentence:
    """Return the reason why the first turn is right, with its proof."""
    n = puzzle.goal.amount or puzzle.goal.turns
    return PuzzleSentence(f"puzzle.reason.{puzzle.goal.name}", {"move": tuple(first), "n": n, "size": puzzle.size})


@dataclass(frozen=True, slots=True)
class PuzzleHint:
    """A hint: its sentence, and the cells to mark."""

    sentence: PuzzleSentence
    cells: tuple[str, ...]
    turn: TurnTexts = ()


HINTS_PER_TURN: Final = 3
"""Number of hints for a turn: the source, the target, the whole turn."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The result of some actions: the `verdict`, the attempt after them, the whole turn, and the opponent's answer.

    `on`: the turn is not over yet. `right`: it was right, and the answer has been played. `solved`: the puzzle is
    solved. `wrong`: the position is as before the turn.
    """

    verdict: Literal["on", "right", "solved", "wrong"]
    solving: PuzzleAttempt
    turn: TurnTexts = ()
    reply: TurnTexts = ()


@dataclass(frozen=True, slots=True)
class PuzzleAttempt:
    """An attempt; `done` has turns and answers alternately, `begun` the actions of the unfinished turn by presses."""

    puzzle: Puzzle
    done: tuple[TurnTexts, ...] = ()
    begun: tuple[TurnTexts, ...] = ()
    wrong: int = 0
    hints: int = 0
    solved: bool = False

    def to_json(self) -> Json:
        """Return the attempt as plain data for `read_solving`."""
        return {
            "puzzle": self.puzzle.id,
            "done": self.done,
            "begun": self.begun,
            "wrong": self.wrong,
            "hints": self.hints,
            "solved": self.solved,
        }

    @property
    def line(self) -> Line:
        """The line of play so far, with the unfinished turn."""
        return follow_actions(self._line_before(), chain.from_iterable(self.begun))

    @property
    def goal(self) -> Goal:
        """The remaining goal."""
        return self.puzzle.goal.after(len(self.done) // 2)

    def back(self) -> PuzzleAttempt:
        """Return the attempt without the last press of the unfinished turn."""
        return replace(self, begun=self.begun[:-1])

    def play(self, actions: Sequence[Action]) -> Judgement:
        """Return the judgement of actions of the seat to move; IllegalAction and GameOver as in `State.play`.

        Forced actions follow automatically.
        """
        before, line = self._line_before(), self.line
        texts: list[str] = []
        for step in play_line(line, actions, None)[1]:
            line = follow_action(line, step.action.text)
            texts.append(step.action.text)
            if is_over(before.state, line.state):
                turn = (*chain.from_iterable(self.begun), *texts)
                return self._judge_turn(before.state, turn, line.state)
        return Judgement("on", replace(self, begun=(*self.begun, tuple(texts))))

    def refute(self, turn: TurnTexts) -> Refutation:
        """Return what a wrong turn overlooks, by a search that may take a while."""
        before = self._line_before().state
        actions = read_actions(before, turn)
        return find_refutation(before, self.goal, WholeTurn(actions, state_after(before, turn)))

    def hint(self, number: int) -> PuzzleHint:
        """Return the n-th hint for the next turn, from 1: the source, the target, the whole turn."""
        state = self._line_before().state
        turn = _right_turn(state, self._tree(), self.puzzle.goal)
        action = state.read(turn[0])
        source, target = action.source, action.target
        if number == 1 and source is not None:
            return PuzzleHint(PuzzleSentence("puzzle.hint.from", {"cell": source}), (source,))
        if number == 1 and target is not None:
            letter = target[0]
            cells = tuple(name for name in state.topology.names if name[0] == letter)
            return PuzzleHint(PuzzleSentence("puzzle.hint.letter", {"letter": letter}), cells)
        if number == 2 and target is not None:
            return PuzzleHint(PuzzleSentence("puzzle.hint.to", {"cell": target}), (target,))
        if number < HINTS_PER_TURN:
            return PuzzleHint(PuzzleSentence("puzzle.hint.still"), ())
        cells = tuple(cell for cell in (source, target) if cell is not None)
        return PuzzleHint(PuzzleSentence("puzzle.hint.turn", {"move": turn}), cells, turn)

    def _line_before(self) -> Line:
        return replay_line(self.puzzle.state(), chain.from_iterable(self.done))

    def _judge_turn(self, before: State, turn: TurnTexts, after: State) -> Judgement:
        rest = replace(self, begun=())
        won = after.outcome is not None and after.outcome.winner == self.puzzle.seat
        right = _find_right(self._tree(), before, after)
        if (won and self.puzzle.goal.kind in WINNING_GOALS) or (right is not None and not right.reply):
            return Judgement("solved", replace(rest, done=(*self.done, turn), solved=True), turn)
        if right is not None:
            return Judgement("right", replace(rest, done=(*self.done, turn, right.reply)), turn, right.reply)
        return Judgement("wrong", replace(rest, wrong=self.wrong + 1), turn)

    def _tree(self) -> tuple[RightTurn, ...]:
        """Return the right turns in the current position."""
        tree, here = self.puzzle.tree, self.puzzle.state()
        for at in range(0, len(self.done), 2):
            after = state_after(here, self.done[at])
            right = _find_right(tree, here, after)
            if right is None:
                raise ValueError(self.done[at])
            tree, here = right.tree, state_after(after, right.reply)
        return tree


def _find_right(tree: Sequence[RightTurn], before: State, after: State) -> RightTurn | None:
    """Return the right turn that leads to a position, None if there is none."""
    return next((each for each in tree if state_after(before, each.play).key() == after.key()), None)


def read_solving(puzzle: Puzzle, data: Json) -> PuzzleAttempt:
    """Return the attempt in the data from `PuzzleAttempt.to_json`; ValueError if it is for another puzzle."""
    if data["puzzle"] != puzzle.id:
        raise ValueError(data["puzzle"])
    return read_data(PuzzleAttempt, {**data, "puzzle": puzzle})


def find_solution(puzzle: Puzzle) -> tuple[TurnTexts, ...]:
    """Return a puzzle's right line: the solver's turns and the answers alternately."""
    tree, state, turns = puzzle.tree, puzzle.state(), list[TurnTexts]()
    while True:
        turns.append(_right_turn(state, tree, puzzle.goal))
        right = next((each for each in tree if each.play == turns[-1]), None)
        if right is None or not right.reply:
            return tuple(turns)
        turns.append(right.reply)
        state = state_after(state_after(state, right.play), right.reply)
        tree = right.tree


def _right_turn(state: State, tree: tuple[RightTurn, ...], goal: Goal) -> TurnTexts:
    """Return the turn to show: one that wins at once if there is one and the goal is a win, otherwise the tree's."""
    if len(tree) == 1 or goal.kind not in WINNING_GOALS:
        return tree[0].play
    seat = state.to_move
    won = (
        way.texts for way in whole_turns(state) if way.after.outcome is not None and way.after.outcome.winner == seat
    )
    return next(won, None) or tree[0].play


def state_after(state: State, texts: Sequence[str]) -> State:
    """Return the position after the actions of a turn."""
    for text in texts:
        state = state.advance(state.read(text))
    return state


MIN_ATTEMPTS: Final = 5
"""Number of first attempts before a rating is shown."""

_MEDIAN_DIFFICULTY: Final = 50
_RATING_PER_DIFFICULTY_POINT: Final = 0.2
"""Rating points for a point of a puzzle's initial difficulty."""
_INITIAL_SIGMA_FACTOR: Final = 0.5
"""Uncertainty of a puzzle's initial rating, relative to that of a new solver."""


def first_rating(person: int, game: str) -> PuzzleRating:
    """Return the initial rating of a solver."""
    fresh = new_rating(person, game)
    return PuzzleRating(person, game, fresh.mu, fresh.sigma)


def puzzle_points(puzzle: Puzzle, figures: PuzzleFigures | None) -> tuple[float, float]:
    """Return a puzzle's rating as mu and sigma: from attempts, or from its initial difficulty."""
    if figures is not None and figures.mu is not None and figures.sigma is not None:
        return figures.mu, figures.sigma
    fresh = new_rating(0, puzzle.game)
    return fresh.mu + _RATING_PER_DIFFICULTY_POINT * (
        puzzle.difficulty - _MEDIAN_DIFFICULTY
    ), _INITIAL_SIGMA_FACTOR * fresh.sigma


async def rate_attempt(store: Store, person: int, puzzle: Puzzle, *, solved: bool) -> None:
    """Count a person's first attempt at a puzzle, in the game and in all games together; called in a transaction."""
    known, figures = await store.puzzles.lock_ratings_for_update(person, puzzle.id)
    before = puzzle_points(puzzle, figures)
    after: list[PuzzleRating] = []
    hard = before
    for key in (OVERALL_KEY, puzzle.game):
        rating = known.get(key) or first_rating(person, key)
        own = (rating.mu, rating.sigma)
        if solved:
            own, hard = rate_duel(own, before)
        else:
            hard, own = rate_duel(before, own)
        tries, right = rating.tries + 1, rating.solved + solved
        after.append(replace(rating, mu=own[0], sigma=own[1], tries=tries, solved=right))
    counted = replace(figures, tries=figures.tries + 1, solved=figures.solved + solved)
    await store.puzzles.store_ratings(after, replace(counted, mu=hard[0], sigma=hard[1]))
