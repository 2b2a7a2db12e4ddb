"""A lesson in progress: judging what the learner plays, the computer's moves, and storing it."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import structlog

from bot.core.context import Context
from bot.core.request_context import RequestContext
from bot.interface.refusals import Refused
from bot.interface.requests import Reply
from bot.lessons import LessonPlan, LessonStep, lesson_of
from bot.play.game_lookup import is_any_newer
from bot.tables.line import Draws, Line, play_line, read_line
from bot.thinking.thinkers import TURN_SECONDS, ThinkingFailed
from engine import Action, Turn, fair, games
from engine.core import EngineError
from engine.search import players
from storage import Conflict, GameBrief, Lesson, WaitingGame

OPPONENT_LEVEL: Final = 1
"""Level of the computer against which a learner plays out a game."""
HINT_LEVEL: Final = 3
"""Level of the computer that makes suggestions."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Feedback:
    """One thing to say: the key of words of the lesson, or a turn that was played."""

    key: str = ""
    turn: Turn | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """A person's progress in a lesson: the step, how many of its tasks are done, whether all are, and the board.

    `tries` counts how often a game was played out, `turns` the learner's turns in it.
    """

    lesson: Lesson
    plan: LessonPlan
    number: int
    line: Line
    at: int = 0
    done: bool = False
    tries: int = 0
    turns: int = 0

    @property
    def step(self) -> LessonStep:
        """The current step."""
        return self.plan.steps[self.number]

    @property
    def seat(self) -> int:
        """The learner's seat: the one to move where the step begins."""
        first = self.plan.steps[self.number]
        at = self.number
        while first.position is None:
            at -= 1
            first = self.plan.steps[at]
        return int(first.position["to_move"])

    @property
    def asks(self) -> bool:
        """True if the learner is to do something on the board."""
        return not self.done and self.line.state.to_move == self.seat

    @property
    def is_over(self) -> bool:
        """True once the last step is done."""
        return self.done and self.step.free

    @property
    def won(self) -> bool:
        """True if the learner has won the game that was played out."""
        outcome = self.line.state.outcome
        return outcome is not None and outcome.winner == self.seat

    def stored(self, place: int) -> Lesson:
        """Return the lesson as it is stored."""
        state = {
            "position": self.line.state.to_json(),
            "last_turn": self.line.to_json(),
            "at": self.at,
            "done": self.done,
            "tries": self.tries,
            "turns": self.turns,
        }
        return replace(self.lesson, step=self.step.name, state=state, place=place)


def load_lesson(lesson: Lesson) -> Progress:
    """Return a lesson's progress; its start if there is none, or the lesson has changed. Refused without a plan."""
    plan = lesson_of(lesson.game_key)
    if lesson.game_key not in games:
        raise Refused("refusal.lesson-not-installed", name=lesson.game_key)
    if plan is None:
        raise Refused("refusal.no-lesson", game=lesson.game_key)
    number, state = plan.number(lesson.step), lesson.state
    if lesson.step != plan.steps[number].name:
        return Progress(lesson, plan, 0, plan.first_line(0))
    try:
        line = read_line(games[lesson.game_key], state["position"], state["last_turn"])
    except (EngineError, KeyError):
        return Progress(lesson, plan, 0, plan.first_line(0))
    return Progress(lesson, plan, number, line, state["at"], state["done"], state["tries"], state["turns"])


async def store_lesson(
    context: Context,
    asker: RequestContext,
    progress: Progress,
    answer: Callable[[Progress], Reply],
    *,
    finished: bool = False,
) -> tuple[Progress, Reply]:
    """Store a lesson's progress and return it with the reply made from it; Refused if it has changed meanwhile.

    `finished`: True if the whole lesson is done.
    """
    now = context.clock()
    lesson = progress.stored(asker.place.id)
    lesson = replace(lesson, finished_at=now if finished else lesson.finished_at)
    reply = answer(replace(progress, lesson=replace(lesson, revision=lesson.revision + 1)))
    try:
        stored = await context.store.lessons.update(lesson, now, asker.receipt(reply))
    except Conflict as error:
        raise Refused("refusal.moved-on") from error
    return replace(progress, lesson=stored), reply


def next_step(progress: Progress) -> Progress:
    """Return the start of the next step; of the last step, its end."""
    if progress.number + 1 == len(progress.plan.steps):
        return replace(progress, done=True)
    number = progress.number + 1
    return replace(progress, number=number, line=progress.plan.first_line(number, progress.line), at=0, done=False)


def skip_step(progress: Progress) -> Progress:
    """Return the start of the next step that does not depend on this one."""
    later = next_step(progress)
    while later.step.position is None and not later.done:
        later = next_step(later)
    return later


def restart(progress: Progress, number: int = 0) -> Progress:
    """Return the start of a step of the lesson, with other dice."""
    line = progress.plan.first_line(number)
    return Progress(progress.lesson, progress.plan, number, line, tries=progress.tries + 1)


