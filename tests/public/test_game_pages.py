"""The page of a game, as the world reads it."""

import asyncio
import re

from engine.record import Record
from tests.public.world import World
from tests.support.comparing import missing_from
from tests.support.present import present


async def test_the_page_tells_a_game_turn_by_turn(world: World, page: str) -> None:
    await world.move()
    await world.move()
    text = (await world.get(f"/g/{page}")).text
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
    assert (await world.get(f"/g/{page}?turn=3")).status == 404
    assert (await world.get(f"/g/{page}?turn=-1")).status == 400
    assert (await world.get(f"/g/{page}/board.png?theme=pink")).status == 400
    assert missing_from((await world.get(f"/g/{page}?lang=it")).text, 'lang="it"', "Tutti i turni") == []


async def test_unchanged_pages_return_not_modified(world: World, page: str) -> None:
    for path in (f"/g/{page}", f"/g/{page}/board.png", "/shown/pages.css"):
        again = await world.get(path, If_None_Match=(await world.get(path)).headers["ETag"])
        assert (again.status, again.body) == (304, b""), path
    before = await world.get(f"/g/{page}")
    await world.move()
    assert (await world.get(f"/g/{page}", If_None_Match=before.headers["ETag"])).status == 200


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
    running = await world.get(f"/g/{page}/record.txt")
    assert world.party.code not in running.text
    assert "Seed:" not in running.text
    assert Record.from_text(running.text).seed is None
    await world.resign()
    over = Record.from_text((await world.get(f"/g/{page}/record.txt")).text)
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


async def test_a_hundred_readers_cost_one_drawing(world: World, page: str) -> None:
    painted = 0
    draw = present(world.party.front.context.artist._draw)

    async def counting(*given: object, **named: object) -> object:
        nonlocal painted
        painted += 1
        return await draw(*given, **named)  # type: ignore[arg-type]

    world.party.front.context.artist._draw = counting  # type: ignore[assignment]
    path = f"/g/{page}/board.png?theme=contrast"
    for _ in range(2):
        seen = await asyncio.gather(*(world.get(path) for _ in range(50)))
        assert {each.status for each in seen} == {200}
    assert painted == 1


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
