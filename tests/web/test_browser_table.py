"""The table in a real browser, with a front of the tests' own: one board, one place, and nothing moves it."""

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from playwright.async_api import Page, expect

from bot.kernel.cards import Button, Card, Menu, Picture, TreeLine
from bot.kernel.requests import ListedTurn, Reply
from bot.kernel.texts import Span
from bot.platforms.web.room import ROOM_PLACE
from tests.support.present import present
from tests.web.accessibility import resize
from tests.web.browser import Tab
from tests.web.chromium import DESKTOP, PHONE, type_line
from tests.web.desk import Desk
from tests.web.double_taps import DOUBLE_TAP_SECONDS, Finger
from tests.web.front import PNG, make_card, make_headline, make_sight
from tests.web.test_browser_cards import SPOTS

CODE = "ABCDEF"


def press(path: str) -> str:
    """Return what a cell carries."""
    return f"c:{CODE}:1={path}"


def seen(text: str, presses: Mapping[str, str], *people: int | None, revision: int = 1, mover: int = 0) -> Card:
    """Return the game's card as it is drawn for a reader."""
    picture = Picture(PNG, f"A board: {text}", "annuvin.png", (900, 1100), SPOTS)
    line = make_headline(CODE, *people, revision=revision, mover=mover)
    return Card((Span(text),), picture, ((Button("Rules", "rules"),),), presses=presses, headline=line)


def headline_card(
    *people: int | None, code: str = CODE, revision: int = 1, mover: int = 0, status: str = "playing"
) -> Card:
    """Return the card that stands for a game in the room."""
    line = make_headline(code, *people, revision=revision, mover=mover, status=status)
    calls = people[mover] if people and status == "playing" else None
    return Card((Span("Annuvin"),), mention=calls, headline=line)


async def places(page: Page) -> list[float]:
    """Return where the board and its cells are."""
    found: list[float] = await page.evaluate(
        """() => [...document.querySelectorAll("#stage .board, #stage .cell[data-cell=b2]")].flatMap((element) => {
            const { left, top, width, height } = element.getBoundingClientRect();
            return [left, top, width, height];
        })"""
    )
    assert found
    return found


async def test_choosing_on_the_board_does_not_shift_the_layout(desk: Desk) -> None:
    anna = await desk.come_in(**PHONE)
    bruno = await desk.come_in("Bruno")
    people = (await desk.person_of(anna), await desk.person_of(bruno))
    first = seen("Your turn.", {cell: press(cell) for cell in SPOTS}, *people)
    desk.front.sights[CODE, ()] = make_sight(first, question=True, turns=2)
    desk.front.lists[CODE] = [ListedTurn(0, "a1-b2"), ListedTurn(1, "c3-b2")]
    choosing = seen("A much longer question, where to? " * 8, {"a1": press(""), "b2": press("a1.b2")}, *people)
    desk.front.sights[CODE, ("a1",)] = make_sight(choosing, question=True)
    board = await desk.show(headline_card(*people))
    cell = anna.locator("#stage .cell")
    await expect(cell).to_have_count(3)
    await expect(anna).to_have_title("(1) game waits for you · Tavoliere")
    before = await places(anna)
    await anna.get_by_role("button", name="a1", exact=True).tap()
    await expect(anna.locator("#stage.choosing")).to_be_visible()
    # While she chooses, the room fills with games of others, with talk, and with an offer of another game.
    for number in range(10):
        await desk.show(headline_card(None, None, code=f"ZZZZZ{number}"), f"other{number}")
    await desk.show(replace(headline_card(*people, code="FFFFFF"), text=(Span("Another"),)), "mine")
    await type_line(bruno, "Hello " * 60)
    await expect(anna.locator("#waiting-list button")).to_have_count(2)
    await expect(anna.locator("#view-talk.news")).to_be_visible()
    await expect(anna.locator("#said")).to_contain_text("Bruno")
    # Before she had pressed anything there was no sound.
    await expect(anna.locator("html")).to_have_attribute("data-sounded", "1")
    assert all(abs(one - two) <= 1 for one, two in zip(before, await places(anna), strict=True))
    await expect(anna.locator("#stage .board")).to_be_in_viewport(ratio=1)
    await expect(anna.locator("#stage.choosing")).to_be_visible()
    async with anna.expect_response("**/api/press"):
        await anna.get_by_role("button", name="b2", exact=True).tap()
    assert desk.front.asked == [press("a1.b2")]
    # Others' games are one line each; one that is opened is nobody's to press there.
    lines = bruno.locator("#log .game-line")
    await expect(lines).to_have_count(12)
    await expect(bruno.locator("#stage .board")).to_be_visible()
    desk.front.sights[CODE, ()] = make_sight(seen("Bruno's turn.", {}, *people, revision=2, mover=1), turns=3)
    await desk.room.edit(ROOM_PLACE, board, headline_card(*people, revision=2, mover=1))
    await expect(anna.locator("#stage-words")).to_have_text("Bruno's turn.")
    await expect(cell).to_have_count(0)
    await expect(bruno.locator("#waiting-list [data-code=ABCDEF]")).to_be_visible()
    # Votes of a team come in: nothing happens in the game, and what is shown of it is looked at again.
    line, voted = headline_card(*people, revision=2, mover=1), seen("One vote.", {}, *people, revision=2, mover=1)
    assert line.headline is not None
    assert voted.headline is not None
    desk.front.sights[CODE, ()] = make_sight(replace(voted, headline=replace(voted.headline, votes="0.1")), turns=3)
    await desk.room.edit(ROOM_PLACE, board, replace(line, headline=replace(line.headline, votes="0.1")))
    await expect(anna.locator("#stage-words")).to_have_text("One vote.")
    # The moves: each shows its position, and the way back is at hand.
    moves = bruno.locator("#turns button")
    await expect(moves).to_have_count(2)
    await moves.first.click()
    await bruno.get_by_role("button", name="To the newest turn").click()
    await expect(bruno.get_by_role("button", name="To the newest turn")).to_have_count(0)


