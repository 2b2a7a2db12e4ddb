"""The browser that the page is tested in: the system's own Chromium."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import pytest
from playwright.async_api import Browser, Page, async_playwright, expect

_NAMES: Final = ("chromium-headless-shell", "chromium", "chromium-browser")
_ARGUMENTS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE: Final = 60_000
"""How many milliseconds something may take to be seen."""

DESKTOP: Final[dict[str, Any]] = {"viewport": {"width": 1280, "height": 800}}
PHONE: Final[dict[str, Any]] = {
    "viewport": {"width": 390, "height": 844},
    "is_mobile": True,
    "has_touch": True,
    "color_scheme": "dark",
}


def find_chromium() -> str:
    """Return the browser's path; without one the test is skipped, but never where the tests must all run."""
    for name in _NAMES:
        if path := shutil.which(name):
            return path
    message = "no Chromium found; on Debian and Ubuntu: apt-get install chromium-headless-shell (or chromium)"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Open the browser."""
    expect.set_options(timeout=PATIENCE)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=list(_ARGUMENTS))
        try:
            yield browser
        finally:
            await browser.close()


async def come_in(
    browser: Browser, address: str, name: str, *, asked: str = "What shall we call you?", **options: Any
) -> Page:
    """Return a page in a browser of its own into which somebody has come with a name; `asked` is how it asks for it."""
    context = await browser.new_context(**{"locale": "en-GB", **DESKTOP, **options})
    page = await context.new_page()
    page.set_default_timeout(PATIENCE)
    await page.goto(address)
    await page.get_by_label(asked).fill(name)
    await page.keyboard.press("Enter")
    await expect(page.locator("#app[data-ready]")).to_be_visible()
    return page
