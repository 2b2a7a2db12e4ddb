"""The rule that forbids an action, with its numbers (docs/rules/uomo-nero.md).

Every code stands for one rule; its words are in the catalogues under `refusal.<code>`.
"""

# Not compiled: searches do not come here.

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from engine.core import CHANCE, PASS, Action, IllegalAction, shorten_value
from engine.games.uomo_nero.board import (
    ABOVE,
    BELOW,
    CAPTURE,
    COLOURS,
    DISTANCE,
    FIELD,
    FINISH,
    FINISH_OF,
    LAND,
    MAX_STEPS,
    MOVE,
    NAMES,
    NUMBER,
    PASSES,
    PASSING,
    PICK,
    PICKS,
    PLACE,
    ROLL,
    SPEND,
    SPRINT,
    START,
    START_CELLS,
    STAY,
    STAYS,
    Meaning,
    Throw,
    capture_action,
    fewest_more,
    find_targets,
    land_action,
    list_names,
    move_action,
    parse_action,
    shortest_walk,
    shortest_way,
    spend_action,
    sprint_action,
)
from engine.games.uomo_nero.match import ATTACK, MAN, MAN_START, OVER, PHASES, PICKING
from engine.positions import ending_fields

if TYPE_CHECKING:
    from engine.games.uomo_nero.rules import UomoNeroState

_DOUBLE_SIX: Final = (6, 6)


def refusal(state: UomoNeroState, action: Action) -> IllegalAction:
    """Return the error for an action that is not legal in the state."""
    if action.verb == "drop":
        return IllegalAction("no-such-seat", seat=shorten_value(action.value))
    means = parse_action(action)
    if means is None:
        return IllegalAction("unknown-action", text=shorten_value(action.text))
    if means.kind == ROLL:
        return IllegalAction("no-such-roll" if state.to_move == CHANCE else "no-roll-due")
    if state.to_move == CHANCE:
        return IllegalAction("dice-first")
    if state.phase == MAN_START:
        if means.kind in (PLACE, LAND):
            return IllegalAction("start-on-finish-line", cell=NAMES[means.target])
        return IllegalAction("man-places-first")
    if state.phase == PICKING:
        return _picking(state, means)
    if means.kind == PICK:
        return IllegalAction("colours-are-picked")
    if means.kind == PASSING:
        return IllegalAction("can-move")
    return _attack(state, means) if state.phase == ATTACK else _man(state, means)


def _picking(state: UomoNeroState, means: Meaning) -> IllegalAction:
    if means.kind != PICK:
        return IllegalAction("pick-first")
    free = [colour for colour, owner in zip(COLOURS, state.match.owners, strict=True) if owner < 0]
    return IllegalAction("colour-taken", colour=COLOURS[means.place], free=free)


def _attack(state: UomoNeroState, means: Meaning) -> IllegalAction:
    if means.kind in (PLACE, LAND):
        own = state.own(state.mover) >> means.target & 1
        return IllegalAction("name-landing" if own else "name-attacker", cell=NAMES[means.target])
    if means.kind == CAPTURE:
        return IllegalAction("attackers-capture-nobody", cell=NAMES[means.target])
    if means.kind == STAY:
        return IllegalAction("stay-needs-amount", dice=list(state.dice))
    throw = state.throw
    if means.kind == SPEND:
        return _amount(throw, means.amount) or _spend(throw, means.amount)
    found = _refuse_moved_attacker(state, throw, means.source) or _piece(state, means.source)
    if found is None and means.kind == SPRINT:
        found = _sprint(state, throw, means)
    return (
        found
        or _target(state, means)
        or _amount(throw, means.amount)
        or _mover(throw, means)
        or _distance(means)
        or _walk(throw, means)
        or IllegalAction("other-die-lost", amount=means.amount, die=throw.sum - means.amount)
    )


def _refuse_moved_attacker(state: UomoNeroState, throw: Throw, source: int) -> IllegalAction | None:
    """Return the error if the attacker that left the empty cell has used the first die."""
    bit, mover = 1 << source, throw.mover
    if not mover or throw.occupied & bit:
        return None
    home = next(cells for cells, pieces in zip(START_CELLS, state.pieces, strict=True) if pieces & mover)
    if (
        bit & (FINISH | START & ~home)
        or not find_targets(source, (throw.used,), throw.occupied ^ mover | bit)[0] & mover
    ):
        return None
    return IllegalAction("another-attacker", cell=list_names(mover)[0], die=throw.left)


