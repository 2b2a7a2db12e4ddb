"""Gioco dell'Uomo Nero: its game class, its prover, and the reading of position dictionaries (docs/rules/uomo-nero.md).

A loaded position must be such that play can lead to it: order, points, picks, pieces and the turn under way. Codes of
InvalidPosition besides those of `engine.positions`: round-order, not-empty, missing, wrong-mover, wrong-owner,
wrong-cell, too-many-attackers, nobody-captured-yet, picks, points, too-many-steps, dice-order, used-impossible,
captures-impossible, round-is-over, extra-differs.

The prover knows results that nothing can change any more, and what the last throws may be expected to bring. A result
is beyond doubt once it is the same however many of the attackers in play arrive. The last throws are those before the
Man's last turn of the last round: they are gone through one by one with all that can follow, every seat doing the best
for itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations, product
from typing import Any, Final

from engine import positions
from engine.budget import Budget
from engine.core import (
    CHANCE,
    Action,
    Game,
    GameOptions,
    InvalidPosition,
    Outcome,
    Position,
    Seats,
    State,
    Values,
    values_of,
)
from engine.facts import Facts
from engine.games.uomo_nero.board import (
    BOARD,
    COLOURS,
    FIELD,
    FINISH,
    FROM_BOARD,
    IN_PLAY,
    NAMES,
    ROW,
    START,
    START_CELLS,
    find_targets,
    list_names,
    shortest_way,
)
from engine.games.uomo_nero.match import (
    ATTACK,
    COLOURS_EACH,
    MAN,
    MAN_START,
    MAN_TURNS,
    NO_SEAT,
    OVER,
    PHASES,
    PICKING,
    REASONS,
    ROLL_OFF,
    ROLLING,
    Match,
    Round,
    new_match,
)
from engine.games.uomo_nero.rules import NO_CELL, NO_DICE, NO_PIECES, UomoNeroState, end_of_round, points_of
from engine.notation import STAYING, STOPPING, list_marks
from engine.positions import PositionField, PositionFields
from engine.prover import Proof, Prover
from engine.topology import list_indices

MAX_THROWS: Final = 2
"""Maximum number of the Man's remaining turns for which all throws are searched."""
_ARRIVALS_PER_THROW: Final = 2
"""Maximum number of attackers that can arrive by one throw."""


class UomoNeroProver(Prover):
    """Knows decided results, and searches the last throws."""

    pace = 40

    def covers(self, state: State) -> bool:
        """Return whether it is the last round, with attackers on the board."""
        assert isinstance(state, UomoNeroState)  # noqa: S101
        return state.phase in (ATTACK, MAN) and state.match.next_round() is None

    def settle(self, state: State, budget: Budget) -> Mapping[Action, Proof]:
        """Return the certain or expected results of all legal actions; empty if they are not known."""
        assert isinstance(state, UomoNeroState)  # noqa: S101
        if not self.covers(state):
            return {}
        values = find_decided_results(state)
        if values is not None:
            return dict.fromkeys(state.legal_actions(), Proof(values))
        if MAN_TURNS - state.man_turns > MAX_THROWS:
            return {}
        throws = _Throws(budget)
        found = {}
        for action in state.legal_actions():
            after = throws.proof(state.advance(action))
            if after is None:
                return {}
            found[action] = after
        return found


def find_decided_results(state: UomoNeroState) -> Values | None:
    """Return each seat's decided result of the last round, drops apart; None if it is not decided."""
    match = state.match
    here = [0] * state.seats
    possible = []
    for seat in range(state.seats):
        own = state.own(seat)
        here[seat] = (own & FINISH).bit_count()
        possible.append(range(min((own & IN_PLAY).bit_count(), _ARRIVALS_PER_THROW * _throws_left(state, seat)) + 1))
    found: Values | None = None
    for more in product(*possible):
        points = [arrived + extra for arrived, extra in zip(here, more, strict=True)]
        values = values_of(match.closed(points, "none-left").outcome())
        if found is not None and values != found:
            return None
        found = values
    return found


