"""`tavoliere arena`: levels against each other."""

import re

import pytest

from tests.cli.conftest import Run

QUICK = ("arena", "fagocitare", "--option", "size=7", "--effort", "0.1", "--processes", "1", "--games", "4")
NUMBERS = re.compile(r"[\d.]*\d")
"""The result says the two levels, the score, its interval and the number of games."""


def test_each_level_meets_the_one_below_in_the_same_games_whatever_the_number_of_processes(run: Run) -> None:
    lines = run(*QUICK, "--level", "2").success().strip().splitlines()
    assert len(lines) == 5
    assert len(NUMBERS.findall(lines[-1])) >= 5
    assert run(*QUICK, "--level", "2", "--processes", "2").out.splitlines()[-1] == lines[-1]


def test_the_same_seed_gives_the_same_games(run: Run) -> None:
    once, again, other = (run(*QUICK, "--level", "1", "--seed", seed).out for seed in ("3", "3", "4"))
    assert once == again
    assert once != other


def test_level_zero_is_random_play(run: Run) -> None:
    assert "100.0" in run(*QUICK, "--level", "3", "--against", "0").out.splitlines()[-1]


@pytest.mark.parametrize(
    "wrong", [("--level", "6"), ("--games", "0"), ("--effort", "no"), ("--effort", "0"), ("--processes", "0")]
)
def test_arena_refuses_invalid_options(run: Run, wrong: tuple[str, str]) -> None:
    assert wrong[1] in run(*QUICK, *wrong).refusal(2)
