"""The clocks at the table in a real browser: they count from what the server measured, and move nothing."""

from dataclasses import replace
from typing import Any, Final

from playwright.async_api import Page, expect

from bot.kernel.cards import SeatHeadline
from bot.kernel.operations.listening import AWAY_SECONDS
from bot.kernel.requests import ClockView, Reply, TimeGift
from bot.platforms.web.room import ROOM_PLACE
from tests.support.present import present
from tests.web.accessibility import VIEWS, violations_in
from tests.web.browser import Tab
from tests.web.chromium import MOVING, PHONE
from tests.web.desk import Desk
from tests.web.front import make_card, make_sight
from tests.web.test_browser_table import CODE, headline_card, places, seen

SECOND: Final = 1000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
QUARTER: Final = ClockView(is_live=True, left={0: 15 * MINUTE, 1: 12 * MINUTE}, running=0, low=MINUTE)
BUSY: Final = ("Maximiliana", "Bartholomew", "Concetta", "Ermenegildo", "Wilhelmina")


async def open_game(desk: Desk, clocks: ClockView, *, mover: int = 0, **options: Any) -> Page:
    """Return Anna's page, on which time stands still, with a game of hers and Bruno's with these clocks."""
    anna = await desk.come_in(**options)
    # Only what is pressed may sound.
    await anna.locator("#app").dispatch_event("pointerdown")
    await anna.clock.install()
    await anna.clock.pause_at(await anna.evaluate("Date.now() + 1000"))
    await show(desk, anna, clocks, mover=mover)
    await expect(anna.locator("#stage-clocks")).to_be_visible()
    return anna


async def show(desk: Desk, anna: Page, clocks: ClockView, *, revision: int = 1, mover: int = 0) -> None:
    """Have the game be as it is now."""
    person = await desk.person_of(anna)
    card = seen(f"Turn {revision}.", {}, person, None, revision=revision, mover=mover)
    desk.front.sights[CODE, ()] = replace(make_sight(card), clocks=clocks)
    line = headline_card(person, None, revision=revision, mover=mover)
    message = await desk.show(line)
    await desk.room.edit(ROOM_PLACE, message, line)
    await expect(anna.locator("#stage-words")).to_contain_text(f"Turn {revision}.")


async def times(page: Page) -> list[str]:
    """Return what the clocks show, by seat."""
    return await page.locator("#stage-clocks .time").all_text_contents()


async def test_clock_of_the_player_to_move_counts_and_moves_nothing(desk: Desk) -> None:
    anna = await open_game(desk, QUARTER)
    assert await times(anna) == ["15:00", "12:00"]
    before = await places(anna)
    await anna.clock.run_for(SECOND)
    assert await times(anna) == ["14:59", "12:00"]
    await anna.clock.run_for(10 * MINUTE)
    assert await times(anna) == ["4:59", "12:00"]
    assert await places(anna) == before
    await show(desk, anna, replace(QUARTER, left={0: 5 * MINUTE, 1: 12 * MINUTE}, running=1), revision=2, mover=1)
    await anna.clock.run_for(90 * SECOND)
    assert await times(anna) == ["5:00", "10:30"]
    assert await places(anna) == before
    running = anna.locator("#stage-clocks .running")
    await expect(running).to_have_attribute("data-seat", "1")
    # It runs once its player can see the board, whatever their wall clock.
    await show(desk, anna, replace(QUARTER, waits=2 * SECOND), revision=3)
    await anna.clock.run_for(2 * SECOND)
    assert (await times(anna))[0] == "15:00"
    await anna.clock.run_for(SECOND)
    assert (await times(anna))[0] == "14:59"
    await anna.evaluate("globalThis.now = Date.now, Date.now = () => 0")
    await anna.clock.run_for(5 * SECOND)
    assert (await times(anna))[0] == "14:54"
    await anna.evaluate("Date.now = now")
    # Who asks for less motion sees no tenths.
    await show(desk, anna, replace(QUARTER, left={0: 8 * SECOND, 1: MINUTE}), revision=4)
    assert (await times(anna))[0] == "0:08"
    await anna.clock.run_for(400)
    assert (await times(anna))[0] == "0:07"
    # Slow clocks show days and hours.
    left = {0: 2 * DAY + 4 * HOUR + 30 * SECOND, 1: 5 * HOUR + 12 * MINUTE}
    await show(desk, anna, ClockView(is_live=False, left=left, running=0, low=MINUTE), revision=5)
    assert await times(anna) == ["2 d 4 h", "5 h 12 min"]
    await anna.clock.run_for(MINUTE)
    assert await times(anna) == ["2 d 3 h", "5 h 12 min"]
    await anna.get_by_role("button", name="Italiano").click()
    await expect(anna.locator("#stage-clocks .time").first).to_have_text("2 g 4 h")
    # Axe finds nothing in the clocks.
    gift = TimeGift("+15 s", "Give them 15 seconds", f"time:{CODE}:1")
    enough = replace(QUARTER, absences=((1, 1),), gift=gift)
    await show(desk, anna, enough, revision=6)
    await anna.clock.resume()
    assert await violations_in(anna, VIEWS[:1]) == []
    await show(desk, anna, replace(enough, left={0: 5 * SECOND, 1: 5 * SECOND}), revision=7)
    await expect(anna.locator("#stage-clocks .low")).to_have_count(2)
    assert await violations_in(anna, VIEWS[1:]) == []


