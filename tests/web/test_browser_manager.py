"""The manager's link in a real browser: it makes a manager, and leaves no secret where it could be read."""

import pytest
from playwright.async_api import Browser, Page, Request, expect

from bot.kernel.cards import Button, Card
from bot.kernel.operations.manager_secret import ManagerSecret, manager_link
from bot.kernel.texts import Span
from bot.platforms.web.sessions import browser_prefix
from storage import utc_now
from tests.web.browser import Tab
from tests.web.chromium import DESKTOP, PHONE, enter_name, new_page
from tests.web.desk import Desk
from tests.web.hall import Hall, read_status
from tests.web.passing import has_said
from tests.web.player import Player

MANAGED = "You manage this room now"
WRONG = "This manager's link is out of date"


async def has_no_secret(page: Page, address: str) -> None:
    """Check that the secret stands neither in the address nor anywhere a script could keep it."""
    await expect(page).to_have_url(address)
    stored = await page.evaluate(
        "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, history.state])"
    )
    assert "manager" not in stored


async def test_the_link_makes_a_manager_before_the_first_name(hall: Hall, browser: Browser) -> None:
    secret, address = hall.secret.load_or_create(), hall.anna.browser.address
    asked: list[str] = []

    async def note(request: Request) -> None:
        headers = await request.all_headers()
        asked.extend([request.url, *(value for name, value in headers.items() if name != "cookie")])

    page = await (await browser.new_context(**DESKTOP, locale="en-GB")).new_page()
    page.on("request", note)
    await page.goto(manager_link(address, secret))
    await expect(page.get_by_role("dialog")).to_contain_text(MANAGED)
    await has_no_secret(page, address)
    await enter_name(page, "Dina")
    await expect(page.locator("#manager")).to_have_text("You manage this room.")
    await expect(page.locator("#banner")).to_be_hidden()
    await page.reload()
    await expect(page.locator("#manager")).to_have_text("You manage this room.")
    dina = Player(page)
    await dina.says("/settings playing:off for:channel")
    await expect(dina.secret).to_contain_text("New games")
    await has_no_secret(page, address)
    assert asked
    assert not any(secret in text for text in asked), "neither in an address nor in a Referer"
    # Another browser is nobody's manager.
    await hall.bruno.say("/settings playing:on for:channel")
    assert "Only those who manage this room" in await read_status(hall.bruno)


async def test_a_link_on_the_open_page_counts_at_once(desk: Desk, bruno: Tab, secret: ManagerSecret) -> None:
    page = await desk.come_in(locale="it-IT")
    # The room speaks English already: its language is the manager's to change.
    await expect(page.locator("#lobby-welcome")).not_to_contain_text("in una lingua sola")
    # What managers do is offered to them, and to whom it is for.
    deeds = [
        Button("Mine", "cup=run.ABCDEF", people=(await desk.person_of(page),), managers=True),
        Button("Run it", "cup=run.FEDCBA", people=(bruno.person,), managers=True),
    ]
    await desk.show(Card((Span("A competition"),), rows=((Button("Table", "cup=table.ABCDEF"), *deeds),)))
    buttons = page.locator("#log .rows button")
    await expect(buttons).to_have_text(["Table", "Mine"])
    await page.evaluate("window.same = true")
    await page.evaluate("link => { location.href = link; }", manager_link(desk.server.address, secret.load_or_create()))
    await has_said(page, "Ora gestisci questa stanza")
    await expect(page.locator("#manager")).to_have_text("Gestisci questa stanza.")
    await expect(buttons).to_have_text(["Table", "Mine", "Run it"])
    await expect(page.locator("#speaker")).to_have_attribute("title", "Sei Anna. Cambia chi parla in questa scheda")
    assert await page.evaluate("window.same"), "nothing was loaded anew"
    await has_no_secret(page, desk.server.address)
    # A new secret ends it.
    secret.renew()
    await Player(page).says("hello")
    await expect(page.locator("#manager")).to_have_text("")
    await expect(buttons).to_have_text(["Table", "Mine"])
    # A banned browser sees the reason instead of the page.
    (anna,) = await desk.store.people.find("Anna")
    place, (name,) = await desk.room.place(), await desk.store.people.identities(anna.id)
    await desk.store.bans.add(place.id, "ban", anna.id, [browser_prefix(name.user_id)], None, utc_now())
    out = page.locator("#out")
    await expect(out).to_contain_text("l'ha chiusa a questo browser")
    await expect(page.locator("#app")).to_be_hidden()
    await page.reload()
    await expect(out).to_contain_text("l'ha chiusa a questo browser")
    await expect(page.get_by_role("dialog")).to_be_hidden()
    await desk.store.bans.remove(place.id, "ban", [anna.id], [])
    await page.reload()
    await expect(page.locator("#app")).to_be_visible()
    await expect(out).to_be_hidden()


@pytest.mark.parametrize("known", [True, False])
async def test_expired_manager_link_shows_a_notice_and_admits_as_a_guest(
    desk: Desk, secret: ManagerSecret, known: bool
) -> None:
    old = manager_link(desk.server.address, secret.load_or_create())
    secret.renew()
    page = await (desk.come_in(**PHONE) if known else new_page(desk.browser, **PHONE))
    await page.goto(old)
    if not known:
        await expect(page.get_by_role("dialog")).to_contain_text(WRONG)
        await expect(page.locator("body")).not_to_contain_text("manage this room")
        await enter_name(page, "Anna")
    else:
        await has_said(page, WRONG)
    await expect(page.locator("#app[data-ready]")).to_be_visible()
    await expect(page.locator("#manager")).to_have_text("")
    await expect(page.locator("body")).not_to_contain_text("manage this room")
    await has_no_secret(page, desk.server.address)
