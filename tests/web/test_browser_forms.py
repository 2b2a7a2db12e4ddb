"""Forms on the page: native controls in a real browser, with the real program behind it."""

from playwright.async_api import Browser, expect

from tests.web.accessibility import VIEWS, violations_in
from tests.web.chromium import come_in
from tests.web.player import Player
from tests.web.program import Program


async def test_a_cup_is_found_and_made_by_pressing_alone(program: Program, browser: Browser) -> None:
    page = await come_in(browser, program.address, "Anna")
    await page.get_by_role("button", name="Menu", exact=True).click()
    await page.locator("#sheet").get_by_role("button", name="Competitions").click()
    await page.get_by_role("button", name="Cups").click()
    await expect(page.get_by_text("Which game is the competition").first).to_be_visible()
    await page.locator("#sheet").get_by_role("button", name="Real Queen").click()
    form = page.locator("form.form")
    # What depends on a choice is shown with it.
    await form.get_by_label("Starts with").select_option("4")
    await expect(form.get_by_label("Rounds")).to_have_count(0)
    await form.get_by_label("Format").focus()
    await form.get_by_label("Format").select_option("swiss")
    await expect(form.get_by_label("Rounds")).to_be_visible()
    await expect(form.get_by_label("Format")).to_be_focused()
    await expect(form.get_by_label("Starts with")).to_have_value("4")
    await form.get_by_label("Format").select_option("knockout")
    await expect(form.get_by_label("Rounds")).to_have_count(0)
    await form.get_by_label("Fine wins count double").check()
    await form.get_by_label("Counts for the leaderboard").uncheck()
    await form.get_by_role("button", name="Make it").click()
    await expect(page.locator("#sheet").get_by_text("The competition is made")).to_be_visible()
    await expect(page.get_by_text("Royal wins count double").first).to_be_visible()


async def test_what_concerns_one_person_is_a_sheet(program: Program, browser: Browser) -> None:
    page = await come_in(browser, program.address, "Anna")
    sheet, field = page.locator("#sheet"), page.locator("#text")
    await Player(page).says("/settings")
    await expect(sheet.get_by_text("Your settings")).to_be_visible()
    await expect(sheet).to_be_focused()
    await expect(page.locator("#log .secret")).to_have_count(0)
    # When it is closed the page is as it was, and it does not come back.
    await page.keyboard.press("Escape")
    await expect(sheet).not_to_be_visible()
    await expect(field).to_be_focused()
    await page.reload()
    await expect(page.locator("#app[data-ready]")).to_be_visible()
    await expect(sheet).not_to_be_visible()
    # What only says something leaves the focus where it is, and passes with what is done next.
    await Player(page).says("/play nothing")
    await expect(sheet.get_by_text("I do not know a game called")).to_be_visible()
    await expect(field).to_be_focused()
    assert await violations_in(page, VIEWS[:1]) == []
    await page.keyboard.press("Escape")
    await expect(sheet).not_to_be_visible()
    await Player(page).says("/play nothing")
    await expect(sheet).to_be_visible()
    await page.get_by_role("button", name="Menu", exact=True).click()
    await sheet.get_by_role("button", name="Puzzle").click()
    await expect(page.locator("#stage .board img")).to_be_visible()
    await expect(sheet).not_to_be_visible()


async def test_forms_need_no_script(program: Program, browser: Browser) -> None:
    page = await come_in(browser, program.address, "Anna")
    state = await page.context.storage_state()
    context = await browser.new_context(java_script_enabled=False, storage_state=state, locale="it-IT")
    plain = await context.new_page()
    await plain.goto(f"{program.address}sheet")
    await plain.get_by_role("button", name="Impostazioni").click()
    form = plain.locator("form.form")
    await expect(form.get_by_label("Aspetto dei tavolieri")).to_have_value("auto")
    await form.get_by_label("Aspetto dei tavolieri").select_option("dark")
    await form.get_by_label("Fuso orario").fill("Atlantide")
    await form.get_by_role("button", name="Salva").click()
    zone = form.get_by_label("Fuso orario")
    await expect(zone).to_have_attribute("aria-invalid", "true")
    await zone.fill("Roma")
    await form.get_by_role("button", name="Salva").click()
    await expect(plain.get_by_text("Salvato.")).to_be_visible()
    await expect(zone).to_have_value("Europe/Rome")
    await expect(form.get_by_label("Aspetto dei tavolieri")).to_have_value("dark")
    # The page with its script shows the same.
    await expect(page.locator("form.form").get_by_label("Fuso orario")).to_have_value("Europe/Rome")
    await context.close()
