"""Who has left the page or their app in a live game: told to the others after a while, and never wrongly."""

import asyncio
from contextlib import ExitStack
from typing import Any

import pytest

from bot.kernel.operations.listening import ABSENT_SECONDS, AWAY_SECONDS, PRESENCE_NEWS, Absence, Presence
from storage import News, Store
from tests.apps.conftest import open_apps
from tests.apps.hosts import App, Apps

LIVE = "/play annuvin clock:15+10"


class People:
    """Presence with a time that tests turn, and whom it has announced."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.presence = Presence(clock=lambda: self.seconds)
        self.announced: list[int] = []
        self.presence.add_listener(self.announced.append)


async def test_absence_begins_with_the_last_stream_and_whoever_comes_back_in_time_was_never_away() -> None:
    people = People()
    assert people.presence.absence(1) == Absence.NONE
    with people.presence.open(1):
        with people.presence.open(1):
            pass
        people.seconds += 1000
        assert people.presence.absence(1) == Absence.NONE
    people.seconds += AWAY_SECONDS - 1
    assert people.presence.absence(1) == Absence.NONE
    with people.presence.open(1):
        assert people.presence.absence(1) == Absence.NONE
    assert people.announced == []
    people.seconds += AWAY_SECONDS
    assert people.presence.list_absences([2, 1, None]) == [(1, Absence.SHORT)]
    people.seconds += ABSENT_SECONDS - AWAY_SECONDS
    assert people.presence.list_absences([2, 1, None]) == [(1, Absence.LONG)]
    people.presence.note_return(1)
    assert people.presence.list_absences([2, 1, None]) == []
    assert people.announced == [1]


async def test_whoever_polls_is_there() -> None:
    people = People()
    for _ in range(100):
        people.presence.note_leaving(1)
        people.seconds += AWAY_SECONDS - 1
        assert people.presence.absence(1) == Absence.NONE
    people.seconds += 1
    assert people.presence.absence(1) == Absence.SHORT


async def open_both(apps: Apps, play: str = LIVE) -> tuple[str, App, App]:
    """Have a game begin whose players open the app; return its code, and the apps of who waits and who is to move."""
    code = await apps.game("Anna", "Bruno", play=play)
    table = await apps.front.context.table(code)
    opened = [await apps.opens(table.names[seat]) for seat in (0, 1)]
    return code, opened[1 - (table.mover or 0)], opened[table.mover or 0]


async def test_app_shows_who_has_left_and_offers_the_claim(apps: Apps) -> None:
    code, here, there = await open_both(apps)
    seat, mover = (await apps.front.context.table(code)).mover, there.data["me"]["name"]
    leaving = await there.listens(code)
    stream = await here.listens(code)
    person = there.data["me"]["person"]
    await leaving.close()
    async with asyncio.timeout(60):
        # The server notices it before long.
        while apps.front.presence.absence(person) == Absence.NONE:
            apps.clock.turn(seconds=AWAY_SECONDS)
            await here.board(code)
    apps.front.presence.announce(person)
    async with asyncio.timeout(60):
        while (await stream.receive_json()).get("games") != [{"code": code}]:
            pass
    board = await here.board(code)
    assert board["clocks"]["away"] == [seat]
    assert f"{mover} has left the page or the app." in "".join(span["text"] for span in board["card"]["text"])
    (polled,) = (await here.get(f"live?game={code}")).data[0]["games"]
    assert polled["away"] == [[seat, 1]]
    apps.clock.turn(seconds=ABSENT_SECONDS - AWAY_SECONDS)
    board = await here.board(code)
    claim = board["card"]["rows"][0][0]
    assert claim["label"] == "Claim a draw"
    await here.post("press", press=claim["press"])
    assert (await here.board(code))["table"]["status"] == "over"


async def test_whoever_acts_in_the_chat_is_not_away(apps: Apps) -> None:
    code, here, there = await open_both(apps)
    with apps.front.presence.open(there.data["me"]["person"]):
        pass
    apps.clock.turn(seconds=ABSENT_SECONDS)
    assert (await here.board(code))["clocks"]["away"] != []
    await apps.says(there.data["me"]["name"], "/games")
    assert (await here.board(code))["clocks"]["away"] == []


async def test_nobody_is_away_whose_stream_is_at_another_process(two_stores: tuple[Store, Store]) -> None:
    async with open_apps(two_stores[0]) as one, open_apps(two_stores[1]) as other:
        person = (await one.opens("Anna")).data["me"]["person"]
        here, there = one.front.presence, other.front.presence
        received: asyncio.Queue[Any] = asyncio.Queue()
        one.store.add_listener(received.put_nowait, {PRESENCE_NEWS})
        with ExitStack() as stack:
            with here.open(person):
                stack.enter_context(there.open(person))
            # The stream here is gone, but there is one at the other process.
            await receive(received, person, is_here=True)
            one.clock.turn(seconds=ABSENT_SECONDS)
            assert here.absence(person) == Absence.NONE
        await receive(received, person, is_here=False)
        one.clock.turn(seconds=ABSENT_SECONDS)
        assert here.absence(person) == Absence.LONG


async def receive(received: asyncio.Queue[Any], person: int, *, is_here: bool) -> None:
    """Wait until another process has told whether somebody has a stream there."""
    async with asyncio.timeout(60):
        while await received.get() != News(PRESENCE_NEWS, [person, is_here], is_remote=True):
            pass


@pytest.mark.parametrize("line", ["/play annuvin", "/play annuvin clock:3d"])
async def test_in_a_slow_game_nobody_is_told(apps: Apps, line: str) -> None:
    code, here, there = await open_both(apps, line)
    with apps.front.presence.open(there.data["me"]["person"]):
        pass
    apps.clock.turn(seconds=ABSENT_SECONDS)
    board = await here.board(code)
    assert "away" not in board["table"]
    assert (board["clocks"] or {"away": []})["away"] == []
    rows = [row for row in board["card"]["rows"] if isinstance(row, list)]
    assert not any(each["press"].startswith("claim") for row in rows for each in row)
