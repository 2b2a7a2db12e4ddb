"""The list behind Telegram's menu button; the ways of taps are tested by tests/bot/test_menu.py."""

from typing import Final

from tests.fakes.telegram.people import Person
from tests.telegram.harness import Scene

MAX_LISTED_COMMANDS: Final = 12


async def test_the_list_behind_the_menu_button_is_short_and_begins_with_the_menu(scene: Scene, anna: Person) -> None:
    lists = scene.telegram.commands
    assert lists
    assert {listed[0]["command"] for listed in lists.values()} == {"menu"}
    assert all(len(listed) <= MAX_LISTED_COMMANDS for listed in lists.values())
    menu = await scene.say_alone(anna, "/menu")
    assert "Settings" in menu.labels
