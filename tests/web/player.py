"""Somebody at the page in a real browser: what they say, click and are told."""

import re
from dataclasses import dataclass

from playwright.async_api import Locator, Page, expect

from tests.web.chromium import type_line

ANSWER_TIMEOUT_MS = 20_000


def read_log(page: Page, text: str) -> Locator:
    """Return what was said in the conversation."""
    return page.locator("#log").get_by_text(text)


@dataclass(frozen=True)
class Player:
    """Somebody at a page."""

    page: Page

    @property
    def secret(self) -> Locator:
        """What they alone can see."""
        return self.page.locator(".secret")

    @property
    def table(self) -> Locator:
        """The game that is open at the table."""
        return self.page.locator("#stage")

    async def turns_to(self, view: str) -> None:
        """On a phone: have the table or the talk shown."""
        button = self.page.locator(f"#view-{view}")
        if await button.is_visible():
            await button.click()

    async def says(self, text: str) -> None:
        """Type something and send it."""
        await type_line(self.page, text)
        await expect(self.page.locator("#text")).to_have_value("")

    async def is_waited_for(self) -> None:
        """Wait until a game waits for them."""
        # A challenge waits until the board is there: for a moment both may be listed.
        await expect(self.page.locator("#waiting-list button")).to_have_count(1)
        await expect(self.page).to_have_title(re.compile(r"^\(1\) "))

    async def is_called_by_a_board(self) -> bool:
        """Say whether the board that is open asks them."""
        await expect(self.table.locator(".board img")).to_be_visible()
        return await self.table.locator(".cell").count() > 0

    async def answers(self, text: str) -> None:
        """Type a move as an answer to the board that waits."""
        await self.turns_to("table")
        await self.chooses("Type a move")
        await expect(self.page.locator("#answering")).to_be_visible()
        await self.says(text)

    async def says_and_means(self, text: str) -> None:
        """Type a move as if it were talk, and choose to have it played."""
        await self.turns_to("talk")
        field = self.page.locator("#text")
        await field.fill(text)
        await expect(self.page.locator("#options [aria-selected=true]")).to_have_text(re.compile(f"Play {text}"))
        await field.press("Enter")
        await expect(field).to_have_value("")

    async def says_as_talk(self, text: str) -> None:
        """Say what could be a move, and mean nothing by it."""
        await self.turns_to("talk")
        field = self.page.locator("#text")
        await field.fill(text)
        await expect(self.page.locator("#options [aria-selected=true]")).to_be_visible()
        await field.press("Escape")
        await expect(self.page.locator("#popup")).to_be_hidden()
        await field.press("Enter")
        await expect(field).to_have_value("")

    async def clicks(self, *cells: str) -> None:
        """Click cells on the picture, one after the other."""
        await self.turns_to("table")
        for cell in cells:
            await self.cell(cell).click()

    async def chooses(self, tool: str) -> None:
        """Choose something from the menu of the board's tools."""
        await self.table.locator("#tool-more").click()
        await self.table.locator("#stage-more .items > button", has_text=tool).click()

    async def list_tools(self) -> list[str]:
        """Return what the menu of the board's tools offers."""
        await self.table.locator("#tool-more").click()
        found = await self.table.locator("#stage-more .items > button").all_inner_texts()
        await self.page.keyboard.press("Escape")
        return found

    def cell(self, name: str) -> Locator:
        """Return the button of a cell of the board that is open."""
        return self.table.locator(f".cell[data-cell={name}]")


async def begin_game(
    one: Player, other: Player, name: str, game: str = "annuvin", options: str = "board:square"
) -> tuple[Player, Player]:
    """Have a game begun; return who has White, and who has Black."""
    await one.says(f"/play {game} @{name} {options}")
    await other.is_waited_for()
    await other.turns_to("talk")
    accept = other.page.get_by_role("button", name="Accept")
    await accept.click()
    try:
        await expect(accept).to_have_count(0, timeout=ANSWER_TIMEOUT_MS)
    except AssertionError:
        # It has been seen only where both processors were busy: what the page shows then tells more.
        print(await other.page.locator("body").aria_snapshot())
        await accept.click()
    for player in (one, other):
        await expect(player.table.locator(".board img")).to_be_visible()
    white = other if await other.is_called_by_a_board() else one
    await white.is_waited_for()
    return white, (other if white is one else one)
