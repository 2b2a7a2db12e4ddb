"""Telling moments of each game: what the documentation and the golden pictures show."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from engine import CHANCE, Game, State, Turn
from render.scene import Choices
from tests.support.samples import NAMES, Sample, bare, choices_of, in_order, list_variants, random_playout


def list_showcase(game: Game) -> list[Sample]:
    """Return telling moments of a game in all its variants: the start, a rich turn, a rich choice, the end."""
    found = []
    for number, (seats, options) in enumerate(list_variants(game)):
        line = [each for seed in range(6) for each in random_playout(game, 50 + seed, seats, options)]
        name = "-".join([game.key, *([str(seats)] if len(game.seats) > 1 else []), *map(str, options.values())])
        names = NAMES[:seats]
        viewer = number % seats
        finished = [(s, t) for s, t in line if t and s.outcome is None and s.turn != t.before.turn and t.number < 80]
        rich, turn = max(finished, key=lambda each: (_richness(each[1]), each[1].number))
        if number == 0:
            found.append(Sample(f"{name}-start", line[0][0], None, 0, None, names))
        found.append(Sample(f"{name}-turn", rich, turn, viewer, None, names))
        open_to = [(s, t, c) for s, t in line[::3] for c in (choices_of(s, number), choices_of(s, number + 1)) if c]
        state, turn_before, choices = max(open_to, key=lambda each: _variety(each[2]))
        found.append(Sample(f"{name}-choice", state, turn_before, state.to_move or 0, choices, names))
        end, last = next(((s, t) for s, t in line if s.outcome), line[-1])
        if end.outcome is None:
            end, last = list(random_playout(game, 50, seats, options, 5000))[-1]
        found.append(Sample(f"{name}-end", end, last, viewer, None, names))
    asked = [(each, marks) for each in found if (marks := pieces_of(each.state))]
    if asked:
        one, marks = max(asked, key=lambda each: len(each[1].numbers))
        found.append(Sample(f"{game.key}-pieces", one.state, one.turn, one.state.to_move or 0, marks, one.names))
    return found


def pieces_of(state: State) -> Choices | None:
    """Return what a player is shown who has to say first which piece is to act, numbered; None without a choice."""
    sources: dict[str, set[str]] = {}
    for action in state.legal_actions() if state.to_move not in (None, CHANCE) else ():
        if action.source:
            sources.setdefault(state.game.facts.kind_of(action), set()).add(action.source)
    if not sources:
        return None
    kind = max(sorted(sources), key=lambda each: len(sources[each]))
    cells = in_order(state, sources[kind])
    numbers = tuple((cell, str(number)) for number, cell in enumerate(cells, 1))
    return Choices(movable=tuple(cells), kind=kind, numbers=numbers) if len(cells) > 1 else None


def _richness(turn: Turn) -> int:
    """Return how much a turn changes: cells that vanish from the position and appear in it, and its actions."""
    if not any(action.target for action in turn.actions):
        return 0
    before, after = (Counter(_words(bare(state.to_json()))) for state in (turn.before, turn.after))
    return (before - after).total() + (after - before).total() + len(turn.actions)


def _words(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        for value in data.values():
            yield from _words(value)
    elif isinstance(data, list):
        for value in data:
            yield from _words(value)


def _variety(choices: Choices) -> int:
    captures = sum(target.capture for target in choices.targets)
    return min(captures, 3) * 4 + min(len(choices.targets) - captures, 8) + min(len(choices.movable), 4)
