"""Guessing the next turn on Discord: offered in the channel, guessed where nobody else looks, kept over a restart."""

from __future__ import annotations

from tests.discord.harness import Scene
from tests.fakes.discord.people import Person
from tests.fakes.discord.world import Message


def open_guess(person: Person) -> Message:
    return next(each for each in reversed(person.private) if "guess" in each.text.lower())


async def choose_turn(scene: Scene, person: Person, board: Message, label: str) -> None:
    """Choose what a board offers first until it has a button."""
    for _ in range(6):
        if label in board.labels:
            break
        choice = next(each for each in board.labels if "·" in each or each.lstrip("×").isalnum())
        await scene.press(person, board, choice)
    await scene.press(person, board, label)


async def test_a_turn_is_guessed_in_private_with_the_consent_of_both(scene: Scene) -> None:
    anna, bruno, carla = (scene.person(name) for name in ("Anna", "Bruno", "Carla"))
    await scene.command(anna, "play", game="annuvin", opponent=bruno.account, board="square")
    await scene.press(bruno, scene.board, "Accept")
    mover = scene.mover
    board = scene.board
    code = next(iter(await scene.bot.store.games.list_ids()))
    await scene.command(carla, "guess", what="offer", game=code)
    offer = scene.board
    assert "suggests that those who watch guess" in offer.text
    assert offer.pings == ()
    await scene.press(carla, offer, "Guess the next turn")
    assert "Not all who play have agreed" in carla.newest_private.text
    for each in (anna, bruno):
        await scene.press(each, offer, "I play and agree")
    before = [(each.id, each.text, tuple(each.labels)) for each in scene.shown]
    await scene.press(carla, offer, "Guess the next turn")
    guessing = open_guess(carla)
    assert guessing.picture is not None
    await choose_turn(scene, carla, guessing, "Guess this turn")
    assert "Nobody else sees it before the turn is played" in carla.newest_private.text
    (guess,) = await scene.bot.store.guesses.list_in_game(code)
    # Nothing that others see has changed by it, and neither have their own messages.
    assert [(each.id, each.text, tuple(each.labels)) for each in scene.shown] == before
    assert not any("You guess that" in each.text for person in (anna, bruno) for each in person.private)
    await scene.bot.restart()
    await scene.command(mover, "move", move=" ".join(guess.actions))
    assert scene.board.text != board.text
    await scene.command(bruno, "guess", what="table", game=code)
    assert "**Carla**: 2 points; 1 guess, hits 1" in scene.board.text
