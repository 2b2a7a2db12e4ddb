"""Whole games as animations on Telegram, and at rest where a chat allows none."""

from dataclasses import replace

from bot.kernel.cards import Animation, Card, Picture
from bot.kernel.requests import Place
from bot.kernel.texts import Span
from engine import games
from render import draw
from tests.fakes.telegram.world import Message
from tests.support.comparing import missing_from
from tests.support.present import present
from tests.telegram.harness import Scene

GIF = b"GIF89a and so on"


def moving_card() -> Card:
    """Return a card with an animation and its still."""
    still = draw(games["annuvin"].start())
    moving = Animation(GIF, "game.gif", (450, 500))
    return Card((Span("The whole game"),), Picture(still.png, "A game.", "game.png", still.size, animation=moving))


def kind(message: Message) -> str | None:
    """Return what a message shows: a photo, or an animation by its name."""
    assert message.content in (None, GIF)
    return "photo" if message.photo is not None else message.document


async def test_a_picture_becomes_an_animation_and_a_picture_again_and_words_where_neither_is_allowed(
    scene: Scene,
) -> None:
    place = Place("telegram", str(scene.group.id))
    adapter = scene.bot.connection.adapter
    card = moving_card()
    still = replace(card, picture=replace(present(card.picture), animation=None))
    again = replace(card, text=(Span("Once more"),))
    message = await adapter.send(place, still, "key")
    (shown,) = scene.shown
    assert kind(shown) == "photo"
    await adapter.edit(place, message, card)
    assert (shown.text, kind(shown)) == ("The whole game", "game.gif")
    await adapter.edit(place, message, again)
    assert (shown.text, kind(shown)) == ("Once more", "game.gif")
    assert scene.telegram.count("editMessageMedia") == 1
    scene.bot.clock.turn(seconds=30)
    await adapter.edit(place, message, still)
    assert kind(shown) == "photo"
    await adapter.send(place, card, "moving")
    assert (scene.shown[-1].text, kind(scene.shown[-1])) == ("The whole game", "game.gif")
    scene.group.may_send_photos = False
    scene.bot.clock.turn(seconds=30)
    with scene.telegram.refusing("animations"):
        await adapter.edit(place, message, again)
    assert kind(shown) == "photo"
    with scene.telegram.refusing("animations", "photos"):
        await adapter.send(place, card, "other key")
    assert missing_from(scene.shown[-1].text, "A game.", "may not send pictures in this group") == []
