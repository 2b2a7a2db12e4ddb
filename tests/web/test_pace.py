"""How much one browser, and one address, may begin within an hour; people are told for how long to wait."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import pytest

from bot.kernel.context import MAX_GAMES_PER_HOUR
from bot.kernel.operations.limits import HourlyRateLimiter
from bot.kernel.operations.settings import read_networks
from bot.kernel.texts import Texts
from bot.platforms.web.api import LINES_PER_MINUTE
from bot.platforms.web.request_guard import ClientAddresses
from bot.platforms.web.room import ChatRoom
from bot.platforms.web.sessions import MAX_BROWSERS_PER_HOUR, MAX_NAMES_PER_HOUR
from storage import Store
from tests.bot.party import Clock, Quick
from tests.support.fronts import make_front
from tests.web.browser import Browser
from tests.web.front import serve_page
from tests.web.hall import read_status

Opened = Callable[[], Awaitable[Browser]]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def opened(store: Store, texts: Texts, clock: Clock) -> AsyncIterator[Opened]:
    """What opens a new browser at the page, whose clock tests turn; there is a proxy on this machine."""
    room = ChatRoom(store, clock)
    front = make_front(store, texts=texts, clock=clock, thinkers=Quick(), adapters=[room])
    async with AsyncExitStack() as stack:
        stack.push_async_callback(front.close)
        callers = ClientAddresses(read_networks("127.0.0.1"))
        server = await stack.enter_async_context(serve_page(front, store, texts, room, callers=callers))

        async def browser() -> Browser:
            return await stack.enter_async_context(Browser(server.address))

        yield browser


async def test_names_of_a_browser_have_an_hourly_limit_and_others_are_not_hurt(opened: Opened, clock: Clock) -> None:
    anna, bruno = await opened(), await opened()
    for number in range(MAX_NAMES_PER_HOUR):
        await anna.name(f"Anna {number}")
        clock.turn(minutes=1)
    answer = await anna.post("/api/names", {"name": "Annetta"})
    assert (answer.status, answer.refusal) == (429, "too-many-names-an-hour")
    assert answer.data["error"]["params"] == {"minutes": 60 - MAX_NAMES_PER_HOUR}
    assert len((await anna.get("/api/hello")).data["names"]) == MAX_NAMES_PER_HOUR
    assert (await anna.post("/api/names", {"name": "Anna 3"})).status == 200, "what it has, it has"
    await bruno.name("Bruno")
    clock.turn(minutes=60 - MAX_NAMES_PER_HOUR)
    await anna.name("Annetta")


@pytest.mark.parametrize("made_up", [False, True])
async def test_new_browsers_of_an_address_have_one_and_other_addresses_are_not_hurt(
    opened: Opened, clock: Clock, store: Store, made_up: bool
) -> None:
    first = await opened()
    await first.post("/api/names", {"name": "Anna"}, X_Forwarded_For="198.51.100.1")
    browser = await opened()
    for number in range(1, MAX_BROWSERS_PER_HOUR + 1):
        browser.session.cookie_jar.clear()
        cookie = {"Cookie": f"tavoliere={number:043}"} if made_up else {}
        answer = await browser.post("/api/names", {"name": f"B{number}"}, X_Forwarded_For="198.51.100.1", **cookie)
        assert (answer.status == 200) is (number < MAX_BROWSERS_PER_HOUR)
    assert (answer.refusal, answer.data["error"]["params"]) == ("too-many-browsers", {"minutes": 60})
    assert "Set-Cookie" not in answer.headers
    assert len(await store.people.identities_with_prefix("web", "")) == MAX_BROWSERS_PER_HOUR
    assert (await browser.post("/api/names", {"name": "Carla"}, X_Forwarded_For="198.51.100.2")).status == 200
    again = await first.post("/api/names", {"name": "Annetta"}, X_Forwarded_For="198.51.100.1")
    assert again.status == 200, "who has been here before comes in as ever"


async def test_game_limit_counts_per_browser(opened: Opened, clock: Clock, store: Store) -> None:
    browser, other = await opened(), await opened()
    anna, second, bruno = await browser.name("Anna"), await browser.name("Nina"), await other.name("Bruno")
    for number in range(MAX_GAMES_PER_HOUR):
        await (anna, second)[number % 2].say("/play annuvin")
    for tab in (anna, second):
        for line in ("/play annuvin", "/play annuvin computer:1"):
            await tab.say(line)
            assert f"{MAX_GAMES_PER_HOUR} games an hour are the most" in await read_status(tab)
    begun = {game.id for tab in (anna, second) for game in await store.games.list_for_person(tab.person, 1000)}
    assert len(begun) == MAX_GAMES_PER_HOUR
    await bruno.say("/play annuvin")
    (his,) = await store.games.list_for_person(bruno.person, 10)
    await anna.say(f"/join {his.id}")
    assert "games an hour are the most" in await read_status(anna)
    assert await store.games.list_for_person(bruno.person, 10) == [his]
    clock.turn(hours=1)
    await anna.say("/play fagocitare")
    assert len(await store.games.list_for_person(anna.person, 1000)) == MAX_GAMES_PER_HOUR / 2 + 1


async def test_talk_has_a_pace_for_each_browser_and_moves_go_on(opened: Opened, clock: Clock, store: Store) -> None:
    browser, other = await opened(), await opened()
    anna, nina, bruno = await browser.name("Anna"), await browser.name("Nina"), await other.name("Bruno")
    for number in range(LINES_PER_MINUTE):
        assert (await (anna, nina)[number % 2].say(f"Hello {number}")).status == 200
    for tab in (anna, nina):
        answer = await tab.say("And one more thing")
        assert (answer.status, answer.refusal) == (429, "too-much-talk")
        assert answer.data["error"]["params"] == {"seconds": 60}
    assert (await bruno.say("Hello, you two")).status == 200
    assert (await anna.say("/play annuvin")).status == 200
    said = [message.text for message in await store.room.list_messages(None, limit=100)]
    assert "And one more thing" not in said
    assert f"Hello {LINES_PER_MINUTE - 1}" in said
    clock.turn(minutes=1)
    assert (await anna.say("Later")).status == 200


def test_hourly_limit_forgets_actions_after_an_hour(clock: Clock) -> None:
    hourly = HourlyRateLimiter(2, clock.monotonic)
    for _ in range(2):
        assert hourly.minutes_to_wait("a") == 0
        hourly.record("a")
        clock.turn(minutes=20)
    assert (hourly.minutes_to_wait("a"), hourly.minutes_to_wait("b")) == (20, 0)
    clock.turn(minutes=20)
    assert hourly.minutes_to_wait("a") == 0
    hourly.record("a")
    assert hourly.minutes_to_wait("a") == 20
