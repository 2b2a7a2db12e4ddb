"""The browser that the page is tested in: the system's own Chromium."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import urljoin

from playwright.async_api import Browser, Page, async_playwright, expect

from tests.support.abilities import CHROMIUM_ARGUMENTS, find_chromium, require
from tests.web.browser import Tab
from tests.web.double_taps import UNHURRIED_TAPS
from tests.web.passing import RECORD_PASSING_WORDS

TIMEOUT_MILLISECONDS: Final = 60_000
"""How many milliseconds something may take to be seen."""

DESKTOP: Final[dict[str, Any]] = {"viewport": {"width": 1280, "height": 800}}
PHONE: Final[dict[str, Any]] = {
    "viewport": {"width": 390, "height": 844},
    "is_mobile": True,
    "has_touch": True,
    "color_scheme": "dark",
}
MOVING: Final[dict[str, Any]] = {"reduced_motion": "no-preference"}
"""For pages on which pieces are to slide and clocks to count tenths: others draw only what a test looks at."""
PAGE_ERRORS: Final[list[str]] = []
"""What the page's own code has not caught in this test."""


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Open the browser; where none can be started the test is left out, but never where the tests must all run."""
    require("browser")
    expect.set_options(timeout=TIMEOUT_MILLISECONDS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=list(CHROMIUM_ARGUMENTS))
        try:
            yield browser
        finally:
            await browser.close()


async def enter_name(page: Page, name: str, *, asked: str = "What shall we call you?") -> None:
    """Come into the room with a name; `asked` is how the page asks for it."""
    field, way_in = page.get_by_label(asked), page.locator("#come-in")
    await expect(page.locator("#name, #come-in").first).to_be_visible()
    if not await field.is_visible():
        await way_in.click()
    await field.fill(name)
    await page.keyboard.press("Enter")
    await expect(page.locator("#app[data-ready]")).to_be_visible()


async def choose_language(page: Page, name: str) -> None:
    """Press a language of the page by its name and wait for its words: a line sent before is answered in the other."""
    button = page.get_by_role("button", name=name)
    await button.click()
    await expect(button).to_have_attribute("aria-pressed", "true")


async def type_line(page: Page, text: str) -> None:
    """Type something into the field of the conversation, which is one press away on a phone, and send it."""
    talk = page.locator("#view-talk")
    if not await page.locator("#text").is_visible() and await talk.is_visible():
        await talk.click()
    await page.locator("#text").fill(text)
    await page.locator("#text").press("Enter")


async def new_page(browser: Browser, **options: Any) -> Page:
    """Return an empty page in a browser of its own, whose owner wants no motion unless the options say otherwise."""
    context = await browser.new_context(**{"locale": "en-GB", "reduced_motion": "reduce", **DESKTOP, **options})
    context.on("weberror", lambda error: PAGE_ERRORS.append(str(error.error)))
    await context.add_init_script(UNHURRIED_TAPS)
    await context.add_init_script(RECORD_PASSING_WORDS)
    page = await context.new_page()
    page.set_default_timeout(TIMEOUT_MILLISECONDS)
    return page


async def open_page(browser: Browser, address: str, **options: Any) -> Page:
    """Return the page of somebody who opens it for the first time, in a browser of its own."""
    page = await new_page(browser, **options)
    await page.goto(address)
    return page


async def come_in(browser: Browser, address: str, name: str, **options: Any) -> Page:
    """Return the page of somebody who has come back to it in a browser of its own, and has a name there already.

    To ask for the name first (`enter_name`) takes a third as long again.
    """
    page = await new_page(browser, **options)
    root = urljoin(address, "/")
    data = {"name": name, "language": options.get("locale", "en-GB")}
    answer = await page.request.post(f"{root}api/names", data=data, headers={"Origin": root.rstrip("/")})
    assert answer.ok, await answer.text()
    await page.goto(address)
    await expect(page.locator("#app[data-ready]")).to_be_visible()
    return page


async def go_on_in(browser: Browser, tab: Tab, **options: Any) -> Page:
    """Return a page in which a name goes on that has come in without a screen."""
    key = (await tab.send("/api/key")).data["key"]
    page = await open_page(browser, f"{tab.browser.address}#name={key}", **options)
    await expect(page.locator("#app[data-ready]")).to_be_visible()
    return page
