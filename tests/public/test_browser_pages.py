"""The pages in a real browser: without a script, by keys and swipes, on a phone, and what axe finds."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page, expect

from bot.boards.puzzles.proving import whole_turns
from bot.boards.puzzles.puzzle import Puzzle, puzzle_on
from bot.boards.puzzles.solving import find_solution
from bot.kernel.choices import click_paths, first_question, path_to
from tests.public.everything import everything
from tests.public.world import DRAWN, World
from tests.support.present import present
from tests.support.stream_proxy import StreamProxy
from tests.web.accessibility import VIEWS, violations_in
from tests.web.chromium import DESKTOP, PHONE, TIMEOUT_MILLISECONDS

_SWIPE = """([from, to]) => {
    const board = document.querySelector(".board"), y = 200;
    const fire = (kind, x) => board.dispatchEvent(new PointerEvent(kind,
        { bubbles: true, pointerType: "touch", isPrimary: true, pointerId: 7, clientX: x, clientY: y }));
    fire("pointerdown", from); fire("pointerup", to);
}"""
_BROKEN_PICTURES = """async () => {
    const all = [...document.images];
    for (const each of all) each.loading = "eager";
    await Promise.all(all.map((each) => each.decode().catch(() => null)));
    return all.filter((each) => !each.naturalWidth).map((each) => each.src);
}"""
pytestmark = DRAWN
_WIDER = "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"


async def new_page(browser: Browser, **kind: Any) -> Page:
    """Return an empty page in a browser of its own."""
    page = await (await browser.new_context(**{"locale": "en-GB", **kind})).new_page()
    page.set_default_timeout(TIMEOUT_MILLISECONDS)
    return page


async def test_a_game_is_read_in_every_way(world: World, browser: Browser) -> None:
    game = await world.shown_game()
    await world.move()
    await world.move()
    address = f"{world.address}/g/{game}"
    plain = await new_page(browser, java_script_enabled=False, **PHONE)
    await plain.goto(address)
    await expect(plain.locator("h1")).to_contain_text("Annuvin")
    await plain.locator("a[data-step=prev]").click()
    await expect(plain.locator(".which")).to_contain_text("1 / 2")
    await plain.locator(".turns a").first.click()
    await expect(plain.locator(".which")).to_contain_text("0 / 2")

    phone = await new_page(browser, locale="it-IT", **PHONE)
    await phone.goto(address)
    await expect(phone.locator("html")).to_have_attribute("lang", "it")
    assert not await phone.evaluate(_WIDER)
    await phone.evaluate(_SWIPE, [100, 300])
    await expect(phone.locator(".which")).to_contain_text("1 / 2")
    await phone.evaluate(_SWIPE, [300, 100])
    await expect(phone.locator(".which")).to_contain_text("2 / 2")

    desk = await new_page(browser, **DESKTOP)
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

    assert errors == []


@pytest.mark.parametrize("languages", [("it",), pytest.param(("en", "it"), marks=pytest.mark.full)])
async def test_every_kind_of_page_is_read_on_a_phone_without_a_script_and_has_nothing_that_axe_minds(
    world: World, browser: Browser, monkeypatch: pytest.MonkeyPatch, languages: tuple[str, ...]
) -> None:
    """In the quick run axe looks at the pages by turns on a phone and on a desk."""
    pages = await everything(world, monkeypatch)
    phone = await new_page(browser, java_script_enabled=False, **PHONE)
    headings: dict[str, set[str | None]] = {}
    for language in languages:
        for kind, path in pages.paths.items():
            await phone.goto(f"{world.address}{path}{'&' if '?' in path else '?'}lang={language}")
            await expect(phone.locator("html")).to_have_attribute("lang", language)
            await expect(phone.locator("main")).to_be_visible()
            assert not await phone.evaluate(_WIDER), (kind, language)
            assert await phone.evaluate(_BROKEN_PICTURES) == [], (kind, language)
            headings.setdefault(kind, set()).add(await phone.locator("h1").text_content())
    alike = {kind for kind, found in headings.items() if len(found) < 2}
    assert len(languages) == 1 or alike == {"player", "rules"}, "only names are alike"
    await phone.goto(f"{world.address}{pages.paths['league']}")
    await phone.locator("summary").click()
    await phone.locator("details a").first.click()
    await phone.locator("a[href^='/league/']").click()
    await expect(phone.locator("h1")).to_contain_text("League")

    desk = await new_page(browser, **DESKTOP)
    errors: list[str] = []
    desk.on("pageerror", lambda error: errors.append(str(error)))
    for number, (kind, path) in enumerate(pages.paths.items()):
        await desk.goto(f"{world.address}{path}")
        views = VIEWS if len(languages) > 1 else VIEWS[number % len(VIEWS) :][:1]
        assert await violations_in(desk, views) == [], kind
    assert errors == []


async def test_running_game_is_followed_without_a_stream(world: World, page: str, browser: Browser) -> None:
    async with StreamProxy(urlsplit(world.address).port or 0) as proxy:
        reader = await new_page(browser, **PHONE)
        await reader.clock.install()
        await reader.goto(f"{proxy.address}g/{page}")
        late = reader.locator(".late")
        for mode in ("missing", "silent"):
            proxy.mode = "open"
            await reader.evaluate("dispatchEvent(new Event('online'))")
            await reader.clock.fast_forward(4000)
            await expect(late).to_be_hidden()
            proxy.mode = "missing" if mode == "missing" else "silent"
            if mode == "missing":
                await reader.evaluate("dispatchEvent(new Event('online'))")
            else:
                await reader.clock.fast_forward(35_000)
            await reader.clock.fast_forward(4000)
            await expect(late).to_contain_text("Changes show a few seconds late")
            before = await reader.locator("#main").get_attribute("data-revision")
            await world.move()
            await reader.clock.fast_forward(16_000)
            await expect(reader.locator("#main")).not_to_have_attribute("data-revision", before or "")
            await expect(late).to_be_visible()


async def choose_cells(page: Page, turn: Sequence[str], puzzle: Puzzle) -> None:
    """Play a turn on a puzzle's page, by its cells and its buttons."""
    state = puzzle.state()
    for text in turn:
        path = path_to(state, state.legal_actions(), state.read(text))
        asked = first_question(state, tuple(state.legal_actions()))
        pressed = {whole: cell for cell, whole in click_paths(asked).items()}
        done = max((whole for whole in pressed if path[: len(whole)] == whole), key=len)
        await page.locator(f".solving a[data-step='{pressed[done]}']").dispatch_event("click")
        for key in path[len(done) :]:
            await page.locator(f".solving a[data-step='{key}']").dispatch_event("click")
        state = state.advance(state.read(text))