async def vertical_bounds(page: Page, selector: str) -> tuple[float, float]:
    """Return where something at the table begins and ends, from above."""
    box = present(await page.locator(f"#stage {selector}").bounding_box())
    return box["y"], box["y"] + box["height"]


async def sit_down(desk: Desk, *cells: str, **options: Any) -> tuple[Page, int, str]:
    """Have Anna come in to a game in which she may press these cells; return her page, who she is, and its message."""
    anna = await desk.come_in(**options)
    person = await desk.person_of(anna)
    sight = seen("Your turn.", {cell: press(cell) for cell in cells}, person, None)
    desk.front.sights[CODE, ()] = make_sight(sight, question=True)
    return anna, person, await desk.show(headline_card(person, None))


async def test_private_words_cover_the_board_only_where_there_is_no_room_below(desk: Desk) -> None:
    anna, _, _ = await sit_down(desk, "a1", **PHONE)
    table, note = anna.locator("#stage"), anna.locator("#stage-notes .secret")
    texts = ("No.", True), ("What else would you like to do? " * 6, False)
    for size, (text, fits) in product(({"width": 360, "height": 740}, DESKTOP["viewport"]), texts):
        await anna.set_viewport_size(size)
        await expect(table.locator(".board img")).to_be_visible()
        before = await places(anna)
        rows = () if fits else ((Button("Resign", "resign"),),)
        desk.front.replies["rules"] = Reply(Card((Span(text),), rows=rows))
        await table.get_by_role("button", name="Rules").click()
        await expect(note).to_contain_text(text.strip())
        below = anna.locator("#stage-over.below")
        await expect(below).to_have_count(int(fits))
        _, foot = await vertical_bounds(anna, ".board")
        top, bottom = await vertical_bounds(anna, "#stage-notes")
        if fits:
            assert top >= (await vertical_bounds(anna, "#stage-rows"))[1] > foot
            assert bottom <= present(anna.viewport_size)["height"]
        else:
            assert top < foot
            assert bottom <= (await vertical_bounds(anna, "#stage-ask"))[0] + 1
        # Wherever it stands, nothing moves.
        assert await places(anna) == before


