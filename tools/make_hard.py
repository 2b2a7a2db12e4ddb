"""Make bench/hard/: hard positions of each game, with the first actions that are right, found by long searches.

What is right is proven, or counted over all dice, by the games' provers with budgets far beyond what players, hints and
analyses have, and only where at most a third of the actions are right, and without dice the policy's first is not:

- Annuvin: endings of two to four pieces a side in which a quiet move keeps the value (its oracle).
- Fagocitare: leads of three within two turns; then sixteen cells free, the rest worked out (others: fourteen).
- Real Queen: wins within two or three turns of one's own, not at once.
- Gioco dell'Uomo Nero: throws before the Man's last turn, where the choice is worth a twentieth.

The games are played by what the policies think likeliest, with random actions now and then (for Fagocitare's last
cells it is the other way round).

Usage: `python -m tools.make_hard [GAME ...]`.
"""

import json
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from engine import CHANCE, State, games
from engine.budget import Budget
from engine.games.fagocitare.game import MAX_FREE_CELLS, FagocitareProver
from engine.games.uomo_nero.match import MAN_TURNS
from engine.search import players
from engine.search.result import list_known_actions

PLACE: Final = Path(__file__).resolve().parent.parent / "bench" / "hard"
POSITIONS_PER_GAME: Final = 100
WANTED_LAST: Final = 10
_LONG_ITERATIONS: Final = 150_000
_MAX_FREE_CELLS: Final = MAX_FREE_CELLS + 2
_DEEPER_PROVER: Final = FagocitareProver(_MAX_FREE_CELLS)
_VALUE_MARGIN: Final = 0.05
_LAST_TURNS: Final = 20
"""How many of the last turns of a game are looked at."""
_POSITIONS_PER_GAME: Final = 3
"""How many positions are taken from one game at most."""


def play_positions(key: str, seed: int, likely: int) -> Iterator[State]:
    """Yield the positions at which a turn begins in one game; `likely` of four actions are what the policy likes."""
    rng = random.Random(f"hard {key} {seed}")
    options = {"size": (7, 10)[seed % 2]} if key == "fagocitare" else {}
    state: State = games[key].start(2, options)
    policy, before = players[key].policy, -1
    while state.to_move is not None:
        if state.to_move == CHANCE:
            state = state.advance(state.sample_chance(rng))
            continue
        if state.turn != before:
            yield state
        before = state.turn
        if state.turn < 4 or rng.randrange(4) < 4 - likely:
            state = state.advance(state.random_action(rng))
        else:
            state = state.advance(rng.choice(policy.candidates(state)[:2]))


def find_annuvin_actions(state: State) -> list[str]:
    """Return the quiet actions that keep a value that few keep."""
    judged, seat = list_known_actions(state), state.to_move or 0
    if not judged or judged[0].values[seat] == 0.0:
        return []
    best = [each.action for each in judged if each.values == judged[0].values]
    return [] if any(action.verb == "capture" for action in best) else [action.text for action in best]


def real_queen(state: State) -> list[str]:
    """Return the actions that win within two turns, if none wins at once; in some positions within three."""
    return _wins(state, 3 if state.turn % 20 == 0 else 2)


def find_fagocitare_cells(state: State) -> list[str]:
    """Return the cells that win within two turns, if none wins at once."""
    return _wins(state, 2) if _free(state) > _MAX_FREE_CELLS else []


def last_cells(state: State) -> list[str]:
    """Return the cells that keep the value of the last ones."""
    if _free(state) != _MAX_FREE_CELLS:
        return []
    found, seat = _DEEPER_PROVER.settle(state, Budget(_LONG_ITERATIONS)), state.to_move or 0
    best = max((proof.values[seat] for proof in found.values()), default=0.0)
    return [action.text for action, proof in found.items() if proof.values[seat] == best] if best else []


def uomo_nero(state: State) -> list[str]:
    """Return the actions with the best expectation, the Man's last turn being brought near."""
    position = state.to_json()
    seat, prover = state.to_move or 0, state.game.prover
    if position["round"] != 2 or position["man_turns"] != MAN_TURNS - 1 or prover is None:
        return []
    found = prover.settle(state, Budget(_LONG_ITERATIONS))
    best = max((proof.values[seat] for proof in found.values()), default=0.0)
    right = [action.text for action, proof in found.items() if proof.values[seat] > best - 1e-9]
    worst = min((proof.values[seat] for proof in found.values()), default=0.0)
    return right if best - worst >= _VALUE_MARGIN else []


def _wins(state: State, turns: int) -> list[str]:
    prover = state.game.prover
    if prover is None or any(prover.wins(state, 1, Budget(_LONG_ITERATIONS)).values()):
        return []
    for within in range(2, turns + 1):
        won = [action.text for action, wins in prover.wins(state, within, Budget(40_000)).items() if wins]
        if won:
            return won
    return []


def _free(state: State) -> int:
    position = state.to_json()
    return len(state.topology.names) - sum(map(len, [*position["dots"], *position["dead"]]))


class Search(NamedTuple):
    """What finds a position's right actions, how many such positions, in games of so many likely actions of four."""

    finds: Callable[[State], list[str]]
    wanted: int = POSITIONS_PER_GAME
    likely: int = 3


FOUND_BY: Final[Mapping[str, Sequence[Search]]] = {
    "annuvin": [Search(find_annuvin_actions)],
    "real-queen": [Search(real_queen)],
    # Between likely dots somebody leads by three long before the last cells.
    "fagocitare": [Search(find_fagocitare_cells), Search(last_cells, WANTED_LAST, 1)],
    "uomo-nero": [Search(uomo_nero)],
}


def make_positions(key: str, search: Search) -> Iterator[dict[str, Any]]:
    """Yield hard positions of one game."""
    policy, seed, made = players[key].policy, 0, 0
    while made < search.wanted:
        seed += 1
        here = 0
        for state in reversed(list(play_positions(key, seed, search.likely))[-_LAST_TURNS:]):
            if here >= _POSITIONS_PER_GAME or made >= search.wanted:
                break
            if key == "uomo-nero" and (position := state.to_json())["phase"] == "attack":
                state = state.game.load({**position, "man_turns": MAN_TURNS - 1})
            actions = state.legal_actions()
            if len(actions) < 4:
                continue
            right = search.finds(state)
            easy = key != "uomo-nero" and policy.candidates(state)[0].text in right
            if not right or 3 * len(right) > len(actions) or easy:
                continue
            here += 1
            made += 1
            print(key, seed, made, file=sys.stderr, flush=True)
            yield {"position": state.to_json(), "right": right}


def main() -> None:
    """Write the positions of the games asked for; those of others stay."""
    for key in sys.argv[1:] or FOUND_BY:
        lines: list[str] = []
        for search in FOUND_BY[key]:
            for each in make_positions(key, search):
                lines.append(json.dumps(each, separators=(",", ":")))
                written = ",\n".join(lines)
                (PLACE / f"{key}.json").write_text(f"[\n{written}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
