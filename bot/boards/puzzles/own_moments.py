"""Moments of a person's games as puzzles: stored, answered on a private board, and repeated on a schedule.

The schedule is FSRS, a published algorithm of spaced repetition, from its library.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

import fsrs

from bot.boards.puzzles import proving
from bot.boards.puzzles.proving import Refutation
from bot.boards.puzzles.puzzle import BETTER, Goal, Puzzle, RightTurn, TurnTexts
from bot.boards.puzzles.solving import state_after
from bot.kernel.cards import Button, Card
from bot.kernel.context import Context
from bot.kernel.line import read_actions
from bot.kernel.question_cards import make_button
from bot.kernel.texts import Speaker, Text, join
from bot.kernel.words.describe import line_words, turn_number
from bot.thinking.analysis import MIN_COST, CostlyChoice, position_of_choice
from bot.thinking.analyst import GoodTurn, OwnMoment
from bot.thinking.thinkers import ThinkingFailed
from engine import State, Turn, games
from engine.budget import Budget
from engine.core import Actions, Position
from storage import Json, MomentCounts, PuzzleMark, StoredMoment

MOTIF: Final = "own"
_ID_PREFIX: Final = "own-"
_TOLERANCE: Final = MIN_COST / 2
"""Maximum loss of expected value for another turn to count as right."""
_SCHEDULER: Final = fsrs.Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
"""Plans whole days, without repetitions within minutes."""
_RATINGS: Final[Mapping[PuzzleMark | None, fsrs.Rating]] = {
    "clean": fsrs.Rating.Good,
    "errors": fsrs.Rating.Hard,
    "hinted": fsrs.Rating.Hard,
    None: fsrs.Rating.Again,
}
MOMENTS_PRESS: Final = "moments"
OWN: Final = "mine"
"""The value for the due moment of a person's game."""
SHOW_PLAYED: Final = "played"
SHOW_BETTER: Final = "better"


@dataclass(frozen=True, slots=True)
class OwnMistake:
    """A moment on a board; `at` is its index among the `count` moments of the game."""

    id: int
    game: str
    names: tuple[str, ...]
    position: Position
    found: OwnMoment
    at: int
    count: int

    @property
    def choice(self) -> CostlyChoice:
        """The choice, with the turn played and the better one."""
        return self.found.choice

    @property
    def state(self) -> State:
        """The position in which there was a better turn."""
        return games[self.position["game"]].load(self.position)

    def actions(self, which: str) -> Actions:
        """Return the turn that was `played`, or the `better` one."""
        return read_actions(self.state, getattr(self.choice, which))

    def puzzle(self) -> Puzzle:
        """Return the moment as a puzzle whose goal is the better turn; InvalidPosition."""
        return Puzzle(
            id=f"{_ID_PREFIX}{self.id}",  # no puzzle of a file has such an id
            game=self.position["game"],
            seats=len(self.names),
            position=self.position,
            seat=self.choice.seat,
            goal=Goal(BETTER),
            tree=(RightTurn(self.choice.better),),
            size=0,
            difficulty=0,
            motif=MOTIF,
        )


def is_own(puzzle_id: str) -> bool:
    """Return True if an id belongs to a moment of a person's game."""
    return puzzle_id.startswith(_ID_PREFIX)


async def store_moments(
    context: Context, person: int, game: str, turns: Sequence[Turn], found: Sequence[OwnMoment], names: Sequence[str]
) -> list[StoredMoment]:
    """Store the moments of a person in a game, one at least, and return all stored ones of that game."""
    rows: list[tuple[int, Json]] = []
    for at, each in enumerate(found):
        state, _ = position_of_choice(turns, each.choice)
        mistake = OwnMistake(0, game, tuple(names), state.to_json(), each, at, len(found))
        rows.append((each.choice.turn, asdict(mistake)))
    await context.store.own_moments.add(person, game, turns[0].before.game.key, rows, context.clock())
    return await context.store.own_moments.list_in_game(person, game)


async def refute_turn(context: Context, mistake: OwnMistake, turn: TurnTexts, person: int) -> Refutation | None:
    """Return why a turn other than the better one is wrong, by proof or by a search; None if it is as good."""
    choice = mistake.choice
    if turn == choice.played:
        return Refutation("own.wrong.played")
    value = await _expected_result(context, mistake, turn, person)
    if value is not None and value >= choice.before - _TOLERANCE:
        return None
    if value is None or choice.proven:
        return Refutation("own.wrong.less")
    return Refutation("own.wrong.expected", {"value": percent(value), "best": percent(choice.before)})


async def record_review(context: Context, mistake: OwnMistake, mark: PuzzleMark | None) -> None:
    """Store the result of a repetition and when the next is due; do nothing if it was not due yet."""
    now, stored = context.clock(), await context.store.own_moments.get(mistake.id)
    if stored is None or stored.due_at > now:
        return
    card, due_at = schedule_review(stored.id, stored.card, mark, now)
    await context.store.own_moments.record_review(stored.id, stored.reviews, card, due_at, solved=mark is not None)


def schedule_review(moment_id: int, card: Json, mark: PuzzleMark | None, now: datetime) -> tuple[Json, datetime]:
    """Return the state of the schedule after a repetition, and when the next is due."""
    before = fsrs.Card.from_dict(card) if card else fsrs.Card(card_id=moment_id, due=now)  # type: ignore[arg-type]
    after, _ = _SCHEDULER.review_card(before, _RATINGS[mark], now)
    return dict(after.to_dict()), after.due


def percent(value: float) -> int:
    """Return a value as whole percent."""
    return round(100 * value)


async def _expected_result(context: Context, mistake: OwnMistake, turn: TurnTexts, person: int) -> float | None:
    """Return the player's expected value after a turn: proven if possible, otherwise by a search."""
    seat, after = mistake.choice.seat, state_after(mistake.state, turn)
    exact = await asyncio.to_thread(proving.value_of, after, seat, Budget(proving.MAX_POSITIONS))
    if exact is not None:
        return exact
    try:
        expected = await context.advice.worth(after, seat, whose=person)
    except ThinkingFailed:
        expected = None
    # If there is no expected value, use the value of the first action from the search of the choice.
    return expected if expected is not None else mistake.found.values.get(turn[0])


def back_button(speaker: Speaker, game: str, *, primary: bool) -> Button:
    """Return the button that leads back to the end of the game and its analysis."""
    return make_button(speaker, "button.own.game", "analysed", game, style="primary" if primary else "plain")


def nothing_found_card(speaker: Speaker, key: str, game: str, good: GoodTurn | None) -> Card:
    """Return the card for a game without moments, with a good turn of the person, if there is one."""
    voice, best = speaker.of(key), speaker.say("own.none.even")
    if good is not None:
        turn = turn_number(voice, games[key], good.turn)
        best = voice.say("own.none.good", turn=turn, move=line_words(voice, good.played))
    words = join([voice.say("own.none", game=voice.game_name(), code=game), best])
    return Card(words, rows=((back_button(speaker, game, primary=True),),))


def profile_words(speaker: Speaker, counts: MomentCounts) -> Text:
    """Return the line below the person's profile; empty without moments."""
    if not counts.total:
        return ()
    return speaker.say("profile.own", n=counts.total, solved=counts.solved, due=counts.due)
