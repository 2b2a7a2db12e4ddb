"""Two people at the page's server who play a game by presses alone, without a screen."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final, Self

from bot.kernel.choices import path_to
from bot.kernel.presses import PATH_SEPARATOR
from bot.kernel.question_cards import PRIVATE_CHOICE, PUBLIC_CHOICE
from engine import State
from tests.durability.ledger import Ledger
from tests.support.choosing import choose_capture
from tests.support.present import present
from tests.web.browser import Browser, Json, Tab, list_buttons
from tests.web.program import Program

NAMES: Final = ("Anna", "Bruno")


class Page:
    """The program with its page, and two browsers; the people in them sit down at a table by `begin`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.program = Program(folder)
        self.people: list[Tab] = []
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self.program)
        for name in NAMES:
            browser = await self._stack.enter_async_context(Browser(self.program.address))
            self.people.append(await browser.name(name))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def begin(self, game: str) -> PageTable:
        """Have one person start a game for two and the other join it."""
        table = PageTable(Ledger(self.folder / "data" / "tavoliere.db"), self.people)
        self._stack.callback(table.ledger.close)
        for person in self.people:
            table.take(person, await person.listen())
        first, second = self.people
        await first.say(f"/play {game} seats:2")
        message, press = await table.until(second, "join:")
        table.code = press.split(":")[1]
        await second.press(message, press)
        await first.begin(table.code)
        return table


class PageTable:
    """A game at the page: `messages` and `calls` count what was said to all and who was called by it."""

    def __init__(self, ledger: Ledger, people: list[Tab]) -> None:
        self.ledger = ledger
        self.people = people
        self.code = ""
        self.rng = random.Random(1)
        self.shown: dict[int, dict[int, Json]] = {person.person: {} for person in people}
        self.messages = 0
        self.calls = 0

    def state(self) -> State:
        """Return the position as it is stored."""
        self.ledger.refresh()
        return present(self.ledger.state(self.code)[1])

    def take(self, person: Tab, parcel: Json) -> None:
        """Take note of what the stream brings somebody; what all see is counted once."""
        for message in parcel.get("messages", []):
            known = any(message["id"] in shown for shown in self.shown.values())
            if not known and not message.get("private") and "card" in message:
                self.messages += 1
            if person is self.people[0] and "card" in message:
                before = self.shown[person.person].get(message["id"], {}).get("card", {"calls": []})
                self.calls += len(set(message["card"]["calls"]) - set(before["calls"]))
            self.shown[person.person][message["id"]] = message

    async def until(self, person: Tab, wanted: str) -> tuple[int, str]:
        """Return the newest message with a press in which something stands, once it is there."""
        while True:
            shown = self.shown[person.person]
            for number in sorted(shown, reverse=True):
                for press in _presses(shown[number]):
                    if wanted in press:
                        return number, press
            self.take(person, await person.hear())

    async def act(self) -> int:
        """Have the player to move play an action; return how many presses that took."""
        self.ledger.refresh()
        revision, found = self.ledger.state(self.code)
        state = present(found)
        name = self.ledger.seats(self.code)[int(present(state.to_move))]
        mover = next(each for each in self.people if each.me["name"] == name)
        action = choose_capture(state, self.rng)
        path = path_to(state, state.legal_actions(), action)
        shown, taps = await mover.looks(self.code), 0
        done = 0
        while done < len(path):
            # Cells of all kinds and columns can be pressed on the picture: the press that settles most is taken.
            offered = set(_presses(shown))
            presses = {
                f"{deed}:{self.code}:{revision}={PATH_SEPARATOR.join(path[:depth])}": depth
                for depth in range(done + 1, len(path) + 1)
                for deed in (PUBLIC_CHOICE, PRIVATE_CHOICE)
            }
            press = next(each for each in reversed(presses) if each in offered)
            answer = await mover.send("/api/press", press=press)
            if answer.status != 200:
                raise RuntimeError(f"{press} was refused: {answer.data}")
            shown, taps = answer.data.get("board", shown), taps + 1
            # Asked whether it is meant, they press again.
            sure = f"{PRIVATE_CHOICE}{press.removeprefix(PUBLIC_CHOICE)}"
            done = presses[press] if sure == press or sure not in set(_presses(shown)) else presses[press] - 1
        await self.wait_for_newest_revision()
        return taps

    async def wait_for_newest_revision(self) -> None:
        """Wait until both have received the newest revision."""
        revision = self.ledger.revision(self.code)
        for person in self.people:
            while not any(
                (message.get("card") or {}).get("table", {}).get("revision") == revision
                for message in self.shown[person.person].values()
            ):
                self.take(person, await person.hear())


def _presses(message: Json) -> Iterator[str]:
    yield from (message.get("card") or {}).get("presses", {}).values()
    yield from (button["press"] for button in list_buttons(message))
