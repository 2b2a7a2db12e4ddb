"""`tavoliere perft`."""

import json
from pathlib import Path

import pytest

from engine import games
from tests.cli.conftest import Run


def test_perft_counts_from_the_start(run: Run) -> None:
    printed = run("perft", "annuvin", "--depth", "2").success()
    assert [line.split("   ")[0] for line in printed.splitlines()] == ["depth 1: 11", "depth 2: 121"]


def test_perft_counts_from_a_position(run: Run) -> None:
    position = games["annuvin"].start(2, {"board": "square"}).to_json()
    Path("position.json").write_text(json.dumps(position))
    assert run("perft", "annuvin", "--position", "position.json").out.startswith("depth 1: 10 ")


def test_perft_accepts_game_options(run: Run) -> None:
    assert run("perft", "annuvin", "--option", "board=square").out.startswith("depth 1: 10 ")
    assert run("perft", "fagocitare", "--option", "size=7").out.startswith("depth 1: 25 ")


def test_dice_are_not_counted(run: Run) -> None:
    assert "dice thrown" in run("perft", "uomo-nero").refusal(2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["chess"], "invalid choice"), (["annuvin", "--depth", "0"], "from 1 to 20"),
     (["annuvin", "--depth", "²"], "from 1 to 20"), (["annuvin", "--seats", "3"], "cannot start"),
     (["annuvin", "--option", "board=round"], "cannot start"), (["annuvin", "--option", "colour=red"], "cannot start"),
     (["annuvin", "--option", "board"], "name=value")],
)  # fmt: skip
def test_wrong_arguments_get_one_sentence(run: Run, arguments: list[str], said: str) -> None:
    printed = run("perft", *arguments).refusal(2)
    assert said in printed
    assert "Traceback" not in printed


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"{", "is not JSON"), (b"\xff\xfe", "not a text file"), (b"[]", "no position"), (b"[" * 100_000, "is not JSON"),
     (b'{"game": "annuvin"}', "no position"), (b'{"game": "real-queen"}', "no position")],
)  # fmt: skip
def test_a_broken_position_gets_one_sentence(run: Run, content: bytes, said: str) -> None:
    Path("broken.json").write_bytes(content)
    printed = run("perft", "annuvin", "--position", "broken.json").sentence(1)
    assert said in printed


def test_a_missing_file_gets_one_sentence(run: Run) -> None:
    assert "nowhere.json" in run("perft", "annuvin", "--position", "nowhere.json").refusal(1)