def _piece(state: UomoNeroState, source: int) -> IllegalAction | None:
    """Return the error if the mover has no movable attacker on the cell."""
    bit = 1 << source
    if state.own(state.mover) & bit:
        return IllegalAction("has-arrived", cell=NAMES[source]) if bit & FINISH else None
    if source == state.man:
        return IllegalAction("is-the-man", cell=NAMES[source])
    code = "not-yours" if state.all_pieces & bit else "nobody-here"
    return IllegalAction(code, cell=NAMES[source])


def _sprint(state: UomoNeroState, throw: Throw, means: Meaning) -> IllegalAction:
    finish = FINISH_OF[means.source]
    if throw.used:
        return IllegalAction("die-used", used=throw.used, amount=throw.sum, left=throw.left)
    if throw.dice != _DOUBLE_SIX:
        return IllegalAction("sprint-needs-double-six", dice=list(throw.dice))
    if means.target != finish:
        return IllegalAction("sprint-own-column", cell=NAMES[means.source], finish=NAMES[finish])
    return _occupied(state, finish)


def _amount(throw: Throw, amount: int) -> IllegalAction | None:
    """Return the error if the dice do not give the amount."""
    if amount not in (*throw.dice, throw.sum):
        return IllegalAction("not-on-dice", amount=amount, dice=list(throw.dice), sum=throw.sum)
    if throw.used:
        if amount != throw.left:
            return IllegalAction("die-used", used=throw.used, amount=amount, left=throw.left)
    elif amount != throw.sum and not throw.can_split and throw.has_full_use():
        return IllegalAction("split-needs-two", amount=amount, sum=throw.sum)
    return None


def _spend(throw: Throw, amount: int) -> IllegalAction:
    if amount & 1:
        return IllegalAction("stay-needs-even", amount=amount)
    if throw.has_full_use():
        return IllegalAction("other-die-lost", amount=amount, die=throw.sum - amount)
    must_pass = throw.options().listed() == (PASS,)
    return IllegalAction("must-pass" if must_pass else "one-die-moves", amount=amount)


def _mover(throw: Throw, means: Meaning) -> IllegalAction | None:
    if throw.used and throw.mover >> means.source & 1:
        return IllegalAction("another-attacker", cell=NAMES[means.source], die=throw.left)
    return None


def _target(state: UomoNeroState, means: Meaning) -> IllegalAction | None:
    """Return the error if the move cannot end on its cell, whatever the dice."""
    source, target = means.source, means.target
    if source == target:
        return IllegalAction("ends-where-it-started", cell=NAMES[source])
    if 1 << target & START:
        return IllegalAction("never-back-to-start", cell=NAMES[target])
    return _found_on(state, target)


def _distance(means: Meaning) -> IllegalAction | None:
    """Return the error if the amount does not lead to the cell, whatever the way."""
    target, amount = means.target, means.amount
    distance = DISTANCE[means.source][target]
    if distance > amount:
        return IllegalAction("too-far", cell=NAMES[target], distance=distance, amount=amount)
    if (amount - distance) & 1:
        return IllegalAction("wrong-parity", cell=NAMES[target], distance=distance, amount=amount)
    return None


def _found_on(state: UomoNeroState, cell: int) -> IllegalAction | None:
    return _occupied(state, cell) if (state.all_pieces | 1 << state.man) >> cell & 1 else None


def _occupied(state: UomoNeroState, cell: int) -> IllegalAction:
    return IllegalAction("man-stands-there" if cell == state.man else "occupied", cell=NAMES[cell])


def _walk(throw: Throw, means: Meaning) -> IllegalAction | None:
    """Return the error if no walk leads to the cell in exactly this number of steps."""
    source, target, amount = means.source, means.target, means.amount
    blocked = throw.occupied ^ 1 << source
    if 1 << source & START and blocked >> ABOVE[source] & 1:
        return IllegalAction("way-out-blocked", cell=NAMES[source], front=NAMES[ABOVE[source]])
    if 1 << target & FINISH and blocked >> BELOW[target] & 1:
        return IllegalAction("finish-blocked", cell=NAMES[target], front=NAMES[BELOW[target]])
    steps = shortest_walk(source, target, throw.occupied)
    if steps is None:
        return IllegalAction("walled-off", cell=NAMES[target])
    if steps > amount:
        return IllegalAction("detour-too-long", cell=NAMES[target], steps=steps, amount=amount)
    if find_targets(source, (amount,), throw.occupied)[0] >> target & 1:
        return None
    return IllegalAction("no-room-to-turn", cell=NAMES[target], steps=steps, amount=amount)


