"""The page's address with the code of a game, followed in a real browser: whatever has become of the game by then."""

import itertools
from collections.abc import Mapping
from typing import Any, Final

import pytest
from playwright.async_api import Browser, Page, expect

from bot.kernel.operations.clock import Clock
from bot.kernel.presses import press
from bot.kernel.requests import Place, Request, User
from bot.platforms.web.room import ChatRoom
from storage import Store
from tests.web.browser import Tab
from tests.web.chromium import PHONE, come_in
from tests.web.hall import Hall, find_newest_button, read_status
from tests.web.player import Player

ADDRESS: Final = "https://games.example.org"
ELSEWHERE: Final = Place("telegram", "-5")
"""A group where games are played that the page knows nothing of."""

_events = itertools.count(1)


@pytest.fixture
def room(store: Store) -> ChatRoom:
    """The room of a page that is reached from elsewhere."""
    return ChatRoom(store, Clock(), ADDRESS)


async def follows(browser: Browser, hall: Hall, what: str, name: str, **options: Any) -> Page:
    """Return the page of a person who has been here before and now follows a link."""
    page = await come_in(browser, hall.anna.browser.address + what, name, **options)
    assert page.url == hall.anna.browser.address
    return page


def asks(name: str) -> Request:
    """Return what somebody says on another platform."""
    return Request(f"away{next(_events)}", User("telegram", name, name, "en"), ELSEWHERE)


async def commands(hall: Hall, name: str, command: str, values: Mapping[str, str]) -> None:
    """Have somebody give a command on another platform."""
    await hall.front.command(asks(name), command, values)
    await hall.settled()


async def put_up(hall: Hall) -> str:
    """Have Zoe put up a game on another platform; return its code."""
    before = set(await hall.store.games.list_ids())
    await commands(hall, "Zoe", "play", {"game": "annuvin", "board": "square"})
    (code,) = set(await hall.store.games.list_ids()) - before
    return code


async def test_a_game_with_a_free_seat_is_joined(hall: Hall, browser: Browser) -> None:
    code = await put_up(hall)
    dina = await follows(browser, hall, f"#join={code}", "Dina")
    await expect(dina.locator(".secret")).to_contain_text("New to Annuvin?")
    await hall.settled()
    await expect(dina.locator(f"#log .game-line[data-code='{code}'] .state")).to_have_text("about to begin")
    await expect(dina.locator(f"#log div.lobby[data-code='{code}']")).to_contain_text("Zoe")
    # A third one is too late for a seat, and told so.
    await hall.eve.say(f"/join {code}")
    assert "All seats are taken" in await read_status(hall.eve)
    await hall.front.press(asks("Zoe"), press("begin", code, (await hall.game(code)).revision))
    await hall.settled()
    await expect(dina.locator("#stage-with")).to_have_text("with Zoe")
    await expect(dina.locator("#stage-words")).to_contain_text("Annuvin: the game begins.")
    assert "Offer a draw" in await Player(dina).list_tools()


async def test_a_full_game_is_watched(hall: Hall, browser: Browser) -> None:
    code = await put_up(hall)
    await commands(hall, "Yan", "join", {"code": code})
    # A link that leads nowhere is answered kindly.
    page = await follows(browser, hall, "#join=K7QX4M", "Gina", **PHONE)
    secret = page.locator(".secret")
    await expect(secret).to_contain_text("There is no game with the code K7QX4M")
    for game, names in ((hall.code, ("Anna", "Bruno")), (code, ("Yan", "Zoe"))):
        await page.evaluate("code => location.hash = `join=${code}`", game)
        for name in names:
            await expect(page.locator("#stage-with")).to_contain_text(name)
        words = page.locator("#stage-words")
        await expect(words).to_contain_text("Annuvin: the game begins.")
        assert await Player(page).list_tools() == ["Rules", "Learn it in three minutes", "Share"]
        # It goes on before their eyes, also where no message of the room stands for it.
        move = await plays(hall, game)
        await expect(words).to_contain_text(move)
    # A code that was cut off, in an address that is followed where the page is open already, before the table.
    await page.evaluate("code => location.hash = `join=${code}`", hall.code[:3])
    await expect(secret.filter(has_text=f"“{hall.code[:3]}” is not the code of a game")).to_be_in_viewport()
    assert page.url == hall.anna.browser.address
    # Of a game of others elsewhere nobody in the room is told but those who have the link.
    shown = [message["card"]["table"] for message in await hall.eve.sees() if message.get("card")]
    assert {table["code"] for table in shown if table} == {hall.code}


