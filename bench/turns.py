"""What a turn costs people and platforms, and how long they wait: taps, messages, calls and pings of every game.

Counted are whole turns of two people who only tap, on the fakes of Discord and Telegram and at the page's server. A
call is a request that a platform's limits count: on Telegram what sends, edits or deletes, on Discord whatever is no
answer to an interaction. A ping notifies somebody. The waits are those of the program in a process of its own, without
rate limits: from a press to its answer, and from the press that ends a turn to the board, when one table plays at a
time (at rest) and when people at twenty tables take their time, so that together they act a tenth as often as the crowd
of bench/crowd.py does.
"""

import argparse
import asyncio
import logging
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import discord.gateway
import discord.http
import structlog
import yarl

from bench.page_table import Page
from engine import State, games
from storage import Store
from tests.bot.party import Clock
from tests.discord import harness as on_discord, players as discord_players
from tests.durability.crowd import Table, make_tables, play_tables
from tests.durability.world import World
from tests.fakes.discord.people import Person as DiscordPerson
from tests.fakes.discord.rest import Call as DiscordCall
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.discord.world import Message as DiscordMessage
from tests.fakes.telegram.people import Person as TelegramPerson
from tests.fakes.telegram.server import FakeTelegram
from tests.fakes.telegram.world import Message as TelegramMessage
from tests.support.choosing import choose_capture
from tests.telegram import harness as on_telegram, players as telegram_players

TENTH: Final = 20
"""Tables of a tenth of the crowd."""
EACH: Final = TENTH / 1.8
"""How many seconds pass between two actions at one of them: a crowd that presses as fast as it can does 18 a second."""
COUNTER_NAMES: Final = ("taps", "messages", "calls", "pings")


@dataclass
class Cost:
    """What so many turns took."""

    turns: int = 0
    of: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTER_NAMES, 0))
    most_taps: int = 0
    """Of all turns the one with the most taps."""
    taps_before: int = 0

    def turned(self) -> None:
        """Note that a turn has ended."""
        self.turns += 1
        self.most_taps = max(self.most_taps, self.of["taps"] - self.taps_before)
        self.taps_before = self.of["taps"]

    def line(self, name: str) -> str:
        """Return the figures of one game."""
        each = "".join(f"{self.of[what] / max(1, self.turns):10.2f}" for what in COUNTER_NAMES)
        return f"  {name:20}{each}{self.most_taps:12}"


class OnDiscord(discord_players.Players):
    """People on Discord who only press."""

    async def turns(self, most: int, cost: Cost) -> None:
        """Play so many turns, or to the end, and count."""
        await play_by_presses(self, self.press, most, cost)

    async def _press(self, mover: DiscordPerson, message: DiscordMessage, rest: str) -> None:
        self.taps += 1
        await super()._press(mover, message, rest)

    taps = 0


class OnTelegram(telegram_players.Players):
    """People on Telegram who only tap."""

    async def turns(self, most: int, cost: Cost) -> None:
        """Play so many turns, or to the end, and count."""
        await play_by_presses(self, self.tap, most, cost)

    async def _tap(self, mover: TelegramPerson, board: TelegramMessage, path: tuple[str, ...]) -> None:
        self.taps += 1
        await super()._tap(mover, board, path)

    taps = 0


async def play_by_presses(players: OnDiscord | OnTelegram, press: Callable[..., object], most: int, cost: Cost) -> None:
    """Have people play by presses alone."""
    while cost.turns < most and not players.over:
        state = await players.state()
        before = players.taps
        await press(state, players.choose(state, players.rng))  # type: ignore[misc]
        cost.of["taps"] += players.taps - before
        if players.over or describe_turn(await players.state()) != describe_turn(state):
            cost.turned()


def describe_turn(state: State) -> tuple[int, int | None]:
    """Return what changes when somebody else is to move."""
    return state.turn, state.to_move


@asynccontextmanager
async def open_empty_store() -> AsyncIterator[Store]:
    """Yield a store of its own."""
    with tempfile.TemporaryDirectory() as folder:
        async with await Store.open(Path(folder) / "turns.db") as store:
            yield store


async def count_discord_turns(key: str, most: int) -> Cost:
    """Count turns of a game on Discord."""
    cost = Cost()
    async with FakeDiscord() as fake, open_empty_store() as store:
        discord.http.Route.BASE = fake.api_url
        discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(fake.gateway_url)
        bot = on_discord.Bot(fake, store)
        await bot.start()
        scene = on_discord.Scene(fake, bot)
        anna, bruno = scene.person("Anna"), scene.person("Bruno")
        await scene.command(anna, "play", game=key, seats=2)
        await scene.press(bruno, scene.board, "Join")

        def count_call(call: DiscordCall, result: object, done: bool) -> None:
            if done and not call.operation.startswith(("POST /interactions", "PATCH /webhooks", "POST /webhooks")):
                cost.of["calls"] += 1
                if call.operation == "POST /channels/{channel_id}/messages" and isinstance(result, dict):
                    cost.of["messages"] += 1
                    cost.of["pings"] += len(fake.messages[result["id"]].pings)

        fake.listeners.append(count_call)
        await OnDiscord(scene, key, choose_capture).turns(most, cost)
        await bot.stop()
    return cost


