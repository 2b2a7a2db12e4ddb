"""Twelve moments of a newcomer's first hour (tests/web/moments.py), with the real program: whole at every width."""

import pytest
from playwright.async_api import Browser, Page, expect

from tests.web.moments import LANGUAGES, MOMENTS, SCHEMES, WIDTHS, scene
from tests.web.test_browser_room import faults, no_sideways_scroll

pytestmark = pytest.mark.full

AT_THE_BOARD = MOMENTS[3:7]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", WIDTHS)
async def test_every_moment_is_whole(browser: Browser, width: str, language: str, scheme: str) -> None:
    boxes: dict[str, object] = {}
    seen: list[str] = []

    async def look(page: Page, name: str) -> None:
        seen.append(name)
        await no_sideways_scroll(page)
        assert await faults(page) == [], name
        if name in AT_THE_BOARD:
            await expect(page.locator("#stage .board")).to_be_in_viewport(ratio=1)
            boxes[name] = await page.locator("#stage .board").bounding_box()

    async with scene(browser, width, language, scheme, look) as made:
        await made.walk()
    assert tuple(seen) == MOMENTS
    # From the first board to the next turn, with ten games begun meanwhile: it has not moved.
    first = boxes[AT_THE_BOARD[0]]
    for name, box in boxes.items():
        assert box == pytest.approx(first, abs=1), name
