"""What axe finds in a page: the rules of WCAG 2.2, A and AA, and its best practices."""

import json
from collections.abc import AsyncIterator, Iterable
from typing import Any, Final, Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Frame, Page, ViewportSize

DESKTOP: Final[ViewportSize] = {"width": 1280, "height": 800}
PHONE: Final[ViewportSize] = {"width": 360, "height": 740}
WINDOWS: Final = ((320, 568), (360, 740), (640, 400), (1280, 800), (1920, 1080))
View = tuple[ViewportSize, Literal["dark", "light"]]
VIEWS: Final[tuple[View, View]] = ((PHONE, "dark"), (DESKTOP, "light"))

_OFF_BY_DEFAULT: Final = ("label-content-name-mismatch", "target-size")
_OPTIONS: Final = {"resultTypes": ["violations"], "rules": {rule: {"enabled": True} for rule in _OFF_BY_DEFAULT}}
_READY: Final = """async () => {
    await document.fonts.ready;
    await Promise.all([...document.images].map((each) => each.decode().catch(() => null)));
    await Promise.all(document.getAnimations().map((each) => each.finished.catch(() => null)));
    // What the page does about its new sizes it does before it paints the next time.
    const painted = new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    await Promise.race([painted, new Promise((done) => setTimeout(done, 2000))]);
}"""


async def violations(page: Page | Frame) -> list[str]:
    """Return what axe holds against a page as it stands: each rule with the elements that break it."""
    if not await page.evaluate("() => Boolean(globalThis.axe)"):
        await page.evaluate(AXE_SCRIPT)
    await page.evaluate(_READY)
    found: dict[str, Any] = await page.evaluate(f"axe.run({json.dumps(_OPTIONS)})")
    return [
        f"{rule['id']}: {node['html'][:160]} ({node['failureSummary']})"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


async def resize(page: Page) -> AsyncIterator[int]:
    """Give a page windows of all sizes, and yield the width of each."""
    for width, height in WINDOWS:
        await page.set_viewport_size({"width": width, "height": height})
        yield width


async def violations_in(page: Page, views: Iterable[View]) -> list[str]:
    """Return what axe finds in a page in windows of these sizes, in these colours."""
    found = []
    for size, scheme in views:
        await page.set_viewport_size(size)
        await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found += [f"{size['width']} {each}" for each in await violations(page)]
    return found
