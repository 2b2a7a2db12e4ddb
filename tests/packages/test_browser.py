"""A game that comes in a package of its own, played to its end on the page by two people."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.web.chromium import PHONE, come_in
from tests.web.player import Player, begin_game
from tests.web.program import Program

TURNS = (("b1", "b2"), ("a3", "b2"), ("a1", "b2"), ("c2",))
"""The cells clicked in the game on its page, which Black wins. In the last turn only one pawn can move."""
FORBIDDEN = ("c1-c3", "c3 is too far away: the pawn on c1 goes one cell at a time.")


@pytest.fixture
async def program(tmp_path: Path, hexapawn: Path) -> AsyncIterator[Program]:
    """The program with the package beside it, and an empty data folder."""
    async with Program(tmp_path, hexapawn) as running:
        yield running


async def test_two_people_play_it_to_its_end(program: Program, browser: Browser) -> None:
    anna = Player(await come_in(browser, program.address, "Anna"))
    bruno = Player(await come_in(browser, program.address, "Bruno", **PHONE))
    await anna.says("/rules hexapawn")
    await expect(anna.secret.last).to_contain_text("Pawns never go back or to the side")
    await anna.page.keyboard.press("Escape")
    white, black = await begin_game(anna, bruno, "Bruno", "hexapawn", "board:3x3")
    names = ["Anna", "Bruno"] if white is anna else ["Bruno", "Anna"]
    for number, turn in enumerate(TURNS):
        player = (white, black)[number % 2]
        await player.is_waited_for()
        if number == 0:
            text, refusal = FORBIDDEN
            await player.answers(text)
            await expect(player.secret.filter(has_text=refusal)).to_have_count(1)
        await player.clicks(*turn)
        await expect(player.page.locator("#waiting-list button")).to_have_count(0)
    for player in (white, black):
        words = player.page.locator("#stage-ask")
        await expect(words).to_contain_text(f"{names[1]} wins")
        await expect(words).to_contain_text("The other side cannot move.")
        await expect(player.page.locator(".board img")).to_have_count(1)
    assert not [line for line in program.output if b"Traceback" in line or b"error" in line.lower()]