async def play(context: Context, progress: Progress, actions: Sequence[Action]) -> tuple[Progress, list[Feedback]]:
    """Play legal actions of the learner, as far as the step asks for them, and what follows.

    If one of them is not asked for, nothing is played, and the comment on it is returned.
    """
    if progress.step.free:
        return await _play_until_learner(context, progress, actions)
    state, at, said = progress.line.state, progress.at, list[Feedback]()
    acted = progress.line.has_acted
    for action in actions:
        # In the middle of a turn, a single legal action is played automatically: the learner is not asked for it.
        if at < len(progress.step.asks) and not (acted and len(state.legal_actions()) == 1):
            ask = progress.step.asks[at]
            if not ask.is_met(state, action):
                name = ask.answer(state, action)
                key = f"{progress.step.name}.other.{ask.number}"
                return progress, [Feedback(f"{key}.{name}" if name else key)]
            at += 1
            said = [Feedback(f"{progress.step.name}.well.{ask.number}")]
        state, acted = state.play(action), True
    line = play_line(progress.line, actions, _chance_draws(progress))[0]
    if at < len(progress.step.asks):
        return replace(progress, line=line, at=at), said
    for text in progress.step.reply:
        line = play_line(line, [line.state.read(text)], _chance_draws(progress))[0]
    after = replace(progress, line=line, at=at, done=True)
    if progress.number + 1 < len(progress.plan.steps) and progress.plan.steps[progress.number + 1].position is None:
        return next_step(after), [Feedback(f"{progress.step.name}.done")]
    return after, []


async def suggest(context: Context, progress: Progress) -> Action:
    """Return a suggestion for the current position."""
    state = progress.line.state
    if not progress.step.free:
        return progress.step.asks[progress.at].suggested(state)
    try:
        iterations = players[state.game.key].level(HINT_LEVEL).iterations
        judged = await context.thinkers.analyse(
            state.to_json(), iterations, TURN_SECONDS, whose=progress.lesson.person, about=_draw_context(progress)
        )
        return judged[0].action
    except ThinkingFailed as error:
        log.warning("lesson-suggestion-failed", lesson=progress.lesson.id, code=error.code)
        return state.random_action(_chance_draws(progress)(progress.line.draws + 1))


async def find_current_lesson(
    context: Context, asker: RequestContext, waiting: Sequence[GameBrief | WaitingGame]
) -> Progress | None:
    """Return the lesson that typed text means here: the last one, unless a game has begun to wait since."""
    return find_lesson_among(await context.store.lessons.list_for_person(asker.person.id), asker, waiting)


def find_lesson_among(
    lessons: Sequence[Lesson], asker: RequestContext, waiting: Sequence[GameBrief | WaitingGame]
) -> Progress | None:
    """Return which of a person's lessons typed text means here; see `find_current_lesson`."""
    lesson = next((each for each in lessons if each.step and _is_shown_here(each, asker)), None)
    if lesson is None or lesson_of(lesson.game_key) is None:
        return None
    if is_any_newer(waiting, lesson.touched_at):
        return None
    progress = load_lesson(lesson)
    return progress if progress.asks else None


def find_resting_lesson(lessons: Sequence[Lesson], asker: RequestContext) -> Progress | None:
    """Return a person's last lesson here if one of its steps is done and the next one is not begun; None if not."""
    lesson = next((each for each in lessons if each.step and _is_shown_here(each, asker)), None)
    if lesson is None or lesson_of(lesson.game_key) is None:
        return None
    progress = load_lesson(lesson)
    return progress if progress.done and not progress.is_over else None


def _is_shown_here(lesson: Lesson, asker: RequestContext) -> bool:
    # In private, a person can also continue what they began in a group.
    return lesson.place == asker.place.id or asker.place.kind == "private"


async def _play_until_learner(
    context: Context, progress: Progress, actions: Sequence[Action]
) -> tuple[Progress, list[Feedback]]:
    """Play the learner's actions and then the computer's, until the learner is to move again or the game is over."""
    turns: list[Turn] = []

    def after(line: Line, actions: Sequence[Action]) -> Line:
        later = play_line(line, actions, _chance_draws(progress))[0]
        if later.finished is not None and later.finished is not line.finished:
            turns.append(later.finished)
        return later

    line = after(progress.line, actions)
    count = progress.turns + len(turns)
    while line.state.to_move not in (None, progress.seat):
        line = after(line, await _computer_turn(context, progress, line))
    over = line.state.to_move is None or count >= progress.step.turns
    said = [Feedback(turn=turn) for turn in turns if turn.own]
    return replace(progress, line=line, turns=count, done=over and not line.has_acted), said


async def _computer_turn(context: Context, progress: Progress, line: Line) -> list[Action]:
    """Return the computer's turn."""
    state, actions = line.state, list[Action]()
    try:
        texts = await context.thinkers.turn(
            state.to_json(),
            OPPONENT_LEVEL,
            progress.lesson.id * 1000 + progress.tries * 100 + progress.turns,
            whose=progress.lesson.person,
            about=_draw_context(progress),
        )
    except ThinkingFailed as error:
        # Any legal answer is better than none.
        log.warning("lesson-reply-failed", lesson=progress.lesson.id, code=error.code)
        return [state.random_action(_chance_draws(progress)(line.draws + 1))]
    for text in texts:
        actions.append(state.read(text))
        state = state.play(actions[-1])
    return actions


def _chance_draws(progress: Progress) -> Draws:
    seed = hashlib.sha256(f"lesson {progress.lesson.id} {progress.lesson.person}".encode()).hexdigest()
    return lambda number: fair.Draw(seed, f"{progress.number} {progress.tries}\n", number)


def _draw_context(progress: Progress) -> str:
    return f"lesson {progress.lesson.id}"
