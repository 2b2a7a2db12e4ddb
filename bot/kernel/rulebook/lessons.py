"""Coached first games as data: the steps of each game's lesson, their tasks, and the actions that fulfil them.

`<game>.json` is a list of steps. A step has a `name`, a `position` (by default the end of the step before), `asks`, and
perhaps a `reply`: the computer's answer, in canonical texts. An ask says which actions are `wanted` (a pattern, or a
list of them), what to `suggest` (a text, or several of which the first playable one counts), how many `times` it is
asked, and `others`: patterns of legal actions with a special answer, by the answer's name. A step that is `free` is
played out against the computer, for at most that many turns of the learner.

A pattern names what an action must be (`verb`, `source`, `target`, `text`, `amount`, each a value or a list of them)
and cause (`captures`: how many pieces of others leave, `loses`: how many own ones, `ends`: the reason of the outcome).

The words are in the catalogue `lesson-<game>`, by the name of the step: `<step>.teach`, `.done`, and for the n-th ask
`.task.<n>`, `.hint.<n>`, `.other.<n>` (all legal actions without a special answer), `.other.<n>.<name>`, and perhaps
`.well.<n>`, shown if another ask follows. A game in a separate package has its lesson there, as `lesson.json`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from bot.kernel.line import Line
from bot.kernel.words.describe import find_captured
from engine import Action, State, games
from engine.core import Position
from engine.discovery import file_of


@dataclass(frozen=True, slots=True)
class ActionPattern:
    """A pattern for actions that have one of the values for each name, and the given effects."""

    values: Mapping[str, tuple[str, ...]]
    captures: int | None = None
    loses: int | None = None
    ends: str | None = None

    def fits(self, state: State, action: Action) -> bool:
        """Return True if a legal action matches."""
        for name, values in self.values.items():
            if str(getattr(action, name)) not in values:
                return False
        if self.captures is None and self.loses is None and self.ends is None:
            return True
        after = state.play(action)
        reason = after.outcome.reason if after.outcome is not None else ""
        if self.ends is not None and reason != self.ends:
            return False
        seat = state.to_move if state.to_move is not None else -1
        taken = {who: len(cells) for who, cells in find_captured(state, (action,)).items()}
        own = taken.pop(seat, 0)
        return self.loses in (None, own) and self.captures in (None, sum(taken.values()))


@dataclass(frozen=True, slots=True)
class LessonTask:
    """One action that a step asks for; `number` is the index of its words within the step."""

    number: int
    wanted: tuple[ActionPattern, ...]
    suggest: tuple[str, ...]
    others: Mapping[str, tuple[ActionPattern, ...]]

    def is_met(self, state: State, action: Action) -> bool:
        """Return True if a legal action fulfils the task."""
        return any(pattern.fits(state, action) for pattern in self.wanted)

    def suggested(self, state: State) -> Action:
        """Return the first playable suggestion, or another wanted action."""
        wanted = {action.text: action for action in state.legal_actions() if self.is_met(state, action)}
        return next((wanted[text] for text in self.suggest if text in wanted), next(iter(wanted.values())))

    def answer(self, state: State, action: Action) -> str:
        """Return the name of the answer to another legal action, empty for the default one."""
        found = (name for name, patterns in self.others.items() if any(each.fits(state, action) for each in patterns))
        return next(found, "")


@dataclass(frozen=True, slots=True)
class LessonStep:
    """One step of a lesson; `turns` is the maximum number of the learner's turns in a free step."""

    name: str
    position: Position | None
    asks: tuple[LessonTask, ...]
    reply: tuple[str, ...] = ()
    turns: int = 0

    @property
    def free(self) -> bool:
        """True if the step is played out against the computer."""
        return self.turns > 0


@dataclass(frozen=True, slots=True)
class LessonPlan:
    """The lesson of one game."""

    game: str
    steps: tuple[LessonStep, ...]

    def number(self, name: str) -> int:
        """Return the index of a step, from 0; 0 for a name that does not exist any more."""
        return next((number for number, step in enumerate(self.steps) if step.name == name), 0)

    def first_line(self, number: int, before: Line | None = None) -> Line:
        """Return the line at the start of a step; `before` is the line at the end of the step before."""
        position = self.steps[number].position
        if position is not None:
            return Line(games[self.game].load(position))
        if before is None:
            raise ValueError(self.steps[number].name)
        return before


@cache
def lesson_of(game: str) -> LessonPlan | None:
    """Return the lesson of a game, None if it has none."""
    file = (
        file_of(games.source(game), "bot", f"kernel/rulebook/lessons/{game}.json", "lesson.json")
        if game in games
        else None
    )
    if file is None:
        return None
    return LessonPlan(game, tuple(_read_step(data) for data in json.loads(file.read_text(encoding="utf-8"))))


def _read_step(data: Mapping[str, Any]) -> LessonStep:
    asks = []
    for number, ask in enumerate(data.get("asks", ()), start=1):
        others = {name: _read_patterns(each) for name, each in ask.get("others", {}).items()}
        suggest = ask["suggest"]
        suggested = (suggest,) if isinstance(suggest, str) else tuple(suggest)
        made = LessonTask(number, _read_patterns(ask["wanted"]), suggested, others)
        asks += [made] * ask.get("times", 1)
    turns = data.get("free", 0)
    return LessonStep(data["name"], data.get("position"), tuple(asks), tuple(data.get("reply", ())), turns)


def _read_patterns(data: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> tuple[ActionPattern, ...]:
    return tuple(map(_read_pattern, [data] if isinstance(data, Mapping) else data))


def _read_pattern(data: Mapping[str, Any]) -> ActionPattern:
    named = {name: data[name] for name in ("verb", "source", "target", "text", "amount") if name in data}
    values = {name: (value,) if isinstance(value, str) else tuple(value) for name, value in named.items()}
    return ActionPattern(values, data.get("captures"), data.get("loses"), data.get("ends"))
