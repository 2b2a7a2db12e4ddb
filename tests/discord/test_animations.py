"""Whole games on Discord: the animation is the file that is shown, with its description."""

from bot.kernel.cards import Animation, Card, Picture
from bot.kernel.texts import Span
from bot.platforms.discord.layout import message_parts


def test_an_animation_is_shown_in_place_of_its_still() -> None:
    moving = Animation(b"GIF89a", "game.gif", (450, 500))
    card = Card((Span("A game"),), Picture(b"\x89PNG", "A whole game.", "game.png", animation=moving))
    (file,) = message_parts(card).files
    assert (file.filename, file.description, file.fp.read()) == ("game.gif", "A whole game.", b"GIF89a")
