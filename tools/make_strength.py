"""Make a kit's strength.json: positions with a win in one turn, or a loss to avoid, found by complete search.

The games are played by the computer's lowest level with random actions now and then, so that positions are of a
sensible kind and no two games alike.
`win`: some turns win at once, at most a third of the first actions lead there. `loss`: no turn wins, some lose at
once or leave the next seat a win in one, others do not (at least one first action of eight is wrong).

Usage: `python -m tools.make_strength [--kit DIR] [GAME ...]`. What stands before the positions stays as it is: `effort`
(the part of level 3's iterations with which it is to beat random play), and where it has to be, `kinds` (how many of
each: where dice decide what comes next, no loss can be foreseen) and `mid_turn` (positions within a turn, too).
"""

import json
import random
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final

from engine import CHANCE, Action, State, games
from engine.search import players
from tests.engine.search.strength import EFFORT, can_win, leads
from tests.support import kits

KINDS: Final = {"win": 13, "loss": 13}
"""How many positions of each kind, where the kit does not say it."""
_MAX_ACTIONS: Final = 3000
_PROGRESS_INTERVAL: Final = 20
"""After how many games it prints what is still missing."""


def loses(state: State, after: State) -> bool:
    """Say whether a finished turn has lost, or lets the next seat win."""
    if after.outcome is not None:
        return after.outcome.winner not in (None, state.to_move)
    return can_win(after)


def finish_turn(state: State, action: Action) -> State:
    """Return the state after the turn that begins with the action and goes on as the policy likes best."""
    policy = players[state.game.key].policy
    after = state.advance(action)
    while after.to_move == state.to_move and after.turn == state.turn:
        after = after.advance(policy.candidates(after)[0])
    return after


def classify_position(state: State, wanted: Mapping[str, int]) -> str:
    """Return what the position is a test for, an empty text for nothing that is wanted."""
    actions = state.legal_actions()
    if not 3 <= len(actions) <= _MAX_ACTIONS:
        return ""
    winning = sum(leads(state, action) for action in actions)
    if winning:
        return "win" if winning <= len(actions) / 3 and wanted.get("win") else ""
    if not wanted.get("loss"):
        return ""
    losing = sum(loses(state, finish_turn(state, action)) for action in actions)
    return "loss" if len(actions) / 8 <= losing < len(actions) else ""


def play_positions(key: str, seed: int, mid_turn: bool) -> Iterator[State]:
    """Yield the positions at which a turn begins in one game, those within a turn too if asked for."""
    rng = random.Random(seed)
    state: State = games[key].start(games[key].seats[0])
    memories = [players[key].memory() for _ in range(state.seats)]
    before = -1
    while (seat := state.to_move) is not None:
        if seat == CHANCE:
            state = state.advance(state.sample_chance(rng))
            continue
        if state.turn != before or mid_turn:
            yield state
        before = state.turn
        if state.turn < 4 or rng.randrange(6) == 0:
            state = state.advance(state.random_action(rng))
        else:
            state = state.advance(players[key].choose(state, 1, seed, memory=memories[seat]))


def find_positions(key: str, wanted: Mapping[str, int], mid_turn: bool) -> list[dict[str, Any]]:
    """Return positions of one game, no two of a kind from the last turns of the same game."""
    kinds = dict(wanted)
    result = []
    seed = 0
    while any(kinds.values()):
        seed += 1
        if seed % _PROGRESS_INTERVAL == 0:
            # It goes on for ever where a game, or a policy that knows nothing yet, has no such positions.
            left = ", ".join(f"{number} {what}" for what, number in kinds.items() if number)
            print(f"{key}: {seed} games, still wanted: {left} (Ctrl+C ends it)", file=sys.stderr, flush=True)
        states = list(play_positions(key, seed, mid_turn))[-8:]
        seen = set[str]()
        for state in reversed(states):
            if state.to_move is None or (what := classify_position(state, kinds)) in seen or not kinds.get(what):
                continue
            seen.add(what)
            kinds[what] -= 1
            position = state.to_json()
            position.pop("extra", None)
            result.append({"kind": what, "position": position})
            print(key, seed, what, file=sys.stderr, flush=True)
    return sorted(result, key=lambda each: str(each["kind"]), reverse=True)


def main() -> None:
    """Write the files of the games asked for."""
    keys, _ = kits.arguments(__doc__)
    for key in keys:
        head = {name: value for name, value in (kits.data(key, "strength.json") or {}).items() if name != "positions"}
        positions = find_positions(key, head.get("kinds", KINDS), head.get("mid_turn", False))
        (kits.home(key) / "strength.json").write_text(
            format_positions({"effort": EFFORT, **head}, positions), encoding="utf-8"
        )


def format_positions(head: Mapping[str, Any], positions: list[dict[str, Any]]) -> str:
    """Return the text of a file, one position a line."""
    lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in positions)
    return f'{json.dumps(dict(head))[:-1]}, "positions": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    main()
