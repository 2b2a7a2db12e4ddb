"""Webhooks lose nothing when the program is killed between sending and storing, nor where two processes send."""

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from storage import Store
from tests.bot.party import Party
from tests.public.receiver import Receiver
from tests.public.sending import start_sending
from tests.public.world import ADDRESS
from tests.support.postgres import Postgres
from tests.support.present import present

TIMEOUT_SECONDS = 120
MESSAGES_PER_GAME = 3
"""A game that is over before anything of it was sent: that it began, all its turns, that it is over."""


async def played(party: Party, receiver: Receiver, games: int) -> None:
    """Have games be played in a place whose webhook is told nothing yet."""
    place = await party.store.places.get_or_create("web", "room", "")
    secret = "whsec_" + "A" * 32
    meg = await party.store.people.identify("web", "meg", "Meg")
    present(await party.store.webhooks.create(place.id, receiver.address, secret, meg.id, party.clock(), 5))
    for _ in range(games):
        await play_out(party, await party.started())


async def play_out(party: Party, code: str) -> None:
    """Have a game that has begun be played to its end."""
    await party.say(party.mover, "/move b1-b2")
    await party.resign(party.mover, code)


def check_each_game(receiver: Receiver, games: int) -> None:
    """Check that every game was told of whole and in its order, whatever came twice."""
    of_game: dict[str, list[str]] = {}
    for message in dict(zip(receiver.ids, receiver.messages, strict=True)).values():
        of_game.setdefault(message["data"]["game"]["id"], []).append(message["type"])
    assert len(of_game) == games
    for kinds in of_game.values():
        assert (kinds[0], kinds[-1]) == ("game.started", "game.over")
        assert {*kinds[1:-1]} == {"game.turn"}


@pytest.mark.parametrize("games", [1, pytest.param(20, marks=pytest.mark.full)])
@pytest.mark.timeout(3600)
async def test_who_is_killed_between_sending_and_storing_sends_it_again(
    tmp_path: Path, receiver: Receiver, certificate: Path, games: int
) -> None:
    path = tmp_path / "x.db"
    async with await Store.open(path) as store, Party(store, web_address=ADDRESS) as party:
        await played(party, receiver, games)
    pids: list[int] = []

    def kill_at_first(name: str) -> None:
        if receiver.ids.count(name) == 1:
            os.kill(pids[-1], signal.SIGKILL)

    receiver.on_taken = kill_at_first
    async with asyncio.timeout(TIMEOUT_SECONDS * games):
        for _ in range(MESSAGES_PER_GAME * games + 1):
            process = start_sending(str(path), str(certificate), shared=False)
            pids.append(present(process.pid))
            await asyncio.to_thread(process.join)
            if process.exitcode == 0:
                break
            assert process.exitcode == -signal.SIGKILL
    assert Counter(receiver.ids).total() == 2 * MESSAGES_PER_GAME * games
    assert {*Counter(receiver.ids).values()} == {2}
    check_each_game(receiver, games)


@pytest.mark.parametrize("games", [2, pytest.param(20, marks=pytest.mark.full)])
@pytest.mark.timeout(3600)
async def test_of_two_processes_one_sends_and_when_it_is_killed_the_other(
    postgres: Postgres, receiver: Receiver, certificate: Path, games: int
) -> None:
    address = postgres.address(await postgres.take_empty_database())
    wanted = asyncio.Event()

    def until(is_reached: Callable[[], bool]) -> Callable[[str], None]:
        def taken(_: str) -> None:
            if is_reached():
                wanted.set()

        wanted.clear()
        return taken

    async with await Store.open(address) as store, Party(store, web_address=ADDRESS) as party:
        store.start_sharing()
        await played(party, receiver, games)
        receiver.on_taken = until(lambda: len(set(receiver.ids)) >= MESSAGES_PER_GAME * games)
        both = [start_sending(address, str(certificate), shared=True) for _ in range(2)]
        async with asyncio.timeout(TIMEOUT_SECONDS * games):
            await wanted.wait()
            check_each_game(receiver, games)
            assert {*Counter(receiver.ids).values()} == {1}, "nobody was killed, and nothing came twice"
            # One of the two dies with whatever it does; the other goes on with all that comes.
            receiver.on_taken = until(lambda: len(set(receiver.ids)) > MESSAGES_PER_GAME * games)
            code = await party.started()
            await wanted.wait()
            both[0].kill()
            await asyncio.to_thread(both[0].join)
            receiver.on_taken = until(lambda: Counter(each["type"] for each in receiver.messages)["game.over"] > games)
            await play_out(party, code)
            await wanted.wait()
        check_each_game(receiver, games + 1)
        both[1].kill()
        await asyncio.to_thread(both[1].join)
