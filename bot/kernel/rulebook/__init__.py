"""The illustrated examples of the rules: shown by `/rules`, and drawn for the pages in docs/games.

A list `<game>.json` holds entries `{"file": ..., "position": {...}, "play": [actions], "choices": true}`: the actions
are played from the position and the last turn is marked. `choices` marks the possible choices; if it is a key, those
after that choice. An entry may also have `names`, `viewer` and `number`, and `seats` with `options` instead of a
position (a new game). Entries with `rules` are shown by `/rules`; their words are `example.<name>` in the game's
catalogue. A game in a separate package has its list there, as `rulebook.json`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from bot.kernel.choices import picture_marks
from engine import Action, Game, State, Turn, games
from engine.core import Json
from engine.discovery import file_of
from engine.turn import group_turns
from render.scene import Choices

EXAMPLE_NAMES: Final = ("Anna", "Bruno", "Carla", "Dario", "Elena")


@dataclass(frozen=True, slots=True)
class Example:
    """An example position; `name` is its name within its game. `rules`: True if `/rules` shows it."""

    name: str
    file: str
    state: State
    turn: Turn | None
    choices: Choices | None
    viewer: int | None
    names: tuple[str, ...]
    rules: bool


@cache
def examples(key: str) -> tuple[Example, ...]:
    """Return all examples of a game; raises KeyError for an unknown game."""
    game = games[key]
    return tuple(_example(game, entry) for entry in read_entries(key))


@cache
def rule_examples(key: str) -> tuple[Example, ...]:
    """Return the examples that `/rules` shows, in order."""
    return tuple(example for example in examples(key) if example.rules)


def read_entries(key: str) -> list[Json]:
    """Return the entries of a game's list, empty if it has none; raises KeyError for an unknown game."""
    file = file_of(games.source(key), "bot", f"kernel/rulebook/{key}.json", "rulebook.json")
    found: list[Json] = json.loads(file.read_text(encoding="utf-8")) if file is not None else []
    return found


def _example(game: Game, entry: Mapping[str, Any]) -> Example:
    if "position" in entry:
        first = game.load(entry["position"])
    else:
        first = game.start(entry.get("seats", 2), entry.get("options"))
    state, actions = first, list[Action]()
    for text in entry.get("play", []):
        actions.append(state.read(text))
        state = state.play(actions[-1])
    last = next(reversed(list(group_turns(first, actions))), None)
    number, marked = entry.get("number", 1), entry.get("choices", False)
    turn = last and Turn(last.number + number - 1, last.seat, last.actions, last.before)
    return Example(
        name=entry["file"].removeprefix(f"{game.key}-").removesuffix(".png"),
        file=entry["file"],
        state=state,
        turn=turn,
        choices=picture_marks(state, [marked] if isinstance(marked, str) else []) if marked else None,
        viewer=entry.get("viewer"),
        names=tuple(entry.get("names", EXAMPLE_NAMES[: state.seats])),
        rules=bool(entry.get("rules", False)),
    )