async def test_answers_to_table_buttons_appear_at_the_table(desk: Desk) -> None:
    anna, person, board = await sit_down(desk, "a1")
    # The list of moves has its place before the first one.
    await expect(anna.get_by_role("region", name="Moves")).to_be_visible()
    picture = Picture(PNG, "A hint.", "annuvin.png", (900, 1100), SPOTS)
    desk.front.replies["rules"] = Reply(Card((Span("These are the rules."),), picture))
    table = anna.locator("#stage")
    await table.get_by_role("button", name="Rules").click()
    await expect(table.get_by_role("img", name="A hint.")).to_be_visible()
    await expect(table).to_contain_text("These are the rules.")
    await table.get_by_role("button", name="Back to the board").click()
    await expect(table.get_by_role("img", name="A board: Your turn.")).to_be_visible()
    # A press that has begun counts, whatever is said in the room before its end.
    await table.locator(".cell").hover()
    await anna.mouse.down()
    await desk.show(make_card("Somebody has come in."), "news")
    await expect(anna.locator("#log")).to_contain_text("Somebody has come in.")
    async with anna.expect_response("**/api/press"):
        await anna.mouse.up()
    # In the middle of a choice it takes the choice's place.
    desk.front.sights[CODE, ("a1",)] = make_sight(seen("Where to?", {"a1": press("")}, person, None), question=True)
    await table.locator(".cell").click()
    await expect(table).to_contain_text("Where to?")
    await table.get_by_role("button", name="Rules").click()
    await expect(table.get_by_role("img", name="A hint.")).to_be_visible()
    await table.get_by_role("button", name="Back to the board").click()
    await expect(table.get_by_role("img", name="A board: Your turn.")).to_be_visible()
    # A private board leads back to the game that was open before.
    # What is asked of it stays in sight, each sentence in a line of its own.
    tried = (Span("Only tried.\n"), Span("Win.", pinned=True), Span("\nIt begins on a1.\n"), Span("How?", pinned=True))
    desk.front.replies["/try"] = Reply(Card(tried, picture), apart=True)
    await type_line(anna, "/try")
    await expect(table).to_contain_text("Only tried.")
    assert await table.locator("#stage-ask .words").first.inner_text() == "Win.\nHow?"
    await table.get_by_role("button", name="Dismiss").click()
    await expect(table.get_by_role("img", name="A board: Your turn.")).to_be_visible()
    desk.front.replies["rules"] = Reply(make_card("Too far."))
    await table.get_by_role("button", name="Rules").click()
    await expect(table.locator(".secret")).to_contain_text("Too far.")
    # It ends while nobody looks: the bar says so until it was opened.
    await table.get_by_role("button", name="Close the table").click()
    desk.front.sights[CODE, ()] = make_sight(replace(seen("Bruno wins.", {}, person, None), presses={}))
    await desk.room.edit(ROOM_PLACE, board, headline_card(person, None, revision=3, status="over"))
    chip = anna.locator("#waiting-list button")
    await expect(chip).to_contain_text("is over")
    await expect(anna.locator("#said")).to_contain_text("is over")
    await anna.locator("#lobby-mine .tile").click()
    await expect(table).to_contain_text("Bruno wins.")
    await expect(chip).to_have_count(0)
    await expect(anna).to_have_title("Tavoliere")


async def test_search_shows_progress_and_then_its_result(desk: Desk) -> None:
    anna = await desk.come_in()
    person = await desk.person_of(anna)
    desk.front.sights[CODE, ()] = make_sight(seen("Anna wins.", {}, person, None))
    picture = Picture(PNG, "How the chances went.", "annuvin.png", (900, 1100))
    look = ((Button("Look again", f"analysed:{CODE}:0", "primary"),),)
    waiting = Card((Span("0 of 4 so far."),), rows=look, search="analysis")
    desk.front.replies["rules"] = Reply(waiting)
    desk.front.replies[f"analysed:{CODE}:0"] = Reply(Card((Span("Turn 3."),), picture), update=True)
    await desk.show(headline_card(person, None, status="over"))
    table, bar = anna.locator("#stage"), anna.get_by_role("progressbar")
    await anna.locator("#log .game-line").click()
    # At the table it is shown there, and what is found, too.
    desk.front.tell(analysis=(0, 4))
    await table.get_by_role("button", name="Rules").click()
    await expect(bar).to_have_accessible_name(re.compile("0 of 4 decisions"))
    desk.front.tell(analysis=(3, 4))
    await expect(bar).to_have_attribute("value", "3")
    await expect(table).to_contain_text("3 of 4 decisions so far")
    await expect(anna.get_by_role("button", name="Look again")).to_have_count(0)
    desk.front.tell()
    await expect(table.get_by_role("img", name="How the chances went.")).to_be_visible()
    await table.get_by_role("button", name="Back to the board").click()
    # In the conversation, it opens at the table when it is found.
    await table.get_by_role("button", name="Close the table").click()
    desk.front.replies["/analyse"] = Reply(replace(waiting, search="moments"))
    desk.front.tell(moments=(1, 4))
    await type_line(anna, "/analyse")
    await expect(anna.locator("#log").get_by_role("progressbar")).to_have_attribute("value", "1")
    desk.front.tell()
    await expect(table.get_by_role("img", name="How the chances went.")).to_be_visible()
    assert len([text for text, _ in desk.front.done if text.startswith("analysed")]) == 2


