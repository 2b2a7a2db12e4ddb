"""The words of Gioco dell'Uomo Nero: colours, and choices between dice."""

import pytest

from bot.kernel.refusals import engine_words
from bot.kernel.texts import Texts, strip_styles
from bot.kernel.words import words as position_words
from engine.core import IllegalAction
from tests.games.uomo_nero.court import load

TEXTS = Texts()


@pytest.mark.parametrize(("language", "colour"), [("en", "yellow"), ("it", "giallo")])
def test_colours_have_their_words(language: str, colour: str) -> None:
    refused = IllegalAction("colour-taken", colour="yellow", free=["red"])
    assert colour in strip_styles(engine_words(TEXTS.speaker(language), "uomo-nero", refused))


@pytest.mark.parametrize(
    ("text", "said"),
    [("c4-c5/3", "with the 3"), ("c4-c5/5", "with both dice"), ("stay/2", "Stand still: use up the 2")],
)
def test_choice_between_dice_is_described_in_words(text: str, said: str) -> None:
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
