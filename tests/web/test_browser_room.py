"""The room in a real browser, with the real program behind it: what stays private, other sites, phones, names."""

import re
from importlib.metadata import version
from pathlib import Path

from aiohttp import web
from playwright.async_api import Browser, Page, Route, WebSocket, expect

from tests.support.ports import listening
from tests.support.present import present
from tests.web.browser import Browser as CookieBrowser, Tab
from tests.web.chromium import DESKTOP, PHONE, come_in, enter_name, open_page, type_line
from tests.web.desk import Desk
from tests.web.hall import read_status
from tests.web.player import Player, read_log
from tests.web.program import Program

HERE = Path(__file__).parent


async def test_private_answers_never_reach_another_browser(
    program: Program, visitor: CookieBrowser, browser: Browser
) -> None:
    received: list[str] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: received.append(str(frame)))

    async def overhear(route: Route) -> None:
        response = await route.fetch()
        received.append(await response.text())
        await route.fulfill(response=response)

    page = await (await browser.new_context(**DESKTOP, locale="en-GB")).new_page()
    page.on("websocket", listen)
    await page.route(re.compile(r"/api/(?!live)"), overhear)
    await page.goto(program.address)
    await enter_name(page, "Bruno")
    anna = await visitor.name("Anna")
    await anna.say("/move b1-b2")
    message = (await read_status(anna)).partition("\n")[0]
    await anna.say("Are you there?")
    await expect(read_log(page, "Are you there?")).to_be_visible()
    await page.reload()
    await expect(read_log(page, "Are you there?")).to_be_visible()
    await expect(page.locator(".secret")).to_have_count(0)
    everything = "".join(received)
    assert "Are you there?" in everything
    assert message
    assert message not in everything
    assert "/move b1-b2" not in everything
    # What is still being fetched for a page that is gone would hold up the end.
    await page.unroute_all(behavior="ignoreErrors")


async def test_cross_site_requests_and_streams_are_refused(program: Program, browser: Browser) -> None:
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
    async with listening(app) as port:
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
    await anna.page.reload()
    await expect(anna.page.locator("#log .bubble")).to_have_count(1)


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
    page = await open_page(browser, program.address, locale="it-IT", **PHONE)
    await page.locator("#come-in").tap()
    await expect(page.locator("dialog[open]")).to_be_visible()
    await no_sideways_scroll(page)
    assert await faults(page) == []
    await enter_name(page, "Un nome lungo quanto si può dare", asked="Come ti chiami?")
    assert (await page.evaluate("document.documentElement.lang"), await faults(page)) == ("it", [])
    me, anna = Player(page), Player(await come_in(browser, program.address, "Anna"))
    await me.says("parolalunghissima" * 40)
    await me.page.locator("#text").fill("/")
    await expect(page.locator("#options [role=option]").first).to_be_visible()
    await no_sideways_scroll(page)
    await page.locator("#text").fill("")
    await anna.says('/play annuvin @"Un nome lungo quanto si può dare"')
    await me.is_waited_for()
    await page.locator("#log .lobby .key.primary").tap()
    await expect(page.locator("#stage .board img")).to_be_visible()
    await no_sideways_scroll(page)
    white = me if await me.is_called_by_a_board() else anna
    await white.is_waited_for()
    await white.table.locator(".cell").first.click()
    await expect(white.page.locator("#stage.choosing .cell").first).to_be_visible()
    for player in (me, anna):
        await no_sideways_scroll(player.page)
        assert await faults(player.page) == []
    # The composer stands at the bottom of the window, whole.
    await me.turns_to("talk")
    box = present(await page.locator("#composer").bounding_box())
    assert box["y"] + box["height"] <= 844


async def test_two_browsers_have_names_apart_and_a_reload_keeps_all(
    program: Program, visitor: CookieBrowser, browser: Browser
) -> None:
    anna = await visitor.name("Anna")
    await anna.say("I was here first")
    page = await open_page(browser, program.address)
    await page.locator("#come-in").click()
    await page.locator("#name").fill("anna")
    await page.keyboard.press("Enter")
    await expect(page.locator("#name-trouble")).to_contain_text("called anna already")
    await enter_name(page, "Bruno")
    await expect(read_log(page, "I was here first")).to_be_visible()
    # Words for the other language, at once and after a reload.
    await page.get_by_role("button", name="Italiano").click()
    await expect(page.locator("#people-title")).to_have_text("Nella stanza")
    await expect(page.locator("#release")).to_have_text(f"Versione {version('tavoliere')}")
    await page.reload()
    await expect(read_log(page, "I was here first")).to_be_visible()
    await expect(page.locator("#people-title")).to_have_text("Nella stanza")
    await expect(page.locator("#speaker")).to_have_attribute("aria-label", re.compile("Bruno"))
    # A message of one's own that meets a closed door is sent when it opens, and once.
    await program.kill()
    await type_line(page, "Still there?")
    await expect(page.locator(".message .wait")).to_be_visible()
    await program.start()
    await expect(page.locator(".message .wait")).to_have_count(0)
    assert [each["text"] for each in await anna.sees()] == ["I was here first", "Still there?"]
    await page.reload()
    await expect(read_log(page, "Still there?")).to_have_count(1)


async def test_a_challenge_that_is_open_at_the_table_is_not_repeated_beside_it(
    program: Program, browser: Browser
) -> None:
    anna = Player(await come_in(browser, program.address, "Anna"))
    off = anna.page.get_by_role("button", name="Call it off")
    at_table = anna.page.locator("#stage-rows").get_by_role("button", name="Call it off")
    await anna.says("/play fagocitare")
    await expect(at_table).to_be_visible()
    await expect(anna.page.locator("#stage .glimpse")).to_have_count(1)
    await at_table.click()
    await expect(off).to_have_count(0)
    await anna.says("/play fagocitare size:7")
    await expect(at_table).to_be_visible()
    await expect(off).to_have_count(1)
    # A sample of another board would only mislead.
    await expect(anna.page.locator("#stage .glimpse")).to_have_count(0)
    await anna.page.locator("#stage-close").click()
    await expect(anna.page.locator("#log .lobby").get_by_role("button", name="Call it off")).to_be_visible()
    await expect(off).to_have_count(1)


async def test_the_conversation_follows_what_is_said_from_the_start_screen_on(desk: Desk, bruno: Tab) -> None:
    reader = Player(await desk.come_in("Anna", **PHONE))
    await reader.turns_to("talk")
    # It is above the first message, and higher than the window.
    await reader.page.evaluate("document.getElementById('intro').style.minHeight = '1400px'")
    left = "(each => each.scrollHeight - each.scrollTop - each.clientHeight)(document.getElementById('scroll'))"
    for number in range(6):
        await bruno.say(f"What do you think of number {number}?")
        await expect(reader.page.locator("#log .bubble").nth(number)).to_be_visible()
        assert await reader.page.evaluate(left) < 2, number
    await reader.page.evaluate("document.getElementById('intro').style.minHeight = '2100px'")
    await reader.page.wait_for_function(f"() => {left} < 2")
    await reader.page.evaluate("document.getElementById('scroll').scrollTop = 300")
    await expect(reader.page.locator("#jump")).to_be_visible()
    await bruno.say("One more?")
    await expect(reader.page.locator("#log .bubble").nth(6)).to_be_attached()
    assert await reader.page.evaluate("document.getElementById('scroll').scrollTop") == 300, (
        "who reads above stays there"
    )