async def count_telegram_turns(key: str, most: int) -> Cost:
    """Count turns of a game in a group on Telegram."""
    clock, cost = Clock(), Cost()
    async with FakeTelegram(clock) as fake, open_empty_store() as store:
        bot = on_telegram.Bot(fake, store, clock)
        await bot.start()
        scene = on_telegram.Scene(fake, bot)
        await scene.started(f"/play {key} seats:2")
        begun = len(fake.calls)
        await OnTelegram(scene, key).turns(most, cost)
        for call in fake.calls[begun:]:
            if call.method.startswith(("send", "edit", "delete")):
                cost.of["calls"] += 1
                cost.of["messages"] += call.method.startswith("send")
        news = [message for message in scene.shown if message.photo is not None][1:]
        cost.of["pings"] += sum(len(message.pings) for message in news)
        await bot.stop()
    return cost


async def count_page_turns(key: str, most: int) -> Cost:
    """Count turns of a game at the page's server."""
    cost = Cost()
    with tempfile.TemporaryDirectory() as folder:
        async with Page(Path(folder)) as page:
            table = await page.begin(key)
            while cost.turns < most and (before := table.state()).outcome is None:
                messages, calls = table.messages, table.calls
                cost.of["taps"] += await table.act()
                cost.of["messages"] += table.messages - messages
                cost.of["pings"] += table.calls - calls
                if describe_turn(table.state()) != describe_turn(before):
                    cost.turned()
    return cost


class Watched(World):
    """The fakes with the program between them, and how long each press waits for its answer."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.pressed_at: dict[str, float] = {}
        self.answers: dict[str, list[float]] = defaultdict(list)
        self.tables: dict[str, str] = {}

    def await_answer(self, key: str, code: str, revision: int) -> None:
        """Begin to wait for an answer."""
        super().await_answer(key, code, revision)
        self.pressed_at[key], self.tables[key] = time.perf_counter(), code

    def _answered(self, key: str, content: Any) -> None:
        super()._answered(key, content)
        if key in self.pressed_at:
            self.answers[self.tables.pop(key)].append(time.perf_counter() - self.pressed_at.pop(key))


Waits = dict[tuple[str, str], tuple[list[float], list[float]]]
"""By platform and game: from presses to answers, from presses to boards."""


async def measure_waits(folder: Path, count: int, seconds: float, *, together: bool) -> Waits:
    """Return how long people waited at so many tables, together or one table after the other, each for so long."""
    found: Waits = defaultdict(lambda: ([], []))
    async with Watched(folder) as world:
        made = make_tables(world, count)
        world.start()
        for table in made:
            await table.start()
        if together:
            played = await asyncio.gather(*(play_with_pauses(table, seconds) for table in made))
        else:
            played = [(await play_tables([table], seconds=seconds)).waits for table in made]
        for table, boards in zip(made, played, strict=True):
            place = found[table.stranger.spot[0], table.game]
            place[0].extend(world.answers[table.code])
            place[1].extend(boards)
    return found


async def play_with_pauses(table: Table, seconds: float) -> list[float]:
    """Play at a table for so long, with pauses of any length between actions; return the waits for boards."""
    found: list[float] = []
    until = time.perf_counter() + seconds
    while (pause := table.rng.expovariate(1 / EACH)) < until - time.perf_counter():
        await asyncio.sleep(pause)
        found += (await play_tables([table], most=1)).waits
    return found


def share(values: list[float], percent: int) -> str:
    """Return a percentile in milliseconds."""
    if len(values) < 2:
        return f"{values[0] * 1000:.0f}" if values else "-"
    return f"{statistics.quantiles(values, n=100, method='inclusive')[percent - 1] * 1000:.0f}"


async def measure(arguments: argparse.Namespace) -> None:
    """Print all figures."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    keys = [key for key, game in games.items() if 2 in game.seats]
    counts = {
        "Discord": count_discord_turns,
        "Telegram, in a group": count_telegram_turns,
        "The page": count_page_turns,
    }
    for platform, counted in counts.items():
        print(f"{platform + ', a turn:':22}" + "".join(f"{what:>10}" for what in COUNTER_NAMES) + "   most taps")
        for key in keys:
            print((await counted(key, arguments.turns)).line(key), flush=True)
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for name, count, together in (("at rest", 2 * len(keys), False), ("a tenth of the crowd", TENTH, True)):
            (folder / name).mkdir()
            seconds = arguments.seconds * (15 if together else 1)
            found = await measure_waits(folder / name, count, seconds, together=together)
            print(f"Waits in ms, {name}:   answer 50th  99th    board 50th  99th")
            for (platform, key), (answers, boards) in sorted(found.items()):
                figures = [share(each, percent) for each in (answers, boards) for percent in (50, 99)]
                print(f"  {platform:10}{key:15}{figures[0]:>14}{figures[1]:>6}{figures[2]:>14}{figures[3]:>6}")


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--turns", type=int, default=60, help="how many turns are counted of each game (60)")
    parser.add_argument(
        "--seconds",
        type=float,
        default=6.0,
        help="how long a table plays at rest (6); together they play 15 times as long",
    )
    asyncio.run(measure(parser.parse_args()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