STANDS_FOR_NOTIFICATIONS = """
() => {
  globalThis.told = [];
  globalThis.Notification = class {
    static permission = "default";
    static async requestPermission() { return (this.permission = "granted"); }
    constructor(title, { body }) { told.push(`${title}: ${body}`); }
  };
  Object.defineProperty(document, "hidden", { get: () => globalThis.away ?? false });
}
"""


async def test_enabled_notifications_are_shown_in_the_background(desk: Desk) -> None:
    anna = await desk.come_in()
    person = await desk.person_of(anna)
    await anna.evaluate(STANDS_FOR_NOTIFICATIONS)
    desk.front.sights[CODE, ()] = make_sight(seen("Bruno's turn.", {}, person, None, mover=1), question=True)
    board = await desk.show(headline_card(person, None, mover=1))
    await expect(anna.locator("#stage-words")).to_have_text("Bruno's turn.")
    turn = 2
    for wanted, is_away, expected in ((False, True, 0), (True, False, 0), (True, True, 1)):
        if wanted:
            await anna.evaluate("away = false")
            await anna.get_by_role("switch", name="Notify me of my turn").click()
        await anna.evaluate(f"away = {str(is_away).lower()}")
        for mover in (0, 1):
            desk.front.sights[CODE, ()] = make_sight(
                seen(f"Turn {turn}.", {}, person, None, revision=turn, mover=mover)
            )
            await desk.room.edit(ROOM_PLACE, board, headline_card(person, None, revision=turn, mover=mover))
            await expect(anna.locator("#stage-words")).to_have_text(f"Turn {turn}.")
            await expect(anna.locator("#waiting-list button")).to_have_count(1 - mover)
            turn += 1
        assert len(await anna.evaluate("told")) == expected, (wanted, is_away)
        if wanted and not is_away:
            # Pressed once more it is off: the last round has it on again.
            await anna.get_by_role("switch", name="Notify me of my turn").click()


async def test_a_costly_press_asks_first_on_the_same_board(desk: Desk) -> None:
    anna, _, _ = await sit_down(desk, "a1", "b2", **PHONE)
    yes, back = press("b2").replace("c:", "p:"), press("").replace("c:", "p:")
    sure = Card((Span("Do you mean the queen?"),), rows=((Button("Yes", yes),), (Button("Back", back),)))
    desk.front.replies[press("b2")] = Reply(sure, private=True)
    desk.front.replies[yes] = Reply(make_card("Played."), private=True, update=True)
    table = anna.locator("#stage")
    cell = table.get_by_role("button", name="b2", exact=True)
    for answer in (table.get_by_role("button", name="Back", exact=True), cell):
        await cell.tap()
        await expect(table).to_contain_text("Do you mean the queen?")
        async with anna.expect_response("**/api/press"):
            await answer.tap()
        await expect(table).to_contain_text("Your turn.")
    assert desk.front.asked == [press("b2"), press("b2"), yes]
    await expect(anna.locator(".secret")).to_have_count(0)
    # A double tap answers no question that it has raised.
    finger = Finger()
    await finger.tap(cell)
    await expect(table).to_contain_text("Do you mean the queen?")
    await finger.tap(cell, DOUBLE_TAP_SECONDS)
    async with anna.expect_response("**/api/press"):
        await finger.tap(cell)
    await expect(table).to_contain_text("Your turn.")
    assert desk.front.asked[3:] == [press("b2"), yes]