def _throws_left(state: UomoNeroState, seat: int) -> int:
    """Return the maximum number of throws of a seat's attackers before the Man's last turn."""
    match, circuits = state.match, MAN_TURNS - state.man_turns
    if seat == match.man_seat or seat in match.dropped:
        return 0
    still = state.mover != match.man_seat and (seat == state.mover or seat in match.followers[state.mover])
    return circuits if still else circuits - 1


class _Throws:
    """Searches everything that can follow; values are means over the dice, each seat choosing its own best."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.known: dict[tuple[Any, ...], Proof] = {}

    def proof(self, state: State) -> Proof | None:
        """Return each seat's expected or certain result; None if the budget was used up first."""
        assert isinstance(state, UomoNeroState)  # noqa: S101
        if state.outcome is not None:
            return Proof(values_of(state.outcome))
        key = state.key()
        known = self.known.get(key)
        if known is not None:
            return known
        if self.budget.is_over:
            return None
        self.budget.spend()
        values = find_decided_results(state) if state.phase == ROLLING else None
        if values is not None:
            found: Proof | None = Proof(values)
        else:
            found = self._mean(state) if state.to_move == CHANCE else self._best(state)
        if found is not None:
            self.known[key] = found
        return found

    def _mean(self, state: UomoNeroState) -> Proof | None:
        totals = [0.0] * state.seats
        proofs = []
        for roll, chance in state.chance_outcomes():
            proof = self.proof(state.advance(roll))
            if proof is None:
                return None
            proofs.append(proof)
            for seat, value in enumerate(proof.values):
                totals[seat] += chance * value
        if all(not proof.expected and proof.values == proofs[0].values for proof in proofs):
            return proofs[0]
        return Proof(tuple(totals), expected=True)

    def _best(self, state: UomoNeroState) -> Proof | None:
        seat, best = state.mover, None
        for action in state.legal_actions():
            proof = self.proof(state.advance(action))
            if proof is None:
                return None
            if best is None or proof.values[seat] > best.values[seat]:
                best = proof
            if best.values[seat] >= 1.0:
                break
        return best


_STEPS_PER_TURN: Final = 12


def _not_empty(field: str, phase: int) -> InvalidPosition:
    return InvalidPosition("not-empty", field=field, phase=PHASES[phase])


def check_order(match: Match, man_seat: object) -> None:
    """Check that the order goes clockwise and the Man is the one whose round it is."""
    if not match.round:
        if match.order:
            raise _not_empty("order", ROLL_OFF)
        expected = None
    else:
        if len(match.order) != match.seats:
            raise InvalidPosition("wrong-length", field="order", length=len(match.order), expected=match.seats)
        if any((one + 1) % match.seats != other for one, other in zip(match.order, match.order[1:], strict=False)):
            raise InvalidPosition("round-order", order=list(match.order))
        expected = match.man_seat
    if man_seat != expected or isinstance(man_seat, bool):
        raise InvalidPosition("round-order", man_seat=str(man_seat)[:40], expected=expected)


def check(state: UomoNeroState) -> None:
    """Check everything else."""
    _check_rounds(state)
    if state.phase in (ROLL_OFF, MAN_START) or not state.match.round:
        _check_empty(state)
        return
    if state.man < 0:
        # Only a drop before the Man has picked his cell ends the game without one.
        if state.phase != OVER:
            raise InvalidPosition("missing", field="man", phase=PHASES[state.phase])
        _check_empty(state)
        return
    _check_picks(state)
    _check_pieces(state)
    if state.phase == PICKING:
        if state.match.rolled:
            raise _not_empty("extra.rolled", state.phase)
        return
    _check_steps(state)
    if state.phase == OVER:
        return
    _check_turn(state)
    if not state.captured and (reason := end_of_round(state.pieces, state.man)):
        raise InvalidPosition("round-is-over", reason=reason)


def has_rolled(state: UomoNeroState) -> bool:
    """Return whether the position shows that the round has had its first roll."""
    if state.phase in (ATTACK, MAN):
        return True
    begun = state.man_turns > 0 or state.all_pieces & ~START
    return state.phase == ROLLING and bool(begun or state.mover != state.match.attacking[0])


