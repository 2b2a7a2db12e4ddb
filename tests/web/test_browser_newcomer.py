"""A newcomer with a phone, whose browser is Italian: words first, moves as they are told to be typed, a welcome."""

import re

from playwright.async_api import Browser, Page, expect

from bot.kernel.cards import Button, Card, Picture
from bot.kernel.requests import Reply
from bot.kernel.texts import Span
from tests.support.present import present
from tests.web.browser import Browser as CookieBrowser
from tests.web.chromium import PHONE, come_in, type_line
from tests.web.desk import Desk
from tests.web.front import PNG, make_sight
from tests.web.passing import has_said
from tests.web.player import Player
from tests.web.program import Program
from tests.web.test_browser_table import CODE, headline_card, press, seen

LONG = "Two small armies, and one idea that turns everything over. " * 4


async def come_in_italian(browser: Browser, address: str, name: str) -> Page:
    """Return the page of somebody with an Italian phone."""
    return await come_in(browser, address, name, locale="it-IT", **PHONE)


async def newest_is_read_from_its_beginning(page: Page) -> None:
    """Wait until the newest message, which does not fit, has its top at the top of the conversation."""
    await page.wait_for_function(
        """() => {
            const scroll = document.getElementById("scroll");
            const newest = [...document.querySelectorAll("#log .message")].at(-1);
            const top = newest.getBoundingClientRect().top - scroll.getBoundingClientRect().top;
            return newest.offsetHeight > scroll.clientHeight && Math.abs(top) < 24;
        }"""
    )


async def test_a_lesson_in_italian_by_typing(program: Program, visitor: CookieBrowser, browser: Browser) -> None:
    marta = Player(await come_in_italian(browser, program.address, "Marta"))
    luca = await visitor.name("Luca")
    await luca.listen()
    # The room speaks Italian already: nobody has to ask for that.
    await expect(marta.page.locator("#lobby-play")).to_contain_text("contro il computer")
    await expect(marta.page.locator("#lobby-welcome")).not_to_contain_text("in una lingua sola")
    await marta.says("/learn annuvin")
    table = marta.page.locator("#stage")

    async def step_fits() -> None:
        """Check that the board and the buttons of a step are seen together."""
        await expect(table.locator(".board")).to_be_in_viewport(ratio=1)
        await expect(table.locator("#stage-rows button").last).to_be_in_viewport(ratio=1)

    await expect(table).to_contain_text("lezione, passo 1 di 8")
    await step_fits()
    await table.get_by_role("button", name="Suggerimento").tap()
    await expect(table).to_contain_text("Da d2 dove vai?")
    await step_fits()
    await marta.says("d2-d6")
    await expect(table).to_contain_text("d6 è a 4 caselle")
    await marta.says("d2-d3")
    await expect(table).to_contain_text("il turno è finito")
    await step_fits()
    await expect(marta.secret).to_have_count(1)
    await marta.says("Che bello!")
    assert [each["text"] for each in await luca.hear_messages()] == ["Che bello!"], "of the lesson others see nothing"
    code = (await luca.say("/play fagocitare computer")).data["open"]
    await marta.turns_to("talk")
    await marta.page.locator("#log .game-line.playing").tap()
    await expect(table).to_contain_text("Tocca a Luca")
    # Luca's board speaks his language, not that of the room's owner.
    spans = (await luca.looks(code))["card"]["text"]
    assert "Luca, it is your turn" in "".join(span["text"] for span in spans)


def card(text: str, person: int | None = None) -> Card:
    """Return a card with a tall picture, so that it fits into no phone with its words."""
    return Card(
        (Span(text), Span("Anna", person=person)),
        Picture(PNG, "A board.", "annuvin.png", (900, 1300), {"a1": (300, 700, 60), "b2": (600, 700, 60)}),
        ((Button("Hint", "hint"), Button("Skip", "skip")),),
        person,
        {"a1": "c:a1"},
    )


