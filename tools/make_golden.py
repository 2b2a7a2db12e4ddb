"""Write the golden playthroughs: one random game for every game, number of seats and option, played to its end.

Each line has the number of the action, whose it is, how many actions are legal, digests of their texts and of the
position (its JSON without `extra`), and the action taken. The last line is the position at the end, as JSON.
`make golden` writes them into the games' kits, a test compares them: what changes in them must be meant to change.
Usage: `python -m tools.make_golden [--kit DIR] [GAME ...]`.
"""

import hashlib
import json
import random
import sys
from collections.abc import Iterator
from itertools import product

from engine import CHANCE, Action, Game, State, games
from tests.support import kits


def list_variants(key: str) -> Iterator[tuple[str, int, dict[str, str | int]]]:
    """Yield the name, the seats and the options of every golden playthrough of a game."""
    game = games[key]
    names = sorted(game.options)
    for seats, *values in product(game.seats, *(game.options[name].values for name in names)):
        name = "-".join([key, *([str(seats)] if len(game.seats) > 1 else []), *map(str, values)])
        yield name if name != key else f"{key}-plain", int(seats), dict(zip(names, values, strict=True))


def write_playthrough(key: str, seats: int, options: dict[str, str | int]) -> str:
    """Return the text of a golden file; where more than three play, some drop out on the way."""
    return "\n".join(_lines(games[key], seats, options)) + "\n"


def _lines(game: Game, seats: int, options: dict[str, str | int]) -> Iterator[str]:
    yield f"{game.key}, rules version {game.rules_version}, {seats} seats, options {json.dumps(options)}"
    rng = random.Random(f"{game.key} {seats} {options}")
    state = game.start(seats, options)
    number = 0
    while state.to_move is not None:
        legal = sorted(action.text for action in state.legal_actions())
        action = _chosen(state, legal, rng, number)
        mover = "chance" if state.to_move == CHANCE else f"seat {state.to_move}"
        yield f"{number} {mover} | {len(legal)} {_digest(legal)} | {_digest(_position(state))} | {action}"
        state = state.play(action)
        number += 1
    yield json.dumps(_position(state), sort_keys=True)


def _chosen(state: State, legal: list[str], rng: random.Random, number: int) -> Action:
    if state.seats - len(state.dropped) > 3 and number % 40 == 39:
        return Action.drop(rng.choice([seat for seat in range(state.seats) if state.is_playing(seat)]))
    return state.read(rng.choice(legal)) if legal else state.sample_chance(rng)


def _position(state: State) -> dict[str, object]:
    return {name: value for name, value in state.to_json().items() if name != "extra"}


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:10]


def main() -> int:
    """Write the files of the games asked for anew, leaving none of an earlier set behind."""
    keys, _ = kits.arguments(__doc__)
    for key in keys:
        folder = kits.home(key, "golden")
        texts = {f"{name}.txt": write_playthrough(key, seats, options) for name, seats, options in list_variants(key)}
        for old in folder.glob("*.txt"):
            if old.name not in texts:
                old.unlink()
        for file, text in texts.items():
            (folder / file).write_text(text, encoding="utf-8")
            print(f"{file}: {text.count(chr(10)) - 2} actions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
