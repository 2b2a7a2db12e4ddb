"""Whole games as animations on Telegram, and at rest where a chat allows none."""

from dataclasses import replace

import pytest

from bot.kernel.cards import Animation, Card, Picture
from bot.kernel.requests import Place
from bot.kernel.texts import Span
from engine import games
from render import draw
from tests.fakes.telegram.world import Message
from tests.support.present import present
from tests.telegram.harness import Scene

GIF = b"GIF89a and so on"


def moving_card() -> Card:
    """Return a card with an animation and its still."""
    still = draw(games["annuvin"].start())
    moving = Animation(GIF, "game.gif", (450, 500))
    return Card((Span("The whole game"),), Picture(still.png, "A game.", "game.png", still.size, animation=moving))


async def test_an_animation_is_sent_as_one_where_there_may_be_any(scene: Scene) -> None:
    place = Place("telegram", str(scene.group.id))
    adapter = scene.bot.connection.adapter
    await adapter.send(place, moving_card(), "key")
    (found,) = scene.shown
    assert (found.text, found.document, found.content) == ("The whole game", "game.gif", GIF)
    assert found.photo is None
    scene.group.may_send_photos = False
    with scene.telegram.refusing("animations", "photos"):
        await adapter.send(place, moving_card(), "other key")
    assert "A game." in scene.shown[-1].text


def kind(message: Message) -> str | None:
    """Return what a message shows: a photo, or an animation by its name."""
    assert message.content in (None, GIF)
    return "photo" if message.photo is not None else message.document


@pytest.mark.parametrize("allowed", [True, False])
async def test_a_picture_becomes_an_animation_and_a_picture_again(scene: Scene, allowed: bool) -> None:
    place = Place("telegram", str(scene.group.id))
    adapter = scene.bot.connection.adapter
    card = moving_card()
    still = replace(card, picture=replace(present(card.picture), animation=None))
    message = await adapter.send(place, still, "key")
    (shown,) = scene.shown
    assert kind(shown) == "photo"
    scene.group.may_send_photos = allowed
    if allowed:
        await adapter.edit(place, message, card)
        assert kind(shown) == "game.gif"
        await adapter.edit(place, message, replace(card, text=(Span("Once more"),)))
        assert (shown.text, kind(shown)) == ("Once more", "game.gif")
        assert scene.telegram.count("editMessageMedia") == 1
        scene.bot.clock.turn(seconds=30)
        await adapter.edit(place, message, still)
    else:
        with scene.telegram.refusing("animations"):
            await adapter.edit(place, message, replace(card, text=(Span("Once more"),)))
    assert kind(shown) == "photo"
