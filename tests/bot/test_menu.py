"""Everything is found by pressing: the menu, and the way of presses from it to every command on every front."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import pytest

from bot.kernel.features import commands_on
from bot.kernel.form_presses import find_rule
from bot.kernel.forms import get_for
from bot.kernel.preferences import LANGUAGES
from bot.kernel.presses import FORM_PRESS, LESSON_ANSWER, PUZZLE_ANSWER, RUN_PRESS, read_press
from bot.kernel.requests import Place, Reply
from bot.people.help.commands import BEGIN_PRESS
from tests.bot.party import Party, buttons, card, labelled, words

FRONTS: Final = {
    "web": Place("web", "room", title="The room"),
    "telegram": Place("telegram", "-100", title="A group"),
    "discord": Place("discord", "100", None, "1", title="games"),
}
MAX_PRESSES: Final = 4
NEAR: Final[Mapping[str, int]] = {"solo": 2, "puzzle": 1, "leaders": 2, "learn": 1}
"""How many presses lead to a game against the computer, the puzzle, the leaderboard, and the list of lessons."""
PLAYED: Final = {LESSON_ANSWER, PUZZLE_ANSWER}
OF_MANAGERS_OF_THE_PAGE: Final = {"mute", "kick", "ban"}
"""They are said to somebody, whom no button can name."""


async def press(party: Party, place: Place, payload: str) -> Reply:
    """Press a button as a manager of a place on a platform."""
    request = party.request("anna", place)
    user = replace(request.user, platform=place.platform, id="7", manager=True)
    return await party.front.press(replace(request, user=user, event=f"{place.platform}{request.event}"), payload)


def deed_of(payload: str) -> str:
    """Return what a press does: the command that it gives, or that its form fills in, or its own first word."""
    pressed = read_press(payload)
    return pressed.path[0] if pressed.deed in (FORM_PRESS, RUN_PRESS) and pressed.path else pressed.deed


@pytest.mark.parametrize("place", [*FRONTS.values(), Place("telegram", "7", kind="private")], ids=[*FRONTS, "own chat"])
async def test_every_command_is_a_few_presses_away(party: Party, place: Place) -> None:
    found: dict[str, int] = {}
    asked: list[tuple[int, str]] = [(1, BEGIN_PRESS)]
    pressed = {BEGIN_PRESS}
    for depth, payload in asked:
        reply = await press(party, place, payload)
        for each in buttons(card(reply)) if reply.card is not None else ():
            found.setdefault(deed_of(each.press), depth)
            rule, subject = find_rule(read_press(each.press))
            assert rule is not None
            # What changes something is found; it need not be done, nor be played on a board of one's own.
            looks = get_for(rule.public, subject) is None and read_press(each.press).deed not in PLAYED
            if depth < MAX_PRESSES and each.press not in pressed and looks:
                pressed.add(each.press)
                asked.append((depth + 1, each.press))
    missing = set(commands_on(place.platform)) - set(found) - OF_MANAGERS_OF_THE_PAGE
    assert missing == set()
    assert max(found[name] for name in commands_on(place.platform) if name in found) <= MAX_PRESSES
    assert {name: found[name] for name in NEAR} == NEAR


async def test_a_lesson_and_a_game_against_the_computer_are_two_presses_away(party: Party) -> None:
    first = await party.press("anna", BEGIN_PRESS)
    assert [each.label for each in buttons(card(first))] == ["Play", "Learn", "Puzzle", "Menu"]
    lesson = await party.follow("anna", first, "Learn", "Annuvin")
    assert "step 1 of" in words(lesson)
    begun = await party.follow("anna", first, "Play", "Computer: Annuvin")
    assert "has begun" in words(begun)
    again = await party.press("anna", BEGIN_PRESS)
    assert "Settings" in [each.label for each in buttons(card(again))], "who has played sees the menu"


async def test_the_menu_shows_first_what_waits_and_then_nine_ways(party: Party) -> None:
    await party.started()
    mover = party.mover
    shown = card(await party.say(mover, "/menu"))
    first, *rest = shown.rows
    assert "waiting" in words(await party.say(mover, "/menu"))
    assert buttons(shown)[0].press.startswith(f"show:{party.code}:")
    assert [len(row) for row in rest if isinstance(row, tuple)] == [2, 2, 2, 2, 1]
    assert isinstance(first, tuple)
    assert (await party.press(mover, buttons(shown)[0])).card is not None
    assert "waiting" not in words(await party.say(party.other(), "/menu"))


async def test_nobody_is_offered_what_only_managers_may_do(party: Party) -> None:
    everything = await party.follow("anna", await party.say("anna", "/help"), "Everything")
    assert "Close a stuck game" not in [each.label for each in buttons(card(everything))]
    party.managers.add("anna")
    everything = await party.follow("anna", await party.say("anna", "/help"), "Everything")
    await party.press("anna", labelled(card(everything), "Close a stuck game"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("platform", FRONTS)
async def test_the_help_is_short_everywhere(party: Party, language: str, platform: str) -> None:
    request = party.request("anna", FRONTS[platform])
    user = replace(request.user, platform=platform, id="7", language=language, manager=True)
    shown = await party.front.command(replace(request, user=user), "help", {})
    assert 100 < len(words(shown)) <= 900


@pytest.mark.parametrize("platform", FRONTS)
def test_the_short_list_has_at_most_twelve_commands(platform: str) -> None:
    listed = [name for name, command in commands_on(platform).items() if command.listed]
    assert listed[0] == "menu"
    assert len(listed) <= 12
