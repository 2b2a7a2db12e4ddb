"""The page in a real browser, with the real program behind it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from aiohttp import web
from playwright.async_api import Browser, Locator, Page, Route, WebSocket, expect

from bot.cards import plain
from bot.refusals import engine_words
from bot.texts import Texts
from engine import IllegalAction, State, games
from tests.web import short_game
from tests.web.chromium import DESKTOP, PHONE, chromium, come_in
from tests.web.program import Program

HERE = Path(__file__).parent

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


@pytest.fixture
async def program(tmp_path: Path) -> AsyncIterator[Program]:
    """The program with an empty data folder."""
    async with Program(tmp_path) as running:
        yield running


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """The browser."""
    async with chromium() as opened:
        yield opened


def said(page: Page, text: str) -> Locator:
    """Return what was said in the conversation."""
    return page.locator("#log").get_by_text(text)


@dataclass(frozen=True)
class Player:
    """Somebody at a page."""

    page: Page

    @property
    def secret(self) -> Locator:
        """What they alone can see."""
        return self.page.locator(".secret")

    async def says(self, text: str) -> None:
        """Type something and send it."""
        field = self.page.locator("#text")
        await field.fill(text)
        await field.press("Enter")
        await expect(field).to_have_value("")

    async def is_waited_for(self) -> None:
        """Wait until a game waits for them."""
        # A challenge waits until the board is there: for a moment both may be listed.
        await expect(self.page.locator("#waiting-list button")).to_have_count(1)
        await expect(self.page).to_have_title(re.compile(r"^\(1\) "))

    async def is_called_by_a_board(self) -> bool:
        """Say whether a board that is seen names them as the one to move."""
        return await self.page.locator(".public:has(.board) .called.mine").count() > 0

    async def answers(self, text: str) -> None:
        """Type a move as an answer to the board that waits."""
        await self.page.get_by_role("button", name="Type a move").last.click()
        await expect(self.page.locator("#answering")).to_be_visible()
        await self.says(text)

    async def says_and_means(self, text: str) -> None:
        """Type a move as if it were talk, and choose to have it played."""
        field = self.page.locator("#text")
        await field.fill(text)
        await field.press("Enter")
        await expect(self.page.locator("#options [aria-selected=true]")).to_have_text(re.compile(f"Play {text}"))
        await field.press("Enter")
        await expect(field).to_have_value("")

    async def says_as_talk(self, text: str) -> None:
        """Say what could be a move, and mean nothing by it."""
        field = self.page.locator("#text")
        await field.fill(text)
        await expect(self.page.locator("#options [aria-selected=true]")).to_be_visible()
        await field.press("Escape")
        await expect(self.page.locator("#popup")).to_be_hidden()
        await field.press("Enter")
        await expect(field).to_have_value("")

    async def clicks(self, *cells: str) -> None:
        """Click cells on the picture: a piece on the board for all, the rest on the private one."""
        await self.cell(self.page.locator(".message:not(.retired) .public"), cells[0]).click()
        for cell in cells[1:]:
            await self.cell(self.secret, cell).click()

    def cell(self, within: Locator, name: str) -> Locator:
        """Return the button of a cell."""
        return within.get_by_role("button", name=name, exact=True).and_(self.page.locator(".cell"))


async def begin(one: Player, other: Player, name: str) -> tuple[Player, Player]:
    """Have a game on the square board begun; return who has White, and who has Black."""
    await one.says(f"/play annuvin @{name} board:square")
    await other.is_waited_for()
    await other.page.get_by_role("button", name="Accept").click()
    for player in (one, other):
        await expect(player.page.locator(".board img")).to_be_visible()
    white = other if await other.is_called_by_a_board() else one
    await white.is_waited_for()
    return white, (other if white is one else one)


def refusal_in_words(state: State, text: str) -> str:
    """Return what a person should be told who types a move that a rule forbids."""
    with pytest.raises(IllegalAction) as raised:
        state.parse(text)
    return plain(engine_words(Texts().speaker("en"), "annuvin", raised.value))


async def test_a_whole_game_between_two_people(program: Program, browser: Browser) -> None:
    anna = Player(await come_in(browser, program.address, "Anna"))
    bruno = Player(await come_in(browser, program.address, "Bruno", **PHONE))
    await anna.says("A quick one?")
    await bruno.says("With pleasure.")
    await expect(said(anna.page, "With pleasure.")).to_be_visible()
    white, black = await begin(anna, bruno, "Bruno")
    names = ["Anna", "Bruno"] if white is anna else ["Bruno", "Anna"]

    state = games["annuvin"].start(seats=2, options=short_game.OPTIONS)
    for number, turn in enumerate(short_game.TURNS):
        player = (white, black)[number % 2]
        await player.is_waited_for()
        refused_in, refused = short_game.REFUSED
        if number == refused_in:
            await player.says_as_talk(turn[0])
            await expect(said((white, black)[0].page, turn[0]).last).to_be_visible()
            await player.answers(refused)
            # Above it there may still be the lesson that is offered to newcomers.
            told = player.secret.filter(has_text=refusal_in_words(state, refused))
            await expect(told).to_have_count(1)
            await expect(told).to_contain_text("Only you can see this")
        if len(turn) == 1 and number % 4 in (0, 3):
            await player.clicks(*re.findall(r"[a-d]\d", turn[0]))
        elif number == 1:
            await player.says(f"/move {turn[0]}")
        elif number == 2:
            await player.says_and_means(turn[0])
        else:
            await player.answers(" ".join(turn))
        for action in turn:
            state = state.play(state.parse(action)[0])
        if state.outcome is None:
            await (white, black)[(number + 1) % 2].is_waited_for()
            await expect(player.page.locator("#waiting-list button")).to_have_count(0)
        if number == refused_in:
            await program.kill()
            await expect(anna.page.get_by_role("status")).to_contain_text("connection")
            await program.start()
            await expect(anna.page.locator("#app")).to_have_attribute("data-live", "true")
            await expect(bruno.page.locator("#app")).to_have_attribute("data-live", "true")
            await expect(said(anna.page, "With pleasure.")).to_be_visible()

    assert state.outcome is not None
    for player in (white, black):
        last = player.page.locator("#log .message").last
        await expect(last.locator(".words")).to_contain_text(f"{names[0]} wins")
        await expect(player.page.locator("#waiting-list button")).to_have_count(0)
        await expect(player.page).to_have_title("Tavoliere")
        await expect(player.page.locator(".message:not(.retired) .board img")).to_have_count(1)
    await bruno.page.get_by_role("button", name="Leaderboard").last.click()
    for player in (white, black):
        board = player.page.locator("#log .message").last
        await expect(board).to_contain_text(
            re.compile(rf"1\. {names[0]}.*one win.*2\. {names[1]}.*one loss", re.DOTALL)
        )

    await anna.page.reload()
    await expect(said(anna.page, "A quick one?")).to_be_visible()
    await expect(anna.page.locator("#log .message").last).to_contain_text("one win")
    assert not [line for line in program.output if b"Traceback" in line or b"error" in line.lower()]


async def test_a_turn_by_the_keyboard_alone(program: Program, browser: Browser) -> None:
    context = await browser.new_context(**DESKTOP, locale="en-GB", reduced_motion="reduce")
    page = await context.new_page()
    await page.goto(program.address)
    keys = page.keyboard
    await expect(page.locator("#name")).to_be_focused()
    await keys.type("Anna")
    await keys.press("Enter")
    await expect(page.locator("#text")).to_be_focused()

    # A command from the list of suggestions, and Escape that takes it away.
    await keys.type("/")
    await expect(page.locator("#options [role=option]").first).to_be_visible()
    await keys.press("Escape")
    await expect(page.locator("#popup")).to_be_hidden()
    await keys.type("hel")
    await expect(page.locator("#options [aria-selected=true]")).to_contain_text("/help")
    await keys.press("Tab")
    await expect(page.locator("#text")).to_have_value("/help")
    await keys.press("Enter")
    await expect(page.locator(".secret")).to_contain_text("/play")
    await page.locator("#text").press("Shift+Tab")
    dismiss = page.locator(".secret").get_by_role("button", name="Dismiss")
    for _ in range(80):
        if await dismiss.evaluate("element => element === document.activeElement"):
            break
        await keys.press("Shift+Tab")
    await keys.press("Enter")
    await expect(page.locator(".secret")).to_have_count(0)
    await expect(page.locator("#text")).to_be_focused()

    # The other side sits in the same browser: one tab that changes between names.
    await keys.press("Shift+Tab")
    await expect(page.locator("#speaker")).to_be_focused()
    await keys.press("Enter")
    await page.locator("#name").focus()
    await keys.type("Bruno")
    await keys.press("Enter")
    await expect(page.locator("#speaker")).to_have_attribute("aria-label", re.compile("Bruno"))
    bruno = Player(page)
    anna = Player(await context.new_page())
    await anna.page.goto(program.address)
    await anna.page.get_by_role("button", name="Anna").click()
    white, _ = await begin(bruno, anna, "Anna")

    # Into the board, from cell to cell by the arrows, and on to the target: the focus follows what happens.
    page, keys = white.page, white.page.keyboard
    await page.bring_to_front()
    await page.locator("#text").focus()
    first = white.page.locator(".public .cell[tabindex='0']")
    for _ in range(30):
        await keys.press("Shift+Tab")
        if await first.evaluate("element => element === document.activeElement"):
            break
    start = await first.get_attribute("aria-label")
    await keys.press("End")
    await keys.press("Home")
    await keys.press("ArrowRight")
    focused = page.locator(".public .cell:focus")
    await expect(focused).not_to_have_attribute("aria-label", start or "")
    await keys.press("Enter")
    target = page.locator(".secret .cell:focus")
    await expect(target).to_be_visible()
    await keys.press("ArrowUp")
    await keys.press("Enter")
    await expect(page.locator("#waiting-list button")).to_have_count(0)
    await expect(page.locator(".message.retired .old")).to_have_count(1)


async def test_private_answers_never_reach_another_browser(program: Program, browser: Browser) -> None:
    received: list[str] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: received.append(str(frame)))

    async def overhear(route: Route) -> None:
        response = await route.fetch()
        received.append(await response.text())
        await route.fulfill(response=response)

    context = await browser.new_context(**DESKTOP, locale="en-GB")
    page = await context.new_page()
    page.on("websocket", listen)
    await page.route(re.compile(r"/api/(?!live)"), overhear)
    await page.goto(program.address)
    await page.locator("#name").fill("Bruno")
    await page.keyboard.press("Enter")
    anna, bruno = Player(await come_in(browser, program.address, "Anna")), Player(page)
    await anna.says("/move b1-b2")
    await expect(anna.secret).to_be_visible()
    told = (await anna.secret.locator(".words").inner_text()).strip()
    await anna.says("Are you there?")
    await expect(said(bruno.page, "Are you there?")).to_be_visible()
    await bruno.page.reload()
    await expect(said(bruno.page, "Are you there?")).to_be_visible()
    await expect(bruno.secret).to_have_count(0)
    everything = "".join(received)
    assert "Are you there?" in everything
    assert told
    assert told not in everything
    assert "/move b1-b2" not in everything


async def test_another_site_can_neither_speak_nor_listen(program: Program, browser: Browser) -> None:
    anna = Player(await come_in(browser, program.address, "Anna"))
    await anna.says("hello")
    user = await anna.page.evaluate("sessionStorage.getItem('speaker')")

    async def attack(_: web.Request) -> web.Response:
        page = (HERE / "attack.html").read_text(encoding="utf-8")
        return web.Response(
            text=page.replace("TARGET", program.address).replace("USER", user), content_type="text/html"
        )

    app = web.Application()
    app.add_routes([web.get("/", attack)])
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    try:
        # The same machine by another port is the same site to cookies, the other name is another site.
        for host in ("127.0.0.1", "localhost"):
            evil = await anna.page.context.new_page()
            await evil.goto(f"http://{host}:{port}/")
            await expect(evil).to_have_title("shut shut shut shut shut")
            async with evil.expect_navigation():
                await evil.evaluate("document.forms[0].submit()")
            await expect(evil.locator("body")).to_contain_text("cross-site")
            await evil.goto(f"http://{host}:{port}/")
            await evil.evaluate(
                "address => { const frame = document.createElement('iframe'); frame.src = address;"
                " document.body.append(frame); }",
                program.address,
            )
            await evil.close()
    finally:
        await runner.cleanup()
    await anna.page.reload()
    await expect(anna.page.locator("#log .message")).to_have_count(1)


async def no_sideways_scroll(page: Page) -> None:
    """Check that the page is no wider than the window."""
    widths = await page.evaluate(
        "[document.documentElement.scrollWidth, document.getElementById('scroll').scrollWidth]"
    )
    room = await page.evaluate("[window.innerWidth, document.getElementById('scroll').clientWidth]")
    assert widths[0] <= room[0]
    assert widths[1] <= room[1]


async def faults(page: Page) -> list[str]:
    """Return what a reader without eyes, or with a finger, would stumble over."""
    found: list[str] = await page.evaluate((HERE / "faults.js").read_text(encoding="utf-8"))
    return found


async def test_a_phone_shows_everything_without_scrolling_sideways(program: Program, browser: Browser) -> None:
    context = await browser.new_context(**PHONE, locale="it-IT")
    page = await context.new_page()
    await page.goto(program.address)
    await expect(page.locator("dialog[open]")).to_be_visible()
    await no_sideways_scroll(page)
    assert await faults(page) == []
    await page.locator("#name").fill("Un nome lungo quanto si può dare")
    await page.keyboard.press("Enter")
    await expect(page.locator("#app[data-ready]")).to_be_visible()
    assert await page.evaluate("document.documentElement.lang") == "it"
    assert await faults(page) == []
    me, anna = Player(page), Player(await come_in(browser, program.address, "Anna"))
    await me.says("parolalunghissima" * 40)
    await me.page.locator("#text").fill("/")
    await expect(page.locator("#options [role=option]").first).to_be_visible()
    await no_sideways_scroll(page)
    await page.locator("#text").fill("")
    await anna.says('/play annuvin @"Un nome lungo quanto si può dare"')
    await me.is_waited_for()
    await page.locator("#log .key.primary").last.tap()
    await expect(page.locator(".board img")).to_be_visible()
    await no_sideways_scroll(page)
    white = me if await me.is_called_by_a_board() else anna
    await white.is_waited_for()
    await white.page.locator(".public .cell").first.click()
    await expect(white.secret).to_be_visible()
    for player in (me, anna):
        await no_sideways_scroll(player.page)
        assert await faults(player.page) == []
    # The composer stands at the bottom of the window, whole.
    box = await page.locator("#composer").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 844


async def test_two_browsers_keep_their_names_apart_and_a_reload_keeps_everything(
    program: Program, browser: Browser
) -> None:
    anna = Player(await come_in(browser, program.address, "Anna"))
    await anna.says("I was here first")
    context = await browser.new_context(**DESKTOP, locale="en-GB")
    page = await context.new_page()
    await page.goto(program.address)
    await page.locator("#name").fill("anna")
    await page.keyboard.press("Enter")
    await expect(page.locator("#name-trouble")).to_contain_text("called anna already")
    await page.locator("#name").fill("Bruno")
    await page.keyboard.press("Enter")
    await expect(said(page, "I was here first")).to_be_visible()
    # Words for the other language, at once and after a reload.
    await page.get_by_role("button", name="Italiano").click()
    await expect(page.locator("#people-title")).to_have_text("Nella stanza")
    await page.reload()
    await expect(said(page, "I was here first")).to_be_visible()
    await expect(page.locator("#people-title")).to_have_text("Nella stanza")
    await expect(page.locator("#speaker")).to_have_attribute("aria-label", re.compile("Bruno"))
    # A message of one's own that meets a closed door is sent when it opens, and once.
    await program.kill()
    field = page.locator("#text")
    await field.fill("Still there?")
    await field.press("Enter")
    await expect(page.locator(".message .wait")).to_be_visible()
    await program.start()
    await expect(said(anna.page, "Still there?")).to_be_visible()
    await expect(page.locator(".message .wait")).to_have_count(0)
    await page.reload()
    await expect(said(page, "Still there?")).to_have_count(1)