async def test_watcher_guess_on_the_page_is_private(hall: Hall, browser: Browser) -> None:
    page = await follows(browser, hall, f"#join={hall.code}", "Gina")
    await expect(page.locator("#stage-rows button")).to_have_count(0)
    for tab in (hall.anna, hall.bruno):
        await tab.say(f"/guess agree game:{hall.code}")
    await hall.settled()
    rows = page.locator("#stage-rows button")
    await expect(rows).to_have_text(["Guess"])
    others = (hall.anna, hall.bruno, hall.eve)
    before = [await tab.sees() for tab in others]
    await rows.first.click()
    secret = page.locator("#log .secret")
    guess = secret.get_by_role("button", name="Guess this turn")
    while not await guess.count():
        words = await secret.inner_text()
        await secret.locator(".rows button").first.click()
        await expect(secret).not_to_have_text(words, use_inner_text=True)
    await guess.click()
    await expect(page.locator(".secret", has_text="Nobody else sees it before the turn is played")).to_be_visible()
    (stored,) = await hall.store.guesses.list_in_game(hall.code)
    assert [await tab.sees() for tab in others] == before
    assert stored.actions == ((await hall.mover())[1],)
    await page.keyboard.press("Escape")
    await plays(hall, hall.code)
    await rows.first.click()
    await expect(page.locator(".secret", has_text="was played: 2 points")).to_be_visible()


async def plays(hall: Hall, code: str) -> str:
    """Have the player to move in a game do so, at the page or elsewhere; return the move."""
    table = await hall.front.context.table(code)
    person = table.person_at(table.mover or 0)
    move = table.playing.state.legal_actions()[0].text
    known = await hall.store.people.identities(person or 0)
    if known[0].platform == "telegram":
        await commands(hall, known[0].user_id, "move", {"game": code, "move": move})
    else:
        tab: Tab = hall.anna if person == hall.anna.person else hall.bruno
        await tab.say(f"/move {move}")
        await hall.settled()
    return move


async def test_a_finished_game_is_shown_and_shared(hall: Hall, browser: Browser) -> None:
    await plays(hall, hall.code)
    message, _ = await find_newest_button(hall.anna, "share:")
    await hall.anna.press(message, f"resign!:{hall.code}:{(await hall.game()).revision}")
    await hall.settled()
    link = f"#join={hall.code}"
    for options in ({}, PHONE):
        page = await follows(browser, hall, link, f"Somebody {len(options)}", **options)
        table = page.locator("#stage")
        await expect(table).to_contain_text("Bruno wins!")
        await expect(table.locator("#stage-rows button")).to_have_text(["New game", "Analyse"])
        assert await Player(page).list_tools() == ["Share", "Leaderboard", "Rules", "Fair chance"]
        if not options:
            await page.locator("#turns button").first.click()
            await page.get_by_role("button", name="To the newest turn").click()
        await Player(page).chooses("Share")
        address = page.locator(".address").filter(has_text=f"{ADDRESS}/#join={hall.code}")
        await expect(address.get_by_role("link")).to_have_attribute("href", f"{ADDRESS}/#join={hall.code}")
        await page.evaluate(
            "navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }"
        )
        await address.get_by_role("button", name="Copy this address").click()
        await page.wait_for_function("link => window.copied === link", arg=f"{ADDRESS}/#join={hall.code}")
        link = f"#join={hall.code.lower()}"
