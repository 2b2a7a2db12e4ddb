"""Reading a position dictionary (docs/rules/uomo-nero.md, JSON)."""

# Not compiled: searches do not come here.

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from engine import positions
from engine.core import Game, InvalidPosition, Outcome
from engine.games.uomo_nero import checks
from engine.games.uomo_nero.board import BOARD, COLOURS, FROM_BOARD, NAMES
from engine.games.uomo_nero.match import (
    ATTACK,
    MAN,
    MAN_TURNS,
    NO_SEAT,
    OVER,
    PHASES,
    REASONS,
    ROLL_OFF,
    Match,
    Round,
    new_match,
)
from engine.games.uomo_nero.state import NO_CELL, NO_DICE, NO_PIECES, UomoNeroState

_FIELDS: Final = (
    "seats",
    "phase",
    "round",
    "order",
    "man_seat",
    "man",
    "attackers",
    "colours",
    "dice",
    "used",
    "captured",
    "man_turns",
    "attack_scores",
    "man_scores",
)
_MAX_POINTS: Final = 8


def load(game: Game, position: Mapping[str, Any]) -> UomoNeroState:
    """Return the state that the dictionary describes; InvalidPosition if play can never lead to it."""
    position = positions.check_fields(game, position, _FIELDS)
    seats = positions.check_integer(position["seats"], "seats", game.seats[0], game.seats[-1])
    positions.options_of(game, position, seats)
    dropped = positions.check_dropped(position, seats)
    phase = PHASES.index(positions.check_choice(position["phase"], "phase", PHASES))
    last = positions.last_seat(seats, dropped)
    if last is not None:
        phase = OVER
    extra = positions.Extra(position)
    match = _match(position, seats, dropped, extra)
    if phase == ROLL_OFF and match.round:
        raise InvalidPosition("round-order", round=match.round, phase=PHASES[phase])
    man = positions.cell_or_none(position["man"], "man", BOARD)
    rest = (
        phase,
        NO_SEAT if phase == OVER else _mover(position, match, phase),
        extra.integer("turn"),
        NO_CELL if man is None else FROM_BOARD[man],
        _pieces(position, match),
        positions.check_integer(position["man_turns"], "man_turns", 0, MAN_TURNS if phase == OVER else MAN_TURNS - 1),
        *_throw(position, phase),
        _captured(position, phase),
        _outcome(position, match, phase, last),
    )
    state = UomoNeroState(match, *rest)
    checks.check(state)
    return UomoNeroState(match.with_first_roll(), *rest) if checks.has_rolled(state) else state


def _match(position: Mapping[str, Any], seats: int, dropped: tuple[int, ...], extra: positions.Extra) -> Match:
    order = positions.check_integers(
        position["order"], "order", len(positions.check_items(position["order"], "order")), 0, seats - 1
    )
    scores = positions.check_items(position["man_scores"], "man_scores", seats)
    match = Match(
        seats,
        positions.check_integers(position["attack_scores"], "attack_scores", seats, 0, _MAX_POINTS * seats),
        tuple(
            None if score is None else positions.check_integer(score, f"man_scores[{seat}]", 0, _MAX_POINTS)
            for seat, score in enumerate(scores)
        ),
        order=order,
        round=positions.check_integer(position["round"], "round", 0, seats),
        dropped=dropped,
        owners=_owners(position, seats),
        rolled=bool(extra.integer("rolled", 0, 1)),
        rounds=_rounds(extra, seats),
    )
    checks.check_order(match, position["man_seat"])
    if match.round:
        return match
    rolls = new_match(seats)
    if extra.get("rollers") is not None:
        given = positions.check_items(extra.get("rollers"), "extra.rollers")
        rollers = positions.check_integers(given, "extra.rollers", len(given), 0, seats - 1)
        given = positions.check_items(extra.get("sums") or [], "extra.sums")
        sums = positions.check_integers(given, "extra.sums", len(given), 2, 12)
        if len(rollers) < 2 or list(rollers) != sorted(set(rollers)) or len(sums) >= len(rollers):
            raise InvalidPosition("extra-differs", field="extra.rollers")
        rolls = replace(rolls, rollers=rollers, sums=sums)
    return replace(match, rollers=rolls.rollers, sums=rolls.sums)


def _owners(position: Mapping[str, Any], seats: int) -> tuple[int, ...]:
    given = positions.mapping_of_names(position["colours"], "colours")
    for colour in given:
        positions.check_choice(colour, "colours", COLOURS)
    return tuple(
        positions.check_integer(given[colour], f"colours.{colour}", 0, seats - 1) if colour in given else NO_SEAT
        for colour in COLOURS
    )