def _check_empty(state: UomoNeroState) -> None:
    """Check that the board is empty before the Man has his cell."""
    match = state.match
    if state.phase == MAN_START and state.mover != match.man_seat:
        raise InvalidPosition("wrong-mover", seat=state.mover, expected=match.man_seat)
    found = {
        "man": state.man >= 0,
        "attackers": state.all_pieces,
        "colours": max(match.owners) >= 0,
        "man_turns": state.man_turns,
        "extra.rolled": match.rolled,
    }
    for field, value in found.items():
        if value:
            raise _not_empty(field, state.phase)


def _check_rounds(state: UomoNeroState) -> None:
    """Check the list of past Men, and that the points of attackers and Men agree."""
    match = state.match
    by_score = state.outcome is not None and state.outcome.reason == "score"
    if not match.round and state.phase != ROLL_OFF and (by_score or state.phase != OVER):
        raise InvalidPosition("round-order", round=match.round, phase=PHASES[state.phase])
    if state.phase != OVER and match.man_seat in match.dropped:
        raise InvalidPosition("round-order", man_seat=match.man_seat)
    played = match.round if by_score else match.round - 1
    for place, seat in enumerate(match.order):
        if place >= played and match.man_scores[seat] is not None:
            raise _not_empty(f"man_scores[{seat}]", state.phase)
        if place < played and match.man_scores[seat] is None and seat not in match.dropped:
            raise InvalidPosition("missing", field=f"man_scores[{seat}]", phase=PHASES[state.phase])
        if by_score and place >= played and seat not in match.dropped:
            raise InvalidPosition("round-order", round=match.round, phase=PHASES[state.phase])
    if not match.round and any(score is not None for score in match.man_scores):
        raise _not_empty("man_scores", state.phase)
    totals = {seat: score for seat, score in enumerate(match.man_scores) if score is not None}
    _check_points(match, match.attack_scores, totals)
    if by_score:
        _check_last_round(state, totals)
    _check_history(match, totals)


def _check_points(match: Match, scores: Sequence[int], totals: dict[int, int]) -> None:
    """Check that the points of the rounds can be spread over the seats so that each has its score.

    No set of seats may have more than the rounds can have given it (the theorem on flows and cuts).
    """
    most = 2 * COLOURS_EACH[match.seats]
    possible = sum(scores) == sum(totals.values())
    for size in range(1, match.seats + 1):
        for some in combinations(range(match.seats), size):
            given = sum(min(total, most * (size - (man in some))) for man, total in totals.items())
            possible = possible and sum(scores[seat] for seat in some) <= given
    if not possible:
        raise InvalidPosition("points", attack_scores=list(scores), man_scores=list(match.man_scores))


def _check_last_round(state: UomoNeroState, totals: dict[int, int]) -> None:
    """Check the points of the round shown on the board against the scores."""
    match = state.match
    man = match.man_seat
    if state.man >= 0 and man not in match.dropped and state.all_pieces & IN_PLAY and state.man_turns < MAN_TURNS:
        raise InvalidPosition("missing", field="outcome", phase=PHASES[state.phase])
    points = points_of(match, state.pieces, in_play_too=man in match.dropped)
    if man in match.dropped and totals.get(man, 0) == 0:
        points = (0,) * match.seats
    if totals.get(man) != sum(points) or any(a < b for a, b in zip(match.attack_scores, points, strict=True)):
        raise InvalidPosition("points", attack_scores=list(match.attack_scores), man_scores=list(match.man_scores))
    earlier = {seat: total for seat, total in totals.items() if seat != man}
    _check_points(match, [a - b for a, b in zip(match.attack_scores, points, strict=True)], earlier)


def _check_history(match: Match, totals: dict[int, int]) -> None:
    """Check that the recorded rounds agree with the scores."""
    men = [round_.man for round_ in match.rounds]
    points = [sum(round_.points[seat] for round_ in match.rounds) for seat in range(match.seats)]
    # Where all rounds are recorded the sums are equal, for all points together are (`_check_points`).
    agree = (
        len(set(men)) == len(men)
        and all(totals.get(each.man) == sum(each.points) and not each.points[each.man] for each in match.rounds)
        and all(seen <= score for seen, score in zip(points, match.attack_scores, strict=True))
    )
    if not agree:
        raise InvalidPosition("extra-differs", field="extra.rounds")


