"""Make tests/data/strength.json: positions with a win in one turn, or a loss to avoid, found by complete search.

The games are played by the computer's lowest level with random actions now and then, so that positions are of a
sensible kind and no two games alike.
`win`: some turns win at once, at most a third of the first actions lead there. `loss`: no turn wins, some lose at
once or leave the next seat a win in one, others do not (at least one first action of eight is wrong).
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from engine import CHANCE, Action, State, games
from engine.search import players

PAGE: Final = Path(__file__).resolve().parent.parent / "tests" / "data" / "strength.json"
EACH: Final = 13
"""Positions of each kind for each game."""
LATER: Final = {"annuvin", "uomo-nero"}
"""Games in which an action that goes on with a turn can still win it."""
_MOST: Final = 3000


def wins(state: State, later: bool) -> bool:
    """Say whether the seat on the move has a turn that wins; all its turns are tried."""
    seat = state.to_move
    return seat is not None and seat != CHANCE and any(leads(state, each, later) for each in state.legal_actions())


def leads(state: State, action: Action, later: bool) -> bool:
    """Say whether a turn that begins with the action wins."""
    after = state.advance(action)
    if after.outcome is not None:
        return after.outcome.winner == state.to_move
    same = after.to_move == state.to_move and after.turn == state.turn
    return later and same and wins(after, later)


def loses(state: State, after: State, later: bool) -> bool:
    """Say whether a finished turn has lost, or lets the next seat win."""
    if after.outcome is not None:
        return after.outcome.winner not in (None, state.to_move)
    return wins(after, later)


def finished(state: State, action: Action) -> State:
    """Return the state after the turn that begins with the action and goes on as the policy likes best."""
    policy = players[state.game.key].policy
    after = state.advance(action)
    while after.to_move == state.to_move and after.turn == state.turn:
        after = after.advance(policy.candidates(after)[0])
    return after


def kind(state: State) -> str:
    """Return what the position is a test for, an empty text for nothing."""
    later = state.game.key in LATER
    actions = state.legal_actions()
    if not 3 <= len(actions) <= _MOST:
        return ""
    winning = sum(leads(state, action, later) for action in actions)
    if winning:
        return "win" if winning <= len(actions) / 3 else ""
    if state.game.facts.rolls:
        return ""  # what happens next is up to the dice
    losing = sum(loses(state, finished(state, action), later) for action in actions)
    return "loss" if len(actions) / 8 <= losing < len(actions) else ""


def turns(key: str, seed: int) -> Iterator[State]:
    """Yield the positions at which a turn begins in one game."""
    rng = random.Random(seed)
    state: State = games[key].start(2)
    memories = [players[key].memory(), players[key].memory()]
    before = -1
    while (seat := state.to_move) is not None:
        if seat == CHANCE:
            state = state.advance(state.sample_chance(rng))
            continue
        if state.turn != before or games[key].facts.rolls:
            yield state
        before = state.turn
        if state.turn < 4 or rng.randrange(6) == 0:
            state = state.advance(state.random_action(rng))
        else:
            state = state.advance(players[key].choose(state, 1, seed, memory=memories[seat]))


def found(key: str) -> list[dict[str, Any]]:
    """Return positions of one game, no two of a kind from the last turns of the same game."""
    kinds = {"win": 2 * EACH} if games[key].facts.rolls else {"win": EACH, "loss": EACH}
    result = []
    seed = 0
    while any(kinds.values()):
        seed += 1
        states = list(turns(key, seed))[-8:]
        seen = set[str]()
        for state in reversed(states):
            if state.to_move is None or (what := kind(state)) in seen or not kinds.get(what):
                continue
            seen.add(what)
            kinds[what] -= 1
            position = state.to_json()
            position.pop("extra", None)
            result.append({"kind": what, "position": position})
            print(key, seed, what, file=sys.stderr, flush=True)
    return sorted(result, key=lambda each: str(each["kind"]), reverse=True)


def main() -> None:
    """Write the file, or the games named on the command line into it."""
    known = json.loads(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    for key in sys.argv[1:] or games:
        known[key] = found(key)
        save(known)


def save(known: dict[str, list[dict[str, Any]]]) -> None:
    """Write the positions found so far, one a line."""
    lines = (
        f'"{key}": [\n' + ",\n".join(json.dumps(each, separators=(",", ":")) for each in known[key]) + "\n]"
        for key in games
        if key in known
    )
    PAGE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
