"""The lobby in a real browser: there before a name and beside every game, true without a reload, never cut."""

import re
from typing import Any, Final

import pytest
from playwright.async_api import Browser, Page, expect

from bot.kernel.texts import Texts
from bot.platforms.web.lobby import LobbyContent, lobby_to_json
from storage import utc_now
from tests.web import short_game
from tests.web.accessibility import VIEWS, View, resize, violations_in
from tests.web.browser import Browser as CookieBrowser
from tests.web.chromium import PHONE, come_in, enter_name, open_page
from tests.web.desk import Desk
from tests.web.player import Player
from tests.web.program import Program
from tests.web.test_browser_room import faults

SMALL: Final[dict[str, Any]] = {**PHONE, "viewport": {"width": 360, "height": 740}}
MAX_OPENING_BYTES: Final = 168_000
"""How many bytes may come, headers included, until the lobby is whole."""
LOADED: Final = "() => performance.getEntriesByType('resource').map((each) => each.name)"
FETCHED: Final = LOADED.replace(".map", ".filter((each) => each.transferSize).map")
NAMED_AT_ONCE: Final = "() => [...document.querySelectorAll('link[rel=modulepreload]')].map((each) => each.href)"
OUTSIDE: Final = """() => {
    const seen = (each) => each.checkVisibility() && each.getClientRects().length > 0;
    const parts = "#side button, #lobby button, #lobby h2, #lobby h3, #lobby p, #composer";
    const all = [...document.querySelectorAll(parts)];
    const beyond = all.filter(seen).filter((each) => {
        const { left, right } = each.getBoundingClientRect();
        return left < -1 || right > innerWidth + 1;
    });
    // What is to be pressed is never cut, and the bar lies in the window with all that it holds.
    const cut = [...document.querySelectorAll("#bar button, #views button, #lobby .key")].filter(seen)
        .filter((each) => each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1);
    const below = [...document.querySelectorAll("#bar button")].filter(seen)
        .filter((each) => innerWidth < 821 && each.getBoundingClientRect().bottom > innerHeight + 1);
    const wide = document.documentElement.scrollWidth > innerWidth ? ["the page"] : [];
    return [...wide, ...[...beyond, ...cut, ...below].map((each) => each.outerHTML.slice(0, 120))];
}"""
"""What is cut or lies outside of the window in the lobby as it stands."""
CROWDS: Final = (1, 2, 3, 4, 9, 11, 12, 40)
"""How many people are there where the head is looked at: faces alone, the first numbers of one and of two digits."""
HEAD: Final = """() => {
    const side = document.getElementById("side").getBoundingClientRect();
    const inside = (each) => {
        const { left, right, top, bottom } = each.getBoundingClientRect();
        return left >= 0 && right <= innerWidth && top >= 0 && bottom <= side.bottom && right > left;
    };
    const parts = "#views button, #people-list .here .avatar, #people-list .more, #language button";
    const lost = [...document.querySelectorAll(parts)].filter((each) => each.checkVisibility() && !inside(each));
    const more = document.querySelector("#people-list .more");
    return [side.height <= 56, document.documentElement.scrollWidth <= innerWidth, lost.map((each) => each.outerHTML),
        more.checkVisibility() ? more.textContent : ""];
}"""


async def look_in(browser: Browser, address: str, **options: Any) -> Page:
    """Return the page of somebody who has only opened it."""
    page = await open_page(browser, address, **options)
    await expect(page.locator("#come-in")).to_be_visible()
    return page


