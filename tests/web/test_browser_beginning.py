"""There is always a way to begin a game on the page, in a real browser with the real program behind it."""

import re
from typing import Final

from playwright.async_api import Browser, Locator, Page, Route, expect

from bot.kernel.texts import Texts
from engine import games
from tests.web.chromium import PHONE, come_in, enter_name, open_page
from tests.web.player import Player
from tests.web.program import Program
from tests.web.test_browser_room import faults, no_sideways_scroll

CORNER: Final = """() => {
    const box = document.querySelector('#stage [data-cell="a1"]').getBoundingClientRect();
    return [Math.round(box.left), Math.round(box.top)];
}"""
"""Where a corner of the board is."""


def panel(page: Page) -> Locator:
    """Return the panel that asks which game to play."""
    return page.locator("#newgame")


async def chooses(page: Page, game: str) -> None:
    """Open the panel and choose a game."""
    await page.locator("#new-game").click()
    await panel(page).get_by_role("button", name=re.compile(f"^{game}")).click()
    await expect(panel(page).get_by_role("heading", name=game)).to_be_focused()


async def test_new_game_button_is_always_available(program: Program, browser: Browser) -> None:
    anna = Player(await come_in(browser, program.address, "Anna"))
    page, table = anna.page, anna.table
    # Nothing lies over the welcome, though it does not fit.
    await expect(page.locator("#jump")).to_be_hidden()
    speaker = Texts().speaker("en")
    # By keys alone; the games are those that there are.
    await page.locator("#new-game").focus()
    await page.keyboard.press("Enter")
    names = [speaker.game_name(key) for key in games]
    await expect(panel(page).locator(".game-card strong")).to_have_text(names)
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(panel(page).get_by_role("heading", name=names[0])).to_be_focused()
    await panel(page).get_by_label("How strong?").select_option("1")
    await panel(page).get_by_role("button", name="Begin").focus()
    await page.keyboard.press("Enter")
    await expect(table).to_contain_text("Computer (level 1)")
    first = await table.get_attribute("data-game")
    # A second one, while the first is unfinished: its board is there at once.
    await chooses(page, "Real Queen")
    assert await faults(page) == []
    await panel(page).get_by_role("button", name="Begin").dblclick()
    await expect(table.get_by_role("heading", name="Real Queen")).to_be_visible()
    await expect(table.locator(".board img")).to_be_visible()
    await expect(page.locator("#log .game-line")).to_have_count(2)

    # While others play, a newcomer on a phone has a way as well, and after what they have begun ends.
    marta = Player(await come_in(browser, program.address, "Marta", locale="it-IT", **PHONE))
    await chooses(marta.page, "La Vedova Nera")
    await no_sideways_scroll(marta.page)
    assert await faults(marta.page) == []
    await expect(panel(marta.page).get_by_role("button", name="Comincia")).to_be_in_viewport(ratio=1)
    await panel(marta.page).get_by_label("Qualcuno di questa stanza").check()
    await expect(panel(marta.page).get_by_label("Anna")).to_be_checked()
    await panel(marta.page).get_by_role("button", name="Sfida").tap()
    await expect(marta.table).to_contain_text("Marta sfida Anna")
    await expect(marta.table.get_by_role("button", name="Copia il link da mandare")).to_be_in_viewport(ratio=1)
    # Who accepts is led to the board, though two of their games wait.
    # A double click is one press: nothing is left of its second half.
    await page.locator("#log .lobby").get_by_role("button", name="Accept").dblclick()
    for player, name in ((anna, "Marta"), (marta, "Anna")):
        await expect(player.table.locator("#stage-with")).to_contain_text(name)
        await expect(player.table.locator(".board img")).to_be_visible()
    await expect(page.locator("#stage .secret, #log .secret").get_by_text("already")).to_have_count(0)
    # The offer of a lesson is in the conversation, and never over the board.
    await expect(
        page.locator("#log .secret").get_by_role("button", name="Learn it in three minutes").last
    ).to_be_attached()
    await expect(page.locator("#stage-notes .secret")).to_have_count(0)
    # An offer is told at the board, and nobody is led away from it.
    await marta.table.get_by_role("button", name="Altro").tap()
    await marta.table.get_by_role("button", name="Proponi la patta").tap()
    await expect(marta.page.locator("#log").get_by_text("offers a draw")).to_be_attached()
    await expect(marta.table).to_contain_text("Marta propone la patta.")
    await expect(marta.table.locator(".board img")).to_be_visible()
    # What was said of it goes when it is answered, unless it has only just been said.
    said = marta.table.locator("#stage-notes").get_by_text("Hai proposto la patta")
    await expect(said).to_be_visible()
    await marta.page.evaluate("() => { const now = Date.now; Date.now = () => now() + 5000; }")
    await table.get_by_role("button", name="No draw").click()
    await expect(said).to_have_count(0)
    await marta.table.get_by_role("button", name="Altro").tap()
    await marta.table.get_by_role("button", name="Abbandona").tap()
    await marta.table.get_by_role("button", name="Sì, abbandono").tap()
    await marta.table.get_by_role("button", name="Nuova partita", exact=True).tap()
    await panel(marta.page).get_by_role("button", name="Problema del giorno").tap()
    await expect(marta.table).to_contain_text("problema del")
    await marta.page.locator("#new-game").tap()
    await panel(marta.page).get_by_role("button", name="Impara un gioco").tap()
    await panel(marta.page).get_by_role("button", name=re.compile("^Annuvin")).tap()
    await expect(marta.table).to_contain_text("lezione, passo 1 di 8")
    assert first is not None
    await page.locator(f'#side [data-code="{first}"]').click()
    await expect(table).to_contain_text("Computer (level 1)")


