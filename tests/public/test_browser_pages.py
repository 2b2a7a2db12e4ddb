"""The pages in a real browser: without a script, by keys and swipes, on a phone, and what axe finds."""

from __future__ import annotations

from playwright.async_api import Page, expect

from tests.public.world import World
from tests.web.accessibility import violations_everywhere
from tests.web.chromium import DESKTOP, PHONE, TIMEOUT_MILLISECONDS, chromium

_SWIPE = """([from, to]) => {
    const board = document.querySelector(".board"), y = 200;
    const fire = (kind, x) => board.dispatchEvent(new PointerEvent(kind,
        { bubbles: true, pointerType: "touch", isPrimary: true, pointerId: 7, clientX: x, clientY: y }));
    fire("pointerdown", from); fire("pointerup", to);
}"""
_WIDER = "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"


async def turn_of(page: Page) -> str | None:
    """Return which turn the page names."""
    return await page.locator(".which").text_content()


async def test_a_game_is_read_in_every_way(world: World) -> None:
    game = await world.shown_game()
    await world.move()
    await world.move()
    await world.party.say("anna", "/settings profile:public")
    address = f"{world.address}/g/{game}"
    async with chromium() as browser:
        plain = await (await browser.new_context(java_script_enabled=False, **PHONE)).new_page()
        plain.set_default_timeout(TIMEOUT_MILLISECONDS)
        await plain.goto(address)
        await expect(plain.locator("h1")).to_contain_text("Annuvin")
        await plain.locator("a[data-step=prev]").click()
        await expect(plain.locator(".which")).to_contain_text("1 / 2")
        await plain.locator(".turns a").first.click()
        await expect(plain.locator(".which")).to_contain_text("0 / 2")

        phone = await (await browser.new_context(locale="it-IT", **PHONE)).new_page()
        phone.set_default_timeout(TIMEOUT_MILLISECONDS)
        await phone.goto(address)
        await expect(phone.locator("html")).to_have_attribute("lang", "it")
        assert not await phone.evaluate(_WIDER)
        await phone.evaluate(_SWIPE, [100, 300])
        await expect(phone.locator(".which")).to_contain_text("1 / 2")
        await phone.evaluate(_SWIPE, [300, 100])
        await expect(phone.locator(".which")).to_contain_text("2 / 2")

        desk = await (await browser.new_context(locale="en-GB", **DESKTOP)).new_page()
        desk.set_default_timeout(TIMEOUT_MILLISECONDS)
        errors: list[str] = []
        desk.on("pageerror", lambda error: errors.append(str(error)))
        await desk.goto(address)
        await desk.keyboard.press("ArrowLeft")
        await expect(desk.locator(".which")).to_contain_text("1 / 2")
        assert desk.url.endswith("?turn=1")
        await desk.keyboard.press("Home")
        await expect(desk.locator(".which")).to_contain_text("0 / 2")
        await desk.go_back()
        await expect(desk.locator(".which")).to_contain_text("1 / 2")
        await desk.goto(address)
        await world.move()
        await expect(desk.locator(".which")).to_contain_text("3 / 3")
        await world.resign()
        await expect(desk.locator(".state")).to_contain_text("wins")

        player = await desk.locator(".players a").get_attribute("href")
        for path in (f"/g/{game}", f"/g/{game}?turn=1", "/g/", "/rules/annuvin", "/puzzle/2026-11-23", player, "/g/x"):
            await desk.goto(f"{world.address}{path}")
            assert await violations_everywhere(desk) == [], path
        assert errors == []