async def test_four_taps_lead_from_opening_to_the_first_move(program: Program, browser: Browser) -> None:
    page = await look_in(browser, program.address, **SMALL)
    await expect(page.locator("dialog[open]")).to_have_count(0)
    await expect(page.locator("#lobby-play")).to_contain_text("against the computer")
    card = page.locator("#lobby-play .game-card").first
    await expect(card).to_contain_text("2 players")
    await expect(card.locator("img")).to_be_in_viewport()
    await card.tap()
    # The name is typed at once, and sent by the key for that.
    await expect(page.locator("#name")).to_be_focused()
    await page.keyboard.type("Anna")
    await page.keyboard.press("Enter")
    table = page.locator("#stage")
    await expect(table).to_contain_text("Anna, it is your turn")
    await expect(table).to_contain_text("Computer (level 2)")
    await expect(page).to_have_title(re.compile(r"^\(1\) "))
    # On a phone the board, whole, is the first thing that is seen.
    await expect(table.locator(".board")).to_be_in_viewport(ratio=1)
    await table.locator(".cell").first.tap()
    await expect(page.locator("#stage.choosing")).to_be_visible()
    before = await table.get_attribute("data-revision")
    await table.locator(".cell").first.tap()
    await expect(table).not_to_have_attribute("data-revision", before or "")
    await expect(page.locator("#turns li").first).to_be_attached()
    # The computer's turn comes on the same board, which calls the newcomer again.
    await expect(table).to_contain_text("Computer (level 2) played")
    await expect(table).to_contain_text("Anna, it is your turn")
    await expect(page).to_have_title(re.compile(r"^\(1\) "))


async def read_in_both_languages(page: Page) -> None:
    """Check that what a lobby says is in the language that was chosen last."""
    for language, button, play in (("it", "Italiano", "Gioca"), ("en", "English", "Play")):
        await page.get_by_role("button", name=button).click()
        shown = lobby_to_json(LobbyContent(utc_now().date(), ()), Texts().speaker(language))
        await expect(page.locator("#lobby-puzzle .with")).to_have_text(shown["puzzle"]["goal"])
        await expect(page.locator("#new-game")).to_have_text(play)


async def test_nothing_is_asked_of_who_puts_the_name_away(program: Program, browser: Browser) -> None:
    page = await look_in(browser, program.address)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    await read_in_both_languages(page)
    for press in ("#menu", "#my-games", "#speaker", "#lobby .game-card", ".tile.puzzle"):
        await page.locator(press).first.click()
        await expect(page.locator("#name")).to_be_focused()
        await page.keyboard.press("Escape")
        await expect(page.locator("#names")).to_be_hidden()
    # What is typed waits for the name.
    await page.locator("#text").fill("Good evening")
    await page.locator("#text").press("Enter")
    await expect(page.locator("#name")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.locator("#text")).to_have_value("Good evening")
    assert set(sent) <= {"GET"}
    await page.locator("#text").press("Enter")
    await page.locator("#name").fill("Anna")
    await page.keyboard.press("Enter")
    await expect(page.locator("#log").get_by_text("Good evening")).to_be_visible()
    await read_in_both_languages(page)