async def after_news(route: Route) -> None:
    """Let a board be asked for only when the page has the news for the person who acts."""
    await expect(route.request.frame.page.locator("#app[data-ready]")).to_be_attached()
    await route.continue_()


async def test_two_at_one_screen_press_once_a_move(program: Program, browser: Browser) -> None:
    anna = Player(await come_in(browser, program.address, "Anna"))
    page, table = anna.page, anna.table
    await chooses(page, "Real Queen")
    await panel(page).get_by_label("Somebody beside you, at this screen").check()
    await panel(page).get_by_role("button", name="Begin").click()
    await expect(panel(page).get_by_role("alert")).to_have_text("Say who plays with you: type their name.")
    await panel(page).get_by_label("Their name").fill("Bruno")
    await panel(page).get_by_role("button", name="Begin").click()
    await expect(table.locator(".board img")).to_be_visible()
    # The news for the person who is to move comes before their board: what the other one saw is drawn once more.
    await page.route("**/api/board?*", after_news)
    played: list[str] = []
    # The list of moves takes its place beside the board before the first one.
    await expect(page.locator("#stage-turns")).to_be_visible()
    await page.evaluate("document.fonts.ready")
    where = await page.evaluate(CORNER)
    for turn in range(3):
        cell = table.locator(".cell").first
        await expect(cell).to_be_visible()
        played.append(await page.evaluate("sessionStorage.getItem('speaker')"))
        await cell.click()
        await expect(page.locator("#turns li")).to_have_count(turn + 1)
        # Nobody is asked who sits there, and the board is not turned.
        await expect(page.locator("#app")).not_to_have_attribute("data-ready", played[-1])
        await expect(table.get_by_role("button", name=re.compile("Play as"))).to_have_count(0)
        await page.wait_for_function(f"where => String(({CORNER})()) === String(where)", arg=where)
    assert played[0] == played[2] != played[1]
    await table.get_by_role("button", name="Turn the board").click()
    await expect(table.locator('.board img[src*="side=1"]')).to_be_visible()
    assert await page.evaluate(CORNER) != where


async def test_a_clock_is_chosen_or_typed_and_a_link_opened_by_an_invitation_with_a_picture(
    program: Program, browser: Browser
) -> None:
    anna = Player(await come_in(browser, program.address, "Anna"))
    await chooses(anna.page, "Fagocitare")
    await panel(anna.page).get_by_label("Anyone who gets an invitation").check()
    clock, own = panel(anna.page).locator("select[name=clock]"), panel(anna.page).get_by_label("Your own clock")
    await clock.select_option("15+10")
    await expect(own).to_be_hidden()
    await clock.select_option("own")
    make = panel(anna.page).get_by_role("button", name="Make the invitation")
    await own.fill("200+0")
    await make.click()
    await expect(anna.page.get_by_text("200+0 is not.").first).to_be_visible()
    # The panel is as it was left.
    await anna.page.keyboard.press("Escape")
    await anna.page.locator("#new-game").click()
    await expect(own).to_have_value("200+0")
    await own.fill("12 + 4")
    await no_sideways_scroll(anna.page)
    await make.click()
    await expect(anna.table).to_contain_text("12+4")
    await expect(anna.table).to_contain_text("Who joins in?")
    # What is to be done now comes first, beside what is played.
    await expect(anna.table.locator("#stage-rows button").first).to_have_text("Copy the link to send")
    await expect(anna.table.locator(".glimpse")).to_be_in_viewport(ratio=1)
    code = await anna.table.get_attribute("data-game")
    page = await open_page(browser, f"{program.address}#join={code}", locale="it-IT", **PHONE)
    invitation = page.locator("#names .invitation")
    await expect(invitation).to_contain_text("Anna ti invita a una partita di Fagocitare.")
    await expect(invitation.locator("img")).to_be_in_viewport(ratio=1)
    assert await faults(page) == []
    await enter_name(page, "Luca", asked="Come ti chiami?")
    for player in (anna, Player(page)):
        await expect(player.table.locator(".board img")).to_be_visible()
