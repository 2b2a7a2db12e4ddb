"""The words of Annuvin: every refusal in both languages, with its numbers and cells."""

from __future__ import annotations

from typing import Any

import pytest

from bot.interface.refusals import engine_words
from bot.language.rich_text import plain
from bot.language.texts import Texts
from bot.words.describe import cell_words
from engine import IllegalAction, InvalidPosition
from tests.games.annuvin.board import ANNUVIN, load, position
from tests.games.annuvin.test_refusals import CASES

TEXTS = Texts()
LANGUAGES = pytest.mark.parametrize("language", ["en", "it"])


def words(language: str, code: str, params: dict[str, Any]) -> str:
    return plain(engine_words(TEXTS.speaker(language), "annuvin", IllegalAction(code, **params)))


@LANGUAGES
@pytest.mark.parametrize("code", CASES)
def test_every_refusal_names_its_cells_and_numbers(language: str, code: str) -> None:
    params = CASES[code][3]
    said = words(language, code, params)
    assert said != words(language, "no such code", {})
    assert "{" not in said
    assert all(str(value) in said for value in params.values())


@LANGUAGES
def test_no_two_refusals_say_the_same(language: str) -> None:
    assert len({words(language, code, CASES[code][3]) for code in CASES}) == len(CASES)


@LANGUAGES
@pytest.mark.parametrize(
    "change",
    [
        {"lost": [0, 3]},
        {"pieces": [[], []], "lost": [6, 6]},
        {"moving": {"piece": "c4", "range": 1}},
        {"moving": {"piece": "g7", "range": 1}},
        {"pieces": 5},
        {"to_move": 7},
        {"game": "chess"},
        {"unknown": 1},
    ],
)
def test_what_is_wrong_with_a_position_is_said(language: str, change: dict[str, Any]) -> None:
    with pytest.raises(InvalidPosition) as error:
        ANNUVIN.load(position("d5 a1 g7", "c4 c3 a2") | change)
    said = plain(engine_words(TEXTS.speaker(language), "annuvin", error.value))
    assert said != words(language, "no such code", {})
    assert "{" not in said


@LANGUAGES
def test_the_short_rules_are_short(language: str) -> None:
    short = TEXTS.speaker(language).of("annuvin").line("rules.short")
    assert 500 < len(short) < 2000


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", {"c3": "white piece", "d1": "white piece", "e5": "black piece"}),
        ("it", {"c3": "pedina bianca", "d1": "pedina bianca", "e5": "pedina nera"}),
    ],
)
def test_cells_are_named_with_what_stands_there(language: str, said: dict[str, str]) -> None:
    state = load("c3 d1", "e5")
    assert cell_words(TEXTS.speaker(language).of("annuvin"), state, ("Anna", "Bruno")) == said
