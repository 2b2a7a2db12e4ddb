"""Ways to lessons: offers, the buttons that open one, and what newcomers see first."""

from typing import Final

from bot.core.game_pages import picking_rows
from bot.core.question_cards import button_pairs
from bot.interface.cards import Button, Card, Row
from bot.interface.presses import MENU_PRESS, TODAY_PRESS, press
from bot.language.texts import Span, Speaker
from bot.lessons import lesson_of
from engine import games

LESSON_SCOPE: Final = "LESSON"
"""Placeholder for a game in buttons that open a lesson, so that its message does not count as one about the channel."""


def offer_card(speaker: Speaker, game: str) -> Card:
    """Return the offer of a lesson to a person who has never played a game."""
    name = speaker.of(game).line("name")
    return Card(
        speaker.say("learn.offer", game=Span(name, bold=True), key=game), rows=((learn_button(speaker, game),),)
    )


def learn_button(speaker: Speaker, game: str) -> Button:
    """Return the button that opens the lesson of a game."""
    return Button(speaker.line("button.learn"), press("learn", LESSON_SCOPE, 0, game))


def learn_buttons(speaker: Speaker, game: str) -> tuple[Button, ...]:
    """Return the button that opens the lesson of a game, none for a game without one."""
    return (learn_button(speaker, game),) if lesson_of(game) is not None else ()


def lessons_card(speaker: Speaker, page: int = 0) -> Card:
    """Return the question which game to learn, with a page of those that have a lesson."""

    def button(key: str) -> Button:
        return Button(speaker.of(key).line("name"), press("learn", LESSON_SCOPE, 0, key))

    taught = [key for key in games if lesson_of(key) is not None]
    rows = picking_rows(speaker, taught, page, button, lambda other: press("learn", LESSON_SCOPE, 0, other))
    return Card(speaker.say("learn.which"), rows=rows)


def welcome_card(speaker: Speaker, domain: str) -> Card:
    """Return the card for people who have just added the bot: how to start a first game.

    `domain` is that of the platform's catalogue.
    """
    voice = speaker.of(domain)
    names = voice.listing([speaker.of(key).line("name") for key in games])
    return Card(voice.say("welcome", games=names), rows=newcomer_rows(speaker))


def newcomer_rows(speaker: Speaker) -> tuple[Row, ...]:
    """Return the four things to begin with."""
    return button_pairs(
        [
            Button(speaker.line("menu.play"), press("choose"), "primary"),
            Button(speaker.line("menu.learn"), press("learn", LESSON_SCOPE)),
            Button(speaker.line("menu.puzzle"), TODAY_PRESS),
            Button(speaker.line("menu.menu"), press(MENU_PRESS)),
        ]
    )
