"""Annuvin: what its pages say can be played, can be played."""

import re
from pathlib import Path

import pytest

from bot.kernel.rulebook import read_entries
from tests.games.annuvin.board import ANNUVIN, play
from tests.support.present import present

FOLDER = Path(__file__).parents[3] / "docs" / "games"
PICTURES = read_entries("annuvin")
PAGES = [FOLDER / "annuvin.en.md", FOLDER / "annuvin.it.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.name))
def test_the_first_game_is_the_one_of_the_pictures(page: Path) -> None:
    _, story = re.split(r"\n## (?:A first game|Una prima partita)\n", page.read_text(encoding="utf-8"))
    moves = re.findall(r"(?<![a-z0-9])[a-g][1-7](?:[-x][a-g][1-7])+", story)
    assert present(play(ANNUVIN.start(), *moves).outcome).reason == "eliminated"
    pictured = [entry["play"] for entry in PICTURES if entry["file"].startswith("annuvin-first")]
    line = [action for move in moves for action in re.sub(r"(?<=\d)x(\w\d)(?=x)", r"x\1 ", move).split()]
    for played in pictured:
        assert played == line[: len(played)]
    assert pictured[-1] == line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.name))
def test_a_page_shows_all_pictures_and_no_others(page: Path) -> None:
    shown = re.findall(r"!\[[^\]]+\]\(pictures/([a-z0-9-]+\.png)\)", page.read_text(encoding="utf-8"))
    assert shown == [entry["file"] for entry in PICTURES]
