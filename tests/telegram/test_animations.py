"""Whole games as animations on Telegram, and at rest where a chat allows none."""

from __future__ import annotations

import pytest

from bot.cards import Animation, Card, Picture, Span
from bot.requests import Place
from engine import games
from render import draw
from tests.telegram.harness import Scene

GIF = b"GIF89a and so on"


def moving_card() -> Card:
    """Return a card with an animation and its still."""
    still = draw(games["annuvin"].start())
    moving = Animation(GIF, "game.gif", (450, 500))
    return Card((Span("The whole game"),), Picture(still.png, "A game.", "game.png", still.size, animation=moving))


@pytest.mark.parametrize("allowed", [True, False])
async def test_an_animation_is_sent_as_one_where_there_may_be_any(scene: Scene, allowed: bool) -> None:
    place = Place("telegram", str(scene.group.id))
    adapter = scene.bot.connection.adapter
    message = await adapter.send(place, moving_card(), "key")
    found = next(shown for shown in scene.shown if str(shown.id) == message)
    assert (found.text, found.document, found.content) == ("The whole game", "game.gif", GIF)
    assert found.photo is None
    if not allowed:
        scene.group.may_send_photos = False
        with scene.telegram.refusing("animations", "photos"):
            message = await adapter.send(place, moving_card(), "other key")
        assert "A game." in next(shown for shown in scene.shown if str(shown.id) == message).text
