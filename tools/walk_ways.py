"""Count what the ways that people wait for enter: python -m tools.walk_ways [--list WAY].

A half-made choice, a completed move, its delivery without the picture, a tick of the clocks, a step of a lesson, and
the entry into a cup.
"""

import argparse
import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path

from storage import Store
from tests.bot.party import SQUARE, Party, buttons, card
from tests.support.entered import Entered, noting_calls


async def _walk(awaitable: Awaitable[object]) -> Entered:
    with noting_calls(with_threads=True) as entered:
        await awaitable
    return entered


async def walk_ways(party: Party) -> AsyncIterator[tuple[str, Entered]]:
    """Yield each way by its name with what it enters."""
    await party.started(SQUARE)
    for _ in range(2):
        await party.play_first(party.code)
    mover = party.mover
    first = buttons(party.board.card)[0].press
    last = buttons(card(await party.press(mover, first)))[0].press
    yield "choice", await _walk(party.front.press(party.request(mover), first))
    yield "move", await _walk(party.front.press(party.request(mover), last))
    yield "delivery", await _walk(party.front.delivery.run_until_idle())
    party.clock.turn(days=9)
    yield "clocks", await _walk(party.front.alarms.tick())
    await party.say("anna", "/learn fagocitare")
    yield "lesson", await _walk(party.front.typed_text(party.request("anna"), "a4"))
    await party.say("anna", "/cup annuvin clock:1d")
    (cup, *_) = await party.store.competitions.list_ids(kind="cup")
    for person in ("bruno", "cora", "dora"):
        await party.say(person, f"/cup join:{cup}")
    yield "cup", await _walk(party.front.typed_text(party.request("anna"), f"/cup join:{cup}"))


async def main() -> None:
    """Print the counts of each way, and the functions of one that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", metavar="WAY", default="", help="the way whose functions are printed")
    listed = parser.parse_args().list
    names = list[str]()
    with tempfile.TemporaryDirectory() as folder:
        store = await Store.open(Path(folder) / "ways.db")
        async with Party(store) as party:
            async for name, entered in walk_ways(party):
                calls, functions, files, changes = entered.counts
                print(f"{name}: {calls} calls, {functions} functions, {files} files, {changes} changes of file")
                if name == listed:
                    print(entered)
                names.append(name)
        await store.close()
    if listed and listed not in names:
        parser.error(f"there is no way {listed!r}; there are {', '.join(names)}")


if __name__ == "__main__":
    asyncio.run(main())
