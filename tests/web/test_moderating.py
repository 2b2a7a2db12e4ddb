"""Keeping the page in order: who is muted, shown out or banned, by what, for how long, and what is left alone."""

from collections.abc import Coroutine
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.kernel.features import load_presses
from bot.kernel.texts import Texts
from bot.platforms.web.api import Api
from bot.platforms.web.boards import Boards
from bot.platforms.web.plain_sheet import SHEET_PATH, PlainSheet
from bot.platforms.web.room import ChatRoom
from storage import GameChange, NewEvent, Store, utc_now
from tests.bot.party import Clock
from tests.web.browser import Answer, Browser, Tab
from tests.web.hall import Hall, read_status

NO = "Only those who manage this room can do that"
KINDS = ("mute", "kick", "ban")


@pytest.fixture
async def eve(hall: Hall) -> Tab:
    """Eve, who manages the room."""
    await hall.eve.browser.manage(hall.secret())
    return hall.eve


OPEN_TO_ALL = {
    "/api/hello",
    "/api/manage",
    "/glimpses/{game}-{theme:[a-z]+}.webp",
    "/puzzles/{day}-{theme:[a-z]+}.webp",
}
"""Routes that show a banned browser why it is out, ask for the manager's secret, or are the same for everybody."""


class _WithoutProgram(Api):
    """The routes alone."""

    def __init__(self) -> None:
        self._plain = PlainSheet.__new__(PlainSheet)
        self._boards = Boards.__new__(Boards)


async def asked(browser: Browser, tab: Tab, hall: Hall) -> list[Answer]:
    """Return the answers to all that a name may ask of the page, by every route."""
    as_ = tab.me["user"]
    key = (await hall.anna.send("/api/key")).data["key"]
    seen = f"as={as_}&game={hall.code}"
    attempts: dict[str, list[Coroutine[Any, Any, Answer]]] = {
        "/api/say": [tab.say("hello"), tab.say(f"/move b1-b2 game:{hall.code}"), tab.say(f"/board game:{hall.code}")],
        "/api/press": [
            tab.press(1, f"resign!:{hall.code}:9"),
            *(tab.send("/api/press", press=f"{deed}:{hall.code}:1") for deed in load_presses()),
        ],
        "/api/begin": [tab.send("/api/begin", game=hall.code)],
        "/api/dismiss": [tab.send("/api/dismiss", message=1)],
        "/api/cell": [tab.send("/api/cell", cell="b1", open={"game": hall.code})],
        "/api/form": [tab.send("/api/form", message=1, press="settings=x", values={})],
        "/api/complete": [tab.send("/api/complete", text="/", cursor=1)],
        "/api/key": [tab.send("/api/key")],
        SHEET_PATH: [browser.get(f"{SHEET_PATH}?as={as_}")],
        "/api/live": [browser.get(f"/api/live?as={as_}")],
        "/api/messages": [browser.get(f"/api/messages?as={as_}&before=9")],
        "/api/board": [browser.get(f"/api/board?{seen}"), browser.get(f"/api/board?{seen}&turn=0")],
        "/api/words": [browser.get(f"/api/words?{seen}&message=1")],
        "/api/turns": [browser.get(f"/api/turns?{seen}")],
        "/small/{game}.webp": [browser.get(f"/small/{hall.code}.webp?{seen}")],
        "/boards/{digest:[0-9a-f]{32}}.png": [browser.get(f"/boards/{'0' * 32}.png?{seen}")],
        "/files/{message}/{name}": [browser.get("/files/1/x")],
        "/pictures/{message}/{digest}.{kind:png|gif}": [browser.get("/pictures/1/x.png")],
        "/api/names": [browser.post("/api/names", {"name": each}) for each in ("Quite another", "Bruno")],
        "/api/return": [browser.post("/api/return", {"key": key})],
    }
    routes = {route.path for route in _WithoutProgram().routes()}
    assert routes == {*attempts, *OPEN_TO_ALL}, "say what a new route does for those who were thrown out"
    return [await attempt for found in attempts.values() for attempt in found]


async def test_only_the_manager_moderates(hall: Hall) -> None:
    for kind in KINDS:
        for line in (f"/{kind} @Anna", f"/{kind}"):
            await hall.bruno.say(line)
            assert NO in await read_status(hall.bruno)
        assert (await hall.bruno.send("/api/complete", text=f"/{kind}", cursor=5)).data["items"] == []
    assert await hall.store.bans.list_in_place((await hall.place()).id, utc_now()) == []


@pytest.mark.parametrize("language", ["en", "it"])
async def test_banned_browser_is_told_why_under_every_name(hall: Hall, eve: Tab, language: str, texts: Texts) -> None:
    await hall.bruno.listen()
    before = await hall.game()
    await eve.say("/ban @Bruno" if language == "en" else "/bandisci @Bruno", language=language)
    assert ("is out" if language == "en" else "è fuori") in await read_status(eve)
    assert await hall.bruno.closed() == 4001, "its streams are closed"
    names = await hall.store.people.identities_with_prefix("web", "")
    messages = await hall.store.room.list_messages(None)
    # Nothing that is asked for depends on the manager's language.
    for tab in (hall.bruno, hall.again) if language == "en" else (hall.again,):
        for answer in await asked(hall.bruno.browser, tab, hall):
            assert (answer.status, answer.refusal) == (403, "ban")
    assert await hall.store.people.identities_with_prefix("web", "") == names
    assert (await hall.store.room.list_messages(None), await hall.game()) == (messages, before)
    hello = (await hall.bruno.browser.get(f"/api/hello?language={language}")).data
    assert hello["out"] == {"code": "ban", "params": {}}
    assert "error.ban" in hello["words"]
    for tab in (hall.anna, hall.eve):
        assert (await tab.browser.get("/api/hello")).data["out"] is None
        assert (await tab.say("hello")).status == 200
    await eve.say('/ban @"Bruno again"')
    assert "Bruno again may come in again" in await read_status(eve), "another name of that browser does it as well"
    assert (await hall.bruno.say("hello")).status == 200
    assert (await hall.bruno.browser.get("/api/hello")).data["out"] is None


