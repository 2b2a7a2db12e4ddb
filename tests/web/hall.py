"""The whole program behind the page, with people in three browsers who talk to it as the page does."""

from dataclasses import dataclass

from bot.app import Tavoliere
from bot.operations.manager_secret import ManagerSecret
from bot.web.room import ChatRoom
from storage import GameRow, PlaceRow, Store
from tests.support.present import present
from tests.web.browser import Tab


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
        message, join = await find_newest_button(self.bruno, "join:")
        await self.bruno.press(message, join)
        await self.anna.begin(join.split(":")[1])
        await self.settled()
        (game,) = await self.store.games.list_in_place((await self.place()).id)
        self.code = game.id
        assert await self.status() == "playing"

    async def place(self) -> PlaceRow:
        """Return the room as it is stored."""
        return await self.room.place()

    async def game(self) -> GameRow:
        """Return the game as it is stored."""
        return present(await self.store.games.get(self.code))

    async def status(self) -> str:
        """Return how the game stands."""
        return (await self.game()).status


async def find_newest_button(tab: Tab, deed: str) -> tuple[int, str]:
    """Return the newest button of a deed that somebody sees, with its message."""
    for message in reversed(await tab.sees()):
        for row in message.get("card", {}).get("rows", []):
            for each in row if isinstance(row, list) else row["options"]:
                if each["press"].startswith(deed):
                    return message["id"], each["press"]
    raise AssertionError(deed)


async def read_status(tab: Tab) -> str:
    """Return the newest private word to somebody."""
    message = next(message for message in reversed(await tab.sees()) if message["private"])
    return "".join(span["text"] for span in message["card"]["text"])