def _check_picks(state: UomoNeroState) -> None:
    """Check that colours went to attackers only, in turn, and the right number to each."""
    match = state.match
    most = COLOURS_EACH[match.seats]
    picks = {seat: match.owners.count(seat) for seat in range(match.seats)}
    place = {seat: (seat - match.man_seat) % match.seats for seat in picks}
    possible = not picks[match.man_seat] and max(picks.values()) <= most
    left_at = {seat: number for number, seat in enumerate(match.dropped)}
    for seat, other in permutations(picks, 2):
        stayed_longer = left_at.get(other, match.seats) >= left_at.get(seat, match.seats)
        if picks[seat] and other != match.man_seat and stayed_longer:
            possible = possible and picks[other] >= picks[seat] - (place[other] > place[seat])
    if state.phase == PICKING:
        expected = match.picker()
        if expected is None or match.seats == 2:
            possible = False
        elif state.mover != expected:
            raise InvalidPosition("wrong-mover", seat=state.mover, expected=expected)
    elif state.phase != OVER:
        possible = possible and match.picker() is None
    if not possible:
        raise InvalidPosition("picks", picks=[picks[seat] for seat in range(match.seats)], most=most)


def _check_pieces(state: UomoNeroState) -> None:
    """Check the places and numbers of the pieces."""
    match, man = state.match, 1 << state.man
    if man & START or man & state.all_pieces:
        raise InvalidPosition("wrong-cell", field="man", cell=NAMES[state.man])
    if state.phase == PICKING and not man & FINISH:
        raise InvalidPosition("wrong-cell", field="man", cell=NAMES[state.man])
    missing = gone = 0
    for colour, cells in enumerate(state.pieces):
        owner = match.owners[colour]
        left = owner in match.dropped
        wrong = cells & START & ~START_CELLS[colour] | (cells & IN_PLAY if left else 0)
        if state.phase == PICKING and owner >= 0:
            wrong |= cells & ~START
        if wrong:
            raise InvalidPosition("wrong-cell", field="attackers", cell=list_names(wrong)[0])
        count = cells.bit_count()
        if count > 2:
            raise InvalidPosition("too-many-attackers", colour=COLOURS[colour], most=2)
        if owner >= 0 and left:
            gone += 2 - count
        elif owner >= 0:
            missing += 2 - count
    named = state.captured.bit_count()
    if (state.man_turns == 0 or man & FINISH) and missing > named:
        raise InvalidPosition("nobody-captured-yet", missing=missing - named)
    if named > missing + gone:
        raise InvalidPosition("captures-impossible", captured=list_names(state.captured))
    if state.man_turns == 0 and not man & FINISH:
        raise InvalidPosition("wrong-cell", field="man", cell=NAMES[state.man])


def _check_steps(state: UomoNeroState) -> None:
    """Check that no seat's attackers are farther than its turns so far allow."""
    match, mover = state.match, state.mover
    to_come = () if state.phase == OVER or mover == match.man_seat else (mover, *match.followers[mover])
    for seat in range(match.seats):
        most = _STEPS_PER_TURN * (state.man_turns + (seat not in to_come))
        if seat == mover and state.used_by:
            most += state.used
        steps = sum(ROW[cell] - 1 for cell in list_indices(state.own(seat)))
        if steps > most:
            raise InvalidPosition("too-many-steps", seat=seat, steps=steps, most=most)


def _check_turn(state: UomoNeroState) -> None:
    """Check the seat to move, its used die and its named captures."""
    match = state.match
    own = state.own(state.mover) & IN_PLAY
    is_man = state.mover == match.man_seat
    if (not is_man and not own) or (state.phase == MAN and not is_man) or (state.phase == ATTACK and is_man):
        raise InvalidPosition("wrong-mover", seat=state.mover, phase=PHASES[state.phase])
    if state.captured:
        impossible = state.captured & (state.all_pieces | 1 << state.man | ~FIELD)
        if impossible or shortest_way(state.man, state.captured) > sum(state.dice):
            raise InvalidPosition("captures-impossible", captured=list_names(state.captured))
    if state.used and not _could_use(state, own):
        raise InvalidPosition("used-impossible", die=state.used, dice=list(state.dice))


