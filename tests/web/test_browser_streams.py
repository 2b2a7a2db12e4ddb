"""The page without a live stream, or without a network, in a real browser."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Page, expect

from bot.platforms.web.room import ROOM_PLACE
from tests.support.stream_proxy import StreamProxy
from tests.web.chromium import TIMEOUT_MILLISECONDS, type_line
from tests.web.desk import Desk
from tests.web.front import make_card

LATE = "Changes show a few seconds late"
UNCONFIRMED = "Not confirmed yet"
MAX_SILENCE_SECONDS = 35
"""How long `live.js` hears nothing before it takes a stream for dead."""


@pytest.fixture
async def proxy(desk: Desk) -> AsyncIterator[StreamProxy]:
    """A proxy in front of the page's server."""
    async with StreamProxy(desk.server.port) as made:
        yield made


async def come_in_through(proxy: StreamProxy, desk: Desk) -> Page:
    """Return a page, whose time the test turns, into which Anna has come through a proxy; live, if that lets it be."""
    page = await (await desk.browser.new_context(locale="en-GB")).new_page()
    page.set_default_timeout(TIMEOUT_MILLISECONDS)
    await page.clock.install()
    await page.goto(proxy.address)
    await page.locator("#come-in").click()
    await page.locator("#name").fill("Anna")
    await page.keyboard.press("Enter")
    if proxy.mode == "open":
        # Before she gave a name the page was live, too.
        await expect(page.locator("#app[data-ready]")).to_be_visible()
        await expect(page.locator("#app")).to_have_attribute("data-live", "true")
    return page


async def says_something(desk: Desk, page: Page, number: int) -> None:
    """Have something be said in the room, and wait until a page shows it."""
    await desk.room.send(ROOM_PLACE, make_card(f"Word {number}."), f"word{number}")
    await page.clock.fast_forward(4000)
    await expect(page.locator("#log").get_by_text(f"Word {number}.")).to_be_visible()


@pytest.mark.parametrize("mode", ["missing", "silent"])
async def test_page_without_a_stream_says_so_and_goes_on(desk: Desk, proxy: StreamProxy, mode: str) -> None:
    proxy.mode = "missing" if mode == "missing" else "open"
    page = await come_in_through(proxy, desk)
    if mode == "silent":
        proxy.mode = "silent"
        await desk.room.send(ROOM_PLACE, make_card("Nobody hears this."), "unheard")
        await page.clock.fast_forward(MAX_SILENCE_SECONDS * 1000)
        await expect(page.locator("#app")).to_have_attribute("data-live", "false")
    await page.clock.fast_forward(4000)
    await expect(page.locator("#banner")).to_contain_text(LATE)
    await expect(page.locator("#app[data-ready]")).to_be_visible()
    for number in range(2):
        await says_something(desk, page, number)
    await page.clock.fast_forward(60_000)
    await expect(page.locator("#banner")).to_contain_text(LATE)
    # In the list of people they are here.
    await expect(page.locator("#people-list .here")).to_have_count(1)
    proxy.mode = "open"
    await page.clock.fast_forward(MAX_SILENCE_SECONDS * 1000)
    await expect(page.locator("#app")).to_have_attribute("data-live", "true")
    await expect(page.locator("#banner")).to_be_hidden()
    await says_something(desk, page, 3)


async def test_what_is_typed_without_a_network_is_kept_and_outlives_the_page(desk: Desk, proxy: StreamProxy) -> None:
    page = await come_in_through(proxy, desk)
    await page.context.set_offline(True)
    await type_line(page, "Can you hear me?")
    for _ in range(10):
        await expect(page.locator("#banner")).to_contain_text(UNCONFIRMED)
        await page.clock.fast_forward(8000)
    await expect(page.locator(".message .wait")).to_be_visible()
    await page.context.set_offline(False)
    await expect(page.locator(".message .wait")).to_have_count(0)
    await expect(page.locator("#banner")).to_be_hidden()
    await page.context.set_offline(True)
    await type_line(page, "And now?")
    await expect(page.locator("#banner")).to_contain_text(UNCONFIRMED)
    await page.goto("about:blank")
    await page.context.set_offline(False)
    for _ in range(2):
        await page.goto(proxy.address)
        await expect(page.locator("#app[data-ready]")).to_be_visible()
        await expect(page.locator("#log .bubble")).to_have_text(["Can you hear me?", "And now?"])
        await expect(page.locator("#banner")).to_be_hidden()
    assert desk.front.asked == []
