"""The world looks at one game: pages, boards, previews and JSON a second, next to a file that does not change.

The server runs in a process of its own, the readers in this one, each asking again as soon as it is answered: only the
ratio to the file means anything. The first answer to each, which is made for all, is not counted. What is drawn is: a
thousand readers of one page cost one drawing.
"""

import argparse
import asyncio
import multiprocessing
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

import aiohttp

from bot.platforms.public import api, site
from bot.platforms.web.request_guard import DIRECT_ADDRESSES
from bot.platforms.web.room import ChatRoom
from bot.platforms.web.server import public_mounts, start_web
from render.pool import Painter
from storage import Store, utc_now
from tests.bot.cups import make_competition
from tests.bot.ladders import a_ladder
from tests.bot.party import Party

ADDRESS: Final = "https://games.example"
FILE: Final = "/static/page.css"
TURNS: Final = 6
PEOPLE: Final = ("anna", "bruno", "cora", "dino", "elsa", "fido", "gino", "hans")
"""Those in the league and on the ladder."""
UNLIMITED: Final = 10**9


@dataclass(frozen=True, slots=True)
class Served:
    """Where the server listens, and the ids of the pages of the game, the league and the ladder."""

    port: int
    page: str
    league: str
    ladder: str


def serve(pipe: Connection) -> None:
    """Serve a game that everybody may see, until told to stop; then tell how many boards were drawn."""
    site.PAGES_PER_MINUTE = UNLIMITED  # type: ignore[misc]
    api.REQUESTS_PER_MINUTE = UNLIMITED  # type: ignore[misc]
    asyncio.run(_serve(pipe))


async def _serve(pipe: Connection) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with await Store.open(Path(folder) / "x.db") as store, Painter() as painter:
            drawn = 0

            async def draw(*given: object, **named: object) -> object:
                nonlocal drawn
                drawn += 1
                return await painter.draw(*given, **named)  # type: ignore[arg-type]

            party = Party(store, web_address=ADDRESS, draw=draw)
            party.managers.add("meg")
            await party.say("meg", "/settings public:on for:channel")
            code = await party.started()
            for _ in range(TURNS):
                table = await party.front.context.table(code)
                text = table.playing.state.legal_actions()[0].text
                await party.say(party.mover, f"/move {text} game:{code}")
            ids = await store.public.create_ids("game", [code], utc_now())
            codes = [await make_competition(party, "/league annuvin clock:1d", *PEOPLE)]
            codes.append(await a_ladder(party, "/ladder annuvin clock:1d", *PEOPLE))
            competitions = await store.public.create_ids("competition", codes, utc_now())
            server = await start_web(
                party.front,
                ChatRoom(store, party.front.context.clock),
                host="127.0.0.1",
                port=0,
                mounts=public_mounts(party.front.context, DIRECT_ADDRESSES),
            )
            drawn = 0
            pipe.send(Served(server.port, ids[code], *(competitions[each] for each in codes)))
            await asyncio.to_thread(pipe.recv)
            pipe.send(drawn)
            await server.stop()
            await party.front.close()


async def ask(served: Served, path: str, readers: int, seconds: float) -> float:
    """Return how many answers a second readers get who all ask for one path."""
    count = 0
    end = 0.0
    connector = aiohttp.TCPConnector(limit=readers)

    async def read(session: aiohttp.ClientSession) -> None:
        nonlocal count
        while time.perf_counter() < end:
            async with session.get(f"http://127.0.0.1:{served.port}{path}") as response:
                await response.read()
                assert response.status == 200, (path, response.status)  # noqa: S101
            count += 1

    async with aiohttp.ClientSession(connector=connector) as session:
        async with session.get(f"http://127.0.0.1:{served.port}{path}") as response:
            await response.read()
        began = time.perf_counter()
        end = began + seconds
        await asyncio.gather(*(read(session) for _ in range(readers)))
        return count / (time.perf_counter() - began)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=5.0)
    given = parser.parse_args(arguments)
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,))
    process.start()
    served: Served = ours.recv()
    paths = {
        "a file": FILE,
        "the page of a game": f"/g/{served.page}",
        "an earlier turn": f"/g/{served.page}?turn=3",
        "its board": f"/g/{served.page}/board.png",
        "its preview": f"/g/{served.page}/preview.png",
        "the game as JSON": f"/api/v1/games/{served.page}",
        "the turns as JSON": f"/api/v1/games/{served.page}/turns",
        "the list as JSON": "/api/v1/games",
        "a league's page": f"/league/{served.league}",
        "a league as JSON": f"/api/v1/leagues/{served.league}",
        "the leagues as JSON": "/api/v1/leagues",
        "a ladder's page": f"/ladder/{served.ladder}",
        "a ladder as JSON": f"/api/v1/ladders/{served.ladder}",
        "the ratings as JSON": "/api/v1/ratings",
        "puzzles as JSON": "/api/v1/puzzles",
    }
    file = 0.0
    print(f"{given.readers} readers, {given.seconds:.0f} s each")
    for name, path in paths.items():
        rate = asyncio.run(ask(served, path, given.readers, given.seconds))
        file = file or rate
        print(f"{name:20} {rate:7.0f} a second  {rate / file:5.2f} of a file")
    ours.send(None)
    print(f"boards drawn: {ours.recv()}")
    process.join()


if __name__ == "__main__":
    main()
