"""Three processes on one PostgreSQL: one is killed and another started, and the database server is restarted."""

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.durability.fleet import Fleet
from tests.durability.matches import FOR_TWO, Alone, Match, Series
from tests.durability.outcome import check_boards, check_causes, wait_until_settled
from tests.durability.people import Player, on_discord, on_telegram
from tests.durability.world import list_payloads
from tests.fakes.telegram.world import Message as TelegramMessage
from tests.support.postgres import Postgres
from tests.support.tiny import draw_tiny_pictures


@pytest.mark.parametrize(("groups", "rounds"), [(1, 1), pytest.param(3, 5, marks=pytest.mark.full)])
@pytest.mark.timeout(3600)
async def test_processes_die_and_the_database_is_restarted(
    tmp_path: Path, own_postgres: Postgres, groups: int, rounds: int
) -> None:
    rng = random.Random(groups)
    async with Fleet(tmp_path, own_postgres, await own_postgres.new_database(empty=True)) as world:
        world.prepare = draw_tiny_pictures
        # All at once, on an empty database.
        await asyncio.gather(*(world.put_up(number) for number in range(world.count)))
        tables = seating(world, groups, rng)
        stop, cups = asyncio.Event(), list[str]()
        async with asyncio.TaskGroup() as group:
            playing = [group.create_task(table.play(stop)) for table in tables]
            await progress(world, tables)
            for number in range(rounds):
                victim = rng.randrange(world.count)
                cups += [await entered(world, number, rng)]
                # In the middle of its beginning.
                await world.take_down(victim)
                # The others do all that was its own, its part of Discord included.
                await progress(world, tables)
                await world.put_up(victim)
                await progress(world, tables)
                await world.restart_database()
                await progress(world, tables)
                for code, revision in world.shown.items():
                    shown = f"{code} was shown at {revision}, round {number}: {world.evidence.get(code)}"
                    assert world.ledger.revision(code) >= revision, shown
            stop.set()
            await asyncio.gather(*playing)
        await world.until(("", ""), lambda: not world.servers.thinking(), "the computers")
        await wait_until_settled(world)
        # What is printed where somebody waits in vain: each part of Discord is some process's.
        assert sum("discord shard" in line for line in world.left_over()) == world.count
        for code in cups:
            await world.until(("", ""), lambda code=code: begun(world, code), f"the round of {code}")  # type: ignore[misc]
        await world.leave()
        for code in cups:
            assert begun(world, code) == [("1.0.0",)]
            rounds_of = "SELECT count(*) FROM competition_events WHERE kind = 'paired' AND competition = ?"
            assert [tuple(row) for row in world.ledger.rows(rounds_of, code)] == [(1,)]
        world.ledger.check()
        check_causes(world, [player for table in tables for player in table.players])
        await check_boards(world, [match for table in tables for match in table.matches])
        assert set(world.proxy.taken) == set(world.proxy.backends)
        assert world.discord.gateway.mistaken == []


@pytest.mark.full
@pytest.mark.parametrize("rounds", [50])
@pytest.mark.timeout(3600)
async def test_the_database_is_restarted_again_and_again(tmp_path: Path, own_postgres: Postgres, rounds: int) -> None:
    """Only restarts, and games on Telegram alone: there a press may meet the lost database in most ways."""
    rng = random.Random(rounds)
    async with Fleet(tmp_path, own_postgres, await own_postgres.new_database(empty=True)) as world:
        world.prepare = draw_tiny_pictures
        await asyncio.gather(*(world.put_up(number) for number in range(world.count)))
        people = [on_telegram(world, number, rng, "Carla", "Dario") for number in range(len(FOR_TWO))]
        tables = [Series(world, Match, each, number, rng) for number, each in enumerate(people)]
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            playing = [group.create_task(table.play(stop)) for table in tables]
            for _ in range(rounds):
                await progress(world, tables)
                await world.restart_database()
            await progress(world, tables)
            stop.set()
            await asyncio.gather(*playing)
        await wait_until_settled(world)
        await world.leave()
        world.ledger.check()
        check_causes(world, [player for table in tables for player in table.players])
        await check_boards(world, [match for table in tables for match in table.matches])


async def entered(world: Fleet, number: int, rng: random.Random) -> str:
    """Have three people on Telegram fill a competition, and return its code: it begins by itself."""
    people = on_telegram(world, number, rng, "Gina", "Hugo", "Ivo")
    await people[0].person.say("/cup annuvin clock:1h players:3")

    def found() -> tuple[TelegramMessage, str] | None:
        for message in world.boards[people[0].spot]:
            for each in list_payloads(message):
                if isinstance(message, TelegramMessage) and each.startswith("cup=join."):
                    return message, each
        return None

    message, joining = await world.until(people[0].spot, found, "a competition")
    for each in people:
        await each.person.tap_data(message, joining)
    return str(joining.partition(".")[2])


def begun(world: Fleet, code: str) -> list[tuple[str]]:
    """Return for which boards of a competition games have been opened."""
    return [tuple(row) for row in world.ledger.rows("SELECT slot FROM competition_games WHERE competition = ?", code)]


async def progress(world: Fleet, tables: list[Series], acts: int = 2) -> None:
    """Return when people have acted some more at every table."""
    wanted = [table.acts + acts for table in tables]
    for number, (table, enough) in enumerate(zip(tables, wanted, strict=True)):

        def has_acted(table: Series = table, enough: int = enough) -> bool:
            return table.acts >= enough

        # One after the other: on a slow machine all of them take long, though none waits in vain.
        await world.until(("", ""), has_acted, f"what they do at table {number}")


def seating(world: Fleet, groups: int, rng: random.Random) -> list[Series]:
    """Return who plays: on every part of Discord two people, one with somebody on Telegram, one with the computer.

    And two people on Telegram. A single group is spread: each part of Discord has one kind, since what people do at a
    table does not depend on the part, and the table on Telegram alone is there once.
    """
    tables: list[Series] = []
    for place, guild in enumerate(world.guilds * groups):
        first = 4 * place
        pair = on_discord(world, guild, first, rng, "Anna", "Bruno")
        mixed = [*on_discord(world, guild, first + 1, rng, "Anna"), *on_telegram(world, first + 1, rng, "Carla")]
        alone = on_discord(world, guild, first + 2, rng, "Ettore")
        group = on_telegram(world, first + 3, rng, "Carla", "Dario")
        seated: list[Sequence[Player]] = [pair, mixed, alone, group]
        if groups == 1:
            seated = [seated[place], group] if place == 0 else [seated[place]]
        for people in seated:
            kind = Alone if people is alone else Match
            tables.append(Series(world, kind, people, len(tables), rng))
    return tables