async def test_input_field_keeps_focus_during_board_updates(desk: Desk, bruno: Tab) -> None:
    for number in range(3):
        await bruno.say(f"{number} Hello " * 200)
    anna, _, _ = await sit_down(desk, "b2", **PHONE)
    desk.front.replies["rules"] = Reply(make_card("All about it."), private=True)
    other = await anna.context.new_page()
    await other.goto(desk.server.address)
    await expect(other.locator("#app")).to_have_attribute("data-live", "true")
    await expect(anna.locator("#stage .board")).to_be_visible()
    await anna.locator("#view-talk").click()
    # The conversation is where it was when one comes back from the table.
    await expect(anna.locator("#log")).to_contain_text("Hello")
    await anna.evaluate("() => { document.getElementById('scroll').scrollTop = 300; }")
    for view in ("#view-table", "#view-talk"):
        await anna.locator(view).click()
    assert await anna.evaluate("() => document.getElementById('scroll').scrollTop") == 300
    await anna.locator("#text").fill("Just a mo")
    await other.locator("#stage").get_by_role("button", name="Rules", exact=True).tap()
    await expect(anna.locator("#stage")).to_contain_text("All about it.")
    await expect(anna.locator("#text")).to_be_focused()
    await expect(anna.locator("#app")).to_have_attribute("data-view", "talk")


async def test_private_board_lists_and_tries_lines(desk: Desk) -> None:
    ways = [f"tr:{CODE}:1=go.{number}" for number in range(3)]

    def tried(text: str, here: int) -> Card:
        twigs = (
            TreeLine("the beginning", ways[0], 0, here=here == 0),
            TreeLine("b1-b2", ways[1], 0, here=here == 1, note="too early"),
            TreeLine("b5-b4", ways[2], 1, here=here == 2, plan=True),
        )
        picture = Picture(PNG, f"A board: {text}", "annuvin.png", (900, 1100), SPOTS)
        rows = ((Button("Back", f"tr:{CODE}:1=back"),),)
        return Card((Span(f"Annuvin\n{text}"),), picture, rows, tree=twigs)

    desk.front.replies["/try"] = Reply(tried("Here.", 2), apart=True)
    desk.front.replies[ways[1]] = Reply(tried("Earlier.", 1), update=True, apart=True)
    desk.front.replies["c1-c2"] = Reply(tried("Typed.", 0), update=True, apart=True)
    anna = await desk.come_in()
    await type_line(anna, "/try")
    lines, words_ = anna.locator("#turns li button"), anna.locator("#stage-words")
    await expect(lines).to_have_text(["the beginning", "b1-b2too early", "b5-b4planned"])
    await expect(anna.locator("#turns [aria-current]")).to_have_text("b5-b4planned")
    await lines.nth(1).click()
    await expect(words_).to_contain_text("Earlier.")
    await anna.get_by_role("button", name="Type a line").click()
    await expect(anna.locator("#answering")).to_contain_text("Only tried, on this board")
    await type_line(anna, "c1-c2")
    await expect(words_).to_contain_text("Typed.")
    assert desk.front.asked == ["/try", ways[1], "c1-c2"]
    # What the picture asks is asked by no menu as well.
    cells = {cell: f"z:P0000001:0={cell}" for cell in SPOTS}
    options = tuple(Button(cell, wanted) for cell, wanted in cells.items())
    picture = Picture(PNG, "A board", "annuvin.png", (900, 1100), SPOTS)
    card = Card((Span("Where to?"),), picture, presses=cells)
    for number, others in enumerate(((), (Button("Another piece", "z:P0000001:0"),))):
        desk.front.replies["/puzzle"] = Reply(replace(card, rows=(Menu("Where?", (*options, *others)),)), apart=True)
        await type_line(anna, "/puzzle")
        await expect(anna.locator("#stage .cell")).to_have_count(len(SPOTS))
        await expect(anna.locator("#stage-rows .menu")).to_have_count(0)
        await expect(anna.locator("#stage-rows").get_by_role("button", name="Another piece")).to_have_count(number)


SMALL_PHONE = {**PHONE, "viewport": {"width": 320, "height": 568}}


