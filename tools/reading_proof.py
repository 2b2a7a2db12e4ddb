"""Have boards read from their pictures alone, and compare.

`python -m tools.reading_proof hide FOLDER [--seed N] [--boards N]` writes pictures of hidden positions, 400 pixels
wide, in all games and themes with choices drawn, and a sheet to be filled in by somebody who looks at nothing else.
`python -m tools.reading_proof compare FOLDER` says what was read wrongly: what stands on each cell, which cells would
capture, and where a piece was taken in the last turn and from whom. The positions are nowhere in the folder: they are
made again from the seed.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Final

from PIL import Image

from bot.kernel.choices import Question, next_question
from bot.kernel.words import words
from engine import CHANCE, Action, Game, State, Turn, games
from render import THEMES, draw
from tests.support.samples import NAMES, list_variants, random_playout

WIDTH_PX: Final = 400
BOARDS: Final = 40
SHEET: Final = "sheet.txt"
_MAX_TURNS: Final = 150
_CAPTURING_SHARE: Final = 0.6
"""How often a capture is played where there is one, so that boards have something to tell."""
_ASKED: Final = ("cells", "captures", "taken")


@dataclass(frozen=True)
class Board:
    """A hidden position with its picture's theme, the turn that led to it and the question that is drawn."""

    number: int
    state: State
    turn: Turn | None
    question: Question
    theme: str

    @property
    def cells(self) -> dict[str, str]:
        """What stands on the cells, as `Game.symbols` writes it."""
        return self.state.game.symbols(self.state.to_json())

    @property
    def captures(self) -> dict[str, str]:
        """The cells that have the red mark."""
        return {target.cell: "x" for target in self.question.picture_choices.targets if target.capture}

    @property
    def taken(self) -> dict[str, str]:
        """The cells where a piece was taken in the last turn, with the name of its owner."""
        return find_taken(self.turn)

    def answers(self) -> dict[str, dict[str, str]]:
        """Return what a reader should write down, by the lines of the sheet."""
        return dict(zip(_ASKED, (self.cells, self.captures, self.taken), strict=True))

    def picture(self) -> Image.Image:
        """Return the picture that is to be read."""
        shown = draw(
            self.state,
            last_turn=self.turn,
            choices=self.question.picture_choices,
            goals_of=self.state.to_move,
            names=NAMES[: self.state.seats],
            theme=self.theme,
        )
        with Image.open(BytesIO(shown.png)) as large:
            high = round(large.height * WIDTH_PX / large.width)
            return large.convert("RGB").resize((WIDTH_PX, high), Image.Resampling.LANCZOS)


def find_taken(turn: Turn | None) -> dict[str, str]:
    """Return where a turn took pieces, with their owners' names."""
    if turn is None:
        return {}
    found = words[turn.before.game.key].captured(turn)
    return {cell: NAMES[seat] for seat, cells in found.items() for cell in cells}


def hide_boards(seed: int, count: int = BOARDS) -> list[Board]:
    """Return hidden boards: every game in turn, in all its variants and all themes."""
    rng, made = Random(seed), list[Board]()
    keys, themes = list(games), list(THEMES)
    for number in range(count):
        game, round_ = games[keys[number % len(keys)]], number // len(keys)
        variants = list_variants(game)
        # Those with most players last: they have most to tell, and are never left out.
        seats, options = variants[-1 - (round_ * 2 + rng.randrange(2)) % len(variants)]
        theme = themes[(number % len(keys) + round_) % len(themes)]
        made.append(_hide_board(number + 1, game, seats, options, theme, rng))
    return made


def _hide_board(
    number: int, game: Game, seats: int, options: Mapping[str, str | int], theme: str, rng: Random
) -> Board:
    """Return one of the boards of a lively game that tell most: captures to come, and some that have been."""
    found: list[tuple[int, Board]] = []
    for state, turn in _play(game, seats, options, rng):
        question = _find_question(state, rng)
        if question is not None:
            board = Board(number, state, turn, question, theme)
            found.append((bool(board.captures) + bool(board.taken), board))
    most = max(value for value, _ in found)
    return rng.choice([board for value, board in found if value == most])


def _play(game: Game, seats: int, options: Mapping[str, str | int], rng: Random) -> Iterator[tuple[State, Turn | None]]:
    """Yield the positions of a game in which captures are mostly played, with the last turn in which somebody acted."""
    last: Turn | None = None
    for state, turn in random_playout(game, rng.randrange(2**32), seats, options, _MAX_TURNS, choose=_choose_capture):
        last = turn if turn is not None and turn.own else last
        if state.to_move not in (None, CHANCE):
            yield state, last


def _choose_capture(state: State, rng: Random) -> Action:
    captures = sorted(state.find_captures(state.legal_actions()), key=str) if state.to_move != CHANCE else []
    return rng.choice(captures) if captures and rng.random() < _CAPTURING_SHARE else state.random_action(rng)


