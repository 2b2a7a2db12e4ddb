"""The documents that list the games leave none of ours out, and the one that lists the settings none of these."""

import re
from pathlib import Path
from typing import Final

import pytest

from bot.kernel.operations.settings import Settings
from bot.kernel.texts import Texts
from engine import games

ROOT: Final = Path(__file__).resolve().parent.parent
TEXTS: Final = Texts()
OURS: Final = [key for key, game in games.items() if type(game).__module__.startswith("engine.")]
"""The games that come with the program."""


def name_of(key: str, language: str) -> str:
    return TEXTS.speaker(language).game_name(key)


@pytest.mark.parametrize("key", OURS)
def test_the_first_page_has_a_line_for_it(key: str) -> None:
    """A game without one is missing from the table in README.md."""
    seats = games[key].seats
    players = str(seats[0]) if len(seats) == 1 else f"{seats[0]}-{seats[-1]}"
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    link = re.escape(f"[{name_of(key, 'en')}](docs/games/{key}.en.md)")
    assert re.search(rf"^\| {link} \| {players} \| \S.* \|$", page, re.MULTILINE), f"README.md has no line for {key}"


@pytest.mark.parametrize(
    ("page", "line"),
    [
        ("players.md", "[{en}](games/{key}.en.md)"),
        ("players.it.md", "[{it}](games/{key}.it.md)"),
        ("computer-players.md", "{en}"),
    ],
    ids=["players", "players-it", "computer-players"],
)
@pytest.mark.parametrize("key", OURS)
def test_every_game_is_on_the_page(key: str, page: str, line: str) -> None:
    """The pages for players lead to its rules, another one tells how strong its computer player is."""
    said = line.format(key=key, en=name_of(key, "en"), it=name_of(key, "it"))
    assert said in (ROOT / "docs" / page).read_text(encoding="utf-8"), f"docs/{page} does not name {key}"


def test_every_setting_is_documented() -> None:
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    table = page.split("## Settings")[1].split("\n## ")[0]
    names = {str(field.validation_alias) for field in Settings.model_fields.values()}
    assert names
    assert {name for name in names if f"`{name}`" not in table} == set()