async def test_the_tools_of_a_board_are_at_hand_on_the_smallest_phone(desk: Desk) -> None:
    anna = await desk.come_in(**SMALL_PHONE)
    person = await desk.person_of(anna)
    offered = (("Take back", "undo"), ("Share", "share"), ("Hint", "hint"), ("Resign", "resign"))
    tools = tuple(Button(label, f"{deed}:{CODE}:1") for label, deed in offered)
    sight = make_sight(seen("Your turn.", {"a1": press("a1")}, person, None), question=True, turns=2)
    desk.front.sights[CODE, ()] = replace(sight, tools=tools)
    desk.front.lists[CODE] = [ListedTurn(0, "a1-b2", "Anna: a1 to b2"), ListedTurn(1, "c3-b2", "Bruno: c3 to b2")]
    board = await desk.show(headline_card(person, None))
    stage = anna.locator("#stage")
    shown = stage.locator("#stage-tools > .tool:visible")
    await expect(shown).to_have_count(8)
    before = await places(anna)
    for number in range(8):
        box = present(await shown.nth(number).bounding_box())
        assert min(box["width"], box["height"]) >= 24
        assert box["height"] >= 40
        assert 0 <= box["x"] <= 320 - box["width"]
    # Where nobody has to agree, taking back is one press.
    async with anna.expect_response("**/api/press"):
        await stage.get_by_role("button", name="Take back").tap()
    assert desk.front.asked == [f"undo:{CODE}:1"]
    await expect(stage.get_by_role("button", name="Newest turn", exact=True)).to_be_disabled()
    await stage.get_by_role("button", name="One turn back").tap()
    await expect(stage.get_by_role("button", name="Newest turn", exact=True)).to_be_enabled()
    await expect(stage.get_by_role("button", name="Hint")).to_be_disabled()
    await stage.get_by_role("button", name="First turn").press("End")
    await expect(stage.get_by_role("button", name="Hint")).to_be_enabled()
    await stage.get_by_role("button", name="More").tap()
    menu = anna.locator("#stage-more")
    await expect(menu.locator(".items > button")).to_have_text(["Type a move", "Share", "Resign"])
    # What the phone has no room for beside a table is here, and where it was once the menu is closed.
    await expect(menu.get_by_role("switch", name="Sound on my turn")).to_be_checked()
    await menu.get_by_role("button", name="Italiano").click()
    await expect(stage.get_by_role("button", name="Annulla la mossa")).to_be_visible()
    await expect(anna.locator("#side #language, #side #calls, #side #people")).to_have_count(3)
    assert await places(anna) == before
    # The end of the game is one panel.
    await anna.keyboard.press("Escape")
    words = (
        Span("Anna plays a1.\n"),
        Span("Anna wins!", bold=True, pinned=True),
        Span("\n"),
        Span("Rating: Anna 1510, up 10.", pinned=True),
        Span("\n"),
        Span("The less a result was expected, the more it changes.", pinned=True),
    )
    ways = (Button("Play again", "rematch", "primary"), Button("New game", "choose"), Button("Analyse", "analyse"))
    line = make_headline(CODE, person, None, revision=3, status="over")
    card = Card(words, Picture(PNG, "The last board.", "annuvin.png", (900, 900), SPOTS), (ways,), headline=line)
    played = replace(card, rows=(), headline=make_headline(CODE, person, None, revision=2))
    desk.front.sights[CODE, ()] = make_sight(played, turns=1)
    desk.front.lists[CODE] = [ListedTurn(0, "a1", "a1")]
    await desk.room.edit(ROOM_PLACE, board, headline_card(person, None, revision=2))
    await expect(anna.get_by_role("img", name="The last board.")).to_be_visible()
    boxes = {
        width: await anna.get_by_role("img", name="The last board.").bounding_box() async for width in resize(anna)
    }
    desk.front.sights[CODE, ()] = replace(make_sight(card, turns=1), tools=(Button("Leaderboard", "leaders"),))
    await desk.room.edit(ROOM_PLACE, board, headline_card(person, None, revision=3, status="over"))
    await expect(anna.locator("#stage.ended")).to_be_visible()
    async for width in resize(anna):
        # It stays as large as it was, and where it was.
        assert await anna.get_by_role("img", name="The last board.").bounding_box() == boxes[width]
        said = anna.locator("#stage-ask .words")
        await expect(said.first).to_have_text("Anna wins!")
        await expect(said.last).to_contain_text("up 10.")
        for part in (said.first, said.last, *await anna.locator("#stage-rows button").all()):
            await expect(part).to_be_in_viewport(ratio=1)
        await expect(anna.get_by_role("img", name="The last board.")).to_be_in_viewport(ratio=0.99)
        await expect(anna.locator("#stage-tools").get_by_role("button", name="Annulla la mossa")).to_be_hidden()
