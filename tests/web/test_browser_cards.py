"""Cards, menus, cells and the stream in a real browser, with a front of the tests' own."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from itertools import product

from playwright.async_api import Route, expect

from bot.kernel.cards import Button, Card, Menu, Picture
from bot.kernel.requests import Reply
from bot.kernel.texts import Span, Timestamp
from tests.support.present import present
from tests.web.browser import Tab
from tests.web.chromium import PHONE, enter_name, type_line
from tests.web.desk import Desk
from tests.web.front import PNG, make_card

SPOTS = {"a1": (100, 1000, 60), "b2": (450, 600, 60), "c3": (800, 100, 60)}


def board(person: int | None, text: str = "Your turn, ", *, many: int = 12) -> Card:
    """Return a board with three cells to click, and a menu of as many options as there are cells to go to."""
    options = tuple(Button(f"cell {number}", f"c:m{number}") for number in range(many))
    return Card(
        (Span(text), Span("Anna", person=person)),
        Picture(PNG, "A board with three pieces.", "annuvin.png", (900, 1100), SPOTS),
        (Menu("Choose a piece", options), (Button("Rules", "rules"),)),
        person,
        {cell: f"c:{cell}" for cell in SPOTS},
    )


async def test_a_menu_is_worked_by_keys_by_letters_and_by_touch(desk: Desk) -> None:
    page = await desk.come_in(**PHONE)
    await page.locator("#view-talk").tap()
    await desk.show(board(await desk.person_of(page)))
    opener = page.get_by_role("button", name="Choose a piece")
    listbox = page.get_by_role("listbox", name="Choose a piece")
    marked = listbox.locator("[aria-selected=true]")
    await opener.press("ArrowDown")
    await expect(listbox).to_be_focused()
    await expect(opener).to_have_attribute("aria-expanded", "true")
    await expect(marked).to_have_text("cell 0")
    for key, label in (("ArrowDown", "cell 1"), ("End", "cell 11"), ("ArrowDown", "cell 11"), ("Home", "cell 0")):
        await page.keyboard.press(key)
        await expect(marked).to_have_text(label)
    # All in one moment, as slow machines do not type.
    await listbox.evaluate(
        "(list, text) => [...text].forEach((key) => list.dispatchEvent(new KeyboardEvent('keydown', { key })))",
        "cell 7",
    )
    await expect(marked).to_have_text("cell 7")
    await page.keyboard.press("Escape")
    await expect(listbox).to_be_hidden()
    await expect(opener).to_be_focused()
    assert desk.front.asked == []
    await page.keyboard.press("Enter")
    await page.keyboard.press("Home")
    await page.keyboard.press("ArrowDown")
    async with page.expect_response("**/api/press"):
        await page.keyboard.press("Enter")
    await expect(listbox).to_be_hidden()
    await expect(page.locator(".message[aria-busy]")).to_have_count(0)
    await opener.tap()
    box = present(await listbox.bounding_box())
    assert (box["x"], box["width"]) == (0, 390), "a sheet at the bottom of the phone"
    async with page.expect_response("**/api/press"):
        await page.get_by_role("option", name="cell 3").tap()
    await expect(listbox).to_be_hidden()
    await expect(page.locator(".message[aria-busy]")).to_have_count(0)
    assert desk.front.asked == ["c:m1", "c:m3"]
    # A click on the picture hits the cell at every size.
    image = page.get_by_role("img", name="A board with three pieces.")
    for width, (cell, (x, y, radius)) in product((390, 1280), SPOTS.items()):
        await page.set_viewport_size({"width": width, "height": 844})
        await expect(image).to_be_visible()
        box = present(await image.bounding_box())
        scale = box["width"] / 900
        assert abs(box["height"] / 1100 - scale) < 0.01
        async with page.expect_response("**/api/press"):
            await page.mouse.click(box["x"] + (x + 0.6 * radius) * scale, box["y"] + (y - 0.6 * radius) * scale)
        await expect(page.locator(".message[aria-busy]")).to_have_count(0)
        assert desk.front.asked[-1] == f"c:{cell}"
    box = present(await image.bounding_box())
    await page.mouse.click(box["x"] + box["width"] / 4, box["y"] + box["height"] / 4)
    assert len(desk.front.asked) == 2 + 2 * len(SPOTS), "beside the cells there is nothing to press"


async def test_a_lost_answer_does_nothing_twice(desk: Desk) -> None:
    page = await desk.come_in()
    desk.front.replies["/help"] = Reply(make_card("Help is here."))
    lost = 0

    async def lose_the_first(route: Route) -> None:
        nonlocal lost
        if lost < 2:
            lost += 1
            await route.fetch()
            await route.abort()
        else:
            await route.continue_()

    await page.route("**/api/say", lose_the_first)
    for text in ("hello", "/help"):
        await type_line(page, text)
        lost = min(lost, 1)
    await expect(page.locator("#log .own")).to_have_count(1)
    await expect(page.locator(".secret")).to_have_count(1)
    await expect(page.locator(".wait")).to_have_count(0)
    assert desk.front.asked == ["/help"]
    await page.reload()
    await expect(page.locator("#log .message")).to_have_count(1)
    await expect(page.locator(".secret")).to_have_count(1)
    # The server takes it away without the page hearing of it: it goes nevertheless.
    gone = {"error": {"code": "no-such-message"}}
    await page.route("**/api/dismiss", lambda route: route.fulfill(status=404, json=gone))
    await page.locator(".secret").get_by_role("button", name="Close").click()
    await expect(page.locator(".secret")).not_to_be_visible()
    await expect(page.locator("#banner")).to_be_hidden()


async def test_buttons_before_an_answer_work_at_once(desk: Desk) -> None:
    page = await desk.come_in()
    desk.front.replies["/learn"] = Reply(replace(make_card("One."), rows=((Button("On", "on"),),)))
    desk.front.replies["on"] = Reply(replace(make_card("Two."), rows=((Button("Further", "further"),),)), update=True)
    desk.front.replies["further"] = Reply(make_card("Three."), update=True)
    shown = asyncio.Event()

    async def answer_late(route: Route) -> None:
        answer = await route.fetch()
        await shown.wait()
        await route.fulfill(response=answer)

    await page.route("**/api/press", answer_late)
    await type_line(page, "/learn")
    await page.get_by_role("button", name="On", exact=True).click()
    # The news of what it has done is quicker than its answer.
    await page.get_by_role("button", name="Further").click()
    shown.set()
    await expect(page.locator(".secret")).to_contain_text("Three.")
    assert desk.front.asked == ["/learn", "on", "further"]
    # What is complete is sent despite a suggestion.
    field = page.locator("#text")
    await field.fill("/play annuvin compute")
    first = page.locator("#options [role=option]").first
    await expect(first).to_have_attribute("aria-selected", "true")
    # Before and after the suggestions for the last letter have come.
    await field.press_sequentially("r")
    async with page.expect_response("**/api/say"):
        await field.press("Enter")
    await expect(field).to_have_value("")
    await field.fill("/play annuvin computer")
    await expect(first).to_have_attribute("aria-selected", "false")
    async with page.expect_response("**/api/say"):
        await field.press("Enter")
    await expect(field).to_have_value("")
    assert desk.front.asked[3:] == ["/play annuvin computer"] * 2


async def test_new_messages_are_marked_and_waiting_boards_are_found(desk: Desk, bruno: Tab) -> None:
    anna = await desk.come_in(**PHONE)
    await anna.locator("#view-talk").tap()
    await bruno.say("Who plays?")
    await anna.get_by_role("button", name="Reply to Bruno").tap()
    await expect(anna.locator("#answering")).to_contain_text("Replying to Bruno")
    await anna.locator("#text").press("Escape")
    await expect(anna.locator("#answering")).to_be_hidden()
    await anna.get_by_role("button", name="Reply to Bruno").tap()
    await anna.locator("#text").fill("I do")
    await anna.get_by_role("button", name="Send").tap()
    newest = anna.locator("#log .message").last
    await expect(newest.locator(".quote")).to_have_text("Bruno Who plays?")
    await expect(newest.locator(".bubble")).to_contain_text("I do")
    waits = await desk.show(board(await desk.person_of(anna)))
    for number in range(12):
        await bruno.say(f"word {number}")
    await expect(anna.locator("#log")).to_contain_text("word 11")
    await expect(anna).to_have_title("(1) game waits for you · Tavoliere")
    await expect(anna.locator("#icon")).to_have_attribute("href", "/static/icon-waiting.svg")
    await expect(newest).to_be_in_viewport()
    await anna.locator("#my-games").tap()
    await anna.locator("#lobby-mine .tile").tap()
    await expect(anna.locator(f"#m{waits}")).to_be_focused()
    await expect(anna.locator(f"#m{waits} .rows")).to_be_in_viewport()
    await bruno.say("and one more")
    await expect(anna.locator(".unread")).to_have_text("New")
    await anna.get_by_role("button", name="New messages").tap()
    await expect(newest).to_contain_text("and one more")
    await expect(newest).to_be_in_viewport()
    await expect(anna.locator("#jump")).to_be_hidden()
    await expect(anna.locator("#said")).to_contain_text("Bruno: and one more")


async def test_page_loads_own_files_only_and_escapes_texts(desk: Desk) -> None:
    asked: list[str] = []
    complaints: list[str] = []
    page = await (await desk.browser.new_context(locale="en-GB", timezone_id="Europe/Rome")).new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    await page.goto(desk.server.address)
    await enter_name(page, "<b>Anna</b>")
    when = Span("22 Jan 2031 20:30 UTC", timestamp=Timestamp(datetime(2031, 1, 22, 20, 30, tzinfo=UTC), "time"))
    desk.front.replies["/help"] = Reply(
        Card((Span("<img src=x onerror=alert(1)> "), Span("/play annuvin", code=True), Span(" until "), when))
    )
    for text in ("<script>alert(1)</script>", "/help"):
        await type_line(page, text)
    await expect(page.locator("#log")).to_contain_text("<script>alert(1)</script>")
    await expect(page.locator(".secret")).to_contain_text("<img src=x onerror=alert(1)>")
    # Everybody's own clock: in Rome it is an hour later than in UTC.
    await expect(page.locator(".secret time")).to_have_text("22 Jan 2031, 21:30")
    await page.get_by_role("button", name="/play annuvin").click()
    await expect(page.locator("#text")).to_have_value("/play annuvin")
    assert {url.startswith((desk.server.address, "ws" + desk.server.address[4:])) for url in asked} == {True}
    assert complaints == []
