"""Draw the pictures of the documentation: docs/games/pictures/ from the lists docs/games/<game>.json.

A list holds `{"file": ..., "position": {...}, "play": [actions], "choices": false}`: the actions are played from
the position and the last turn is marked; `choices` marks the pieces that can act, a cell's name what that piece can do.
An entry may also have `names`, `viewer`, `theme` and `seats` with `options` instead of a position (a new game).
"""

from __future__ import annotations

import json
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

from bot.choices import question
from engine import Action, Game, State, Turn, games
from render import draw
from render.marks import Choices
from render.samples import showcase

ROOT = Path(__file__).resolve().parent.parent
LISTS = ROOT / "docs" / "games"
WIDTH, HEIGHT, GAP = 440, 586, 16
PAPER = (0xF4, 0xEC, 0xDF)
NAMES = ("Anna", "Bruno", "Carla", "Dario", "Elena")


def turn_of(state: State, texts: list[str], number: int) -> tuple[State, Turn | None]:
    """Return the state after the actions and the last turn among them."""
    before, turn = state, state.turn
    actions: list[Action] = []
    for text in texts:
        action = state.read(text)
        if state.turn != turn:
            before, actions, turn = state, [], state.turn
        actions.append(action)
        state = state.play(action)
    if not actions:
        return state, None
    seat = before.to_move if before.to_move is not None else 0
    return state, Turn(number + turn, seat, tuple(actions), before)


def marks_of(state: State, choices: bool | str) -> Choices | None:
    """Return the marks for somebody who chooses a piece, or what the named piece can do."""
    if choices is False:
        return None
    path = () if choices is True else (str(choices),)
    asked = question(state.legal_actions(), path)
    if isinstance(asked, Action):
        raise SystemExit(f"{choices} leaves nothing to choose")
    return asked.marks


def picture(game: Game, entry: dict[str, Any]) -> bytes:
    """Return the PNG for one entry of a list."""
    if "position" in entry:
        state = game.load(entry["position"])
    else:
        state = game.start(entry.get("seats", 2), entry.get("options"))
    state, turn = turn_of(state, entry.get("play", []), entry.get("number", 1))
    return draw(
        state,
        last_turn=turn,
        viewer=entry.get("viewer"),
        choices=marks_of(state, entry.get("choices", False)),
        names=entry.get("names", NAMES[: state.seats]),
        theme=entry.get("theme", "light"),
    ).png


def boards() -> Image.Image:
    """Return the picture of README.md: a turn of every game, and a choice, three in a row."""
    shown = [
        next(
            each
            for each in showcase(game)
            if each.name.endswith("-turn") and each.state.seats == min(3, game.seats[-1])
        )
        for game in games.values()
    ]
    shown.append(next(each for each in showcase(next(iter(games.values()))) if each.name.endswith("-choice")))
    sheet = Image.new("RGB", (3 * WIDTH + 4 * GAP, 2 * HEIGHT + 3 * GAP), PAPER)
    for number, sample in enumerate(shown):
        with Image.open(BytesIO(draw(sample.state, **sample.arguments()).png)) as drawn:
            board = drawn.convert("RGB")
        board.thumbnail((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
        row, column = divmod(number, 3)
        left = GAP + column * (WIDTH + GAP) + (WIDTH - board.width) // 2
        sheet.paste(board, (left, GAP + row * (HEIGHT + GAP) + (HEIGHT - board.height) // 2))
    return sheet.quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def main() -> int:
    """Draw all pictures."""
    folder = LISTS / "pictures"
    folder.mkdir(exist_ok=True)
    made = set()
    for key, game in games.items():
        for entry in json.loads((LISTS / f"{key}.json").read_text(encoding="utf-8")):
            (folder / entry["file"]).write_bytes(picture(game, entry))
            made.add(entry["file"])
    for old in folder.glob("*.png"):
        if old.name not in made:
            old.unlink()
    boards().save(ROOT / "docs" / "boards.png", optimize=True)
    print(f"{len(made)} pictures in {folder.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
