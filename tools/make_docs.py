"""Draw the pictures of the documentation: those of the pages in docs/games/, and the boards in README.md.

Usage: `python -m tools.make_docs` draws everything, `python -m tools.make_docs GAME` the pages' pictures of one game of
this tree, and `python -m tools.make_docs --kit DIR GAME` those of another package's game, for the pages beside its kit.
"""

import argparse
import sys
from collections.abc import Iterable
from datetime import timedelta
from io import BytesIO
from pathlib import Path

from PIL import Image

from bot.boards.puzzles.proving import whole_turns
from bot.boards.puzzles.puzzle import FIRST_DATE, list_puzzles, puzzle_on
from bot.boards.puzzles.solving import PuzzleAttempt
from bot.kernel.choices import Question, next_question
from bot.kernel.line import Line, follow_action
from bot.kernel.pictures import hint_marks
from bot.kernel.rulebook import Example, examples
from bot.kernel.texts import Texts
from engine import games
from render import draw
from tools.cup_pictures import PICTURES, cup_picture
from tools.showcase import list_showcase

ROOT = Path(__file__).resolve().parent.parent
COLUMNS, WIDTH, HEIGHT, GAP = 3, 440, 586, 16
PAPER = (0xF4, 0xEC, 0xDF)
TRIAL_SUFFIXES = {"en": "", "it": ".it"}
"""What the names of the pictures of docs/trying.md end in, by language."""


def draw_example(example: Example) -> bytes:
    """Return the PNG of an example."""
    return draw(
        example.state, last_turn=example.turn, viewer=example.viewer, choices=example.choices, names=example.names
    ).png


def draw_boards() -> Image.Image:
    """Return the picture of README.md: a turn of every game, three in a row; a choice, where a row has room for it."""
    shown = [
        next(
            each
            for each in list_showcase(game)
            if each.name.endswith("-turn") and each.state.seats == min(3, game.seats[-1])
        )
        for game in map(games.__getitem__, games.ours)
    ]
    if len(shown) % COLUMNS:
        first = list_showcase(games[games.ours[0]])
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


def draw_trial(language: str, caption: str) -> bytes:
    """Return a picture of docs/trying.md: a turn that was only tried, or planned."""
    sample = next(each for each in list_showcase(games[games.ours[0]]) if each.name.endswith("-turn"))
    return draw(sample.state, **sample.arguments(), tried=Texts().speaker(language).line(caption)).png


def draw_puzzles(language: str) -> tuple[bytes, bytes]:
    """Return the pictures of docs/puzzles.md: a puzzle, and a wrong turn with the answer that it overlooks."""
    days = (puzzle_on(FIRST_DATE + timedelta(days=number)) for number in range(len(list_puzzles())))
    puzzle = next(each for each in days if each.game == games.ours[0])
    line, names = Line(puzzle.state()), ("Anna", "Bruno")
    caption = Texts().speaker(language).line("puzzle.caption")
    asked = next_question(line.state, line.state.legal_actions())
    choices = asked.picture_choices if isinstance(asked, Question) else None
    first = draw(line.state, last_turn=None, viewer=puzzle.seat, choices=choices, names=names, caption=caption).png
    for way in whole_turns(line.state):
        attempt = PuzzleAttempt(puzzle)
        judged = attempt.play(way.actions)
        if judged.verdict != "wrong" or not (missed := attempt.refute(judged.turn)).reply:
            continue
        for text in judged.turn:
            line = follow_action(line, text)
        answer = [line.state.read(text) for text in missed.reply[:1]]
        hint = hint_marks(line.state, answer)
        shown = draw(
            line.state,
            last_turn=line.shown_turn,
            viewer=puzzle.seat,
            choices=None,
            names=names,
            hint=hint,
            caption=caption,
        )
        return first, shown.png
    raise LookupError(puzzle.id)


def write(keys: Iterable[str], folder: Path, old: str = "*.png") -> None:
    """Draw the pictures of some games into a folder, leaving none behind of the `old` ones that are not drawn now."""
    folder.mkdir(exist_ok=True)
    made = set()
    for example in (each for key in keys for each in examples(key)):
        (folder / example.file).write_bytes(draw_example(example))
        made.add(example.file)
    for file in folder.glob(old):
        if file.name not in made:
            file.unlink()
    print(f"{len(made)} pictures in {folder}")


def main() -> int:
    """Draw all pictures of this tree, or those of one game."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kit", metavar="DIR", type=Path, help="the kit of a game that an installed package brings")
    parser.add_argument("game", nargs="?", metavar="GAME", help="which game alone")
    asked = parser.parse_args()
    if asked.game is not None and asked.game not in games:
        parser.error(f"no game called {asked.game}")
    if (asked.kit is not None) != (asked.game is not None and asked.game not in games.ours):
        parser.error("--kit goes together with the key of a package's game")
    if asked.kit is not None:
        write([asked.game], asked.kit.resolve().parent / "docs" / "pictures")
        return 0
    if asked.game is not None:
        write([asked.game], ROOT / "docs" / "games" / "pictures", f"{asked.game}-*.png")
        return 0
    write(games.ours, ROOT / "docs" / "games" / "pictures")
    draw_boards().save(ROOT / "docs" / "boards.png", optimize=True)
    for language, ending in TRIAL_SUFFIXES.items():
        (ROOT / "docs" / "pictures" / f"tried{ending}.png").write_bytes(draw_trial(language, "try.caption"))
        (ROOT / "docs" / "pictures" / f"planned{ending}.png").write_bytes(draw_trial(language, "plan.caption"))
        for name, png in zip(("puzzle", "overlooked"), draw_puzzles(language), strict=True):
            (ROOT / "docs" / "pictures" / f"{name}{ending}.png").write_bytes(png)
    for name in PICTURES:
        (ROOT / "docs" / "pictures" / f"{name}.png").write_bytes(cup_picture(name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
