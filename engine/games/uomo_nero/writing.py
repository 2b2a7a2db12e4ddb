"""Texts of an action, and the actions that a typed text may mean."""

# Not compiled: searches do not come here.

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from engine.core import Action
from engine.games.uomo_nero.actions import (
    CAPTURE,
    LAND,
    MAX_STEPS,
    MOVE,
    PASSES,
    PICK,
    PICKS,
    SPEND,
    SPRINT,
    STAY,
    STAYS,
    capture_action,
    land_action,
    move_action,
    parse_action,
    spend_action,
    sprint_action,
)
from engine.games.uomo_nero.board import COLOURS, DISTANCE, FINISH_OF, NAMES, NUMBER
from engine.games.uomo_nero.match import ATTACK, MAN

if TYPE_CHECKING:
    from engine.games.uomo_nero.state import UomoNeroState

_GAP: Final = r"[\s,;:\-]*"
_CELL: Final = r"([a-h]\d{1,2})(?!\d)"
_SUFFIX: Final = r"\s*(?:/\s*([1-9]\d?)(?!\d)|(!))?"
_PAIR: Final = re.compile(rf"{_CELL}{_GAP}(x?){_GAP}{_CELL}{_SUFFIX}")
_SINGLE: Final = re.compile(rf"(x?){_GAP}{_CELL}{_SUFFIX}")
_SPEND: Final = re.compile(r"stay(?:\s*/?\s*([1-9]\d?)(?!\d))?(?![a-z])")
_SPRINT: Final = re.compile(rf"sprint{_GAP}{_CELL}(?:{_GAP}{_CELL})?")
_WORD: Final = re.compile(r"[a-z]+")
_ITALIAN: Final = {"red": "rosso", "yellow": "giallo", "green": "verde", "blue": "blu"}
"""Other names of colours that may be typed; the English name is always written."""
_PICKED: Final = {name: index for index, colour in enumerate(COLOURS) for name in (colour, _ITALIAN[colour])}


def readings(state: UomoNeroState, action: Action) -> Iterator[str]:
    """Yield the texts of a legal action, its own first."""
    yield action.text
    means = parse_action(action)
    if means is None:
        return
    if means.kind == MOVE:
        yield f"{action.source}-{action.target}"
    elif means.kind == SPRINT:
        # Where the column is free a walk of 12 does the same, and the two cells are taken for that.
        if not state.is_legal(move_action(means.source, means.target, MAX_STEPS)):
            yield f"{action.source}-{action.target}"
        yield from (f"sprint {action.source}-{action.target}", f"sprint {action.source}")
        yield f"{action.source}-{action.target} sprint"
    elif means.kind == SPEND:
        yield from ("stay", f"stay {action.amount}")
    elif means.kind == STAY:
        yield from (f"stay/{sum(state.dice)}", f"stay {sum(state.dice)}")
    elif means.kind == CAPTURE:
        yield NAMES[means.target]
    elif means.kind == PICK:
        yield _ITALIAN[action.text]
    if means.kind in (CAPTURE, LAND) and not state.captured:
        yield f"{NAMES[state.man]}{'x' if means.kind == CAPTURE else '-'}{NAMES[means.target]}"


def well_formed(state: UomoNeroState, text: str) -> Iterable[Action]:
    """Yield the actions that the beginning of the text may be meant as, likeliest first."""
    pair = _PAIR.match(text)
    if pair and pair[1] in NUMBER and pair[3] in NUMBER:
        dashed = "-" in pair[0]
        yield from _actions_of_pair(
            state, NUMBER[pair[1]], NUMBER[pair[3]], pair[4], bool(pair[5]), bool(pair[2]), dashed
        )
        return
    single = _SINGLE.match(text)
    if single and single[2] in NUMBER:
        cell = NUMBER[single[2]]
        if state.phase == MAN and single[3]:
            yield move_action(state.man, cell, int(single[3]))
        elif state.phase == MAN and single[4]:
            yield sprint_action(state.man, cell)
        yield from _actions_to_cell(state, cell, bool(single[1]))
        return
    if (run := _SPRINT.match(text)) and run[1] in NUMBER and (run[2] or run[1]) in NUMBER:
        source = NUMBER[run[1]]
        yield sprint_action(source, NUMBER[run[2]] if run[2] else FINISH_OF[source])
        return
    if spend := _SPEND.match(text):
        yield from _staying_actions(state, spend[1])
        return
    word = _WORD.match(text)
    if word and word[0] in _PICKED:
        yield PICKS[_PICKED[word[0]]]
    elif word and word[0] == "pass":
        yield PASSES[0]


def _actions_of_pair(
    state: UomoNeroState, source: int, target: int, amount: str | None, sprint: bool, crossed: bool, dashed: bool
) -> Iterator[Action]:
    if sprint:
        yield sprint_action(source, target)
        return
    if amount is not None:
        yield move_action(source, target, int(amount))
        return
    if state.phase == MAN:
        if source == state.man and not state.captured:
            yield from _actions_to_cell(state, target, crossed)
        elif dashed:
            yield move_action(source, target, max(1, DISTANCE[source][target]))
        else:
            yield from _actions_to_cell(state, source, False)
        return
    if crossed:
        yield capture_action(target)
        return
    distance = DISTANCE[source][target]

    def unlikely(steps: int) -> tuple[int, int]:
        return (2, -steps) if steps < distance else ((steps - distance) & 1, steps)

    yield from (move_action(source, target, steps) for steps in sorted(_amounts(state), key=unlikely))


def _actions_to_cell(state: UomoNeroState, cell: int, crossed: bool) -> Iterator[Action]:
    attacked = state.phase == MAN and state.all_pieces >> cell & 1
    if crossed or attacked:
        yield capture_action(cell)
    if not crossed:
        yield land_action(cell)


def _staying_actions(state: UomoNeroState, amount: str | None) -> Iterator[Action]:
    if state.phase == MAN and amount in (None, str(sum(state.dice))):
        yield STAYS[0]
    if amount is not None:
        yield spend_action(int(amount))
    elif state.phase != MAN:
        dice = state.dice
        whole = (sum(dice),) if state.phase == ATTACK and not state.used and not state.throw.can_split else ()
        amounts = whole or sorted(_amounts(state), key=lambda steps: (steps & 1, -steps))
        yield from (spend_action(steps) for steps in amounts)
        yield STAYS[0]  # so that a record with it gets a specific error


def _amounts(state: UomoNeroState) -> tuple[int, ...]:
    """Return the amounts of the dice now; any amount where none are to be used."""
    if state.phase != ATTACK:
        return (1,)
    if state.used:
        return (state.throw.left,)
    low, high = state.dice
    return tuple(sorted({low, high, low + high}))
