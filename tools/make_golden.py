"""Write the golden playthroughs: one random game for every game, number of seats and option, played to its end.

Each line has the number of the action, whose it is, how many actions are legal, digests of their texts and of the
position (its JSON without `extra`), and the action taken. The last line is the position at the end, as JSON.
`make golden` writes them, a test compares them: what changes in them must be meant to change.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from engine import CHANCE, Action, Game, State, games

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "data" / "golden"


def playthroughs() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every golden file; where more than two play, some drop out on the way."""
    for game in games.values():
        names = sorted(game.options)
        for seats, *values in product(game.seats, *(game.options[name].values for name in names)):
            options = dict(zip(names, values, strict=True))
            name = "-".join([game.key, *([str(seats)] if len(game.seats) > 1 else []), *map(str, values)])
            if name == game.key:
                name += "-plain"
            yield f"{name}.txt", "\n".join(_lines(game, int(seats), options)) + "\n"


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
    """Write all files anew, leaving none of an earlier set behind."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    texts = dict(playthroughs())
    for old in FOLDER.glob("*.txt"):
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        print(f"{name}: {text.count(chr(10)) - 2} actions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
