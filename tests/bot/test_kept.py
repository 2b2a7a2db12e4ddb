"""What is kept in memory has an end: what was used last stays, what was not is found out anew."""

from functools import partial
from itertools import count
from typing import Unpack

import pytest

from bot.kernel.advice import BackgroundWork
from bot.kernel.context import Source, SourceCache
from bot.kernel.pictures import Artist, BoardView
from bot.kernel.request_context import resolve_request
from bot.kernel.table import LineCache
from engine import State
from render import Drawing, DrawOptions
from storage import Store
from tests.bot.party import Party


async def test_lines_that_were_read_last_are_kept(party: Party) -> None:
    one, two, three = [await party.load_row(await party.started()) for _ in range(3)]
    cache = LineCache(most=2)
    cached = {row.id: cache.read(row) for row in (one, two)}
    assert cache.read(one) is cached[one.id]
    cache.read(three)
    assert cache.read(one) is cached[one.id]
    assert cache.read(two) is not cached[two.id]
    assert cache.read(two) == cached[two.id]


async def test_results_of_the_latest_searches_are_cached() -> None:
    errands: BackgroundWork[int] = BackgroundWork(most=2)
    numbers = count()

    async def work() -> int:
        return next(numbers)

    found = [await errands.result(key, key, 1, work, 60) for key in ("a", "b", "a", "c", "a", "b")]
    assert found == [0, 1, 0, 2, 0, 3]


async def test_sources_used_last_are_kept_until_a_person_changes(party: Party) -> None:
    cache, asked = SourceCache(party.store, most=2), list[int]()
    requester = await resolve_request(party.front.context, party.request("anna"))

    async def ask(number: int) -> Source:
        asked.append(number)
        return requester.person, requester.place

    for number in (1, 2, 1, 3, 1, 2):
        await cache.read(number, partial(ask, number))
    assert asked == [1, 2, 3, 2]
    await party.store.people.change_settings(requester.id, {"theme": "dark"})
    await cache.read(2, partial(ask, 2))
    await cache.read(2, partial(ask, 2))
    assert asked == [1, 2, 3, 2, 2]


async def test_the_newest_pictures_are_kept(party: Party) -> None:
    await party.started()
    drawn: list[str] = []

    async def draw(state: State, **options: Unpack[DrawOptions]) -> Drawing:
        drawn.append(options["theme"])
        return Drawing(b"\x89PNG", (1, 1), {})

    artist, speaker = Artist(draw, most=2), party.front.context.speaker("en")
    table = await party.table(party.code)
    for theme in ("light", "dark", "light", "dark", "contrast", "dark", "light"):
        assert await artist.picture(table, speaker, BoardView(theme=theme)) is not None
    assert drawn == ["light", "dark", "contrast", "light"]


@pytest.mark.parametrize("most", [1, 2])
async def test_newest_answers_are_remembered(store: Store, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr("bot.platforms.app.ANSWER_CACHE_BYTES", most * 4096)
    party = Party(store)
    first, _, again = [
        await party.front.command(party.request("anna", event=event), "help", {})
        for event in ("first", "second", "first")
    ]
    assert again == first
    assert (again is first) is (most == 2)
    await party.front.close()
