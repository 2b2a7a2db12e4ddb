"""The whole program behind the page, with people in three browsers who talk to it as the page does."""

from dataclasses import dataclass

from bot.kernel.operations.manager_secret import ManagerSecret
from bot.platforms.app import Tavoliere
from bot.platforms.web.room import ChatRoom
from storage import GameRow, PlaceRow, Store
from tests.support.present import present
from tests.web.browser import Tab, list_buttons


@dataclass
class Hall:
    """Anna and Bruno at a rated game, with Eve looking on; Bruno has a second name in his browser."""

    front: Tavoliere
    store: Store
    room: ChatRoom
    secret: ManagerSecret
    anna: Tab
    bruno: Tab
    again: Tab
    eve: Tab
    code: str = ""

    async def settled(self) -> None:
        """Wait until everything is shown."""
        await self.front.delivery.run_until_idle()

    async def begin(self) -> None:
        """Have Bruno take the seat that Anna keeps for him."""
        await self.anna.say("/play annuvin @Bruno")
        await self.settled()
        self.code = await self.join(self.bruno, self.anna)
        assert await self.status() == "playing"

    async def press_newest(self, tab: Tab, deed: str) -> str:
        """Have somebody press the newest button of a deed that they see; return what it carries."""
        message, press = await find_newest_button(tab, deed)
        await tab.press(message, press)
        return press

    async def join(self, tab: Tab, starter: Tab) -> str:
        """Have somebody take the seat in a game that its starter offers, and the game begin; return its code."""
        code = (await self.press_newest(tab, "join:")).split(":")[1]
        await starter.begin(code)
        await self.settled()
        return code

    async def mover(self, game: str = "") -> tuple[Tab, str]:
        """Return who is to move in a game, by default the one that began with the hall, and a move of theirs."""
        table = await self.front.context.table(game or self.code)
        people = {tab.person: tab for tab in (self.anna, self.bruno, self.again)}
        return people[table.person_at(table.mover) or 0], table.playing.state.legal_actions()[0].text

    async def place(self) -> PlaceRow:
        """Return the room as it is stored."""
        return await self.room.place()

    async def game(self, code: str = "") -> GameRow:
        """Return a game as it is stored, by default the one that began with the hall."""
        return present(await self.store.games.get(code or self.code))

    async def status(self) -> str:
        """Return how the game stands."""
        return (await self.game()).status


async def find_newest_button(tab: Tab, deed: str) -> tuple[int, str]:
    """Return the newest button of a deed that somebody sees, with its message."""
    for message in reversed(await tab.sees()):
        for each in list_buttons(message):
            if each["press"].startswith(deed):
                return message["id"], each["press"]
    raise AssertionError(deed)


async def read_status(tab: Tab) -> str:
    """Return the newest private word to somebody."""
    message = next(message for message in reversed(await tab.sees()) if message["private"])
    return "".join(span["text"] for span in message["card"]["text"])
