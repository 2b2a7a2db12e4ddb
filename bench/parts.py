"""What a commit, a picture and an upload cost alone.

Commits are made one after the other on a database of their own, pictures drawn in one thread, and boards sent to the
fakes by the same client libraries from a process that does nothing else.
"""

import asyncio
import itertools
import logging
import statistics
import tempfile
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

import structlog

from bot.kernel.cards import Button, Card, Picture
from bot.kernel.choices import Question, next_question
from bot.kernel.requests import Adapter, Place
from bot.kernel.texts import Span
from bot.platforms.discord.connection import DiscordConnection
from bot.platforms.telegram.connection import TelegramConnection
from engine import games
from render import DrawOptions, draw
from storage import GameChange, NewEvent, ProcessedEvent, Store, utc_now
from tests.durability.process import FORKS, direct_clients
from tests.durability.world import World
from tests.support.fronts import make_front
from tests.support.samples import NAMES, random_playout
from tests.support.stores import make_place, some_people, store_game

AT_ONCE = 16
MARKED = "marked pictures"
"""The part that draws boards as the program shows them, with what can be chosen; "pictures" show positions alone."""
Parts = dict[str, tuple[float, float]]
"""How many of each part there are in a second, and what one costs the processor in milliseconds."""


class Rate:
    """How often something was done in a second, and what one cost the processor in milliseconds."""

    def __init__(self) -> None:
        self._begun, self._used = time.perf_counter(), time.process_time()

    def of(self, count: int) -> tuple[float, float]:
        """Return both for so many since the beginning."""
        return count / (time.perf_counter() - self._begun), (time.process_time() - self._used) / count * 1000


async def measure_commits(folder: Path, seconds: float) -> tuple[float, float]:
    """Return how many steps of a game a database takes, one after the other."""
    async with await Store.open(folder / "alone.db") as store:
        people = await some_people(store, "Anna", "Bruno")
        row = await store_game(store, await make_place(store), people)
        until, rate = time.perf_counter() + seconds, Rate()
        for done in itertools.count():
            if time.perf_counter() > until:
                return rate.of(done)
            event = NewEvent("action", {"action": "a1-a2", "seat": 0}, people[0].id)
            processed = ProcessedEvent("bench", str(done), {"card": None, "private": True, "update": False})
            row = await store.games.commit(GameChange(game=row, events=(event,), at=utc_now(), processed=processed))
    raise AssertionError


def draw_boards(most: int, *, marked: bool = False) -> list[bytes]:
    """Return boards of all games, drawn in the order of play; `marked` with what can be chosen, as the program does."""
    made = []
    for seed, game in enumerate(games.values()):
        seats = game.seats[0]
        for state, turn in itertools.islice(random_playout(game, seed, seats, game.checked_options(seats, None)), most):
            options = DrawOptions(last_turn=turn, viewer=state.to_move, names=NAMES[:seats])
            if marked and state.outcome is None:
                asked = next_question(state, state.legal_actions())
                choices = asked.selectable_cells if isinstance(asked, Question) else None
                options |= DrawOptions(viewer=0, goals_of=state.to_move, choices=choices)
            made.append(draw(state, **options).png)
    return made


def upload(pipe: Connection, api: str, gateway: str, tokens: tuple[str, str, str], spots: list[Place]) -> None:
    """Be the process that sends boards and nothing else; tell how many in a second, to each platform and to both."""
    direct_clients(api, gateway)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    pipe.send(asyncio.run(measure_uploads(tokens, spots, pipe.recv())))


