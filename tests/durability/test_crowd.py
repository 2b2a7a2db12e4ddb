"""Many solve the day's puzzle while games are played on both fakes, without rate limits: all state stays consistent.

The message of the puzzle has few edits, and every board comes, whatever people press, players and others.
"""

import asyncio
import time
from pathlib import Path
from typing import Any, Final
from unittest import mock

import pytest

from bot.boards.puzzles.puzzle import puzzle_by_id
from bot.boards.puzzles.solving import find_solution
from storage import Store, utc_now
from tests.durability.crowd import make_tables, play_tables
from tests.durability.matches import FOR_TWO
from tests.durability.outcome import check_boards, check_causes, wait_until_settled
from tests.durability.people import OnDiscord
from tests.durability.world import Spot, World
from tests.fakes.discord.people import Person
from tests.fakes.discord.world import Channel, Message
from tests.support.present import present
from tests.support.tiny import draw_tiny_pictures

APART: Final = 1.0
"""How many seconds edits of the message are apart at least, here."""
ATTEMPT: Final = """
SELECT puzzle_attempts.revision, result FROM puzzle_attempts JOIN people ON people.id = person WHERE people.name = ?
"""


def hurry() -> None:
    """Have a process of the program draw nothing, and show the tally soon."""
    draw_tiny_pictures()
    mock.patch("bot.boards.puzzles.daily_cards.DEFAULT_EDIT_INTERVALS_SECONDS", (APART, 60.0)).start()


async def wanted(world: World, channel: Channel) -> None:
    """Have the day's puzzle wanted in a channel."""
    async with await Store.open(world.address) as store:
        place = await store.places.get_or_create("discord", channel.id, None, world.guild.id)
        await store.daily.switch_on(place.id, 0, utc_now())


def offered(world: World, spot: Spot) -> Message | None:
    """Return the message with the puzzle, None while it has not come."""
    return next((each for each in world.boards[spot] if isinstance(each, Message) and "Try it" in each.labels), None)


async def solve(world: World, channel: Channel, daily: Message, name: str) -> None:
    """Have somebody open the puzzle by the message's button and solve it by typing."""
    person, spot = Person(world.discord, world.discord.account(name), channel), ("discord", channel.id)
    ((puzzle, *_), *_) = world.ledger.rows("SELECT substr(subject, 12) FROM posts WHERE kind = 'daily'")
    known = present(puzzle_by_id(puzzle))

    def revision() -> int:
        found = world.ledger.rows(ATTEMPT, name)
        return -1 if not found else int(found[0][0])

    before = revision()
    await person.press(daily, "Try it")
    await world.until(spot, lambda: revision() > before and person.private, f"the puzzle of {name}")
    for turn in find_solution(known)[::2]:
        before = revision()
        await person.command("move", move=" ".join(turn))
        await world.until(spot, lambda before=before: revision() > before, f"what {name} played")  # type: ignore[misc]
    assert world.ledger.rows(ATTEMPT, name)[0][1] == "solved"


@pytest.mark.parametrize(
    ("solvers", "count", "acts"),
    [
        (4, 2 * len(FOR_TWO), 2),
        pytest.param(200, 20, 3, marks=pytest.mark.full),
        pytest.param(6, 200, 12, marks=pytest.mark.full),
    ],
)
@pytest.mark.timeout(1800)
async def test_many_players_and_solvers_of_one_puzzle_do_not_block_each_other(
    tmp_path: Path, solvers: int, count: int, acts: int
) -> None:
    async with World(tmp_path) as world:
        world.prepare = hurry
        players = make_tables(world, count)
        here = next(player for table in players for player in table.players.values() if isinstance(player, OnDiscord))
        channel = here.person.here
        await wanted(world, channel)
        edits: list[float] = []

        def note(call: Any, _: Any, done: bool) -> None:
            sent = call.path.get("message_id")
            if done and call.operation.startswith("PATCH /channels") and daily and sent == daily[0].id:
                edits.append(time.monotonic())

        daily: list[Message] = []
        world.discord.listeners.append(note)
        world.start()
        spot = ("discord", channel.id)
        daily.append(await world.until(spot, lambda: offered(world, spot), "the puzzle"))
        begun = time.monotonic()
        await asyncio.gather(*(table.start() for table in players))
        solving = [solve(world, channel, daily[0], f"Solver{number}") for number in range(solvers)]
        played, _ = await asyncio.gather(play_tables(players, most=acts), asyncio.gather(*solving))
        await world.until(spot, lambda: f"{solvers} solved it" in daily[0].text, "the tally")
        await wait_until_settled(world)
        assert 1 <= len(edits) <= (time.monotonic() - begun) / APART + 1
        assert played.actions > count
        await world.leave()
        world.ledger.check()
        check_causes(world, [player for table in players for player in table.players.values()])
        await check_boards(world, players)
        said = (tmp_path / "output.txt").read_text("utf-8")
        assert '"error"' not in said, said
        assert "Traceback" not in said, said
