"""The reader's proof: what is right is found right, and each kind of mistake is found."""

from pathlib import Path

import pytest
from PIL import Image

from engine import games
from render import THEMES
from tools.reading_proof import SHEET, WIDTH_PX, Board, compare, hide_boards, read_sheet, write_boards

COUNT = 15


@pytest.fixture(scope="module")
def boards() -> list[Board]:
    return hide_boards(5, COUNT)


def fill_in(boards: list[Board]) -> dict[int, dict[str, dict[str, str]]]:
    return {board.number: {line: dict(cells) for line, cells in board.answers().items()} for board in boards}


def test_every_game_and_theme_is_hidden_with_choices(boards: list[Board]) -> None:
    assert {(board.state.game.key, board.theme) for board in boards} == {
        (key, theme) for key in games for theme in THEMES
    }
    assert all(board.question.picture_choices.targets for board in boards)
    for key in games:
        own = [board for board in boards if board.state.game.key == key]
        assert any(board.captures for board in own)
        assert any(board.taken for board in own)


def test_the_folder_has_pictures_and_a_sheet_but_no_position(tmp_path: Path) -> None:
    write_boards(tmp_path, 6, 2)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert SHEET in names
    assert len([name for name in names if name.startswith("0")]) == 2
    assert [name for name in names if name.startswith("example-")]
    for name in names:
        if name != SHEET:
            with Image.open(tmp_path / name) as image:
                assert image.width == WIDTH_PX
    seed, count, written = read_sheet((tmp_path / SHEET).read_text(encoding="utf-8"))
    assert (seed, count) == (6, 2)
    assert not any(cells for lines in written.values() for cells in lines.values())
    again = hide_boards(6, 2)
    assert [board.answers() for board in again] == [board.answers() for board in hide_boards(seed, count)]


def test_a_sheet_that_is_right_has_nothing_wrong(boards: list[Board], tmp_path: Path) -> None:
    lines = ["seed: 5 boards: 15"]
    for number, answers in fill_in(boards).items():
        lines.append(f"[{number:02}]")
        for line, cells in answers.items():
            shown = (cell if line == "captures" else f"{cell}={value}" for cell, value in cells.items())
            lines.append(f"{line}: {' '.join(shown)}")
    _, _, written = read_sheet("\n".join(lines))
    wrong, summary = compare(boards, written)
    assert not wrong
    assert summary.startswith("15 boards of ")
    assert summary.endswith(": 0 wrong")


@pytest.mark.parametrize("line", ["cells", "captures", "taken"])
def test_what_is_left_out_added_or_mistaken_is_found(boards: list[Board], line: str) -> None:
    board = next(board for board in boards if board.answers()[line])
    cell = min(board.answers()[line])
    free = min(board.state.topology.index.keys() - board.answers()[line].keys())
    for change, count in (({cell: None}, 1), ({free: "q"}, 1), ({cell: "q"}, 1), ({cell: None, free: "q"}, 2)):
        written = fill_in(boards)
        for at, value in change.items():
            if value is None:
                del written[board.number][line][at]
            else:
                written[board.number][line][at] = value
        wrong, _ = compare(boards, written)
        assert len(wrong) == count
        assert all(f"{line}: " in each for each in wrong)


def test_boards_that_nobody_read_are_not_counted(boards: list[Board]) -> None:
    written = fill_in(boards)
    for number in list(written)[3:]:
        written[number] = {line: {} for line in written[number]}
    wrong, summary = compare(boards, written)
    assert not wrong
    assert summary.startswith("3 boards")
