"""A program that a test runs with a game's package on the path: `begin` leaves games behind, `go_on` ends them.

What it has seen goes to the output as JSON.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from bot.kernel.requests import Place
from bot.thinking.thinkers import SearchPool
from render.pool import Painter
from storage import Store
from tests.bot.party import Party, button, card, words
from tests.support.present import present

ALONE = Place("web", "anna", kind="private")


def later(people: Party, hour: int) -> Party:
    """Return a party as it comes together at a later hour: nothing that it does is taken for what was done before."""
    people.numbers = people.adapter.sent = 1000 * hour
    return people


async def begin(store: Store, painter: Painter) -> dict[str, Any]:
    """Leave a game over, one going on with a clock, one against a computer, one that nobody has joined yet."""
    people = Party(store, draw=painter.draw, thinkers=SearchPool(1))
    over = await people.started("/play dwindle @bruno size:5")
    while (await row(store, over)).status == "playing":
        await people.say(people.mover, f"/move {(await row(store, over)).position['stones'][0]} game:{over}")
    picture = present(people.newest.card.picture)
    clocked = await people.started("/play dwindle @bruno clock:1h size:9")
    await people.say(people.mover, f"/move a1 game:{clocked}")
    await people.say("anna", "/play dwindle")
    lobby = people.code
    people.thinking = False
    await people.say("anna", "/play dwindle computer:1 size:9", place=ALONE)
    computer = people.code
    if (await row(store, computer)).to_move is not None:
        await people.say("anna", f"/move a1 game:{computer}", place=ALONE)
    waiting = await row(store, computer)
    await people.front.close()
    return {
        "over": over,
        "clocked": clocked,
        "lobby": lobby,
        "computer": computer,
        "thinking": waiting.thinking,
        "turn": waiting.turn,
        "picture": len(picture.png),
        "alt": picture.alt,
        "deadline": (await row(store, clocked)).deadline.isoformat(),
    }


async def go_on(store: Store, painter: Painter, known: dict[str, Any]) -> dict[str, Any]:
    """Play all that was left behind to its end, as the program comes up again after so many hours."""
    people = later(Party(store, draw=painter.draw, thinkers=SearchPool(1)), 2)
    people.clock.turn(hours=known["hours"])
    await people.front.alarms.tick()
    await people.settle()
    left = (await row(store, known["clocked"])).deadline - people.clock()
    solved = await row(store, known["computer"])
    while (now := await row(store, known["clocked"])).status == "playing":
        mover = (await store.people.get_many([now.to_move]))[now.to_move].name.lower()
        await people.say(mover, f"/move {now.position['stones'][0]} game:{known['clocked']}")
    replay = await people.say("anna", f"/replay code:{known['over']}")
    record = card(await people.say("anna", f"/export code:{known['clocked']}")).file
    resigned = card(await people.say("anna", f"/resign game:{known['computer']}", place=ALONE))
    await people.press("anna", button(resigned, "resign!"), place=ALONE)
    ended = await row(store, known["computer"])
    await people.front.close()
    return {
        "left": left.total_seconds(),
        "computer moved": not solved.thinking and solved.turn == known["turn"] + 1,
        "clocked": (now.status, now.outcome),
        "computer": ended.status,
        "replay": words(replay),
        "record": present(record).content.decode(),
    }


async def row(store: Store, code: str) -> Any:
    return await store.games.get(code)


async def main() -> None:
    """Do what the arguments say: `begin DATABASE`, or `go_on DATABASE WHAT-BEGIN-PRINTED`."""
    what, database = sys.argv[1], Path(sys.argv[2])
    async with await Store.open(database) as store, Painter() as painter:
        found = await (begin(store, painter) if what == "begin" else go_on(store, painter, json.loads(sys.argv[3])))
    print(json.dumps(found))


if __name__ == "__main__":
    asyncio.run(main())