async def measure_uploads(
    tokens: tuple[str, str, str], spots: list[Place], seconds: float
) -> list[tuple[float, float]]:
    """Send boards to Discord, to Telegram, and to both at once, for so many seconds each."""
    rows = tuple(tuple(Button(f"{row}{at}", f"c:3H4N7P:1={row}{at}") for at in range(5)) for row in "ab")
    text = (Span("Anna", bold=True), Span(" played "), Span("a1-a2", code=True), Span(". It is Bruno's turn."))
    cards = [Card(text, Picture(png, "A board. " * 20, "board.png", (900, 900)), rows) for png in draw_boards(10)]
    numbers = itertools.count()

    async def sending(adapter: Adapter, place: Place, until: float) -> None:
        while time.perf_counter() < until:
            number = next(numbers)
            await adapter.send(place, cards[number % len(cards)], f"alone-{number}")

    with tempfile.TemporaryDirectory() as folder:
        async with await Store.open(Path(folder) / "alone.db") as store:
            front = make_front(store)
            discord = DiscordConnection(front, token=tokens[0])
            telegram = TelegramConnection(front, token=tokens[1], api=tokens[2])
            await discord.start()
            await telegram.start()
            found = []
            each: list[list[Adapter]] = [[discord.adapter], [telegram.adapter], [discord.adapter, telegram.adapter]]
            for adapters in each:
                before, begun, rate = next(numbers), time.perf_counter(), Rate()
                there = [(one, place) for one in adapters for place in spots if place.platform == one.platform]
                await asyncio.gather(*(sending(one, place, begun + seconds) for one, place in there))
                found.append(rate.of(next(numbers) - before))
            await telegram.stop(0.1)
            await discord.stop(0.1)
            return found


async def measure_uploads_alone(folder: Path, seconds: float) -> list[tuple[float, float]]:
    """Return how many boards in a second the client libraries send to the fakes, from a process of their own."""
    async with World(folder) as world:
        spots = [
            place
            for number in range(AT_ONCE // 2)
            for place in (
                Place("discord", world.discord.text_channel(world.guild, f"alone{number}").id),
                Place("telegram", str(world.telegram.group(f"Alone {number}").id)),
            )
        ]
        ours, theirs = FORKS.Pipe()
        tokens = (world.discord.token, world.telegram.token, f"http://127.0.0.1:{world.telegram.port}")
        arguments = (theirs, world.discord.api_url, world.discord.gateway_url, tokens, spots)
        process = FORKS.Process(target=upload, args=arguments)
        process.start()
        ours.send(seconds)
        found: list[tuple[float, float]] = await asyncio.to_thread(ours.recv)
        await asyncio.to_thread(process.join)
        return found


def draw_alone(pipe: Connection, marked: bool) -> None:
    """Be a process that draws boards and nothing else; tell how many in a second."""
    draw_boards(3, marked=marked)
    rate = Rate()
    pipe.send(rate.of(len(draw_boards(40, marked=marked))))


def measure_pictures(*, marked: bool) -> tuple[float, float]:
    """Return how many boards a new process draws in a second: this one has all those it drew before at hand."""
    ours, theirs = FORKS.Pipe()
    process = FORKS.Process(target=draw_alone, args=(theirs, marked))
    process.start()
    found: tuple[float, float] = ours.recv()
    process.join()
    return found


def measure_parts(seconds: float, folder: Path) -> Parts:
    """Measure each part alone, in a folder that is not there yet."""
    (folder / "uploads").mkdir(parents=True)
    commits = asyncio.run(measure_commits(folder, seconds))
    pictures = {MARKED if marked else "pictures": measure_pictures(marked=marked) for marked in (False, True)}
    to_discord, to_telegram, to_both = asyncio.run(measure_uploads_alone(folder / "uploads", seconds))
    uploads = {"uploads": to_both, "to Discord": to_discord, "to Telegram": to_telegram}
    return {"commits": commits} | pictures | uploads


def measure_parts_apart(pipe: Connection, seconds: float, folder: Path) -> None:
    """Be a process that measures the parts, beside a crowd that rests; tell them."""
    pipe.send(measure_parts(seconds, folder))


def join_parts(measured: Sequence[Parts]) -> Parts:
    """Return the means of parts that were measured several times."""
    return {
        part: (statistics.mean(each[part][0] for each in measured), statistics.mean(each[part][1] for each in measured))
        for part in measured[0]
    }
