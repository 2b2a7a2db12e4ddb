"""Everything that can be asked for, and everything that can be pressed then, goes through Discord's checks.

The cards of all games: tests/telegram/test_every_card.py.
"""

from typing import Final

import pytest

from bot.kernel.features import commands_on
from bot.kernel.presses import read_press
from bot.platforms.app import COMMANDS
from tests.discord.harness import Scene
from tests.discord.players import payload_of
from tests.discord.test_games import sit_down
from tests.fakes.discord.people import Person
from tests.fakes.discord.schema import Json
from tests.fakes.discord.world import Message

MAX_PRESSES: Final = 30
"""By then everything has been pressed in some form."""
MAX_PRESSES_OF_THE_FIRST_GAME: Final = 70
"""Further entries of lists and menus are the same in all games."""
GAME_PARAMETER_KINDS: Final = frozenset({"game", "mygame", "code", "move", "option"})
"""Parameters of commands that say something else for each game; all others are given with the first game alone."""
LAST: Final = frozenset({"forget", "forget!"})
"""What cannot be followed by anything else."""

WENT_WRONG: Final = ("went wrong", "andato storto")


def kind(part: Json) -> str:
    """Return what a press does, the same for all games, revisions and moves."""
    pressed = read_press(payload_of(part))
    return pressed.deed if pressed.deed in ("c", "p", "l") else f"{pressed.deed}={pressed.rest}"


def visible(scene: Scene, person: Person) -> list[tuple[Message, Json]]:
    """Return what somebody can press, the newest first."""
    messages = [*scene.shown, *person.private][::-1]
    return [(message, part) for message in messages for part in message.pressable if not part.get("disabled")]


@pytest.mark.parametrize("game", ["annuvin", "uomo-nero"])
async def test_everything_can_be_asked_for_and_pressed(scene: Scene, game: str) -> None:
    is_first = game == "annuvin"
    await sit_down(scene, game, "en-US" if is_first else "it", "Anna", "Bruno")
    anna = scene.mover
    for name in commands_on("discord"):
        if not is_first and not {each.kind for each in COMMANDS[name].parameters} & GAME_PARAMETER_KINDS:
            continue
        options = {}
        if name == "move":
            options = {"move": (await anna.complete("move", "move", move=""))[0]["value"]}
        # What is for managers alone is hidden from her else.
        scene.guild.managers = {anna.account} if COMMANDS[name].managed else set()
        await scene.command(anna, name, **options)
    done: set[str] = set()
    for _ in range(MAX_PRESSES_OF_THE_FIRST_GAME if is_first else MAX_PRESSES):
        parts = [(message, part) for message, part in visible(scene, anna) if kind(part) not in done]
        parts = [each for each in parts if kind(each[1]).split("=")[0] not in LAST] or parts
        if not parts:
            break
        # What has never been pressed in any form comes first: lists of games and options have no end.
        deeds = {each.split("=")[0] for each in done}
        message, part = min(parts, key=lambda each: kind(each[1]).split("=")[0] in deeds)
        done.add(kind(part))
        await scene.press_part(anna, message, part)
    assert len({each.split("=")[0] for each in done}) > 10, done
    said = [message.text for message in (*scene.discord.messages.values(),)]
    assert not [text for text in said if any(words in text for words in WENT_WRONG)]
    assert all(each.answer is not None for each in scene.discord.interactions.values())