async def test_new_cards_scroll_to_their_beginning_unless_reading_elsewhere(desk: Desk) -> None:
    page = await desk.come_in(**PHONE)
    person = await desk.person_of(page)
    await page.locator("#view-talk").tap()
    newest = page.locator("#log .message").last
    for number in range(2):
        # Repeatedly: a reader at the newest message goes on to the next newest.
        await desk.show(card(f"Board {number}. {LONG}", person), f"board{number}")
        await expect(newest).to_contain_text(f"Board {number}.")
        await newest_is_read_from_its_beginning(page)
    await expect(page.locator("#jump")).to_be_hidden()
    desk.front.replies["hint"] = Reply(Card((Span("A hint."),)))
    await newest.get_by_role("button", name="Hint").tap()
    await expect(page.locator(".secret")).to_be_in_viewport(ratio=0.95)
    # Somebody who has scrolled up to read stays there.
    await page.locator("#scroll").evaluate("scroll => scroll.scrollTo(0, 300)")
    await expect(page.locator("#jump")).to_be_visible()
    before = await page.locator("#scroll").evaluate("scroll => scroll.scrollTop")
    await desk.show(card(f"Board 2. {LONG}", person), "board2")
    await expect(newest).to_contain_text("Board 2.")
    assert await page.locator("#scroll").evaluate("scroll => scroll.scrollTop") == before
    await page.locator("#view-lobby").tap()
    await page.locator("#lobby-mine .tile").last.tap()
    await newest_is_read_from_its_beginning(page)


async def test_narrow_is_whole_and_commands_are_read_out_as_they_are_shown(desk: Desk) -> None:
    page = await come_in_italian(desk.browser, desk.server.address, "Anna")
    person = await desk.person_of(page)
    for number in range(3):
        await desk.show(card("Tocca a te, ", person), f"board{number}")
    tiles = page.locator("#lobby-mine .tile")
    await expect(tiles).to_have_count(3)
    for number in range(3):
        box = present(await tiles.nth(number).bounding_box())
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    desk.front.sights[CODE, ()] = make_sight(seen("Tocca a te.", {"a1": press("a1")}, person, None), question=True)
    await desk.show(headline_card(person, None), "game")
    await Player(page).chooses("Scrivi una mossa")
    line = page.locator("#answering p")
    await expect(line).to_have_text("Mossa su questo tavoliere")
    assert await line.evaluate("line => line.scrollWidth <= line.clientWidth")
    # The words in the empty field, measured where they can be.
    room_left = """text => {
        const style = getComputedStyle(text);
        const pen = document.createElement("canvas").getContext("2d");
        pen.font = style.font;
        const width = text.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
        return width - pen.measureText(text.placeholder).width;
    }"""
    assert await page.locator("#text").evaluate(room_left) >= 0
    await page.locator("#text").press("Escape")
    await page.locator("#view-talk").tap()
    for width in (390, 360):
        await page.set_viewport_size({"width": width, "height": 740})
        assert await page.locator("#text").evaluate(room_left) >= 0
    desk.front.replies["/tip"] = Reply(Card((Span("Prova "), Span("/learn annuvin", code=True))))
    await type_line(page, "/tip")
    await expect(page.locator("#sheet").get_by_role("button", name="/impara annuvin")).to_be_visible()
    await expect(page.locator("#said")).to_contain_text("Prova /impara annuvin")


async def test_picture_explains_which_cells_can_be_pressed(desk: Desk) -> None:
    anna = await desk.come_in(**PHONE)
    bruno = await desk.come_in("Bruno", **PHONE)
    people = (await desk.person_of(anna), await desk.person_of(bruno))
    desk.front.sights[CODE, ()] = make_sight(seen("Your turn.", {"a1": press("a1")}, *people), question=True)
    await desk.show(headline_card(*people))
    await expect(anna.locator(".tap")).to_have_text("Tap a cell, or type the move.")

    async def tap(page: Page, x: float, y: float) -> None:
        image = page.get_by_role("img", name="A board:")
        await expect(image).to_be_visible()
        box = present(await image.bounding_box())
        await page.touchscreen.tap(box["x"] + x * box["width"] / 900, box["y"] + y * box["width"] / 900)

    await tap(anna, 450, 600)
    await has_said(anna, "b2 can't be used now")
    desk.front.reasons["b2"] = (Span("There is no piece on b2."),)
    await tap(anna, 450, 600)
    await has_said(anna, "There is no piece on b2.")
    desk.front.sights[CODE, ()] = make_sight(seen("Anna's turn.", {}, *people))
    await bruno.reload()
    await tap(bruno, 450, 600)
    await has_said(bruno, "Here it is somebody else's turn.")
    await expect(bruno.locator(".tap")).to_have_count(0)
    async with anna.expect_response("**/api/press"):
        await tap(anna, 100, 1000)
    await expect(anna.locator(".tap")).to_have_count(0)
    assert desk.front.asked == [press("a1")]
    await anna.reload()
    await expect(anna.get_by_role("img", name="A board:")).to_be_visible()
    await expect(anna.locator(".tap")).to_have_count(0)


