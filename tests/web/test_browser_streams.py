"""The page without a live stream, or without a network, and under a finger that taps twice; in a real browser."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Page, expect

from bot.kernel.cards import Button, Card
from bot.kernel.requests import Reply
from bot.kernel.texts import Span
from bot.platforms.web.room import ROOM_PLACE
from tests.support.stream_proxy import StreamProxy
from tests.web.chromium import PHONE, TIMEOUT_MILLISECONDS
from tests.web.desk import Desk
from tests.web.double_taps import DOUBLE_TAP_SECONDS, Finger
from tests.web.front import make_card
from tests.web.test_browser_table import press, sit_down

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
    await page.get_by_label("What shall we call you?").fill("Anna")
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


async def test_what_is_typed_without_a_network_is_kept(desk: Desk, proxy: StreamProxy) -> None:
    page = await come_in_through(proxy, desk)
    await page.context.set_offline(True)
    await page.locator("#text").fill("Can you hear me?")
    await page.locator("#text").press("Enter")
    for _ in range(20):
        await expect(page.locator("#banner")).to_contain_text(UNCONFIRMED)
        await page.clock.fast_forward(8000)
    await expect(page.locator(".message .wait")).to_be_visible()
    await page.context.set_offline(False)
    await expect(page.locator(".message .wait")).to_have_count(0)
    await expect(page.locator("#banner")).to_be_hidden()
    await expect(page.locator("#log").get_by_text("Can you hear me?")).to_have_count(1)
    assert desk.front.asked == []


async def test_what_is_typed_without_a_network_outlives_the_page(desk: Desk, proxy: StreamProxy) -> None:
    page = await come_in_through(proxy, desk)
    await page.context.set_offline(True)
    await page.locator("#text").fill("Can you hear me?")
    await page.locator("#text").press("Enter")
    await expect(page.locator("#banner")).to_contain_text(UNCONFIRMED)
    await page.goto("about:blank")
    await page.context.set_offline(False)
    for _ in range(2):
        await page.goto(proxy.address)
        await expect(page.locator("#app[data-ready]")).to_be_visible()
        await expect(page.locator("#log").get_by_text("Can you hear me?")).to_have_count(1)
        await expect(page.locator("#banner")).to_be_hidden()


async def test_double_tap_answers_no_question_that_it_has_raised(desk: Desk) -> None:
    anna, _, _ = await sit_down(desk, "a1", "b2", **PHONE)
    yes = press("b2").replace("c:", "p:")
    sure = Card((Span("Do you mean the queen?"),), rows=((Button("Yes", yes),),))
    desk.front.replies[press("b2")] = Reply(sure, private=True)
    desk.front.replies[yes] = Reply(make_card("Played."), private=True, update=True)
    finger, cell = Finger(), anna.locator("#stage").get_by_role("button", name="b2", exact=True)
    await finger.tap(cell)
    await expect(anna.locator("#stage")).to_contain_text("Do you mean the queen?")
    await finger.tap(cell, DOUBLE_TAP_SECONDS)
    async with anna.expect_response("**/api/press"):
        await finger.tap(cell)
    await expect(anna.locator("#stage")).to_contain_text("Your turn.")
    assert desk.front.asked == [press("b2"), yes]
