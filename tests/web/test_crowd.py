"""Many tabs, many requests: one reading serves all, each hears what is theirs, and nobody takes all there is."""

import asyncio
from contextlib import AsyncExitStack

import pytest
from aiohttp import WSMsgType

from bot.kernel.operations import listening
from bot.kernel.requests import Reply, Request
from bot.platforms.web import api as page_api, live, server
from bot.platforms.web.room import ROOM_PLACE, ChatRoom
from bot.platforms.web.server import WebServer
from storage import Store, Unavailable
from tests.support.disconnecting import drop
from tests.support.present import present
from tests.web.browser import Browser, Json, Tab, Two
from tests.web.front import FakeFront, board_card, make_card, make_headline


async def wait_for_message(tab: Tab, wanted: str) -> Json:
    """Return the parcel in which a tab hears a text."""
    while True:
        parcel = await tab.hear()
        if wanted in str(parcel.get("messages")):
            return parcel


async def test_one_reading_serves_all_tabs(server: WebServer, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    read, members = 0, store.places.members

    async def counted(place: int) -> object:
        nonlocal read
        read += 1
        return await members(place)

    async with AsyncExitStack() as stack:
        guests = [await stack.enter_async_context(Browser(server.address)) for _ in range(20)]
        people = [await guest.name(f"Guest {number}") for number, guest in enumerate(guests)]
        for tab in people:
            await tab.listen()
        monkeypatch.setattr(store.places, "members", counted)
        for word in ("one", "two", "three"):
            await people[0].say(word)
            await asyncio.gather(*(wait_for_message(tab, word) for tab in people))
        # News that come while it reads are in the next reading.
        assert read <= 6


async def test_each_tab_reads_its_own(browsers: Two, anna: Tab, bruno: Tab, room: ChatRoom) -> None:
    carla = await browsers[1].name("Carla")
    for tab in (anna, bruno, carla):
        await tab.listen()
    await room.send((await room.private_chat(anna.me["user"])), make_card("for Anna alone"), "private")
    card = board_card("Anna's turn.", mention=anna.person)
    line = make_headline("ABCDEF", anna.person, bruno.person)
    await room.send(ROOM_PLACE, type(card)(card.text, card.picture, card.rows, card.mention, headline=line), "board")
    parcels: dict[str, list[Json]] = {}
    for tab in (anna, bruno, carla):
        parcels[tab.me["name"]] = []
        while not any(parcel.get("tables") for parcel in parcels[tab.me["name"]]):
            parcels[tab.me["name"]].append(await tab.hear())
    tables = {name: [p["tables"] for p in each if p.get("tables")][-1][0] for name, each in parcels.items()}
    seen = {name: (each["mine"], each["turn"], each["waits"], each["others"]) for name, each in tables.items()}
    assert seen == {
        "Anna": (True, True, True, ["Bruno"]),
        "Bruno": (True, False, False, ["Anna"]),
        "Carla": (False, False, False, ["Anna", "Bruno"]),
    }
    assert "for Anna alone" in str(parcels["Anna"])
    assert "for Anna alone" not in str([parcels["Bruno"], parcels["Carla"]])


@pytest.mark.parametrize(("cached", "is_whole"), [(12, False), (11, True)])
async def test_late_tab_receives_all_messages(
    anna: Tab, bruno: Tab, monkeypatch: pytest.MonkeyPatch, cached: int, is_whole: bool
) -> None:
    monkeypatch.setattr(live, "RECENT_CHANGES", cached)
    since = (await bruno.listen())["change"]
    await present(bruno.socket).close()
    await anna.listen()
    for number in range(12):
        await anna.say(f"word {number}")
    await wait_for_message(anna, "word 11")
    news = await bruno.listen(since)
    assert [each["text"] for each in news["messages"]] == [f"word {number}" for number in range(12)]
    assert news.get("whole", False) is is_whole, "one that has missed too much begins anew"


async def test_tabs_are_limited_per_browser(anna: Tab, bruno: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_api, "MAX_STREAMS_PER_BROWSER", 2)
    more = [Tab(anna.browser, anna.me) for _ in range(2)]
    await anna.listen()
    await more[0].listen()
    with pytest.raises(AssertionError, match=WSMsgType.CLOSE.name):
        await more[1].listen()
    assert await more[1].closed() == listening.TOO_MANY_CLOSE_CODE
    assert (await bruno.listen())["whole"]
    assert anna.socket is not None
    # A tab that is closed says nothing, and its place is free nevertheless.
    monkeypatch.setattr(listening, "HEARTBEAT_SECONDS", 3600)
    drop(anna.socket)
    while True:  # until the server has noticed
        try:
            assert (await more[1].listen())["whole"]
            break
        except AssertionError:
            await asyncio.sleep(0)


async def test_quiet_stream_gives_signs_of_life(anna: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "HEARTBEAT_SECONDS", 0.01)
    await anna.listen()
    while await anna.hear():
        pass


async def test_page_without_a_stream_polls_for_the_same(anna: Tab, bruno: Tab, room: ChatRoom) -> None:
    whole = await anna.poll()
    assert [parcel["whole"] for parcel in whole if "whole" in parcel] == [True]
    since = max(parcel.get("change", 0) for parcel in whole)
    await bruno.say("hello")
    await room.send(await room.private_chat(bruno.me["user"]), make_card("for Bruno alone"), "private")
    news = await anna.poll(since)
    assert [each["text"] for parcel in news for each in parcel.get("messages", [])] == ["hello"]
    # Who polls is there, without coming and going.
    people = [each for parcel in news for each in parcel.get("people", [])]
    assert [each["here"] for each in people if each["person"] == anna.person] == [True]
    assert anna.person in room.here
    assert (await anna.browser.get(f"/api/live?as={bruno.me['user']}")).status == 403


async def test_a_poll_ends_where_the_database_does_not_answer(
    anna: Tab, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise Unavailable

    monkeypatch.setattr(live, "_DATABASE_RETRY_SECONDS", 0.0)
    monkeypatch.setattr(store.places, "members", fail)
    assert (await anna.browser.get(f"/api/live?as={anna.me['user']}")).status == 503
    monkeypatch.undo()
    assert [parcel["whole"] for parcel in await anna.poll() if "whole" in parcel] == [True]


class Slow(FakeFront):
    """Answers when it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may = asyncio.Event()
        self.begun = asyncio.Semaphore(0)
        self.under_way: list[str] = []
        self.most = 0

    async def typed_text(self, request: Request, text: str) -> Reply:
        """Answer a text."""
        self.under_way.append(request.user.name)
        self.most = max(self.most, self.under_way.count("Anna"))
        if text.startswith("/slow"):
            self.begun.release()
            await self.may.wait()
        self.under_way.remove(request.user.name)
        return await super().typed_text(request, text)


@pytest.fixture
def front() -> FakeFront:
    """What the server calls."""
    return Slow()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few requests of a browser in at a time."""
    monkeypatch.setattr(server, "MAX_CONCURRENT_PER_BROWSER", 2)
    monkeypatch.setattr(server, "MAX_QUEUED_PER_BROWSER", 3)


async def test_requests_at_once_are_limited(few: None, anna: Tab, bruno: Tab, front: Slow) -> None:
    asked = [asyncio.create_task(anna.say(f"/slow {number}")) for number in range(7)]
    done, waiting = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
    while len(done) < 2:
        more, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        done |= more
    assert {(each.result().status, each.result().refusal) for each in done} == {(429, "too-many-requests")}
    assert (await bruno.say("/games")).status == 200
    for _ in range(2):
        await front.begun.acquire()
    front.may.set()
    assert ({answer.status for answer in await asyncio.gather(*waiting)}, front.most) == ({200}, 2)
