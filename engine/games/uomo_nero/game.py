"""The game class of Gioco dell'Uomo Nero.

Gioco dell'Uomo Nero: results that nothing can change any more, and what the last throws may be expected to bring.

A result is beyond doubt once it is the same however many of the attackers in play arrive. The last throws are those
before the Man's last turn of the last round: they are gone through one by one with all that can follow, every seat
doing the best for itself.
"""

from collections.abc import Mapping
from itertools import product
from typing import Any, Final

from engine.budget import Budget
from engine.core import CHANCE, Action, Game, Option, State, Values, values_of
from engine.facts import Facts
from engine.games.uomo_nero.board import FINISH, IN_PLAY
from engine.games.uomo_nero.loading import load
from engine.games.uomo_nero.match import ATTACK, MAN, MAN_TURNS, ROLL_OFF, ROLLING, new_match
from engine.games.uomo_nero.rules import UomoNeroState
from engine.notation import STAYING, STOPPING, list_marks
from engine.prover import Proof, Prover

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


PROVER: Final = UomoNeroProver()


class UomoNero(Game):
    """Gioco dell'Uomo Nero (Gregory Lebas, 2022), for 2-5 players."""

    key = "uomo-nero"
    order = 5
    seats = range(2, 6)
    rules_version = 1
    options: Mapping[str, Option] = {}
    prover: Prover | None = PROVER
    words: Mapping[str, str] = {
        **list_marks("stay", f"{STAYING} {STOPPING}"),
        **list_marks("sprint", "scatto scatta"),
        **list_marks("", "attacker attaccante man uomo"),
    }
    facts = Facts(
        rolls=frozenset({"roll"}), captures=frozenset({"capture"}), picks=frozenset({"pick"}), kinds={"sprint": "move"}
    )

    def symbols(self, position: Mapping[str, Any]) -> dict[str, str]:
        """Return one character for each cell that something stands on (`engine.diagram`)."""
        found = {attacker["cell"]: attacker["colour"][0] for attacker in position["attackers"]}
        return found | ({position["man"]: "M"} if position["man"] else {})

    def start(self, seats: int = 2, options: Mapping[str, Any] | None = None) -> UomoNeroState:
        """Return the state before the roll-off; InvalidOption for unknown options or numbers of seats."""
        self.checked_options(seats, options)
        return UomoNeroState(new_match(seats), ROLL_OFF, 0, 0)

    def load(self, position: Mapping[str, Any]) -> UomoNeroState:
        """Return the state that the dictionary describes; InvalidPosition says what is wrong with it."""
        return load(self, position)


GAME = UomoNero()
UomoNeroState.game = GAME
