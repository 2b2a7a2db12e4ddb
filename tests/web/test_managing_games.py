"""What only the room's manager may do, in the whole program behind the page: all others change nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass

import pytest

from bot.app import Tavoliere
from bot.language.texts import Texts
from bot.operations.manager_secret import ManagerSecret
from bot.web.room import ChatRoom
from bot.web.server import start_web
from storage import GameRow, PlaceRow, Store, utc_now
from tests.bot.party import Quick
from tests.web.browser import Browser, Tab

NO = "Only those who manage this room can do that"


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
        await self.front.delivery.settle()

    async def begin(self) -> None:
        """Have Bruno take the seat that Anna keeps for him."""
        await self.anna.say("/play annuvin @Bruno")
        await self.settled()
        message, join = await button(self.bruno, "join:")
        await self.bruno.press(message, join)
        await self.settled()
        (game,) = await self.store.games_in((await self.place()).id)
        self.code = game.id
        assert await self.status() == "playing"

    async def place(self) -> PlaceRow:
        """Return the room as it is stored."""
        return await self.room.place()

    async def game(self) -> GameRow:
        """Return the game as it is stored."""
        found = await self.store.game(self.code)
        assert found is not None
        return found

    async def status(self) -> str:
        """Return how the game stands."""
        return (await self.game()).status


async def button(tab: Tab, deed: str) -> tuple[int, str]:
    """Return the newest button of a deed that somebody sees, with its message."""
    for message in reversed(await tab.sees()):
        for row in message.get("card", {}).get("rows", []):
            for each in row if isinstance(row, list) else row["options"]:
                if each["press"].startswith(deed):
                    return message["id"], each["press"]
    raise AssertionError(deed)


async def told(tab: Tab) -> str:
    """Return the newest private word to somebody."""
    message = next(message for message in reversed(await tab.sees()) if message["private"])
    return "".join(span["text"] for span in message["card"]["text"])


@pytest.fixture
async def hall(store: Store, texts: Texts, room: ChatRoom, secret: ManagerSecret) -> AsyncIterator[Hall]:
    """The hall, with the game begun."""
    front = Tavoliere(store, texts=texts, clock=utc_now, thinkers=Quick(), adapters=[room])
    async with AsyncExitStack() as stack:
        stack.push_async_callback(front.close)
        server = await start_web(front, store, texts, room, host="127.0.0.1", port=0, secret=secret)
        stack.push_async_callback(server.stop)
        one, two, three = [await stack.enter_async_context(Browser(server.address)) for _ in range(3)]
        tabs = (await one.name("Anna"), await two.name("Bruno"), await two.name("Bruno again"), await three.name("Eve"))
        gathered = Hall(front, store, room, secret, *tabs)
        await gathered.begin()
        yield gathered


@pytest.mark.parametrize("how", ["press", "code", "command"])
@pytest.mark.parametrize("who", ["eve", "again"])
async def test_neither_an_outsider_nor_a_loser_under_a_second_name_ends_a_game(hall: Hall, who: str, how: str) -> None:
    tab: Tab = getattr(hall, who)
    before = await hall.game()
    if how == "press":
        message, _ = await button(tab, "")
        await tab.press(message, f"close:{hall.code}:{before.revision}")
    else:
        await tab.say(f"/close {hall.code}" if how == "code" else "/close")
    await hall.settled()
    assert NO in await told(tab)
    assert "tavoliere manager-link" in await told(tab)
    assert await hall.game() == before


async def test_a_player_does_not_end_a_game_either(hall: Hall) -> None:
    before = await hall.game()
    await hall.bruno.say("/close")
    assert NO in await told(hall.bruno)
    assert await hall.game() == before


@pytest.mark.parametrize("line", ["playing:off", "language:it", "theme:dark", "boards:newest"])
async def test_what_holds_for_the_room_is_not_for_everybody_to_change(hall: Hall, line: str) -> None:
    before = (await hall.place()).settings
    await hall.eve.say(f"/settings {line} for:channel")
    assert NO in await told(hall.eve)
    message, _ = await button(hall.eve, "")
    for press in (f"set=channel.{line.replace(':', '.')}", "set=channel.game.annuvin"):
        await hall.eve.press(message, press)
        assert NO in await told(hall.eve)
    assert (await hall.place()).settings == before


async def test_it_is_said_in_the_readers_language(hall: Hall) -> None:
    await hall.eve.say("/settings playing:off for:channel", language="it")
    assert "Può farlo solo chi gestisce questa stanza" in await told(hall.eve)


async def test_no_game_is_offered_to_be_ended_by_who_may_not(hall: Hall) -> None:
    await hall.eve.say("/play annuvin computer")
    await hall.settled()
    # Two games are going on here: whoever manages the room is asked which.
    await hall.again.say("/close")
    assert NO in await told(hall.again)
    with pytest.raises(AssertionError, match="close"):
        await button(hall.again, "close:")
    answer = await hall.bruno.send("/api/complete", text="/close ", cursor=7)
    assert answer.data["items"] == []
    await hall.eve.browser.manage(hall.secret())
    carla = await hall.eve.browser.name("Carla")
    await carla.say("/close")
    await button(carla, "close:")


async def test_the_manager_ends_a_stuck_game_and_closes_the_room(hall: Hall) -> None:
    assert (await hall.eve.browser.manage(hall.secret())).status == 200
    await hall.eve.say("/settings playing:off for:channel")
    assert (await hall.place()).settings["playing"] is False
    game = await hall.game()
    message, _ = await button(hall.eve, "")
    await hall.eve.press(message, f"close:{hall.code}:{game.revision}")
    assert await hall.status() == "over"
    assert (await hall.game()).outcome == {"reason": "closed"}


async def test_a_manager_who_plays_does_not_escape_from_a_loss(hall: Hall) -> None:
    await hall.bruno.browser.manage(hall.secret())
    before = await hall.game()
    for tab in (hall.bruno, hall.again):
        await tab.say(f"/close {hall.code}")
        assert "has not moved for a day" in await told(tab), "not by another name in the same browser either"
    assert await hall.game() == before


async def test_after_a_new_secret_the_manager_is_one_no_longer(hall: Hall) -> None:
    await hall.eve.browser.manage(hall.secret())
    ManagerSecret(hall.secret.path.parent).renewed()
    before = await hall.game()
    await hall.eve.say(f"/close {hall.code}")
    assert NO in await told(hall.eve)
    await hall.eve.say("/settings playing:off for:channel")
    assert "playing" not in (await hall.place()).settings
    assert await hall.game() == before


async def test_what_players_may_do_they_may_still(hall: Hall) -> None:
    message, more = await button(hall.anna, "more:")
    await hall.anna.press(message, more)
    message, off = await button(hall.anna, "off:")
    await hall.anna.press(message, off)
    assert await hall.status() == "over"
    await hall.anna.say("/settings language:it")
    assert "Le tue impostazioni" in await told(hall.anna)