async def test_little_time_is_told_by_form_sound_and_words_until_the_server_decides(desk: Desk) -> None:
    anna = await open_game(desk, replace(QUARTER, left={0: 61 * SECOND, 1: 5 * SECOND}, low=10 * SECOND), **MOVING)
    sounded, said, low = anna.locator("html"), anna.locator("#said-table"), anna.locator("#stage-clocks .low")
    # Bruno has little, too; that is his affair.
    await expect(low).to_have_attribute("data-seat", "1")
    known = int(await sounded.get_attribute("data-sounded") or 0)
    for seconds, words in ((1, "You have one minute left."), (30, "30 seconds left"), (20, "10 seconds left")):
        await anna.clock.run_for(seconds * SECOND + 1)
        await expect(said).to_contain_text(words)
    await expect(low).to_have_count(2)
    await expect(sounded).to_have_attribute("data-sounded", str(known + 1))
    await anna.clock.run_for(400)
    assert (await times(anna))[0] == "0:09.5"
    await anna.clock.run_for(10 * SECOND)
    assert (await times(anna))[0] == "0:00.0"
    await expect(anna.locator("#stage-words")).to_contain_text("Turn 1.")
    # More time was given meanwhile, of which the stream has said nothing yet.
    shown = desk.front.sights[CODE, ()]
    desk.front.sights[CODE, ()] = replace(shown, clocks=replace(QUARTER, left={0: 17 * SECOND, 1: MINUTE}))
    await anna.clock.run_for(2 * SECOND)
    await expect(anna.locator("#stage-clocks .time").first).to_have_text("0:17")


async def test_opponent_gives_time_by_a_button_that_keeps_its_place(desk: Desk) -> None:
    gift = TimeGift("+15 s", "Give them 15 seconds", f"time:{CODE}:1")
    anna = await open_game(desk, replace(QUARTER, running=1, gift=gift), mover=1, **PHONE)
    give = anna.get_by_role("button", name="Give them 15 seconds")
    desk.front.replies[present(gift.press)] = Reply(make_card("You have given Bruno 15 seconds."), private=True)
    async with anna.expect_response("**/api/press"):
        await give.tap()
    assert desk.front.asked == [gift.press]
    before = await places(anna), await anna.locator(".clock").last.bounding_box()
    await show(desk, anna, replace(QUARTER, gift=replace(gift, press=None)), revision=2)
    await expect(give).to_have_count(0)
    assert (await places(anna), await anna.locator(".clock").last.bounding_box()) == before
    # Clocks of five fit into the smallest window.
    await anna.clock.resume()
    person = await desk.person_of(anna)
    left = {seat: (2 * HOUR + 59 * MINUTE) // (seat + 1) for seat in range(5)}
    gift = TimeGift("+15 s", "Give")
    clocks = ClockView(is_live=True, left=left, running=0, low=MINUTE, absences=((2, 1),), gift=gift)
    card = seen("Your turn.", {}, person, None, revision=3)
    sitting = tuple(SeatHeadline(name, person if at == 0 else None) for at, name in enumerate(BUSY))
    line = replace(present(card.headline), sitting=sitting)
    desk.front.sights[CODE, ()] = replace(make_sight(replace(card, headline=line)), clocks=clocks)
    await desk.room.edit(ROOM_PLACE, await desk.show(card), replace(headline_card(person, None), headline=line))
    await expect(anna.locator("#stage-clocks .clock")).to_have_count(5)
    cut = """() => {
        const shown = [...document.querySelectorAll("#stage-clocks .time, #stage-clocks .give")];
        const isOutside = (each) => each.getBoundingClientRect().right > innerWidth;
        return shown.filter((each) => each.scrollWidth > each.clientWidth || isOutside(each)).length;
    }"""
    for size in ((320, 568), (360, 740), (640, 400), (1280, 800)):
        await anna.set_viewport_size({"width": size[0], "height": size[1]})
        assert await anna.evaluate(cut) == 0, size
        assert await anna.evaluate("document.documentElement.scrollWidth <= innerWidth"), size
        strip = present(await anna.locator("#stage-clocks").bounding_box())
        board = present(await anna.locator("#stage-board").bounding_box())
        below, beside = board["y"] >= strip["y"] + strip["height"], strip["x"] >= board["x"] + board["width"]
        assert below or beside, size
        assert board["height"] > size[1] / 4


async def test_whoever_has_left_is_shown_as_away(desk: Desk, bruno: Tab) -> None:
    anna = await open_game(desk, replace(QUARTER, running=1), mover=1)
    person = await desk.person_of(anna)
    await bruno.listen()
    line = headline_card(person, bruno.person, revision=2, mover=1)
    line = replace(line, headline=replace(present(line.headline), live=True))
    card = seen("Turn 2.", {}, person, bruno.person, revision=2, mover=1)
    desk.front.sights[CODE, ()] = replace(make_sight(card), clocks=replace(QUARTER, running=1))
    message = await desk.show(line)
    await desk.room.edit(ROOM_PLACE, message, line)
    await expect(anna.locator("#stage-words")).to_contain_text("Turn 2.")
    without_him = replace(QUARTER, running=1, absences=((1, 1),))
    desk.front.sights[CODE, ()] = replace(make_sight(card), clocks=without_him)
    await present(bruno.socket).close()
    await expect(anna.locator("#people-list .away")).to_have_count(1)
    await expect(anna.locator("#stage-clocks .away")).to_have_count(0)
    desk.front.seconds += AWAY_SECONDS
    desk.front.presence.announce(bruno.person)
    await expect(anna.locator("#stage-clocks .away")).to_have_text("Brunoaway12:00")
