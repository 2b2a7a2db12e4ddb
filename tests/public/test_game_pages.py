"""The page of a game, as the world reads it, and the streams by which it is followed."""

import asyncio
import re

import pytest

from bot.kernel.operations import listening
from bot.platforms.public.streams import MAX_STREAMS_PER_ADDRESS
from engine.record import Record
from tests.public.world import API, PROXIED, World
from tests.support.comparing import missing_from


async def test_the_page_tells_a_game_turn_by_turn(world: World, page: str) -> None:
    begun = await world.get(f"/g/{page}")
    await world.move()
    await world.move()
    changed = await world.get(f"/g/{page}", If_None_Match=begun.headers["ETag"])
    assert changed.status == 200
    text = changed.text
    assert missing_from(text, "<h1>Annuvin: ", "Anna") == []
    assert re.search(r"It is <b>\w+</b>&#39;s turn\.", text)
    assert world.party.code not in text, "never the code that joins"
    for turn in range(3):
        seen = await world.get(f"/g/{page}?turn={turn}")
        assert seen.status == 200
        assert f"/g/{page}/turns/{turn}.png" in seen.text or turn == 2
        picture = await world.get(f"/g/{page}/turns/{turn}.png?theme=dark")
        assert (picture.status, picture.headers["Content-Type"]) == (200, "image/png")
        assert picture.body.startswith(b"\x89PNG")
    for path in (f"/g/{page}", f"/g/{page}/board.png", "/shown/pages.css"):
        again = await world.get(path, If_None_Match=(await world.get(path)).headers["ETag"])
        assert (again.status, again.body) == (304, b""), path
    assert (await world.get(f"/g/{page}?turn=3")).status == 404
    assert (await world.get(f"/g/{page}?turn=-1")).status == 400
    assert (await world.get(f"/g/{page}/board.png?theme=pink")).status == 400
    assert missing_from((await world.get(f"/g/{page}?lang=it")).text, 'lang="it"', "Tutti i turni") == []


async def test_pictures_load_across_origins_and_writes_are_refused(world: World, page: str) -> None:
    foreign = {"Origin": "https://elsewhere.example", "Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"}
    seen = await world.get(f"/g/{page}/board.png", **foreign)
    assert (seen.status, seen.headers["Cross-Origin-Resource-Policy"]) == (200, "cross-origin")
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert (await world.get(f"/g/{page}", method)).status == 405
    assert (await world.get("/api/me", **foreign)).status == 403, "the room is not public"
    assert (await world.get(f"/g/{page}", Host="evil.example")).status == 421


async def test_the_record_of_a_game_that_goes_on_leads_nowhere_and_that_of_one_that_is_over_can_be_verified(
    world: World,
) -> None:
    page = await world.shown_game("/play vedova-nera @bruno")
    await world.move()
    paths = (f"/g/{page}/record.txt", f"{API}/games/{page}/record")
    for path in paths:
        running = await world.get(path)
        assert [words in running.text for words in (world.party.code, "Seed:")] == [False, False]
        assert Record.from_text(running.text).seed is None
    await world.resign()
    for path in paths:
        over = Record.from_text((await world.get(path)).text)
        assert over.seed is not None
        assert over.game_id == world.party.code


async def test_names_are_never_markup(world: World) -> None:
    await world.allow()
    await world.party.store.people.identify("web", "anna", "<script>alert(1)</script>")
    page = await world.shown_game()
    await world.party.store.people.identify("web", "anna", "<img src=x>")
    text = (await world.get(f"/g/{page}")).text
    assert "<img src=x>" not in text
    assert "<script>alert" not in text


async def test_a_game_is_followed_live_until_it_is_over(world: World, page: str) -> None:
    async with asyncio.timeout(60), world.session.get(f"{world.address}/g/{page}/live") as stream:
        assert stream.content_type == "text/event-stream"
        first = await next_event(stream.content)
        assert first["event"] == "game"
        await world.move()
        assert int((await next_event(stream.content))["id"]) > int(first["id"])
        await world.resign()
        last = await next_event(stream.content)
        while '"over"' not in last["data"]:
            last = await next_event(stream.content)
        assert await stream.content.read() == b""
    again = await world.get(f"/g/{page}/live", Last_Event_ID=last["id"])
    assert again.status == 204, "a browser does not ask again"


async def test_a_stream_ends_when_the_game_is_taken_back(world: World, page: str) -> None:
    async with asyncio.timeout(60), world.session.get(f"{world.address}/g/{page}/live") as stream:
        await next_event(stream.content)
        await world.allow("off")
        assert (await next_event(stream.content))["event"] == "gone"


async def next_event(content: asyncio.StreamReader | object) -> dict[str, str]:
    """Return the next event of a stream by its fields."""
    found: dict[str, str] = {}
    while True:
        line = (await content.readline()).decode().rstrip("\n")  # type: ignore[union-attr]
        if not line and "event" in found:
            return found
        name, _, value = line.partition(": ")
        if name in ("event", "id", "data"):
            found[name] = value


@PROXIED
async def test_closed_streams_give_their_places_back(world: World, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "HEARTBEAT_SECONDS", 3600)
    from_one = {"X-Forwarded-For": "198.51.100.7"}
    for path in (f"/g/{page}/live", f"{API}/games/{page}/stream"):
        opened = []
        for _ in range(MAX_STREAMS_PER_ADDRESS):
            opened.append(await world.session.get(world.address + path, headers=from_one))
            assert (await next_event(opened[-1].content))["event"] == "game"
        assert (await world.get(path, **from_one)).status == 503
        for stream in opened:
            stream.close()
        async with asyncio.timeout(60):
            for _ in range(MAX_STREAMS_PER_ADDRESS):
                # Until the server has noticed; who asks without end is told to slow down.
                while (again := await world.session.get(world.address + path, headers=from_one)).status != 200:
                    assert again.status == 503
                assert (await next_event(again.content))["event"] == "game"
                opened.append(again)
        for stream in opened:
            stream.close()
            await stream.wait_for_close()


async def test_quiet_stream_gives_signs_of_life(world: World, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "HEARTBEAT_SECONDS", 0.01)
    for path in (f"/g/{page}/live", f"{API}/games/{page}/stream"):
        async with asyncio.timeout(60), world.session.get(world.address + path) as stream:
            assert [(await next_event(stream.content))["event"] for _ in range(3)] == ["game", *["heartbeat"] * 2]
