"""A newcomer without a friend: one press after choosing a name, and a game is on."""

import re

import pytest
from playwright.async_api import Browser, Page, expect

from tests.web.chromium import PHONE, come_in
from tests.web.program import Program


@pytest.fixture
async def page(program: Program, browser: Browser) -> Page:
    """The page of a program that was never started before, on a phone."""
    return await come_in(browser, program.address, "Anna", **PHONE)


async def test_one_press_and_the_computer_plays(page: Page) -> None:
    first = page.locator("#intro .steps li").first
    await expect(first).to_contain_text("against the computer")
    await expect(first).to_be_in_viewport()
    await first.get_by_role("button", name=re.compile("^Annuvin")).click()
    await expect(page).to_have_title(re.compile(r"^\(1\) "))
    table = page.locator("#stage")
    await expect(table).to_contain_text("Computer (level 2)")
    # On a phone the board, whole, is the first thing that is seen.
    await expect(table.locator(".board")).to_be_in_viewport(ratio=1)
    await table.locator(".cell").first.click()
    await expect(page.locator("#stage.choosing")).to_be_visible()
    await table.locator(".cell").first.click()
    # The computer's turn comes on the same board, which calls the newcomer again.
    await expect(table).to_contain_text("Computer (level 2) played")
    await expect(table).to_contain_text("Anna, it is your turn")
    await expect(page).to_have_title(re.compile(r"^\(1\) "))