async def test_the_lobby_lasts_and_stays_true(program: Program, browser: Browser) -> None:
    guest = await look_in(browser, program.address, locale="it-IT")
    eve = await come_in(browser, program.address, "Eve")
    await expect(guest.locator("#lobby-challenges")).to_be_hidden()
    await Player(eve).says("/play annuvin board:square")
    challenge = guest.locator("#lobby-challenges .tile")
    await expect(challenge).to_contain_text("Eve")
    # Whose challenge it is sees it among their own games.
    await expect(eve.locator("#stage")).to_contain_text("Who joins in?")
    await eve.locator("#view-lobby").click()
    await expect(eve.locator("#stage")).to_be_hidden()
    await expect(eve.locator("#lobby-challenges")).to_be_hidden()
    await expect(eve.locator("#lobby-mine .tile")).to_contain_text("looking for players")
    await challenge.click()
    await guest.locator("#name").fill("Luca")
    await guest.keyboard.press("Enter")
    for page in (guest, eve):
        await expect(page.locator("#stage .board img")).to_be_visible()
        await page.locator("#view-lobby").click()
    mover = guest if await guest.locator("#lobby-mine .tile.waits").count() else eve
    await expect(mover.locator("#lobby-mine .tile.waits img")).to_be_visible()
    await expect(mover.locator("#bar-count")).to_have_text("1")
    # A game of others can be watched, as it stands, and it is opened by one press.
    watch = eve.locator("#lobby-watch .tile")
    async with CookieBrowser(program.address) as one, CookieBrowser(program.address) as two:
        players = await one.name("Anna"), await two.name("Bruno")
        async for number in short_game.play(*players):
            if number == 0:
                await expect(watch.locator("img")).to_have_attribute("src", re.compile("^/small/"))
                await watch.click()
                await expect(eve.locator("#stage-with")).to_contain_text("Anna")
            elif number < len(short_game.TURNS):
                await expect(eve.locator("#turns li")).to_have_count(number)
    for page, name in ((eve, "Leaderboard"), (guest, "Classifica")):
        await page.locator("#view-lobby").click()
        board = page.get_by_role("region", name=name)
        await expect(board.locator("li")).to_have_count(2)
        await expect(board).to_contain_text("Bruno")
    # After the table the lobby is there again.
    await eve.locator("#view-table").click()
    await eve.locator("#stage-close").click()
    await expect(eve.locator("#lobby")).to_be_visible()
    await expect(eve.locator("#lobby-watch")).to_be_hidden()


@pytest.mark.parametrize("locale", ["en-GB", "it-IT"])
async def test_the_lobby_is_whole_in_every_window(desk: Desk, locale: str) -> None:
    page = await look_in(desk.browser, desk.server.address, locale=locale)
    place = await desk.room.place()

    async def look(view: View) -> None:
        async for width in resize(page):
            assert await page.evaluate(OUTSIDE) == [], width
            assert await faults(page) == [], width
        assert await violations_in(page, (view,)) == []

    views = VIEWS if locale == "en-GB" else VIEWS[::-1]
    await look(views[0])
    asked = {"en-GB": "What shall we call you?", "it-IT": "Come ti chiami?"}[locale]
    await enter_name(page, "Un nome lungo quanto si può dare", asked=asked)
    await look(views[1])
    for number in CROWDS:
        for other in range(len(desk.room.here), number):
            name = f"Persona numero {other} con nome lungo"
            person = await desk.store.people.identify("web", f"somebody{other}", name, "it")
            await desk.store.places.record_seen(place.id, person.id, utc_now())
            desk.room.here[person.id] += 1
        desk.room.changed.set()
        await expect(page.locator("#people-list .here")).to_have_count(number)
        for width in (320, 360, 390):
            await page.set_viewport_size({"width": width, "height": 740})
            more = f"+{number - 2}" if number > 2 else ""
            assert await page.evaluate(HEAD) == [True, True, [], more], (number, width)
    await look(views[0])


async def test_opening_the_page_takes_few_bytes(program: Program, browser: Browser) -> None:
    for options in (SMALL, {}):
        page = await (await browser.new_context(locale="en-GB", **options)).new_page()
        received = dict[str, float]()
        session = await page.context.new_cdp_session(page)
        await session.send("Network.enable")
        session.on(
            "Network.loadingFinished",
            lambda event, to=received: to.update({event["requestId"]: event["encodedDataLength"]}),
        )
        await page.goto(program.address)
        await expect(page.locator("#lobby-puzzle img")).to_be_visible()
        await page.wait_for_load_state("networkidle")
        assert sum(received.values()) <= MAX_OPENING_BYTES
        loaded = {name for name in await page.evaluate(LOADED) if name.endswith(".js")}
        assert loaded == set(await page.evaluate(NAMED_AT_ONCE)), "none waits for the module that imports it"
        await page.goto("about:blank")
        await page.goto(program.address)
        await expect(page.locator("#lobby-puzzle img")).to_be_visible()
        assert [each for each in await page.evaluate(FETCHED) if "/static-" in each] == [], "they are still there"
