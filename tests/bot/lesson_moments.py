"""The asks of a lesson one by one, as a learner meets them who follows every suggestion."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from bot.kernel.line import Line, play_line
from bot.kernel.rulebook.lessons import LessonPlan, LessonStep, LessonTask, lesson_of
from engine import Action, State, fair


def list_draws(number: int) -> fair.Draw:
    """Return what chance draws in every lesson."""
    return fair.Draw("ab" * 32, "test", number)


def load_lesson(key: str) -> LessonPlan:
    """Return the lesson of a game; AssertionError where it has none."""
    found = lesson_of(key)
    assert found is not None, f"{key} has no lesson: bot/kernel/rulebook/lessons/{key}.json"
    return found


@dataclass(frozen=True)
class LessonPosition:
    """One ask as a learner meets it."""

    key: str
    step: LessonStep
    ask: LessonTask
    line: Line

    def __str__(self) -> str:
        return f"{self.key}-{self.step.name}-{self.ask.number}"

    @property
    def state(self) -> State:
        return self.line.state

    @property
    def wanted(self) -> list[Action]:
        return [action for action in self.state.legal_actions() if self.ask.is_met(self.state, action)]

    @property
    def others(self) -> list[Action]:
        return [action for action in self.state.legal_actions() if not self.ask.is_met(self.state, action)]


@cache
def list_moments(key: str) -> tuple[LessonPosition, ...]:
    """Return every ask of a lesson, the suggestions followed."""
    return tuple(_moments(key))


def _moments(key: str) -> Iterator[LessonPosition]:
    line: Line | None = None
    for number, step in enumerate(load_lesson(key).steps):
        line = load_lesson(key).first_line(number, line)
        for ask in step.asks:
            yield LessonPosition(key, step, ask, line)
            line = play_line(line, [ask.suggested(line.state)], list_draws)[0]
        for text in step.reply:
            line = play_line(line, [line.state.read(text)], list_draws)[0]


def find_moment(key: str, step: str, number: int = 1) -> LessonPosition:
    return next(each for each in list_moments(key) if (each.step.name, each.ask.number) == (step, number))


def play_actions(state: State, *texts: str) -> State:
    """Return a position after some actions."""
    for text in texts:
        state = state.play(state.read(text))
    return state
