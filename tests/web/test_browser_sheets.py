"""Profiles and competitions as places of the page, in a real browser: faces, small boards, figures; never cut."""

import os
import re
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser, Page, expect

from tests.web import short_game
from tests.web.accessibility import DESKTOP, PHONE, violations_in
from tests.web.chromium import come_in
from tests.web.player import Player
from tests.web.program import Program

LONG: Final = "Un nome lungo quanto si può dare"
WINDOWS: Final = ((320, 568), (360, 740), (640, 400), (1280, 800), (1920, 1080))
OUTSIDE: Final = """() => {
    const sheet = document.getElementById("sheet");
    const parts = [...sheet.querySelectorAll("button, h2, p, strong, .note, img, .avatar, select, input")];
    const cut = parts.filter((each) => each.checkVisibility()).filter((each) => {
        const { left, right } = each.getBoundingClientRect();
        const isCut = each.matches("button, strong, .note") && each.scrollWidth > each.clientWidth + 1;
        return left < -1 || right > innerWidth + 1 || isCut;
    });
    const wide = sheet.scrollWidth > sheet.clientWidth + 1 ? ["the sheet"] : [];
    return [...wide, ...cut.map((each) => each.outerHTML.slice(0, 120))];
}"""
"""What of the sheet is cut or lies outside of the window."""


async def play_a_game(program: Program, browser: Browser, **second: str) -> list[Page]:
    """Return the pages of two people who have played the short game."""
    pages = [await come_in(browser, program.address, "Anna"), await come_in(browser, program.address, LONG, **second)]
    await Player(pages[0]).says("/play annuvin board:square")
    await pages[1].locator("#lobby-challenges .tile").click()
    for page in pages:
        await expect(page.locator("#stage .board img")).to_be_visible()
    first = 1 if await pages[1].locator("#waiting-list button").count() else 0
    for number, moves in enumerate(short_game.TURNS):
        await Player(pages[(first + number) % 2]).says(f"/move {' '.join(moves)}")
        if number + 1 < len(short_game.TURNS):
            await expect(pages[0].locator("#turns li")).to_have_count(number + 1)
    await expect(pages[0].get_by_role("button", name="Play again")).to_be_visible()
    return pages


async def look(page: Page, name: str) -> None:
    """Check that nothing is cut in any window, and that axe finds nothing."""
    await expect(page.locator("#sheet .panel").first).to_be_visible()
    for width, height in WINDOWS:
        await page.set_viewport_size({"width": width, "height": height})
        if folder := os.environ.get("SHEETS"):
            await page.wait_for_load_state("networkidle")
            await page.screenshot(path=Path(folder) / f"{name}-{width}.png")
        assert await page.evaluate(OUTSIDE) == [], width
    assert await violations_in(page, ((PHONE, "dark"), (DESKTOP, "light"))) == []


async def test_a_profile_has_figures_and_games_that_open_the_table(program: Program, browser: Browser) -> None:
    anna, _ = await play_a_game(program, browser)
    await Player(anna).says("/profile")
    sheet = anna.locator("#sheet")
    ratings, games = (
        sheet.get_by_role("region", name="Ratings", exact=True),
        sheet.get_by_role("region", name="Recent games"),
    )
    await expect(ratings.locator(".lead").first).to_have_text(re.compile(r"^[0-9,]+$"))
    await expect(ratings).to_contain_text("after one game")
    await expect(games.locator("button")).to_contain_text(LONG)
    await expect(games.locator("img")).to_have_attribute("src", re.compile("^/small/"))
    await look(anna, "profile")
    await games.locator("button").click()
    await expect(sheet).to_be_hidden()
    await expect(anna.locator("#stage-title")).to_contain_text("Annuvin")


@pytest.mark.parametrize("kind", ["cup", "ladder", "league"])
async def test_a_competition_is_its_people_and_what_can_be_done(program: Program, browser: Browser, kind: str) -> None:
    anna = await come_in(browser, program.address, "Anna")
    luca = await come_in(browser, program.address, LONG, asked="Come ti chiami?", locale="it-IT")
    terms = {"cup": "clock:1d players:4", "ladder": "clock:1d", "league": "clock:1d"}[kind]
    await Player(anna).says(f"/{kind} annuvin {terms}")
    await anna.locator("#log .public").get_by_role("button", name="Join").click()
    sheet = luca.locator("#sheet")
    await Player(luca).says(f"/{kind}")
    await sheet.locator(".panel button").click()
    await sheet.locator("button", has_text="Gioco anch'io").click()
    await expect(sheet.locator(".panel")).to_have_count(0)
    await Player(luca).says(f"/{kind}")
    await sheet.locator(".panel button").click()
    people = sheet.locator(".panel .face")
    await expect(people).to_have_count(2)
    await expect(sheet.get_by_role("button", name="Gioco anch'io")).to_have_count(0)
    await look(luca, kind)
    await people.filter(has_text="Anna").click()
    await expect(sheet).to_contain_text("Profilo di Anna")
