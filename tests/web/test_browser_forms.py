"""Forms on the page: native controls in a real browser, with the real program behind it."""

from playwright.async_api import Browser, expect

from tests.web.accessibility import VIEWS, violations_in
from tests.web.chromium import come_in
from tests.web.player import Player
from tests.web.program import Program


async def test_settings_are_a_form_of_native_controls(program: Program, browser: Browser) -> None:
    page = await come_in(browser, program.address, "Anna")
    await Player(page).says("/settings")
    form = page.locator("form.form")
    await expect(form.get_by_label("Look of the boards")).to_have_value("auto")
    assert await violations_in(page, VIEWS) == []
    await form.get_by_label("Look of the boards").select_option("dark")
    await form.get_by_label("Time zone").fill("Atlantis")
    await page.keyboard.press("Enter")
    zone = form.get_by_label("Time zone")
    await expect(zone).to_have_attribute("aria-invalid", "true")
    await expect(form.get_by_role("alert")).to_contain_text("I do not know the time zone")
    await expect(zone).to_have_value("Atlantis")
    await zone.fill("Rome")
    await form.get_by_role("button", name="Save").click()
    await expect(zone).to_have_value("Europe/Rome")
    await expect(form.get_by_label("Look of the boards")).to_have_value("dark")


async def test_a_cup_is_found_and_made_by_pressing_alone(program: Program, browser: Browser) -> None:
    page = await come_in(browser, program.address, "Anna")
    await page.get_by_role("button", name="Menu", exact=True).click()
    await page.get_by_role("button", name="Competitions").click()
    await page.get_by_role("button", name="Cups").click()
    await expect(page.get_by_text("Which game is the competition").first).to_be_visible()
    await page.locator("#log").get_by_role("button", name="Real Queen").last.click()
    form = page.locator("form.form")
    await form.get_by_label("Format").select_option("knockout")
    await form.get_by_label("Fine wins count double").check()
    await form.get_by_label("Counts for the leaderboard").uncheck()
    await form.get_by_role("button", name="Make it").click()
    await expect(page.get_by_text("The competition is made")).to_be_visible()
    await expect(page.get_by_text("Royal wins count double").first).to_be_visible()