def _find_question(state: State, rng: Random) -> Question | None:
    """Return a question whose answers are cells to go to, one that captures if there is such."""
    actions = state.legal_actions()
    asked = next_question(state, actions)
    while isinstance(asked, Question) and not asked.picture_choices.targets:
        going_on = [entry for entry in asked.entries if entry.leaf is None]
        if not going_on:
            return None
        capturing = [entry for entry in going_on if state.find_captures(entry.actions)]
        asked = asked.after(rng.choice(capturing or going_on))
    return asked if isinstance(asked, Question) else None


def write_boards(folder: Path, seed: int, count: int = BOARDS) -> list[Board]:
    """Write the pictures and the sheet into a folder and return the boards."""
    folder.mkdir(parents=True, exist_ok=True)
    boards = hide_boards(seed, count)
    lines = [
        f"seed: {seed} boards: {count}",
        "# Look at the pictures alone. On each line write cells, after `=` what belongs there:",
        "# cells: what stands on every cell that is not empty (a1=r b2=K);",
        "# captures: the cells with the red mark of a capture (c3 d4);",
        "# taken: the cells where a piece was taken in the last turn, one's own, too, and whose it was (e5=Anna).",
        "# Signs of the pieces:",
        *(f"#   {key}: {' '.join(_list_signs(key, boards))}" for key in games),
    ]
    lines += ["", "# Boards of other games that are filled in, as examples:"]
    examples = {board.state.game.key: board for board in hide_boards(seed + 1, count)}
    for key, board in sorted(examples.items()):
        board.picture().save(folder / f"example-{key}.png")
        lines += ["", f"# example-{key}.png", *(f"# {line}" for line in _write_answers(board))]
    for board in boards:
        name = f"{board.number:02}-{board.state.game.key}-{board.theme}.png"
        board.picture().save(folder / name)
        lines += ["", f"[{board.number:02}] {name}", *(f"{line}:" for line in _ASKED)]
    (folder / SHEET).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return boards


def _write_answers(board: Board) -> Iterator[str]:
    for line, cells in board.answers().items():
        shown = (cell if line == "captures" else f"{cell}={value}" for cell, value in cells.items())
        yield f"{line}: {' '.join(shown)}"


def _list_signs(key: str, boards: Sequence[Board]) -> list[str]:
    """Return the signs that a game's pieces have in seeded games and on the boards, in the order of their letters."""
    found = {sign for board in boards if board.state.game.key == key for sign in board.cells.values()}
    for seats, options in list_variants(games[key]):
        for state, _ in _play(games[key], seats, options, Random(0)):
            found |= set(games[key].symbols(state.to_json()).values())
    return sorted(found)


def read_sheet(text: str) -> tuple[int, int, dict[int, dict[str, dict[str, str]]]]:
    """Return the seed and the number of boards of a sheet, and what was written down, by board and line."""
    head, *lines = text.splitlines()
    _, seed, _, count = head.split()
    written: dict[int, dict[str, dict[str, str]]] = {}
    number = 0
    for line in lines:
        if line.startswith("["):
            number = int(line[1 : line.index("]")])
            written[number] = {}
        elif ":" in line and not line.startswith("#"):
            name, _, rest = line.partition(":")
            pairs = (each.partition("=") for each in rest.split())
            written[number][name] = {cell: value or "x" for cell, _, value in pairs}
    return int(seed), int(count), written


def compare(boards: list[Board], written: Mapping[int, Mapping[str, Mapping[str, str]]]) -> tuple[list[str], str]:
    """Return what was read wrongly, a line each, and a summary of the boards that were filled in."""
    wrong: list[str] = []
    read = [board for board in boards if any(written.get(board.number, {}).values())]
    totals = dict.fromkeys(_ASKED, 0)
    for board in read:
        for line, answers in board.answers().items():
            said = {cell: value.casefold() for cell, value in written[board.number].get(line, {}).items()}
            true = {cell: value.casefold() for cell, value in answers.items()}
            totals[line] += len(true)
            for cell in sorted(said.keys() | true.keys()):
                if said.get(cell) != true.get(cell):
                    read_as = f"{said.get(cell, 'nothing')} for {true.get(cell, 'nothing')}"
                    wrong.append(f"{board.number:02} {board.state.game.key} {board.theme}, {line}: {cell} {read_as}")
    cells = sum(len(board.state.topology.index) for board in read)
    found = ", ".join(f"{totals[line]} {line}" for line in _ASKED)
    return wrong, f"{len(read)} boards of {cells} cells read ({found}): {len(wrong)} wrong"


def main() -> None:
    """Write hidden boards, or compare a sheet with them."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("hide", "compare"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--boards", type=int, default=BOARDS)
    asked = parser.parse_args()
    if asked.what == "hide":
        made = write_boards(asked.folder, asked.seed, asked.boards)
        print(f"{len(made)} pictures and {SHEET} in {asked.folder}")
        return
    seed, count, written = read_sheet((asked.folder / SHEET).read_text(encoding="utf-8"))
    wrong, summary = compare(hide_boards(seed, count), written)
    print("\n".join([*wrong, summary]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
