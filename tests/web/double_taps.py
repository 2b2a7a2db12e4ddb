"""Taps whose time a test says, whatever the machine's; not for pages whose clock is playwright's."""

import time
from typing import Final

from playwright.async_api import Locator

from tests.support.present import present

DOUBLE_TAP_SECONDS = 0.25
"""The time between the two taps of a usual double tap."""
UNHURRIED_TAPS: Final = """(() => {
    const { get } = Object.getOwnPropertyDescriptor(Event.prototype, "timeStamp");
    window.presses = 0;
    const count = ({ pointerType }) => { if (pointerType === "touch" && !window.isTimed) window.presses += 1; };
    addEventListener("pointerdown", count, { capture: true });
    const timeStamp = { configurable: true, get() { return get.call(this) + 1000 * window.presses; } };
    Object.defineProperty(Event.prototype, "timeStamp", timeStamp);
})()"""
"""A script for pages that playwright taps, which is faster than people are: each tap comes a second after the last."""


class Finger:
    """A finger that taps when a test says."""

    def __init__(self) -> None:
        self.now = time.time()

    async def tap(self, element: Locator, after: float = 60.0) -> None:
        """Tap an element so many seconds after the last tap."""
        self.now += after
        await element.scroll_into_view_if_needed()
        box = present(await element.bounding_box())
        point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        await element.evaluate("window.isTimed = true")
        session = await element.page.context.new_cdp_session(element.page)
        for kind, points, at in (("touchStart", [point], self.now), ("touchEnd", [], self.now + 0.05)):
            await session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points, "timestamp": at})
        await session.detach()
