"""Pictures of leagues and ladders, and the same in words, in both languages."""

from dataclasses import replace

import pytest

from bot.competitions.ladders.cards import LadderCards
from bot.competitions.ladders.service import StoredLadder
from bot.competitions.leagues.cards import LeagueCards
from bot.competitions.leagues.service import StoredLeague
from storage import EntrantRow, Person
from tests.bot.test_cup_pictures import TEXTS, drawing
from tests.competitions.climbing import Climbing
from tests.competitions.leagues import Living
from tests.competitions.playing import GAME
from tests.support.present import present
from tests.support.stores import make_cup_row

ROW = replace(make_cup_row(1, 1), game_key=GAME)
PEOPLE = {number + 1: Person(number + 1, f"P{number}") for number in range(12)}
ENTRIES = {number: EntrantRow(number, number + 1, 1, "web:1") for number in range(12)}


@pytest.mark.parametrize(
    ("language", "expected"),
    [("en", "5. P4 – 1 point (going down); 6. P5 – 0 points (going down)"), ("it", "5. P4 – 1 punto (scende)")],
)
async def test_division_picture_and_text_name_relegated_entrants(language: str, expected: str) -> None:
    living = Living.begun(12)
    living.play()
    league = StoredLeague(ROW, ENTRIES, PEOPLE, living.state)
    picture = present(await LeagueCards(league, TEXTS.speaker(language)).picture(drawing(), "light", 1))
    assert picture.png.startswith(b"\x89PNG")
    assert expected in picture.alt
    assert await LeagueCards(league, TEXTS.speaker(language)).picture(drawing(), "light", 3) is None


async def test_ladder_picture_and_text_list_every_place() -> None:
    ladder = StoredLadder(ROW, ENTRIES, PEOPLE, Climbing.begun(12).state)
    picture = present(await LadderCards(ladder, TEXTS.speaker("en")).picture(drawing(), "dark"))
    assert picture.alt.startswith("1. P0; 2. P1")
