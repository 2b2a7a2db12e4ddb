"""What a real browser gives to chance: chains of hashes that are opened link by link, and begun anew when lost."""

import json
import sqlite3
from contextlib import closing
from hashlib import sha256
from typing import Any

from playwright.async_api import Browser, expect

from engine import State, games
from engine.fair import leads_to
from tests.support.present import present
from tests.web.browser import Browser as CookieBrowser
from tests.web.chromium import come_in, enter_name, new_page
from tests.web.hall import find_newest_button
from tests.web.player import Player, begin_game
from tests.web.program import Program

GAME = "uomo-nero"
NO_SUBTLE = "Object.defineProperty(globalThis.crypto, 'subtle', { value: undefined })"
FULL_STORAGE = """
const setItem = Storage.prototype.setItem;
Storage.prototype.setItem = function (...item) {
  if (this === localStorage) throw new DOMException("full", "QuotaExceededError");
  setItem.apply(this, item);
};
"""
SAME_HASHES = """
async () => {
  const { sha256 } = await import("/static/sha256.js");
  return Promise.all(Array.from({ length: 5 }, async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    const real = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return sha256(bytes).join() === real.join();
  }));
}
"""


class Stored:
    """What the database has of the one game there is."""

    def __init__(self, program: Program) -> None:
        self._path = program.folder / "data" / "tavoliere.db"

    def rows(self, query: str) -> list[Any]:
        with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)) as connection:
            return connection.execute(query).fetchall()

    def state(self) -> State:
        ((position,),) = self.rows("SELECT position FROM games")
        return games[GAME].load(json.loads(position))

    def chance(self) -> dict[str, Any]:
        ((chance,),) = self.rows("SELECT chance FROM games")
        found: dict[str, Any] = json.loads(chance)
        return found

    def ends(self) -> dict[int, str]:
        return {seat: by.removeprefix("chain:") for seat, by in self.rows("SELECT seat, joined_by FROM seats")}

    def names(self) -> dict[int, str]:
        """Who has which seat."""
        return dict(self.rows("SELECT seat, people.name FROM seats JOIN people ON people.id = seats.person"))

    def taken(self) -> list[dict[int, str]]:
        """What each draw took, the lot first."""
        events = self.rows("SELECT data FROM events WHERE kind IN ('started', 'action') ORDER BY number")
        said = [json.loads(data) for (data,) in events]
        return [
            {seat: each.removeprefix("chain:") for seat, each in data.get("ids", [])}
            for data in said
            if "draw" in data or "seats" in data
        ]


async def turn(stored: Stored, players: dict[int, Player]) -> int:
    """Have the player to move type a whole turn at the open table, and return their seat."""
    before = stored.state()
    seat = present(before.to_move)
    await players[seat].is_waited_for()
    while (state := stored.state()).turn == before.turn and state.to_move == seat:
        async with players[seat].page.expect_response("**/api/say"):
            await players[seat].says(f"/move {state.legal_actions()[0].text}")
    return seat


async def test_browsers_open_their_chains_link_by_link(program: Program, browser: Browser) -> None:
    secure = await come_in(browser, program.address, "Anna")
    plain = await new_page(browser)
    # As on a page without https, on another machine.
    await plain.add_init_script(NO_SUBTLE)
    # And with a browser that stores nothing: its chain lasts as long as the page.
    await plain.add_init_script(FULL_STORAGE)
    await plain.goto(program.address)
    await enter_name(plain, "Bruno")
    anna, bruno = Player(secure), Player(plain)
    assert await secure.evaluate(SAME_HASHES) == [True] * 5
    assert await plain.evaluate("crypto.subtle === undefined")
    await begin_game(anna, bruno, "Bruno", game=GAME, options="")
    stored = Stored(program)
    ends, players = stored.ends(), {seat: anna if name == "Anna" else bruno for seat, name in stored.names().items()}
    assert len(set(ends.values())) == 2
    (lot, *first) = stored.taken()
    ((opened, link),) = lot.items()
    assert players[opened] is anna, "who was in before has opened something after the last one joined"
    assert sha256(bytes.fromhex(link)).hexdigest() == ends[opened]
    assert all(taken == lot for taken in first)

    assert {await turn(stored, players) for _ in range(2)} == {0, 1}
    newest = stored.taken()[-1]
    for seat, end in ends.items():
        known = [lot[seat]] if seat in lot else [end]
        assert present(leads_to(newest[seat], known))[1] == 1, "one link after the other"

    # A browser that has lost its chain begins another, which is recorded and counts after the other's next turn.
    seat = stored.state().to_move or 0
    lost = players[seat]
    await lost.is_waited_for()
    await lost.page.evaluate("localStorage.removeItem('chains')")
    await lost.page.reload()
    await expect(lost.table.locator(".board img")).to_be_visible()
    assert await turn(stored, players) == seat
    chance = stored.chance()
    ((whose, _, end),) = chance["chains"]
    assert (whose, chance["new"], stored.taken()[-1]) == (seat, {str(seat): end}, newest)
    assert await turn(stored, players) != seat
    assert await turn(stored, players) == seat
    assert sha256(bytes.fromhex(stored.taken()[-1][seat])).hexdigest() == end


async def test_open_pages_give_their_parts_to_the_lot_of_a_competition(
    program: Program, visitor: CookieBrowser, browser: Browser
) -> None:
    pages = [await come_in(browser, program.address, name) for name in ("Anna", "Bruno")]
    # The third one has no page that could give a part.
    carla = await visitor.name("Carla")
    await carla.say("/cup annuvin clock:1d players:3")
    for page in pages:
        await page.get_by_role("button", name="Join").first.click()
        await expect(page.get_by_text("You are in").last).to_be_visible()
    await carla.press(*await find_newest_button(carla, "cup=join."))
    for page in pages:
        await expect(page.get_by_text("Round 1").last).to_be_visible()
    stored = Stored(program)
    events = [
        (kind, json.loads(data))
        for kind, data in stored.rows("SELECT kind, data FROM competition_events ORDER BY number")
    ]
    entered = [data for kind, data in events if kind == "entered" and data["cause"] != "chain:-"]
    committed = {data["entrant"]: data["cause"].removeprefix("chain:") for data in entered}
    opened = {data["entrant"]: data["link"] for kind, data in events if kind == "gave"}
    assert [data["awaited"] for kind, data in events if kind == "closed"] == [[0, 1]]
    assert {entrant: sha256(bytes.fromhex(link)).hexdigest() for entrant, link in opened.items()} == committed
