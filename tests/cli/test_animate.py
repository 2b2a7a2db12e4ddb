"""`tavoliere animate`: files that are what they should be, and clear words where they cannot be."""

from pathlib import Path

import pytest
from PIL import Image

from engine import games
from engine.record import Record
from tests.cli.conftest import Run


@pytest.fixture
def recorded() -> str:
    """A file with a short game."""
    actions = []
    state = games["annuvin"].start(2, {"board": "square"})
    for _ in range(6):
        actions.append(state.legal_actions()[0].text)
        state = state.play(state.legal_actions()[0])
    options = {"board": "square", "setup": "classic"}
    record = Record("annuvin", "QQQQQQ", 1, options, ("Anna", "Bruno"), tuple(actions))
    Path("game.txt").write_text(record.to_text(), encoding="utf-8")
    return "game.txt"


def test_a_game_becomes_an_animation_as_its_viewer_sees_it_and_a_sheet_on_request(run: Run, recorded: str) -> None:
    assert run("animate", recorded, "-o", "1.gif", "--theme", "dark", "--viewer", "1").code == 0
    assert sorted(path.name for path in Path.cwd().glob("*.*")) == ["1.gif", "game.txt"]
    assert run("animate", recorded, "-o", "0.gif", "--theme", "dark", "--viewer", "0", "--sheet", "sheet.png").code == 0
    with Image.open("0.gif") as film, Image.open("sheet.png") as sheet:
        assert (film.format, sheet.format) == ("GIF", "PNG")
        assert getattr(film, "n_frames", 1) >= 6
        assert film.width < sheet.width
    assert Path("0.gif").read_bytes() != Path("1.gif").read_bytes()


@pytest.mark.parametrize("command", ["animate", "render"])
def test_viewer_without_a_seat_is_refused(run: Run, recorded: str, command: str) -> None:
    assert "the seats are 0 to 1" in run(command, recorded, "-o", "game.out", "--viewer", "4").refusal(1)
    assert not Path("game.out").exists()


def test_animate_reports_unusable_input_and_output(run: Run, recorded: str) -> None:
    Path("broken.txt").write_text("nonsense", encoding="utf-8")
    assert run("animate", "broken.txt", "-o", "game.gif").err.startswith("broken.txt")
    assert "nowhere" in run("animate", recorded, "-o", "nowhere/game.gif").err
    assert run("animate", "no.txt", "-o", "game.gif").code != 0
    assert not Path("game.gif").exists()
