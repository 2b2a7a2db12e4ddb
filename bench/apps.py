"""The board inside Telegram and Discord: the first board on a slow phone, a commit until it is seen, a move's cost.

The page is opened in Chromium with a processor that is slowed and a network as Chromium's own "slow 4G" (`--latency`
milliseconds a request, `--kilobits` a second); HTTP without TLS, HTTP/1.1, on this machine. Times are the page's own,
from the beginning of its loading until the first board is decoded. A move's cost is the processor's time of the
program's thread for a move from the app and for a tap in the chat on Telegram's fake, which runs in that thread, too,
as does the app's client: from the press until the board in the chat is edited. Drawing is left out.
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Browser, async_playwright

from bot.platforms.web.room import ChatRoom
from storage import Store, utc_now
from tests.apps.hosts import GROUP, TOKEN, App, serve_apps
from tests.apps.world import PHONE, World, open_world
from tests.bot.party import Clock
from tests.fakes.telegram.mini_app import TelegramClient, account, init_data
from tests.fakes.telegram.server import FakeTelegram
from tests.support.abilities import CHROMIUM_ARGUMENTS, find_chromium
from tests.telegram.harness import Bot, Scene

BYTES_A_KILOBIT: Final = 125
WATCH: Final = """
window.boards = [];
window.bytes = 0;
document.addEventListener("DOMContentLoaded", () => {
  new MutationObserver(() => {
    const image = document.querySelector("#stage-board .board img");
    const revision = document.querySelector("#stage").dataset.revision;
    if (!image || window.boards.at(-1)?.revision === revision) return;
    const seen = { revision, at: 0 };
    window.boards.push(seen);
    image.decode().then(() => {
      seen.at = performance.timeOrigin + performance.now();
      seen.after = performance.now();
    });
  }).observe(document.documentElement, { subtree: true, childList: true, attributes: true });
});
"""


async def open_slowly(
    world: World, browser: Browser, name: str, code: str, factor: float, latency: float, kilobits: float
) -> tuple[Any, float, float]:
    """Return a page on which a game is open, after how many seconds its board was seen, and of how many kB it was."""
    context = await browser.new_context(**PHONE)
    world.stack.push_async_callback(context.close)
    page = await context.new_page()
    cdp = await context.new_cdp_session(page)
    received = 0.0

    def count(event: dict[str, Any]) -> None:
        nonlocal received
        received += event["encodedDataLength"]

    cdp.on("Network.loadingFinished", count)
    await cdp.send("Network.enable")
    speed = kilobits * BYTES_A_KILOBIT
    network = {"offline": False, "latency": latency, "downloadThroughput": speed, "uploadThroughput": speed}
    await cdp.send("Network.emulateNetworkConditions", network)
    await cdp.send("Emulation.setCPUThrottlingRate", {"rate": factor})
    await page.add_init_script(WATCH)
    link = world.apps.signer.sign_link("telegram", GROUP, code)
    sent = init_data(TOKEN, account(world.apps.number(name), name), utc_now(), start_param=link)
    address = f"http://127.0.0.1:{world.server.port}/app/telegram/"
    await TelegramClient(page, native=True).open(address, sent)
    await page.wait_for_function("() => window.boards[0]?.after", timeout=120_000)
    return page, float(await page.evaluate("window.boards[0].after")) / 1000, received / 1000


async def move(world: World, code: str) -> float:
    """Have the person to move do so in the chat; return the moment of the commit, in milliseconds of UNIX time."""
    row = await world.row(code)
    people = await world.store.people.get_many([row.to_move or 0])
    text = (await world.state(code)).legal_actions()[0]
    press = f"text:{code}:{row.revision}={text}"
    await world.front.press(world.apps.in_chat(people[row.to_move or 0].name), press)
    return time.time() * 1000


async def measure_processor(times: int) -> None:
    """Print what moves by taps in the chat and from the app take of the processor, one after the other in a game."""
    clock = Clock()
    async with FakeTelegram(clock) as telegram, AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        store = await stack.enter_async_context(await Store.open(Path(folder) / "x.db"))
        scene = Scene(telegram, Bot(telegram, store, clock))
        await scene.bot.start()
        stack.push_async_callback(scene.bot.stop)
        front, room = scene.bot.tavoliere, ChatRoom(store, clock)
        apps = await stack.enter_async_context(serve_apps(front, room, clock))
        people = {name: scene.person(name) for name in ("Anna", "Bruno")}
        opened = {}
        for name, person in people.items():
            sent = init_data(TOKEN, account(person.id, name), clock.now)
            answer = await apps.post("session", {"initData": sent})
            opened[name] = App(apps, answer.data["token"], answer.data)
        took: dict[str, list[float]] = {"chat": [], "app": []}
        code, number = "", 0
        while len(took["app"]) < times:
            row = await store.games.get(code)
            if row is None or row.status != "playing":
                await scene.say(people["Anna"], "/play annuvin")
                await scene.tap(people["Bruno"], scene.board, "Join")
                code = (await store.games.list_for_person(opened["Anna"].data["me"]["person"]))[0].id
            table = await front.context.table(code)
            name = table.people[table.row.to_move or 0].name
            carried = f"text:{code}:{table.row.revision}={table.playing.state.legal_actions()[0].text}"
            where, number = "app" if number % 4 > 1 else "chat", number + 1
            begun = time.thread_time()
            if where == "app":
                answer = await opened[name].post("press", press=carried)
                if answer.status != 200:
                    raise RuntimeError(answer.data)
            else:
                await people[name].tap_data(scene.board, carried)
            await scene.bot.settle()
            took[where].append(time.thread_time() - begun)
            await scene.bot.wait()
        for where, seconds in took.items():
            print(f"a move from the {where}: {1000 * statistics.median(seconds):.1f} ms (median of {len(seconds)})")


async def measure(given: argparse.Namespace) -> None:
    """Print the figures."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=list(CHROMIUM_ARGUMENTS))
        with tempfile.TemporaryDirectory() as folder:
            async with await Store.open(Path(folder) / "x.db") as store, open_world(browser, store) as world:
                code = await world.apps.game("Anna", "Bruno", play="/play annuvin")
                first, kilobytes, pages = [], [], []
                for _ in range(given.times):
                    opening = open_slowly(world, browser, "Anna", code, given.factor, given.latency, given.kilobits)
                    page, seconds, size = await opening
                    first.append(seconds)
                    kilobytes.append(size)
                    pages.append(page)
                    if len(pages) > 1:
                        await pages.pop(0).context.close()
                page = pages[-1]
                print(
                    f"first board: {statistics.median(first):.2f} s (median of {given.times}, "
                    f"at best {min(first):.2f} s), {max(kilobytes):.0f} kB, processor {given.factor:g} times slower, "
                    f"{given.latency:g} ms, {given.kilobits:g} kbit/s"
                )
                await move(world, code)
                shown = []
                for _ in range(given.times):
                    seen = len(await page.evaluate("window.boards"))
                    at = await move(world, code)
                    await page.wait_for_function("seen => window.boards[seen]?.at", arg=seen, timeout=120_000)
                    shown.append((float((await page.evaluate("window.boards"))[seen]["at"]) - at) / 1000)
                print(f"from a commit in the chat to the board in that app: {statistics.median(shown):.2f} s (median)")
        await browser.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--factor", type=float, default=4.0)
    parser.add_argument("--latency", type=float, default=150.0)
    parser.add_argument("--kilobits", type=float, default=1600.0)
    parser.add_argument("--moves", type=int, default=40)
    given = parser.parse_args(arguments)
    asyncio.run(measure_processor(given.moves))
    asyncio.run(measure(given))


if __name__ == "__main__":
    main()