async def test_a_banned_name_does_not_come_back_elsewhere_by_its_key(hall: Hall, eve: Tab) -> None:
    key = (await hall.bruno.send("/api/key")).data["key"]
    await eve.say("/ban @Bruno")
    async with Browser(hall.anna.browser.address) as other:
        answer = await other.post("/api/return", {"key": key})
        assert (answer.status, answer.refusal) == (403, "ban")
        assert "Set-Cookie" not in answer.headers
    assert len(await hall.store.people.identities_with_prefix("web", hall.bruno.me["user"].partition(".")[0])) == 2


async def test_kick_ends_after_its_time(hall: Hall, eve: Tab, room: ChatRoom) -> None:
    await eve.say("/kick @Bruno")
    assert "for 15 minutes" in await read_status(eve)
    answer = await hall.bruno.say("hello")
    assert (answer.refusal, answer.data["error"]["params"]) == ("kick", {"minutes": 15})
    await eve.say("/kick")
    assert "Out for a while: Bruno." in await read_status(eve)
    later = Clock()
    later.now = utc_now() + timedelta(minutes=16)
    room.clock = later
    assert (await hall.bruno.say("hello")).status == 200


async def test_muted_person_can_play_and_read_but_not_talk(hall: Hall, eve: Tab) -> None:
    await eve.say("/mute @Bruno")
    before = await hall.store.room.list_messages(None)
    for tab in (hall.bruno, hall.again):
        for text in ("hello", "b1-b2 or what?"):
            answer = await tab.say(text, talk=True)
            assert (answer.status, answer.refusal) == (403, "mute")
    assert await hall.store.room.list_messages(None) == before
    await hall.bruno.say("/leaderboard annuvin")
    assert "leaderboard" not in str([each.get("used") for each in await hall.anna.sees()]), "nor what was typed"
    for _ in range(2):
        mover, move = await hall.mover()
        assert (await mover.say(move)).data["played"] is True
    await eve.say("/mute @Bruno")
    assert (await hall.bruno.say("hello")).status == 200


@pytest.mark.parametrize("kind", KINDS)
async def test_ban_lists_are_separate_and_invalid_targets_change_nothing(hall: Hall, eve: Tab, kind: str) -> None:
    await eve.say(f"/{kind}")
    assert (await read_status(eve)).startswith(("Nobody", "Everybody"))
    for line in (f"/{kind} @Eve", f"/{kind} @Bruno @Nobody", f"/{kind} @Bruno @Eve"):
        await eve.say(line)
        assert await hall.store.bans.list_in_place((await hall.place()).id, utc_now()) == []
    await eve.say(f"/{kind} @Anna @Bruno")
    for other in KINDS:
        await eve.say(f"/{other}")
        assert ("Anna and Bruno" in await read_status(eve)) is (other == kind)


async def test_ban_does_not_keep_a_manager_out(hall: Hall, eve: Tab) -> None:
    await hall.anna.browser.manage(hall.secret())
    await eve.say("/ban @Anna")
    assert (await hall.anna.say("/ban @Anna")).status == 200, "but oneself one cannot"
    await hall.anna.say("/ban")
    assert "Kept out of this room: Anna." in await read_status(hall.anna)


async def test_ban_keeps_running_games_and_closes_lobbies(hall: Hall, eve: Tab) -> None:
    known = {game.id for game in await hall.store.games.list_in_place((await hall.place()).id)}
    await hall.again.say("/play annuvin")
    await hall.anna.say('/play annuvin @"Bruno again"')
    await hall.anna.say("/play uomo-nero seats:3")
    await hall.settled()
    await hall.press_newest(hall.again, "join:")
    lobbies = {game.id for game in await hall.store.games.list_in_place((await hall.place()).id)} - known
    running = await hall.game()
    await eve.say("/ban @Bruno")
    assert await hall.game() == running
    rows = [await hall.store.games.get(code) for code in lobbies]
    assert sorted(row.status for row in rows if row) == ["lobby", "over", "over"]
    left = {seat.person for row in rows if row and row.status == "lobby" for seat in row.seats}
    assert left == {hall.anna.person, None}


@pytest.mark.parametrize("barred", [True, False])
async def test_timeouts_of_banned_players_are_not_rated(hall: Hall, eve: Tab, store: Store, barred: bool) -> None:
    row, (mover, _) = await hall.game(), await hall.mover()
    past = utc_now() - timedelta(minutes=1)
    late = replace(row, terms=replace(row.terms, clock=3600), deadline=past, alarm_at=past)
    await store.games.commit(GameChange(game=late, events=(NewEvent("reminder"),), at=past))
    if barred:
        await eve.say(f"/ban @{mover.me['name']}")
    await hall.front.alarms.tick()
    over = await hall.game()
    assert (over.status, over.progress.uncounted) == ("over", "kept-out" if barred else None)
    assert [result.rated for result in await store.games.results_of(hall.code)] == [not barred] * 2