def _could_use(state: UomoNeroState, own: int) -> bool:
    """Return whether one die can have been used like that, and the other still can."""
    throw, mover = state.throw, state.used_by
    if state.used not in state.dice or (own | mover).bit_count() < 2 or not throw.can_finish():
        return False
    if not mover:
        return not state.used & 1
    colour = next((cells for cells in zip(state.pieces, START_CELLS, strict=True) if cells[0] & mover), None)
    if colour is None or not state.own(state.mover) & mover or mover & START:
        return False
    free = (FIELD | colour[1]) & ~throw.occupied
    others = throw.occupied ^ mover
    return any(find_targets(cell, (state.used,), others | 1 << cell)[0] & mover for cell in list_indices(free))


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


def _match(fields: PositionFields, seats: int, dropped: Seats, extra: positions.Extra) -> Match:
    rounds = extra.get("rounds")
    match = Match(
        seats,
        fields["attack_scores"].integers(seats, 0, _MAX_POINTS * seats),
        tuple(
            [
                None if score.value is None else score.integer(0, _MAX_POINTS)
                for score in fields["man_scores"].items(seats)
            ]
        ),
        order=fields["order"].integers(None, 0, seats - 1),
        round=fields["round"].integer(0, seats),
        dropped=dropped,
        owners=_owners(fields["colours"], seats),
        rolled=bool(extra.integer("rolled", 0, 1)),
        rounds=tuple([_round(each, seats) for each in rounds.items()]) if rounds else (),
    )
    check_order(match, fields["man_seat"].value)
    if match.round:
        return match
    given, rolled = extra.get("rollers"), extra.get("sums")
    if given is None:
        return replace(match, rollers=tuple(range(seats)))
    rollers = given.integers(None, 0, seats - 1)
    sums = rolled.integers(None, 2, 12) if rolled else ()
    if len(rollers) < 2 or list(rollers) != sorted(set(rollers)) or len(sums) >= len(rollers):
        raise given.wrong("extra-differs")
    return replace(match, rollers=rollers, sums=sums)


def _owners(field: PositionField, seats: int) -> tuple[int, ...]:
    given = field.named()
    for colour in given:
        PositionField(colour, field.path).choice(COLOURS)
    return tuple([given[colour].integer(0, seats - 1) if colour in given else NO_SEAT for colour in COLOURS])


def _round(field: PositionField, seats: int) -> Round:
    data = field.mapping(("man", "points", "reason"))
    return Round(
        data["man"].integer(0, seats - 1),
        data["points"].integers(seats, 0, _MAX_POINTS),
        data["reason"].choice(REASONS),
    )


def _mover(fields: PositionFields, match: Match, phase: int) -> int:
    if phase == ROLL_OFF:
        # A seat that has left is still rolled for; without a history the roll-off starts again.
        mover = fields["to_move"].integer(0, match.seats - 1)
        started = bool(match.sums) or len(match.rollers) < match.seats
        expected = match.rollers[len(match.sums)]
        if started and mover != expected:
            raise InvalidPosition("wrong-mover", seat=mover, expected=expected)
        return expected
    mover_or_none = positions.to_move_of(fields, match.seats, match.dropped)
    if mover_or_none is None:
        raise InvalidPosition("no-outcome")
    return mover_or_none


def _pieces(field: PositionField, match: Match) -> tuple[int, ...]:
    pieces = list(NO_PIECES)
    taken = 0
    for item in field.items():
        data = item.mapping(("seat", "colour", "cell"))
        colour = COLOURS.index(data["colour"].choice(COLOURS))
        seat = data["seat"].integer(0, match.seats - 1)
        if seat != match.owners[colour]:
            raise data["seat"].wrong("wrong-owner", colour=COLOURS[colour], seat=seat)
        cell = FROM_BOARD[data["cell"].cell(BOARD)]
        if taken >> cell & 1:
            raise data["cell"].wrong("cell-twice", cell=NAMES[cell])
        taken |= 1 << cell
        pieces[colour] |= 1 << cell
    return tuple(pieces)


