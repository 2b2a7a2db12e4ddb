"""One Chromium for all browser tests of a process, since starting it takes longer than most of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Final

import pytest
import pytest_asyncio

if TYPE_CHECKING:
    from playwright.async_api import Browser

TIMEOUT_SECONDS: Final = 900


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_browser() -> AsyncIterator[Browser]:
    """The browser of this process."""
    # Only here: most runs of pytest need no browser.
    from tests.web.chromium import chromium

    async with chromium() as opened:
        yield opened


@pytest.fixture
async def browser(shared_browser: Browser) -> AsyncIterator[Browser]:
    """The real browser; what a test opened in it is closed afterwards."""
    yield shared_browser
    for context in list(shared_browser.contexts):
        await context.close()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests with the browser, which may take long where a machine is busy."""
    for item in items:
        if "shared_browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(TIMEOUT_SECONDS))


@pytest.fixture
def _function_scoped_runner(request: pytest.FixtureRequest) -> asyncio.Runner:
    """Have tests with the browser, and all their fixtures, run in the event loop in which it was started."""
    scope = "session" if "shared_browser" in request.fixturenames else "function"
    runner: asyncio.Runner = request.getfixturevalue(f"_{scope}_scoped_runner")
    return runner
