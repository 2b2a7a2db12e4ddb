"""The illustrated examples behind `/rules`."""

import pytest

from bot.kernel.requests import Reply
from bot.kernel.rulebook import examples, rule_examples
from bot.kernel.texts import Texts
from engine import games
from storage import Store
from tests.bot.party import Party, buttons, card, picture_of
from tests.bot.test_limits import CAPTION
from tests.bot.test_pictures import Studio


def labels(reply: Reply) -> list[str]:
    return [entry.label for entry in buttons(card(reply))]


@pytest.mark.parametrize("key", games)
async def test_the_examples_are_leafed_through_with_a_picture_each(store: Store, key: str) -> None:
    party = Party(store, draw=Studio())
    reply = await party.follow("anna", await party.say("anna", f"/rules {key}"), "See examples")
    seen = [picture_of(reply).name]
    while "Next" in labels(reply):
        reply = await party.follow("anna", reply, "Next")
        seen.append(picture_of(reply).name)
        assert picture_of(reply).png.startswith(b"\x89PNG")
        assert picture_of(reply).alt
        assert reply.private
    assert seen == [example.file for example in rule_examples(key)]
    if len(seen) > 1:
        assert picture_of(await party.follow("anna", reply, "Back")).name == seen[-2]
    assert "See examples" in labels(await party.follow("anna", reply, "Rules"))


async def test_an_example_that_does_not_exist_is_answered_kindly(party: Party) -> None:
    for rest in ("chess.0", "annuvin", "annuvin.99", "annuvin.-1", "annuvin.²", ".", "annuvin.0.0"):
        reply = await party.press("anna", f"example={rest}")
        assert card(reply).text, rest
        assert card(reply).picture is None, rest


@pytest.mark.parametrize("key", games)
def test_every_example_is_a_position_of_its_game_whose_words_fit_below_its_picture(key: str) -> None:
    for example in examples(key):
        assert (example.state.game.key, len(example.names)) == (key, example.state.seats)
    for language in ("en", "it"):
        speaker = Texts().speaker(language).of(key)
        assert all(len(speaker.line(f"example.{example.name}")) < CAPTION - 100 for example in rule_examples(key))