def _throw(given: PositionField, used: PositionField, phase: int) -> tuple[tuple[int, int], int, int]:
    """Return the dice, the used die and the bit of the attacker that used it."""
    if phase not in (ATTACK, MAN):
        if phase != OVER and (given.value is not None or used.value is not None):
            raise _not_empty("dice" if used.value is None else "used", phase)
        return NO_DICE, 0, 0
    low, high = given.integers(2, 1, 6)
    if low > high:
        raise InvalidPosition("dice-order", dice=[low, high])
    if used.value is None:
        return (low, high), 0, 0
    if phase == MAN:
        raise _not_empty("used", phase)
    data = used.mapping(("die", "attacker"))
    die = data["die"].integer(1, 6)
    cell = data["attacker"].cell_or_none(BOARD)
    return (low, high), die, 0 if cell is None else 1 << FROM_BOARD[cell]


def _captured(field: PositionField, phase: int) -> int:
    cells = list_indices(field.cells(BOARD))
    if phase != MAN and phase != OVER and cells:
        raise _not_empty("captured", phase)
    return sum(1 << FROM_BOARD[cell] for cell in cells) if phase == MAN else 0


def _outcome(fields: PositionFields, match: Match, phase: int, last: Outcome | None) -> Outcome | None:
    if phase == OVER and last is None:
        if fields["to_move"].value is not None:
            raise _not_empty("to_move", phase)
        last = match.outcome()
    return positions.settle_outcome(fields, match.seats, last)


PROVER: Final = UomoNeroProver()


class UomoNero(Game):
    """Gioco dell'Uomo Nero (Gregory Lebas, 2022), for 2-5 players."""

    key = "uomo-nero"
    order = 5
    seats = range(2, 6)
    rules_version = 1
    prover: Prover | None = PROVER
    words: Mapping[str, str] = {
        **list_marks("stay", f"{STAYING} {STOPPING}"),
        **list_marks("sprint", "scatto scatta"),
        **list_marks("", "attacker attaccante man uomo"),
    }
    facts = Facts(
        rolls=frozenset({"roll"}), captures=frozenset({"capture"}), picks=frozenset({"pick"}), kinds={"sprint": "move"}
    )

    def symbols(self, position: Position) -> dict[str, str]:
        """Return one character for each cell that something stands on (`engine.diagram`)."""
        found = {attacker["cell"]: attacker["colour"][0] for attacker in position["attackers"]}
        return found | ({position["man"]: "M"} if position["man"] else {})

    def start(self, seats: int = 2, options: GameOptions | None = None) -> UomoNeroState:
        """Return the state before the roll-off; InvalidOption for unknown options or numbers of seats."""
        self.checked_options(seats, options)
        return UomoNeroState(new_match(seats), ROLL_OFF, 0, 0)

    def load(self, position: Position) -> UomoNeroState:
        """Return the state that the dictionary describes; InvalidPosition if play can never lead to it."""
        fields = positions.check_fields(self, position, _FIELDS)
        seats = fields["seats"].integer(self.seats[0], self.seats[-1])
        positions.options_of(self, fields, seats)
        dropped = positions.check_dropped(fields, seats)
        phase = PHASES.index(fields["phase"].choice(PHASES))
        last = positions.last_seat(seats, dropped)
        if last is not None:
            phase = OVER
        extra = positions.Extra(fields)
        match = _match(fields, seats, dropped, extra)
        if phase == ROLL_OFF and match.round:
            raise InvalidPosition("round-order", round=match.round, phase=PHASES[phase])
        man = fields["man"].cell_or_none(BOARD)
        rest = (
            phase,
            NO_SEAT if phase == OVER else _mover(fields, match, phase),
            extra.integer("turn"),
            NO_CELL if man is None else FROM_BOARD[man],
            _pieces(fields["attackers"], match),
            fields["man_turns"].integer(0, MAN_TURNS if phase == OVER else MAN_TURNS - 1),
            *_throw(fields["dice"], fields["used"], phase),
            _captured(fields["captured"], phase),
            _outcome(fields, match, phase, last),
        )
        state = UomoNeroState(match, *rest)
        check(state)
        return UomoNeroState(match.with_first_roll(), *rest) if has_rolled(state) else state


GAME = UomoNero()
UomoNeroState.game = GAME
