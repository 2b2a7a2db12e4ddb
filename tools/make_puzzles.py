"""Make puzzles from games of the computers, each with one first turn that reaches its goal, proven.

Levels 3 to 5 play each other with a small part of their usual effort (`_EFFORTS`), after openings of two to eight
random actions. From the positions at which a turn begins those are taken that are puzzles
(`bot/boards/puzzles/making.py`),
and which no symmetry makes of a puzzle that is there already. Where a game is decided by a blow, its last turns are
played otherwise as well, after a random one: that is often a mistake to punish. `tavoliere puzzles` makes them from
games that people have played.

Usage: `python -m tools.make_puzzles [GAME ...] [--wanted N] [--first SEED] [--place FOLDER]`. It goes on where the
files are: puzzles that are there stay. With the engine compiled (`make compiled`) it is several times faster as
`PYTHONPATH=out/compiled:. python -P -m tools.make_puzzles`.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from bot.boards.puzzles.goals import puzzle_goals
from bot.boards.puzzles.making import puzzles_in, write_puzzles
from engine import CHANCE, State, games
from engine.search import players

PLACE: Final = Path(__file__).resolve().parent.parent / "bot" / "boards" / "puzzles"
PUZZLES_PER_GAME: Final = {"annuvin": 365, "real-queen": 365, "fagocitare": 365, "uomo-nero": 120, "vedova-nera": 120}
_SEATS: Final[Mapping[str, tuple[int, ...]]] = {"uomo-nero": (2, 3, 4), "vedova-nera": (2, 2, 3)}
_OPTIONS: Final[Mapping[str, Mapping[str, tuple[int, ...]]]] = {"fagocitare": {"size": (10, 12, 12)}}
"""Values of options, drawn as often as they stand here: on a small sheet level 2 finds nearly everything."""
_MAX_SHARES: Final[Mapping[str, Mapping[str, float]]] = {
    "annuvin": {"most": 0.2, "hold": 0.25},
    "fagocitare": {"hold": 0.7},
    "uomo-nero": {"safe": 0.6},
    "vedova-nera": {"most": 0.45},
}
"""What share of a game's puzzles may have one kind of goal, where one is found much more easily than the others."""
_EFFORTS: Final = {3: 0.3, 4: 0.03, 5: 0.001}
"""The share of each level's iterations with which it plays."""
_SHARES: Final = {"real-queen": 0.05, "fagocitare": 0.03}
"""What part of that is enough where a hundred positions have to be looked at for one puzzle."""
_MAX_TURNS: Final = 300


def play_positions(key: str, seed: int) -> Iterator[State]:
    """Yield the positions at which a turn begins in one game of the computers."""
    rng = random.Random(f"puzzles {key} {seed}")
    game = games[key]
    seats = rng.choice(_SEATS.get(key, (2,)))
    options = {
        name: rng.choice(_OPTIONS.get(key, {}).get(name, option.values)) for name, option in game.options.items()
    }
    levels: list[int] = [rng.choice((3, 4, 5)) for _ in range(seats)]
    yield from _played_on(game.start(seats, options), levels, rng.randrange(2, 9), seed, rng)


def _played_on(state: State, levels: Sequence[int], opening: int, seed: int, rng: random.Random) -> Iterator[State]:
    """Yield the positions at which a turn begins from one on; turns before the number `opening` are random."""
    key, before = state.game.key, -1
    while state.to_move is not None and state.turn < _MAX_TURNS:
        if state.to_move == CHANCE:
            state = state.advance(state.sample_chance(rng))
            continue
        if state.turn != before:
            yield state
        before = state.turn
        if state.turn < opening:
            state = state.advance(state.random_action(rng))
            continue
        level = levels[state.to_move or 0]
        effort = _EFFORTS[level] * _SHARES.get(key, 1.0)
        state = state.advance(players[key].choose(state, level, seed, effort=effort))


def list_positions(key: str, seed: int) -> Iterator[list[State]]:
    """Yield the positions of one game in which puzzles are looked for, then those of the game played on otherwise."""
    whole = list(play_positions(key, seed))
    last = puzzle_goals[key].last_turns
    if last is None:
        yield whole
        return
    yield whole[-last:]
    rng = random.Random(f"otherwise {key} {seed}")
    for state in whole[-2 * last : -1]:
        levels: list[int] = [rng.choice((3, 4, 5)) for _ in range(state.seats)]
        yield list(islice(_played_on(state, levels, state.turn + 1, seed, rng), 1, 1 + last))


def main() -> None:
    """Add puzzles to the files of the games asked for, until each has as many as are wanted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"which games (all): {', '.join(PUZZLES_PER_GAME)}")
    parser.add_argument("--wanted", type=int, help="how many of each (those that the program has)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first game that is played")
    parser.add_argument("--place", type=Path, default=PLACE, help="the folder of the files")
    arguments = parser.parse_args()
    arguments.place.mkdir(parents=True, exist_ok=True)
    for key in arguments.games or PUZZLES_PER_GAME:
        extend(arguments.place / f"{key}.json", key, arguments.wanted or PUZZLES_PER_GAME[key], arguments.first)


def extend(path: Path, key: str, wanted: int, seed: int) -> None:
    """Add puzzles of a game to a file until it has so many."""
    entries: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    known = {entry["id"] for entry in entries}
    most = _MAX_SHARES.get(key, {})

    def enough() -> list[str]:
        kinds = [entry["goal"][0] for entry in entries]
        return [kind for kind in most if kinds.count(kind) >= most[kind] * wanted]

    while len(entries) < wanted:
        seed += 1
        for puzzle in puzzles_in(list_positions(key, seed), known, enough):
            known.add(puzzle.id)
            entries.append(puzzle.to_json())
            write_puzzles(path, entries)
            print(key, seed, len(entries), puzzle.goal, puzzle.motif, puzzle.difficulty, file=sys.stderr, flush=True)
            if len(entries) >= wanted:
                break


if __name__ == "__main__":
    main()