def _man(state: UomoNeroState, means: Meaning) -> IllegalAction:
    amount = sum(state.dice)
    if means.kind in (MOVE, SPRINT):
        return IllegalAction("only-the-man-moves")
    if means.kind == SPEND:
        return IllegalAction("man-stays-by-the-sum", sum=amount)
    numbers: dict[str, Any] = {"amount": amount}
    if means.kind == STAY:
        if amount & 1:
            return IllegalAction("stay-needs-even", **numbers)
        return IllegalAction("captured-so-land", captured=list_names(state.captured))
    if means.kind == CAPTURE:
        return _capture(state, means.target, amount)
    return _landing(state, means.target, amount)


def _capture(state: UomoNeroState, cell: int, amount: int) -> IllegalAction:
    bit, name = 1 << cell, NAMES[cell]
    if state.captured & bit:
        return IllegalAction("named-already", cell=name)
    if not state.all_pieces & bit:
        return IllegalAction("nobody-to-capture", cell=name)
    if not bit & FIELD:
        return IllegalAction("safe-on-line", cell=name)
    distance = DISTANCE[state.man][cell]
    if distance > amount:
        return IllegalAction("too-far", cell=name, distance=distance, amount=amount)
    steps = shortest_way(state.man, state.captured | bit)
    return IllegalAction("not-all-together", cell=name, captured=list_names(state.captured), steps=steps, amount=amount)


def _landing(state: UomoNeroState, cell: int, amount: int) -> IllegalAction:
    bit, name = 1 << cell, NAMES[cell]
    if not bit & FIELD:
        return IllegalAction("man-stays-in-field", cell=name)
    if state.all_pieces & bit:
        return IllegalAction("capture-first", cell=name)
    distance = DISTANCE[state.man][cell]
    if distance > amount:
        return IllegalAction("too-far", cell=name, distance=distance, amount=amount)
    if (amount - distance) & 1:
        return IllegalAction("wrong-parity", cell=name, distance=distance, amount=amount)
    steps = shortest_way(state.man, state.captured, cell)
    if steps > amount:
        return IllegalAction(
            "too-far-with-captures", cell=name, captured=list_names(state.captured), steps=steps, amount=amount
        )
    more = fewest_more(state.man, state.all_pieces, state.captured, cell, amount)
    return IllegalAction("captures-more", cell=name, more=list_names(more), amount=amount)


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


def to_json(state: UomoNeroState) -> dict[str, Any]:
    """Return the position as the rules write it; under `extra` the turn, the rounds played and the rolls so far."""
    match = state.match
    over = state.phase == OVER
    return {
        "game": state.game.key,
        "options": {},
        "seats": state.seats,
        "to_move": None if over else state.mover,
        "phase": PHASES[state.phase],
        "round": match.round,
        "order": list(match.order),
        "man_seat": match.man_seat if match.round else None,
        "man": NAMES[state.man] if state.man >= 0 else None,
        "attackers": _attackers(state),
        "colours": {COLOURS[colour]: owner for colour, owner in enumerate(match.owners) if owner >= 0},
        "dice": list(state.dice) if state.dice[0] else None,
        "used": _used(state),
        "captured": list_names(state.captured) if state.phase == MAN else [],
        "man_turns": state.man_turns,
        "attack_scores": list(match.attack_scores),
        "man_scores": list(match.man_scores),
        **ending_fields(
            state,
            rolled=int(match.rolled),
            rounds=[round_.to_json() for round_ in match.rounds],
            rollers=list(match.rollers),
            sums=list(match.sums),
        ),
    }


def _attackers(state: UomoNeroState) -> list[dict[str, Any]]:
    colour_at = {name: colour for colour, cells in enumerate(state.pieces) for name in list_names(cells)}
    return [
        {"seat": state.match.owners[colour_at[name]], "colour": COLOURS[colour_at[name]], "cell": name}
        for name in list_names(state.all_pieces)
    ]


def _used(state: UomoNeroState) -> dict[str, Any] | None:
    if not state.used:
        return None
    return {"die": state.used, "attacker": NAMES[state.used_by.bit_length() - 1] if state.used_by else None}