async def test_puzzle_stays_on_the_table_while_its_buttons_are_used(program: Program, browser: Browser) -> None:
    anna = Player(await come_in(browser, program.address, "Anna", **PHONE))
    await anna.says("/puzzle annuvin")
    await anna.table.get_by_role("button", name="Rules").tap()
    await expect(
        anna.page.locator("#sheet").get_by_text("The fewer pieces you have left, the farther they go")
    ).to_be_in_viewport()
    await anna.page.locator("#sheet").get_by_role("button", name="Close").tap()
    await expect(anna.table.get_by_role("button", name="Hint")).to_be_visible()
    board = anna.table.locator(".board img")
    await anna.table.get_by_role("button", name="Solution").tap()
    await expect(anna.table).to_contain_text("see the solution?")
    await expect(board).to_be_in_viewport(ratio=0.9)
    await anna.table.get_by_role("button", name="No,").tap()
    await expect(anna.table.get_by_role("button", name="Hint")).to_be_visible()
    await anna.table.get_by_role("button", name="In words").tap()
    await anna.table.get_by_role("button", name="Back", exact=True).tap()
    await anna.table.get_by_role("button", name="Solution").tap()
    await anna.table.get_by_role("button", name="Yes,").tap()
    await expect(anna.table).to_contain_text("Solution:")
    before = await board.get_attribute("src")
    await anna.table.get_by_role("button", name="On ▶").tap()
    await expect(anna.table.get_by_role("button", name="◀ Back")).to_be_visible()
    await expect(board).not_to_have_attribute("src", before or "")
    await expect(board).to_be_in_viewport(ratio=0.9)


async def test_requested_lesson_is_shown_until_a_game_replaces_it(program: Program, browser: Browser) -> None:
    anna = Player(await come_in(browser, program.address, "Anna", **PHONE))
    page, table = anna.page, anna.table
    await anna.says("/learn real-queen")
    await expect(table).to_contain_text("step 1 of 7")
    # The board can be pressed itself: buttons for its columns would only push the words away.
    await expect(table.locator(".cell").first).to_be_visible()
    await expect(table.get_by_role("button", name="Column a")).to_be_hidden()
    await expect(table.get_by_text("Your turn:")).to_be_in_viewport(ratio=1)
    await page.reload()
    await expect(table).to_contain_text("step 1 of 7")
    for number in range(2, 8):
        await table.get_by_role("button", name="Skip this").tap()
        await expect(table).to_contain_text(f"step {number} of 7")
    await table.get_by_role("button", name="Skip this").tap()
    await table.get_by_role("button", name="Play the computer").tap()
    await expect(table).to_contain_text("Computer (level 1)")
    await expect(table).to_contain_text("Anna, it is your turn")
    # What is asked at the table stands under the game's line in the conversation, which may come a little later.
    # The dice decide who is named first.
    await expect(page.locator("#log")).to_contain_text(
        re.compile(r"Anna – Computer \(level 1\)|Computer \(level 1\) – Anna")
    )
    note = table.locator("#stage-notes .secret")
    await expect(table.get_by_role("button", name="Hint")).to_be_in_viewport(ratio=1)
    await table.get_by_role("button", name="More").tap()
    await expect(table.locator("#stage-more").get_by_role("button", name="Rules")).to_be_in_viewport(ratio=1)
    await page.keyboard.press("Escape")
    await anna.answers("z9")
    await expect(note).to_contain_text("z9")
    await expect(note).to_be_in_viewport(ratio=1)
    # A move is sent from the table, where there is no field afterwards: it is as high as ever when it is back.
    await anna.turns_to("talk")
    field = present(await page.locator("#text").bounding_box())
    assert field["height"] >= 44
