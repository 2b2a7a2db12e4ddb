"""Many games at once, played as fast as people can press, some of whom press twice, late, or where they do not play."""

import asyncio
import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine import Action, State
from tests.durability.matches import Match, in_turn
from tests.durability.people import OnDiscord, OnTelegram, Player, on_discord, on_telegram
from tests.durability.world import World, list_payloads
from tests.fakes.discord.answering import COMPONENT
from tests.fakes.telegram.world import Message as TelegramMessage


class Table(Match):
    """A game in a place of its own, with a stranger who looks on and presses as well."""

    stranger: Player

    async def start(self) -> None:
        await super().start()
        await self.seen(next(iter(self.players.values())), self.world.ledger.revision(self.code))

    async def late(self) -> None:
        """Press something below the newest board but one, and as a stranger below the newest."""
        boards = [each for each in self.world.boards[self.stranger.spot] if not each.deleted]
        for player, message, pressed in (
            (self.rng.choice(list(self.players.values())), boards[-1], self.past),
            (self.stranger, boards[-1], next((each for each in list_payloads(boards[-1]) if each[0] in "cp"), "")),
        ):
            if not pressed:
                continue
            if isinstance(player, OnTelegram) and isinstance(message, TelegramMessage):
                await player.person.tap_data(message, pressed)
            elif isinstance(player, OnDiscord) and not isinstance(message, TelegramMessage):
                data = {"custom_id": f"0|{pressed}", "component_type": 2, "id": 1}
                await player.person.send(COMPONENT, data, message)

    past = ""
    """What could be pressed below an earlier board."""

    def choose(self, state: State) -> Action:
        board = self.world.board(self.stranger.spot, self.code)
        self.past = next((each for each in list_payloads(board[1]) if each[0] in "cp"), "") if board else ""
        return super().choose(state)


@dataclass
class Played:
    """What a crowd has done: how many actions in how many seconds, and from each press to its board."""

    actions: int = 0
    seconds: float = 0.0
    waits: list[float] = field(default_factory=list)

    def __add__(self, other: "Played") -> "Played":
        return Played(self.actions + other.actions, self.seconds + other.seconds, self.waits + other.waits)


def make_tables(world: World, count: int, seed: int = 1) -> list[Table]:
    """Return so many games for two, in turn on Discord and Telegram, each in a place of its own."""
    made, names = [], ("Anna", "Bruno", "Carla")
    for number in range(count):
        rng, guild = random.Random(seed * 1000 + number), world.guild_for(number // 2)
        people: Sequence[Player] = (
            on_telegram(world, number, rng, *names) if number % 2 else on_discord(world, guild, number, rng, *names)
        )
        *players, stranger = people
        table = Table(world, next(in_turn(number // 2)), players, rng)
        table.stranger = stranger
        made.append(table)
    return made


async def play_tables(
    tables: list[Table], *, most: int | None = None, seconds: float | None = None, per_second: float | None = None
) -> Played:
    """Have all play at once, for so many actions each or so many seconds.

    With `per_second` they begin so many actions a second, all together, otherwise as many as they can.
    """
    played = Played()
    begun = next_at = time.perf_counter()
    ends_at = math.inf if seconds is None else begun + seconds

    async def wait_for_turn() -> None:
        nonlocal next_at
        if per_second is not None:
            now = time.perf_counter()
            next_at = max(next_at + 1 / per_second, now)
            await asyncio.sleep(min(next_at, ends_at) - now)

    def is_over(acts: int) -> bool:
        return acts == most or time.perf_counter() >= ends_at

    async def one(table: Table) -> None:
        acts = 0
        while not is_over(acts):
            await wait_for_turn()
            if is_over(acts) or not await table.act():
                return
            acts += 1
            player = table.mover
            await table.seen(player, table.world.ledger.revision(table.code))
            played.actions += 1
            played.waits.append(time.perf_counter() - player.pressed)
            if table.rng.random() < 0.2:
                await table.late()

    await asyncio.gather(*(one(table) for table in tables))
    played.seconds = time.perf_counter() - begun
    return played
