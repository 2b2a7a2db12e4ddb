"""The table in every window: what is asked is never cut, every button is in it, the board keeps its share.

What is measured stands in `layout.js`; the share of the board that must be there, once, in `stage.css`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.async_api import Browser, Locator, Page, ViewportSize, expect

from bot.kernel.rulebook.lessons import lesson_of
from bot.kernel.texts import Speaker, Texts
from engine import games
from tests.support.present import present
from tests.web.chromium import come_in
from tests.web.program import Program

LAYOUT: Final = Path(__file__).with_name("layout.js").read_text()
SIZES: Final[dict[int, ViewportSize]] = {
    width: {"width": width, "height": height}
    for width, height in ((320, 568), (360, 740), (390, 844), (640, 400), (1280, 800), (1920, 1080))
}
FEW: Final = (320, 640, 1280)
TAUGHT: Final = [key for key in games if lesson_of(key) is not None]

SETTLED: Final = """async () => {
    await document.fonts.ready;
    await Promise.all([...document.querySelectorAll("#stage img")].map((each) => each.decode().catch(() => null)));
    // What follows a window's new size has been drawn after two frames.
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
SAY: Final = """async (text) => {
    const named = { as: sessionStorage.getItem("speaker"), language: document.documentElement.lang };
    const body = JSON.stringify({ ...named, event: crypto.randomUUID().replaceAll("-", ""), text, theme: "light" });
    const headers = { "Content-Type": "application/json" };
    return (await fetch("/api/say", { method: "POST", headers, body })).status;
}"""


async def measured(page: Page, where: str, sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    """Return what was measured in each window, and the faults found in it."""
    found = []
    for width in sizes:
        await page.set_viewport_size(SIZES[width])
        await page.evaluate(SETTLED)
        found.append({"where": where, "width": width, **await page.evaluate(LAYOUT)})
    return found


async def suggested(page: Page, button: Locator, speaker: Speaker, known: Sequence[str]) -> str:
    """Ask for a suggestion and return the move that it names, one of those that are known, as its reader types it."""
    before = await page.locator("#stage-words").text_content()
    await button.click()
    await expect(page.locator("#stage-words")).not_to_have_text(before or "")
    named = await page.locator("#stage-words code").all_inner_texts()
    # A colour is called by its word, and not as it is written.
    called = await page.locator("#stage-words strong").all_inner_texts()
    typed = [speaker.word("word", move) for move in known]
    return next(move for move in (*named, *called) if move in typed)


async def walk(page: Page, game: str, sizes: tuple[int, ...], *, solved: bool) -> list[dict[str, Any]]:
    """Go through a lesson and measure each step as it is asked, and if it is `solved` what follows; then its end."""
    plan = present(lesson_of(game))
    speaker = Texts().speaker(await page.evaluate("document.documentElement.lang")).of(game)
    title, ways = page.locator("#stage-title"), page.locator("#stage-rows [data-key^='press:lesson:']")
    goes_on = page.locator("#stage-rows .key.primary")
    found: list[dict[str, Any]] = []
    assert await page.evaluate(SAY, f"/learn {game}") == 200
    for number, step in enumerate(plan.steps, 1):
        where = f"{game} {number} {step.name}"
        await expect(title).to_contain_text(f" {number} ")
        # The next step may be shown before the last press is answered, and until then a press is not sent.
        await expect(page.locator("#stage[aria-busy]")).to_have_count(0)
        found += await measured(page, where, sizes)
        for ask in step.asks if solved else ():
            move = await suggested(page, ways.first, speaker, ask.suggest)
            found += await measured(page, f"{where}, suggested {move}", sizes)
            before = await page.locator("#stage-side").text_content()
            assert await page.evaluate(SAY, move) == 200
            await expect(page.locator("#stage-side")).not_to_have_text(before or "")
            found += await measured(page, f"{where}, {move}", sizes)
        if step.free or not solved:
            await ways.nth(1).click()
        elif await goes_on.count():
            # Some steps go on by themselves.
            await goes_on.click()
    await expect(goes_on).to_be_visible()
    return found + await measured(page, f"{game}, ended", sizes)


def faulty(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return where something is cut, covered, outside of the window or too small."""
    assert found
    return [seen for seen in found if seen["faults"]]


async def test_a_lesson_is_whole_in_every_window(program: Program, browser: Browser) -> None:
    page = await come_in(browser, program.address, "Annamaria", locale="it-IT")
    assert faulty(await walk(page, TAUGHT[-1], FEW, solved=False)) == []


@pytest.mark.full
@pytest.mark.parametrize("language", ["en-GB", "it-IT"])
@pytest.mark.parametrize("game", TAUGHT)
async def test_every_lesson_fits_into_every_window(
    program: Program, browser: Browser, game: str, language: str
) -> None:
    page = await come_in(browser, program.address, "Annamaria", locale=language)
    found = await walk(page, game, tuple(SIZES), solved=True)
    for width in SIZES:
        shares = [seen["share"] for seen in found if seen["width"] == width]
        print(f"{game} {language} {width}: the board has {min(shares)} to {max(shares)} of what it could have")
    assert faulty(found) == []
