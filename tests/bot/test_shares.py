"""What one person may have of what all share: computers to play against, and films one after the other."""

import asyncio

import pytest

from bot.kernel import context as core_context
from bot.kernel.context import make_person_queue
from bot.kernel.requests import Reply
from render.pool import Show
from storage import Store
from tests.bot.computers import SQUARE
from tests.bot.party import Party, words


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "You already have 2 games against computers"), ("it", "Hai già 2 partite in corso contro i computer")],
)
async def test_computer_games_are_limited_per_person(store: Store, language: str, said: str) -> None:
    party = Party(store)
    party.thinking = False
    party.front.context.most_computer_games = 2
    for _ in range(2):
        await party.say("anna", SQUARE)
    codes = {brief.id for brief in await store.games.list_for_person(await party.id_of("anna"))}
    assert len(codes) == 2
    await party.say("anna", f"/settings language:{language}")
    assert said in words(await party.say("anna", SQUARE))
    # Others may, and she may play against people, but not add a computer there.
    await party.say("bruno", SQUARE)
    await party.say("anna", "/play uomo-nero seats:3")
    code = party.code
    assert code not in codes
    assert said in words(await party.press("anna", f"robot:{code}:1=3"))
    await party.resign("anna", codes.pop())
    assert said not in words(await party.press("anna", f"robot:{code}:1=3"))


class Cinema:
    """Begins to animate, and ends when it may."""

    def __init__(self) -> None:
        self.may = asyncio.Event()
        self.started = asyncio.Semaphore(0)

    async def __call__(self, *_: object, **__: object) -> Show:
        self.started.release()
        await self.may.wait()
        raise RuntimeError("no film today")


async def test_waiting_animations_are_limited_per_person(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_context, "MAX_WAITING_PER_PERSON", 0)
    cinema = Cinema()
    party = Party(store, animate=cinema)
    code = await party.started("/play annuvin @bruno board:square")
    await party.say(party.mover, "a1-a2")
    await party.resign("bruno", code)

    def replay(name: str) -> asyncio.Task[Reply]:
        return asyncio.create_task(party.front.typed_text(party.request(name), f"/replay {code}"))

    mine = replay("anna")
    await cinema.started.acquire()
    assert "They come one after the other" in words(await replay("anna"))
    other = replay("bruno")
    await cinema.started.acquire()
    cinema.may.set()
    assert all(code in words(reply) for reply in await asyncio.gather(mine, other))


async def test_the_pieces_of_one_person_come_one_after_the_other() -> None:
    queue, order = make_person_queue(), list[str]()
    may = {name: asyncio.Event() for name in ("first", "second", "other")}

    async def piece(person: int, name: str) -> None:
        async with queue.turn(person):
            order.append(f"{name} begun")
            await may[name].wait()
            order.append(f"{name} done")

    tasks = [asyncio.create_task(piece(*each)) for each in ((1, "first"), (1, "second"), (2, "other"))]
    may["second"].set()
    may["other"].set()
    await tasks[2]
    assert order == ["first begun", "other begun", "other done"]
    may["first"].set()
    await asyncio.gather(*tasks)
    assert order[3:] == ["first done", "second begun", "second done"]
