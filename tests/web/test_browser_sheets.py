"""Profiles and competitions as places of the page, in a real browser: faces, small boards, figures; never cut."""

import re
from itertools import starmap
from typing import Final

from playwright.async_api import Browser, Page, expect

from bot.kernel.cards import Button, Card, PageContent, Panel, PanelItem
from bot.kernel.requests import Reply
from bot.kernel.texts import Span, Texts
from bot.people.standings.commands import leaderboard_tabs, rank_panels
from bot.people.standings.service import Leaderboard, Rank
from engine import games
from render.charts import LeaderboardRow
from tests.web import short_game
from tests.web.accessibility import VIEWS, View, resize, violations_in
from tests.web.browser import Browser as CookieBrowser
from tests.web.chromium import choose_language, come_in, go_on_in
from tests.web.desk import Desk
from tests.web.hall import find_newest_button
from tests.web.player import Player
from tests.web.program import Program

ON_PHONE, ON_DESK = VIEWS
LONG: Final = "Un nome lungo quanto si può dare"
OUTSIDE: Final = """() => {
    const sheet = document.getElementById("sheet");
    const named = "button, h2, p, strong, small, label, .note, img, .avatar, select, input";
    const parts = [...sheet.querySelectorAll(named)];
    const cut = parts.filter((each) => each.checkVisibility()).filter((each) => {
        const { left, right } = each.getBoundingClientRect();
        const isCut = each.matches("button, strong, .note") && each.scrollWidth > each.clientWidth + 1;
        return left < -1 || right > innerWidth + 1 || isCut;
    });
    const wide = sheet.scrollWidth > sheet.clientWidth + 1 ? ["the sheet"] : [];
    return [...wide, ...cut.map((each) => each.outerHTML.slice(0, 120))];
}"""
"""What of the sheet is cut or lies outside of the window."""


async def look(page: Page, view: View) -> None:
    """Check that axe finds nothing in one window, and that nothing is cut in any; the largest stays."""
    await expect(page.locator("#sheet").locator(".panel, .section").first).to_be_visible()
    assert await violations_in(page, (view,)) == []
    async for width in resize(page):
        assert await page.evaluate(OUTSIDE) == [], width


async def test_after_a_game_the_profile_and_the_leaderboard_have_it(program: Program, browser: Browser) -> None:
    async with CookieBrowser(program.address) as one, CookieBrowser(program.address) as two:
        names = await one.name("Anna"), await two.name(LONG)
        async for _ in short_game.play(*names):
            pass
        anna = await go_on_in(browser, names[0])
    await Player(anna).says("/profile")
    sheet = anna.locator("#sheet")
    ratings = sheet.get_by_role("region", name="Ratings", exact=True)
    games = sheet.get_by_role("region", name="Recent games")
    await expect(ratings.locator(".lead").first).to_have_text(re.compile(r"^[0-9,]+$"))
    await expect(ratings).to_contain_text("after one game")
    await expect(games.locator("button")).to_contain_text(LONG)
    await expect(games.locator("img")).to_have_attribute("src", re.compile("^/small/"))
    await look(anna, ON_PHONE)
    await games.locator("button").click()
    await expect(sheet).to_be_hidden()
    await expect(anna.locator("#stage-title")).to_contain_text("Annuvin")

    await anna.locator("#view-lobby").click()
    shown_to_all = anna.locator("#log .public", has_text="Leaderboard")
    await anna.locator("#lobby-leaders").get_by_role("button", name="The whole leaderboard").click()
    people = sheet.get_by_role("region", name="Standings").locator(".face")
    await expect(people).to_have_count(2)
    await expect(people.first).to_contain_text("1 win")
    tabs = sheet.locator(".tabs")
    await expect(tabs.locator("[aria-current]")).to_have_text(["All games", "Slow games", "All time"])
    await look(anna, ON_DESK)
    await tabs.get_by_role("button", name="Fagocitare").click()
    await expect(sheet).to_contain_text("Nobody has finished a rated game here yet")
    await expect(tabs.locator("[aria-current]").first).to_have_text("Fagocitare")
    await tabs.get_by_role("button", name="Annuvin").click()
    await expect(tabs.locator("[aria-current]").first).to_have_text("Annuvin")
    await tabs.get_by_role("button", name="Live games").click()
    await expect(sheet).to_contain_text("Live games: those with a clock for an evening")
    await tabs.get_by_role("button", name="Slow games").click()
    await expect(people).to_have_count(2)
    await tabs.get_by_role("button", name="This month").click()
    await expect(tabs.locator("[aria-current]").last).to_have_text("This month")
    await people.filter(has_text="Anna").click()
    await expect(sheet).to_contain_text("Profile of Anna")
    await expect(shown_to_all).to_have_count(0)
    await anna.keyboard.press("Escape")
    # What is typed is for all.
    await Player(anna).says("/leaderboard")
    await expect(shown_to_all).to_have_count(1)


