"""The words of Gioco dell'Uomo Nero: every refusal is said with its numbers, in both languages."""

from __future__ import annotations

from typing import Any

import pytest

from bot.interface.refusals import engine_words
from bot.language.rich_text import plain
from bot.language.texts import Texts
from bot.words import words as position_words
from bot.words.describe import cell_words
from engine.core import IllegalAction, InvalidPosition
from engine.games.uomo_nero import GAME as UOMO_NERO
from tests.games.uomo_nero.court import load
from tests.games.uomo_nero.test_load import WRONG
from tests.games.uomo_nero.test_refusals import CASES

TEXTS = Texts()
LANGUAGES = ("en", "it")
BESIDE_THE_POINT = {"free"}


def numbers(params: dict[str, Any]) -> list[str]:
    """Return the cells and numbers that somebody has to be told."""
    parts = [value for name, value in params.items() if name not in BESIDE_THE_POINT]
    flat = [item for value in parts for item in (value if isinstance(value, list) else [value])]
    return [str(item) for item in flat if str(item)[-1:].isdigit()]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("code", "params"), [(case[0], case[2]) for case in CASES])
def test_a_refusal_says_its_cells_and_numbers(code: str, params: dict[str, Any], language: str) -> None:
    words = plain(engine_words(TEXTS.speaker(language), "uomo-nero", IllegalAction(code, **params)))
    assert [number for number in numbers(params) if number not in words] == []
    assert "{" not in words


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("position", [position for _, _, position in WRONG])
def test_what_is_wrong_with_a_position_is_said(position: dict[str, Any], language: str) -> None:
    speaker = TEXTS.speaker(language)
    with pytest.raises(InvalidPosition) as error:
        UOMO_NERO.load(position)
    assert speaker.of("uomo-nero").has(f"refusal.{error.value.code}")
    assert "{" not in plain(engine_words(speaker, "uomo-nero", error.value))


@pytest.mark.parametrize("language", LANGUAGES)
def test_colours_have_their_words(language: str) -> None:
    refused = IllegalAction("colour-taken", colour="yellow", free=["red"])
    words = plain(engine_words(TEXTS.speaker(language), "uomo-nero", refused))
    assert {"en": "yellow", "it": "giallo"}[language] in words


@pytest.mark.parametrize(
    ("text", "said"),
    [("c4-c5/3", "with the 3"), ("c4-c5/5", "with both dice"), ("stay/2", "Stand still: use up the 2")],
)
def test_a_choice_between_dice_is_told_in_words(text: str, said: str) -> None:
    state = load("c4 d4", man="h12", dice=(2, 3))
    action = next(each for each in state.legal_actions() if str(each) == text)
    assert position_words["uomo-nero"].choice(TEXTS.speaker("en").of("uomo-nero"), state, action) == said


def test_with_one_die_left_only_that_one_is_named() -> None:
    state = load("c4 d4", man="h12", dice=(2, 5))
    after = state.play(next(each for each in state.legal_actions() if str(each) == "d4-d9/5"))
    voice = TEXTS.speaker("it").of("uomo-nero")
    said = {position_words["uomo-nero"].choice(voice, after, each) for each in after.legal_actions()}
    assert said == {"con il 2", "Resta sul posto: spendi il 2"}


def test_the_man_stays_with_both_dice() -> None:
    state = load("c4 d4", man="h12", dice=(2, 4), to_move=0)
    stay = next(each for each in state.legal_actions() if each.verb == "stay")
    voice = TEXTS.speaker("en").of("uomo-nero")
    assert position_words["uomo-nero"].choice(voice, state, stay) == "Stand still: use up both dice (6)"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "en",
            {
                "c3": "red attacker",
                "d1": "yellow attacker",
                "e1": "green attacker",
                "g1": "blue attacker",
                "h7": "the Man",
            },
        ),
        (
            "it",
            {
                "c3": "attaccante rosso",
                "d1": "attaccante giallo",
                "e1": "attaccante verde",
                "g1": "attaccante blu",
                "h7": "l'uomo nero",
            },
        ),
    ],
)
def test_cells_are_named_with_what_stands_there(language: str, said: dict[str, str]) -> None:
    state = load("c3", "d1", "e1", "g1", man="h7")
    assert cell_words(TEXTS.speaker(language).of("uomo-nero"), state, ("Anna", "Bruno")) == said