def _rounds(extra: positions.Extra, seats: int) -> tuple[Round, ...]:
    rounds = []
    for number, item in enumerate(positions.check_items(extra.get("rounds") or [], "extra.rounds")):
        field = f"extra.rounds[{number}]"
        data = positions.mapping(item, field, ("man", "points", "reason"))
        rounds.append(
            Round(
                positions.check_integer(data["man"], f"{field}.man", 0, seats - 1),
                positions.check_integers(data["points"], f"{field}.points", seats, 0, _MAX_POINTS),
                positions.check_choice(data["reason"], f"{field}.reason", REASONS),
            )
        )
    return tuple(rounds)


def _mover(position: Mapping[str, Any], match: Match, phase: int) -> int:
    if phase == ROLL_OFF:
        # A seat that has left is still rolled for; without a history the roll-off starts again.
        mover = positions.check_integer(position["to_move"], "to_move", 0, match.seats - 1)
        started = bool(match.sums) or len(match.rollers) < match.seats
        expected = match.rollers[len(match.sums)]
        if started and mover != expected:
            raise InvalidPosition("wrong-mover", seat=mover, expected=expected)
        return expected
    mover_or_none = positions.to_move_of(position, match.seats, match.dropped)
    if mover_or_none is None:
        raise InvalidPosition("no-outcome")
    return mover_or_none


def _pieces(position: Mapping[str, Any], match: Match) -> tuple[int, ...]:
    pieces = list(NO_PIECES)
    taken = 0
    for number, item in enumerate(positions.check_items(position["attackers"], "attackers")):
        field = f"attackers[{number}]"
        data = positions.mapping(item, field, ("seat", "colour", "cell"))
        colour = COLOURS.index(positions.check_choice(data["colour"], f"{field}.colour", COLOURS))
        seat = positions.check_integer(data["seat"], f"{field}.seat", 0, match.seats - 1)
        if seat != match.owners[colour]:
            raise InvalidPosition("wrong-owner", field=f"{field}.seat", colour=COLOURS[colour], seat=seat)
        cell = FROM_BOARD[positions.check_cell(data["cell"], f"{field}.cell", BOARD)]
        if taken >> cell & 1:
            raise InvalidPosition("cell-twice", field=f"{field}.cell", cell=NAMES[cell])
        taken |= 1 << cell
        pieces[colour] |= 1 << cell
    return tuple(pieces)


def _throw(position: Mapping[str, Any], phase: int) -> tuple[tuple[int, int], int, int]:
    """Return the dice, the used die and the bit of the attacker that used it."""
    given, used = position["dice"], position["used"]
    if phase not in (ATTACK, MAN):
        if phase != OVER and (given is not None or used is not None):
            raise InvalidPosition("not-empty", field="dice" if used is None else "used", phase=PHASES[phase])
        return NO_DICE, 0, 0
    low, high = positions.check_integers(given, "dice", 2, 1, 6)
    if low > high:
        raise InvalidPosition("dice-order", dice=[low, high])
    if used is None:
        return (low, high), 0, 0
    if phase == MAN:
        raise InvalidPosition("not-empty", field="used", phase=PHASES[phase])
    data = positions.mapping(used, "used", ("die", "attacker"))
    die = positions.check_integer(data["die"], "used.die", 1, 6)
    cell = positions.cell_or_none(data["attacker"], "used.attacker", BOARD)
    return (low, high), die, 0 if cell is None else 1 << FROM_BOARD[cell]


def _captured(position: Mapping[str, Any], phase: int) -> int:
    cells = BOARD.cells(positions.check_cells(position["captured"], "captured", BOARD))
    if phase != MAN and phase != OVER and cells:
        raise InvalidPosition("not-empty", field="captured", phase=PHASES[phase])
    return sum(1 << FROM_BOARD[BOARD.index[cell]] for cell in cells) if phase == MAN else 0


def _outcome(position: Mapping[str, Any], match: Match, phase: int, last: Outcome | None) -> Outcome | None:
    if phase == OVER and last is None and position["to_move"] is not None:
        raise InvalidPosition("not-empty", field="to_move", phase=PHASES[phase])
    found = last if phase != OVER or last is not None else match.outcome()
    return positions.settle_outcome(position, match.seats, found, lambda _: False)
