"""Draw the pictures of the documentation: those of the pages in docs/games/, and the boards in README.md."""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path

from PIL import Image

from bot.rulebook import Example, examples
from engine import games
from render import draw
from tests.support.samples import showcase

ROOT = Path(__file__).resolve().parent.parent
COLUMNS, WIDTH, HEIGHT, GAP = 3, 440, 586, 16
PAPER = (0xF4, 0xEC, 0xDF)


def picture(example: Example) -> bytes:
    """Return the PNG of an example."""
    return draw(
        example.state,
        last_turn=example.turn,
        viewer=example.viewer,
        choices=example.choices,
        names=example.names,
    ).png


def boards() -> Image.Image:
    """Return the picture of README.md: a turn of every game, three in a row; a choice, where a row has room for it."""
    shown = [
        next(
            each
            for each in showcase(game)
            if each.name.endswith("-turn") and each.state.seats == min(3, game.seats[-1])
        )
        for game in map(games.__getitem__, games.ours)
    ]
    if len(shown) % COLUMNS:
        first = showcase(games[games.ours[0]])
        shown.append(next(each for each in first if each.name.endswith("-choice")))
    lines = -(-len(shown) // COLUMNS)
    sheet = Image.new("RGB", (GAP + COLUMNS * (WIDTH + GAP), GAP + lines * (HEIGHT + GAP)), PAPER)
    for number, sample in enumerate(shown):
        with Image.open(BytesIO(draw(sample.state, **sample.arguments()).png)) as drawn:
            board = drawn.convert("RGB")
        board.thumbnail((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
        row, column = divmod(number, COLUMNS)
        left = GAP + column * (WIDTH + GAP) + (WIDTH - board.width) // 2
        sheet.paste(board, (left, GAP + row * (HEIGHT + GAP) + (HEIGHT - board.height) // 2))
    return sheet.quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def main() -> int:
    """Draw all pictures."""
    folder = ROOT / "docs" / "games" / "pictures"
    folder.mkdir(exist_ok=True)
    made = set()
    for key in games.ours:
        for example in examples(key):
            (folder / example.file).write_bytes(picture(example))
            made.add(example.file)
    for old in folder.glob("*.png"):
        if old.name not in made:
            old.unlink()
    boards().save(ROOT / "docs" / "boards.png", optimize=True)
    print(f"{len(made)} pictures in {folder.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
