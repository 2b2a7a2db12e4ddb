"""What is the same for all is made once, and what is drawn has its limits."""

import asyncio
from contextlib import AbstractAsyncContextManager

import pytest

from bot.platforms.public.answers import NothingToShow, SharedAnswers
from bot.platforms.public.pages import MAX_FILMS_AT_ONCE, Drawings
from tests.public.world import World

LONG = 10.0**9


async def test_a_thousand_readers_cost_one_answer() -> None:
    answers, made, go_on = SharedAnswers(LONG), list[int](), asyncio.Event()

    async def make() -> bytes:
        made.append(1)
        await go_on.wait()
        return b"x"

    readers = [asyncio.create_task(answers.get("a", make)) for _ in range(1000)]
    await asyncio.sleep(0)
    readers[0].cancel()
    go_on.set()
    found = await asyncio.gather(*readers, return_exceptions=True)
    assert isinstance(found[0], asyncio.CancelledError)
    assert set(found[1:]) == {b"x"}, "who gives up takes it from nobody"
    assert (await answers.get("a", make), len(made), await answers.get("b", make)) == (b"x", 1, b"x")
    assert len(made) == 2


async def test_failed_answers_are_not_cached() -> None:
    answers, tries = SharedAnswers(LONG), list[int]()

    async def fail() -> bytes:
        tries.append(1)
        raise NothingToShow("gone")

    found = await asyncio.gather(*(answers.get("a", fail) for _ in range(5)), return_exceptions=True)
    assert all(isinstance(each, NothingToShow) for each in found)
    assert len(tries) == 1
    with pytest.raises(NothingToShow):
        await answers.get("a", fail)
    assert len(tries) == 2


async def test_the_world_has_one_place_in_the_queue_of_films_and_no_more_wait_than_its_limit(
    world: World, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.move()
    filming, go_on, most = list[int](), asyncio.Event(), list[int]()
    artist = world.party.front.context.artist
    show = artist.show

    async def slow(*given: object, **named: object) -> object:
        filming.append(1)
        most.append(len(filming))
        await go_on.wait()
        try:
            return await show(*given, **named)  # type: ignore[arg-type]
        finally:
            filming.pop()

    monkeypatch.setattr(artist, "show", slow)
    get = Drawings.get
    limited = Drawings(at_once=MAX_FILMS_AT_ONCE, waiting=1)
    take_turn, asked, both_inside = limited._limit.turn, list[int](), asyncio.Event()

    def turn() -> AbstractAsyncContextManager[bool]:
        asked.append(1)
        if len(asked) == 2:
            both_inside.set()
        return take_turn()

    monkeypatch.setattr(limited._limit, "turn", turn)
    monkeypatch.setattr(Drawings, "get", lambda _, key, draw: get(limited, key, draw))
    paths = [f"/g/{page}/film.gif?theme={theme}" for theme in ("light", "dark")]
    waiting = [asyncio.create_task(world.get(path)) for path in paths for _ in range(5)]
    async with asyncio.timeout(60):
        await both_inside.wait()
        refused = await world.get(f"/g/{page}/film.gif?theme=contrast")
        assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
        go_on.set()
        assert {each.status for each in await asyncio.gather(*waiting)} == {200}
    assert (max(most), (await world.get(f"/g/{page}/film.gif?theme=contrast")).status) == (1, 200)
