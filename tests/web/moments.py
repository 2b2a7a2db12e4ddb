"""Twelve moments of the page, to be looked at: pictures of each at three widths, in both languages, light and dark.

`python -m tests.web.moments FOLDER` writes them all; names of widths, languages and schemes after it choose.
"""

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import product
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Browser as Chromium, Page, expect

from tests.web import short_game
from tests.web.browser import Browser, Tab, list_buttons
from tests.web.chromium import chromium, type_line
from tests.web.program import Program

WIDTHS: Final[dict[str, dict[str, Any]]] = {
    "1280": {"viewport": {"width": 1280, "height": 800}},
    "390": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
    "360": {"viewport": {"width": 360, "height": 640}, "is_mobile": True, "has_touch": True},
}
LANGUAGES: Final = {"en": "en-GB", "it": "it-IT"}
SCHEMES: Final = ("light", "dark")

MOMENTS: Final = (
    "01 the lobby of a guest", "02 the lobby", "03 a challenge has come", "04 the first board",
    "05 a piece is chosen", "06 the other's turn", "07 the turn again, with ten games and talk",
    "08 the rules beside the board", "09 a step of a lesson", "10 a step that is done", "11 the game is over",
    "12 the whole game again",
)  # fmt: skip

Look = Callable[[str], Awaitable[None]]


class Scene:
    """A person in a real browser, and Bruno and Carla who play and talk without a screen."""

    def __init__(self, page: Page, bruno: Tab, carla: Tab, language: str, look: Look) -> None:
        self.page = page
        self.bruno = bruno
        self.carla = carla
        self.look = look
        self.done: set[str] = set()
        self.play = {"en": "/play", "it": "/gioca"}[language]

    async def says(self, text: str) -> None:
        """Type something, in the conversation."""
        await type_line(self.page, text)
        await expect(self.page.locator("#text")).to_have_value("")

    async def settled(self) -> None:
        """Wait until every picture is there and nothing moves any more."""
        await self.page.wait_for_load_state("networkidle")
        await self.page.wait_for_function("() => [...document.images].every((each) => each.complete)")
        await self.page.wait_for_timeout(500)

    async def pressed(self, tab: Tab, wanted: str) -> None:
        """Have somebody without a screen press the newest button with a deed."""
        for _ in range(100):
            for message in reversed(await tab.sees()):
                for press in (button["press"] for button in list_buttons(message)):
                    if press.startswith(wanted) and press not in self.done:
                        self.done.add(press)
                        assert (await tab.press(message["id"], press)).status == 200
                        return
            await self.page.wait_for_timeout(100)
        raise AssertionError(wanted)

    async def walk(self) -> None:
        """Go through all moments."""
        page, bruno, carla = self.page, self.bruno, self.carla
        await self.look(MOMENTS[0])
        await page.locator("#come-in").click()
        await page.locator("#name").fill("Anna")
        await page.keyboard.press("Enter")
        await expect(page.locator("#app[data-ready]")).to_be_visible()
        await self.look(MOMENTS[1])
        game = (await bruno.say("/play annuvin @Anna board:square")).data["open"]
        await expect(page.locator("#waiting-list button")).to_have_count(1)
        await self.look(MOMENTS[2])
        async with page.expect_response("**/api/press"):
            await page.locator("#log .key.primary").last.click()
        await bruno.begin(game)
        await expect(page.locator(".board img").last).to_be_visible()
        mine = await self.is_mine()
        turn = 0
        if not mine:
            await bruno.say(f"/move {short_game.TURNS[0][0]}")
            turn = 1
        await expect(page.locator(".board:visible .cell").first).to_be_visible()
        await self.look(MOMENTS[3])
        source, target = short_game.TURNS[turn][0].split("-")
        await page.locator(f".board:visible .cell[data-cell={source}]").last.click()
        await expect(page.locator(f".board:visible .cell[data-cell={target}]").last).to_be_visible()
        await self.look(MOMENTS[4])
        await page.locator(f".board:visible .cell[data-cell={target}]").last.click()
        await expect(page.locator("#waiting-list button")).to_have_count(0)
        await self.look(MOMENTS[5])
        for _ in range(10):
            await bruno.say("/play annuvin seats:2")
            await self.pressed(carla, "join:")
        (first, *_) = re.findall(r'"(?!learn)[a-z]+!?:([0-9A-Z]{6}):', json.dumps(await bruno.sees()))
        await bruno.say(f"/move {' '.join(short_game.TURNS[turn + 1])} game:{first}")
        for number in range(4):
            await carla.say(f"Does anybody know how this goes? ({number})")
        await self.look(MOMENTS[6])
        words = {"/play": "Rules", "/gioca": "Regole"}[self.play]
        at_table = page.locator("#stage-rows button", has_text=words)
        await (at_table if await at_table.count() else page.locator("button:visible", has_text=words)).last.click()
        await self.look(MOMENTS[7])
        await self.says("/learn annuvin")
        await self.look(MOMENTS[8])
        await self.says("d2-d3")
        await self.look(MOMENTS[9])
        await self.says("/resign")
        # Beside a lesson it is asked which game is meant.
        await page.locator("#sheet .key:visible").last.click()
        await page.locator("button.danger:visible").last.click()
        await page.locator("#log .game-line.over").wait_for(state="attached")
        await self.look(MOMENTS[10])
        await self.says("/replay")
        await page.locator("img[src*='.gif']").last.wait_for()
        await self.look(MOMENTS[11])

    async def is_mine(self) -> bool:
        """Say whether Anna has the first turn."""
        for _ in range(40):
            if await self.page.locator("#waiting-list button").count():
                await self.settled()
                if await self.page.locator(".board:visible .cell").count():
                    return True
            await self.page.wait_for_timeout(50)
        return False


@asynccontextmanager
async def scene(
    chrome: Chromium, width: str, language: str, scheme: str, look: Callable[[Page, str], Awaitable[None]]
) -> AsyncIterator[Scene]:
    """Give a scene with a program of its own."""
    with tempfile.TemporaryDirectory() as folder:
        async with Program(Path(folder)) as program, Browser(program.address) as one, Browser(program.address) as two:
            options = {**WIDTHS[width], "locale": LANGUAGES[language], "color_scheme": scheme}
            context = await chrome.new_context(**options)
            page = await context.new_page()
            await page.goto(program.address)
            await expect(page.locator("#come-in")).to_be_visible()
            bruno, carla = await one.name("Bruno"), await two.name("Carla")

            async def looked(name: str) -> None:
                await made.settled()
                await look(page, name)

            made = Scene(page, bruno, carla, language, looked)
            yield made
            await context.close()


async def take(folder: Path, wanted: set[str]) -> None:
    """Write the pictures."""
    async with chromium() as chrome:
        for width, language, scheme in product(WIDTHS, LANGUAGES, SCHEMES):
            if wanted and not {width, language, scheme} <= wanted:
                continue

            async def look(page: Page, name: str, kind: str = f"{width}-{language}-{scheme}") -> None:
                await page.screenshot(path=folder / f"{kind} {name}.png")

            async with scene(chrome, width, language, scheme, look) as made:
                await made.walk()
            print(width, language, scheme, flush=True)


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    asyncio.run(take(Path(sys.argv[1]), set(sys.argv[2:])))