@pytest.mark.parametrize("scripted", [False, True])
async def test_a_puzzle_is_solved_on_its_page(world: World, browser: Browser, *, scripted: bool) -> None:
    world.party.clock.turn(days=5)
    day = date(2026, 11, 26)
    puzzle = present(puzzle_on(day))
    solution = find_solution(puzzle)
    kind = DESKTOP if scripted else {"java_script_enabled": False, **PHONE}
    page = await new_page(browser, **kind)
    loads: list[str] = []
    page.on("load", lambda loaded: loads.append(loaded.url))
    address = f"{world.address}/puzzle/{day.isoformat()}"
    await page.goto(address)
    assert "Solution:" not in await page.content(), "nobody reads it there"
    assert await page.evaluate(_BROKEN_PICTURES) == []
    assert await violations_in(page, VIEWS[:1]) == [] if scripted else True
    # A wrong turn is taken back, and the board asks again.
    state = puzzle.state()
    right = {each.play for each in puzzle.tree}
    wrong = next(each.texts for each in whole_turns(state) if each.texts not in right and each.after.outcome is None)
    await choose_cells(page, wrong, puzzle)
    await expect(page.locator("figcaption")).to_contain_text("look again")
    await choose_cells(page, solution[0], puzzle)
    await expect(page.locator("figcaption, h2").filter(has_text=re.compile("Right:|Solved!"))).to_be_visible()
    assert len(loads) == 1 or not scripted, "the page stays where it is"
    if scripted:
        await page.go_back()
        await expect(page.locator("figcaption")).not_to_contain_text("Right:")
