"""Which goals are tried at a position, game by game, the likeliest first; cheap tests say where none is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Final

from bot.puzzles import proving
from bot.puzzles.puzzle import Goal
from engine import State
from engine.budget import Budget
from engine.games.fagocitare.state import FagocitareState
from engine.prover import Prover

MAX_WAYS: Final = 600
"""With more ways to play a turn than this a position is left."""
SEATS: Final[Mapping[str, tuple[int, ...]]] = {"uomo-nero": (2, 3, 4), "vedova-nera": (2, 2, 3)}
OPTIONS: Final[Mapping[str, Mapping[str, tuple[int, ...]]]] = {"fagocitare": {"size": (10, 12, 12)}}
"""Values of options, drawn as often as they stand here: on a small sheet level 2 finds nearly everything."""
LAST_TURNS: Final[Mapping[str, int]] = {"fagocitare": 4}
"""How many positions of each line puzzles are looked for in, where a game is decided by a blow: of the game the last.

From twice as many of them it is played on otherwise.
"""
AT_MOST: Final[Mapping[str, Mapping[str, float]]] = {
    "annuvin": {"most": 0.2, "hold": 0.25},
    "fagocitare": {"hold": 0.7},
    "uomo-nero": {"safe": 0.6},
    "vedova-nera": {"most": 0.45},
}
"""What share of a game's puzzles may have one kind of goal, where one is found much more easily than the others."""
_QUICK: Final = 60_000
"""Positions that a first look may take."""
_GLANCE: Final = 6_000
"""The same for wins by threats, where a look takes a hundredth of a second at most positions and minutes at some."""
_LAST: Final = 10
"""With so many free cells Fagocitare is worked out."""


def annuvin(state: State) -> Iterator[Goal]:
    """Yield wins, by the tables and in how many turns, and draws that one turn holds."""
    oracle, seat = state.game.oracle, state.to_move or 0
    if oracle is None or not oracle.covers(state):
        if _is_narrow(state):
            yield Goal("most")
        return
    verdict = oracle.probe(state)
    if verdict is None or verdict.values[seat] == 0.0:
        return
    if verdict.values[seat] < 1.0:
        yield Goal("hold", 0)
        return
    wins = proving.WinProver(seat, Budget(_QUICK))
    for turns in range(1, 5):
        won = wins.is_won_after(state, turns)
        if won:
            # In one turn a win is seen; the turn that wins fastest need not be the only one that wins.
            if turns > 1:
                yield Goal("win", turns)
            return
        if won is None:
            break
    yield Goal("win", 0)


def real_queen(state: State) -> Iterator[Goal]:
    """Yield wins within two turns, and what keeps the other from one."""
    prover = state.game.prover
    if prover is None or not prover.covers(state) or not any(state.to_json()["queens"]):
        return
    budget = Budget(_GLANCE)
    if prover.has_win(state, 1, budget):
        return
    if prover.has_win(state, 2, budget) and not budget.is_over:
        yield Goal("win", 2)
        return
    yield Goal("hold", 2)
    yield Goal("hold", 1)


def fagocitare(state: State) -> Iterator[Goal]:
    """Yield wins by a lead of three within two turns, what keeps the other from one, and the last cells worked out."""
    prover = state.game.prover
    if prover is None or not isinstance(state, FagocitareState):
        return
    if state.free.bit_count() <= _LAST:
        yield Goal("win", 0)
        yield Goal("hold", 0)
        return
    seat = state.to_move or 0
    if _may_lead(state, seat):
        for turns in (1, 2):
            if prover.has_win(state, turns, Budget(_GLANCE)):
                if turns > 1:
                    yield Goal("win", turns)
                return
    if _may_lead(state, 1 - seat) and _is_threatened(state, seat, prover):
        yield Goal("hold", 2)
        yield Goal("hold", 1)


def _is_threatened(state: FagocitareState, seat: int, prover: Prover) -> bool:
    """Say whether the other would win within two turns if the seat did nothing."""
    passed = FagocitareState(
        state.sheet, 1 - seat, state.free, state.live, state.dead, state.lines, state.inked, state.ends, state.turn + 1
    )
    return any(prover.has_win(passed, turns, Budget(_GLANCE)) for turns in (1, 2))


def _may_lead(state: FagocitareState, seat: int) -> bool:
    """Say whether two turns may bring a lead of three to the seat: it leads already, or is even and can capture."""
    lead = state.dead[seat].bit_count() - state.dead[1 - seat].bit_count()
    return lead > 0 or (lead == 0 and bool(state.capturing(seat, state.free)))


def uomo_nero(state: State) -> Iterator[Goal]:
    """Yield the Man's best walk, and the one turn that leaves the attackers safe."""
    position = state.to_json()
    if position["phase"] == "man":
        yield Goal("most")
        return
    if position["phase"] != "attack" or not position["man"]:
        return
    field = [
        each
        for each in position["attackers"]
        if each["seat"] == position["to_move"] and each["cell"][1:] not in ("1", "13")
    ]
    order = position["order"]
    following = (position["to_move"] + 1) % position["seats"]
    if 1 <= len(field) <= 3 and following == position["man_seat"] and order and _is_narrow(state):
        yield Goal("safe")


def vedova_nera(state: State) -> Iterator[Goal]:
    """Yield the way home, what keeps the other from it, and the largest catch."""
    position = state.to_json()
    if position["phase"] != "play":
        return
    if position["seats"] == 2:
        missing = [
            len([goal for goal in position["marbles"][colour] if goal not in pawns])
            for colour, pawns in zip(position["colours"], position["pawns"], strict=True)
        ]
        seat = position["to_move"]
        if missing[seat] <= 1:
            yield Goal("home", 1)
        if missing[seat] <= 2:
            yield Goal("home", 2)
        if missing[1 - seat] <= 1:
            yield Goal("hold", 1)
    yield Goal("most")


def _is_narrow(state: State) -> bool:
    return len(list(islice(proving.whole_turns(state), MAX_WAYS + 1))) <= MAX_WAYS


GOALS: Final[Mapping[str, Callable[[State], Iterator[Goal]]]] = {
    "annuvin": annuvin,
    "real-queen": real_queen,
    "fagocitare": fagocitare,
    "uomo-nero": uomo_nero,
    "vedova-nera": vedova_nera,
}