async def test_a_competition_is_its_people_and_what_can_be_done(
    program: Program, visitor: CookieBrowser, browser: Browser
) -> None:
    anna = await visitor.name("Anna")
    luca = await come_in(browser, program.address, LONG, locale="it-IT")
    sheet = luca.locator("#sheet")
    people = sheet.locator(".panel .face")
    kinds = (("cup", "clock:1d players:4", ON_PHONE), ("ladder", "clock:1d", ON_DESK), ("league", "clock:1d", ON_PHONE))
    for kind, terms, view in kinds:
        await anna.say(f"/{kind} annuvin {terms}")
        # What is for all is in each reader's own language.
        await expect(luca.locator("#log .public").last.get_by_role("button", name="Gioco anch'io")).to_be_visible()
        await anna.press(*await find_newest_button(anna, f"{kind}=join."))
        for number in range(2):
            await Player(luca).says(f"/{kind}")
            await sheet.locator(".panel button").click()
            await expect(people).to_have_count(1 + number)
            if not number:
                await sheet.locator("button", has_text="Gioco anch'io").click()
                await expect(sheet.locator(".panel")).to_have_count(0)
        await expect(sheet.get_by_role("button", name="Gioco anch'io")).to_have_count(0)
        await look(luca, view)
        await people.filter(has_text="Anna").click()
        await expect(sheet).to_contain_text("Profilo di Anna")
        await luca.keyboard.press("Escape")


async def test_settings_are_in_sections_with_native_controls_and_one_is_this_browsers(
    program: Program, browser: Browser
) -> None:
    page = await come_in(browser, program.address, LONG)
    sheet, tabs = page.locator("#sheet"), page.locator("#sheet .tabs button")
    sections, theme = sheet.locator(".section"), sheet.get_by_label("Look of the boards")
    for view in (ON_PHONE, ON_DESK):
        await Player(page).says("/settings")
        await expect(sections).to_have_count(5)
        await expect(sections.nth(0).locator("#form-language")).to_be_visible()
        await expect(sections.nth(4).locator("#form-votes")).to_be_visible()
        await look(page, view)
        if view is ON_PHONE:
            await page.keyboard.press("Escape")
            await choose_language(page, "Italiano")
    await page.keyboard.press("Escape")
    await choose_language(page, "English")
    await Player(page).says("/settings")
    sound = sections.nth(1).locator("[data-key='calls.sound']")
    await sound.click()
    await expect(sound).to_have_attribute("aria-checked", "false")
    await expect(theme).to_have_value("auto")
    await theme.select_option("dark")
    zone = sheet.get_by_label("Time zone")
    await zone.fill("Atlantis")
    await page.keyboard.press("Enter")
    await expect(zone).to_have_attribute("aria-invalid", "true")
    await expect(sheet.get_by_role("alert")).to_contain_text("I do not know the time zone")
    await expect(zone).to_have_value("Atlantis")
    await zone.fill("Rome")
    await sheet.get_by_role("button", name="Save").click()
    await expect(zone).to_have_value("Europe/Rome")
    await expect(theme).to_have_value("dark")
    # Other settings are other tabs.
    await expect(sheet.locator(".tabs [aria-current]")).to_have_text(await tabs.first.inner_text())
    await tabs.nth(1).click()
    await expect(theme).to_have_count(0)


async def test_a_team_has_its_game_and_its_people(program: Program, visitor: CookieBrowser, browser: Browser) -> None:
    await visitor.name(LONG)
    anna = await come_in(browser, program.address, "Anna")
    sheet = anna.locator("#sheet")
    await Player(anna).says("/team")
    new = sheet.get_by_role("region", name="Begin a game as a team").locator("button")
    await expect(new).to_have_count(len(games))
    await look(anna, ON_PHONE)
    await anna.keyboard.press("Escape")
    await Player(anna).says("/team annuvin time:1h")
    await expect(anna.locator("#stage .board img")).to_be_visible()
    await Player(anna).says("/team")
    team = sheet.locator(".panel").first
    await expect(team.locator(".game img")).to_have_attribute("src", re.compile("^/small/"))
    await expect(team.locator(".face", has_text="Anna")).to_contain_text("began this game")
    await expect(team.locator(".face", has_text=LONG)).to_contain_text("votes")
    await look(anna, ON_DESK)
    await team.locator(".game").click()
    await expect(sheet).to_be_hidden()


async def test_with_one_to_forty_people_nothing_of_a_sheet_is_cut(desk: Desk) -> None:
    page, voice = await desk.come_in(), Texts().speaker("it")
    games_shown = tuple(PanelItem(f"{LONG} – {LONG}", "ABCDEF", press="show:ABCDEF", game=key) for key in games)
    for count in (1, 3, 40):
        rows = [LeaderboardRow(each + 1, f"{LONG} {each + 1}", 100, 12, 3) for each in range(count)]
        ranks = list(starmap(Rank, enumerate(rows)))
        people = [
            PanelItem(each.row.name, "ha ricevuto un invito", "", f"profile={each.person}", each.person)
            for each in ranks
        ]
        panels = (*rank_panels(voice, ranks, []), Panel(LONG, (games_shown[0], *people)), Panel(LONG, games_shown))
        tabs = leaderboard_tabs(voice, Leaderboard("here"), "slow")
        content = PageContent(
            (Span(LONG, bold=True),), panels, (Button(LONG, "rules", "primary"), Button(LONG, "more")), tabs
        )
        desk.front.replies["/leaderboard"] = Reply(Card((Span("Ranks."),), page=content))
        await Player(page).says("/leaderboard")
        await expect(page.locator("#sheet .panel").first.locator(".face")).to_have_count(count)
        async for width in resize(page):
            assert await page.evaluate(OUTSIDE) == [], (count, width)
        await page.keyboard.press("Escape")
