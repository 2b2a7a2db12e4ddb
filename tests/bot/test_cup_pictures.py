"""Pictures of competitions' tables, and the same in words, in both languages."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from bot.competitions.cups.cards import CupCards
from bot.competitions.cups.service import Cup
from bot.kernel.pictures import Artist
from bot.kernel.texts import Texts
from storage import EntrantRow, Person
from tests.competitions.playing import GAME, Played, make_terms, replay
from tests.support.present import present
from tests.support.stores import make_cup_row

NAMES = ("Anna", "Bruno", "Chiara", "Dario")
TEXTS = Texts()
RATINGS = {number: 2000 - number for number in range(20)}
"""The ratings of entrants, the first the best."""


def drawing() -> Any:
    """Return as much of a context as pictures need."""
    return SimpleNamespace(artist=Artist(lambda *_, **__: None))  # type: ignore[arg-type]


def cup_of(played: Played) -> Cup:
    """Return a competition whose entrants are called Anna, Bruno and so on."""
    row = replace(make_cup_row(1, 1), game_key=GAME)
    numbers = sorted(played.state.entrants)
    people = {number + 1: Person(number + 1, NAMES[number % 4] + "'" * (number // 4)) for number in numbers}
    entries = {number: EntrantRow(number, number + 1, 1, "web:1") for number in numbers}
    return Cup(row, entries, people, played.state)


async def describe(played: Played, language: str, page: int | None = None) -> str:
    picture = present(await CupCards(cup_of(played), TEXTS.speaker(language)).picture(drawing(), "light", page))
    assert picture.png.startswith(b"\x89PNG")
    return picture.alt


@pytest.mark.parametrize(
    ("kind", "count", "language", "expected"),
    [
        ("all", 3, "en", "1. Anna: 2 points, 2 wins, 0 draws, 0 losses; 2. Bruno: 1 point, 1 win, 0 draws, 1 loss"),
        ("all", 3, "it", "1. Anna: 2 punti, 2 vittorie, 0 patte, 0 sconfitte; 2. Bruno: 1 punto, 1 vittoria, 0 patte"),
        ("knockout", 4, "en", "Round 2, the final: Anna and Bruno – Anna wins the cup; Round 1: Anna and Dario – Anna"),
        ("knockout", 4, "it", "Turno 2, la finale: Anna e Bruno – vince il torneo Anna; Turno 1: Anna e Dario – passa"),
        ("knockout", 3, "en", "Round 1: Anna has a bye"),
        ("knockout", 3, "it", "Turno 1: Anna riposa"),
    ],
)
async def test_tables_and_brackets_are_described(kind: str, count: int, language: str, expected: str) -> None:
    played = Played.begun(make_terms(kind, count), count, RATINGS)
    played.win_by()
    assert expected in await describe(played, language)


async def test_cup_pictures_exist_for_valid_pages_only() -> None:
    played = Played.begun(make_terms("swiss", 20), 20)
    played.go_on()
    speaker = TEXTS.speaker("en")
    for page, there in ((0, True), (1, True), (2, False), (-1, False)):
        assert (await CupCards(cup_of(played), speaker).picture(drawing(), "dark", page) is not None) == there
    before = Played(played.events[:-2], replay(played.events[:5]))
    assert await CupCards(cup_of(before), speaker).picture(drawing(), "light") is None


async def test_the_last_rounds_of_a_large_bracket_have_a_page_of_their_own() -> None:
    played = Played.begun(make_terms("knockout", 20), 20, RATINGS)
    played.win_by()
    assert (await describe(played, "en")).startswith("Round 5, the final: Anna and Bruno – Anna wins the cup")
    assert (await describe(played, "en", 0)).startswith("Round 4: ")
