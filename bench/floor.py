"""What the client libraries alone cost the processor for an action: the same calls as in bench/crowd.py, nothing else.

A process has discord.py's client and python-telegram-bot's, and answers presses on the fakes as the program does: the
first opens what can be chosen (on Discord in a private message), the second brings a new board with its picture and
takes most buttons off the old one, and now and then somebody presses where nothing can be played. A press on Discord is
answered by its response itself, as the program does unless an answer takes long. How often each call is made, how many
buttons it carries and how often it has a picture was counted in the crowd (`bench/crowd.py --calls`). It knows no game,
no database and no cards, and draws nothing while it is measured. No program that talks to both platforms through these
libraries costs less. A crowd is measured between two runs: what its action takes beyond the same calls, a commit and as
many pictures is the program's own.
"""

import argparse
import asyncio
import io
import itertools
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import discord
from discord import ui
from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup, Update

from bench.crowd import Plan, on_sqlite, show, show_calls
from bench.parts import MARKED, draw_boards, join_parts
from bot.cli.serve import new_loop
from bot.platforms.telegram.client import AiohttpRequest
from bot.platforms.telegram.connection import MAX_CONNECTIONS
from tests.durability.process import FORKS, direct_clients
from tests.durability.world import World
from tests.fakes.discord.answering import COMPONENT
from tests.fakes.discord.people import Person as DiscordPerson
from tests.fakes.discord.world import Message as DiscordMessage
from tests.fakes.telegram.people import Person as TelegramPerson
from tests.support.counting import PICTURES

CHOICE, TURN, LATE = "choose-", "play-", "late-"
TEXT = "Anna played a1-a2. It is Bruno's turn. " * 3
BUTTONS = {"board": 9, "sheet": 7, "keyboard": 38}
"""How many buttons there are below a board and a private sheet on Discord, and below a board on Telegram."""
SHARES = {"drawn sheet": 0.6, "edited sheet": 0.8, "drawn edit": 0.2, "removed sheet": 0.9}
"""How often a private sheet on Discord has a picture, is edited, with a picture or without, and is removed at last."""
LATE_ON_DISCORD, LATE_ON_TELEGRAM = 0.5, 0.2
"""How many presses of boards that are out of date there are for each action."""


class Shares:
    """Says of each of some things, spread evenly, whether it happens this time."""

    def __init__(self, shares: Mapping[str, float]) -> None:
        self._shares = shares
        self._sums = dict.fromkeys(shares, 0.0)

    def falls_due(self, name: str) -> bool:
        """Say whether it does."""
        self._sums[name] += self._shares[name]
        due = self._sums[name] >= 1.0
        self._sums[name] -= due
        return due


def build_message(begins: str, buttons: int, png: bytes | None) -> tuple[ui.LayoutView, list[discord.File]]:
    """Return a message with so many buttons, and a picture if there is one."""
    view, files = ui.LayoutView(timeout=None), list[discord.File]()
    view.add_item(ui.TextDisplay(TEXT))
    if png is not None:
        files.append(discord.File(io.BytesIO(png), "board.png", description="A board. " * 20))
        view.add_item(ui.MediaGallery(discord.MediaGalleryItem(files[0])))
    for row in range(0, buttons, 5):
        part = [ui.Button[ui.LayoutView](label=f"{at}", custom_id=f"{begins}{at}") for at in range(row, buttons)[:5]]
        view.add_item(ui.ActionRow(*part))
    view.stop()
    return view, files


class OnDiscord(discord.Client):
    """A client that answers presses and brings boards."""

    def __init__(self, pngs: list[bytes]) -> None:
        super().__init__(intents=discord.Intents.none())
        self._pngs = itertools.cycle(pngs)
        self._shares = Shares(SHARES)
        self._shown: dict[int, int] = {}

    async def bring(self, channel: int) -> None:
        """Show a new board in a channel and take the buttons off the old one."""
        there, old = self.get_partial_messageable(channel), self._shown.get(channel)
        view, files = build_message(CHOICE, BUTTONS["board"], next(self._pngs))
        message = await there.send(view=view, files=files, allowed_mentions=discord.AllowedMentions.none())
        self._shown[channel] = message.id
        if old is not None:
            await there.get_partial_message(old).edit(view=build_message("", 0, None)[0])

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Answer a press."""
        pressed, response = str(dict(interaction.data or {}).get("custom_id", "")), interaction.response
        if not pressed.startswith(TURN):
            chooses = pressed.startswith(CHOICE)
            picture = self._picture("drawn sheet") if chooses else None
            view, files = build_message(TURN, BUTTONS["sheet"] if chooses else 0, picture)
            await response.send_message(view=view, files=files, ephemeral=True)
        else:
            if self._shares.falls_due("edited sheet"):
                view, files = build_message(TURN, 1, self._picture("drawn edit"))
                await response.edit_message(view=view, attachments=files)
            else:
                await response.defer()
            if self._shares.falls_due("removed sheet"):
                await interaction.delete_original_response()
            await self.bring(interaction.channel_id or 0)

    def _picture(self, name: str) -> bytes | None:
        return next(self._pngs) if self._shares.falls_due(name) else None


class OnTelegram:
    """A bot that answers presses and brings boards."""

    def __init__(self, bot: Bot, pngs: list[bytes]) -> None:
        self._bot = bot
        self._pngs = itertools.cycle(pngs)
        self._shown: dict[int, int] = {}

    async def bring(self, chat: int) -> None:
        """Show a new board in a chat and take most buttons off the old one."""
        old, numbers = self._shown.get(chat), range(BUTTONS["keyboard"])
        buttons = [InlineKeyboardButton(f"{at}", callback_data=f"{CHOICE}{at}") for at in numbers]
        markup = InlineKeyboardMarkup([buttons[at : at + 7] for at in numbers[::7]])
        sent = await self._bot.send_photo(chat, next(self._pngs), caption=TEXT, parse_mode="HTML", reply_markup=markup)
        self._shown[chat] = sent.message_id
        if old is not None:
            await self._bot.edit_message_reply_markup(chat, old, reply_markup=InlineKeyboardMarkup([buttons[:4]]))

    async def run(self) -> None:
        """Fetch presses and answer them, side by side."""
        offset, tasks = 0, set[asyncio.Task[None]]()
        try:
            while True:
                for update in await self._bot.get_updates(offset=offset, timeout=50, allowed_updates=Update.ALL_TYPES):
                    offset = update.update_id + 1
                    task = asyncio.create_task(self._answer(update))
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)
        finally:
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _answer(self, update: Update) -> None:
        query = update.callback_query
        if query is None or query.message is None:
            return
        await self._bot.answer_callback_query(query.id)
        if str(query.data).startswith(TURN):
            await self.bring(query.message.chat.id)


def answer(
    pipe: Connection, api: str, gateway: str, tokens: tuple[str, str, str], spots: tuple[list[int], list[int]]
) -> None:
    """Be the process that answers and nothing else; tell how much of the processor it took, twice."""
    direct_clients(api, gateway)
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(_answering(pipe, tokens, spots))


async def _answering(pipe: Connection, tokens: tuple[str, str, str], spots: tuple[list[int], list[int]]) -> None:
    pngs, (channels, chats) = draw_boards(10), spots
    client = OnDiscord(pngs)
    bot = Bot(
        tokens[1],
        base_url=f"{tokens[2]}/bot",
        base_file_url=f"{tokens[2]}/file/bot",
        request=AiohttpRequest(MAX_CONNECTIONS),
        get_updates_request=AiohttpRequest(2),
    )
    async with client, bot:
        running = [asyncio.create_task(client.start(tokens[0]))]
        await client.wait_until_ready()
        there = OnTelegram(bot, pngs)
        running.append(asyncio.create_task(there.run()))
        await asyncio.gather(*map(client.bring, channels), *map(there.bring, chats))
        pipe.send(0.0)
        for _ in range(2):
            await asyncio.to_thread(pipe.recv)
            pipe.send(time.process_time())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


@dataclass(frozen=True)
class Floor:
    """What the libraries did: actions, how many a second, milliseconds of the processor for one, and the calls."""

    actions: int
    each: float
    cost: float
    calls: Mapping[str, int]


async def measure_floor(folder: Path, count: int, seconds: float) -> Floor:
    """Return what the libraries cost when so many people get answered."""
    calls: Counter[str] = Counter()
    async with World(folder) as world:
        world.discord.listeners.append(lambda call, _, done: calls.update([f"Discord {call.operation}"] * done))
        world.telegram.listeners.append(lambda call, _, done: calls.update([f"Telegram {call.method}"] * done))
        channels = [world.discord.text_channel(world.guild, f"floor{number}") for number in range(count // 2)]
        chats = [world.telegram.group(f"Floor {number}") for number in range(count // 2)]
        tokens = (world.discord.token, world.telegram.token, f"http://127.0.0.1:{world.telegram.port}")
        ours, theirs = FORKS.Pipe()
        spots = ([int(channel.id) for channel in channels], [chat.id for chat in chats])
        process = FORKS.Process(
            target=answer, args=(theirs, world.discord.api_url, world.discord.gateway_url, tokens, spots)
        )
        process.start()
        await asyncio.to_thread(ours.recv)
        actions, until = itertools.count(), 0.0
        late = Shares({"discord": LATE_ON_DISCORD, "telegram": LATE_ON_TELEGRAM})

        async def on_discord(person: DiscordPerson) -> None:
            spot = ("discord", person.here.id)
            known = 0
            while time.perf_counter() < until:
                seen = await world.until(spot, _newer(world.boards[spot], known), "a board")
                known = len(seen)
                await person.send(COMPONENT, _button(seen[-1]), seen[-1])
                if late.falls_due("discord"):
                    await person.send(COMPONENT, _button(seen[-1]) | {"custom_id": LATE}, seen[-1])
                menu = await world.until(spot, lambda: _find_sheet(person), "what can be chosen")
                await person.send(COMPONENT, _button(menu), menu)
                await world.until(spot, _newer(world.boards[spot], known), "the next board")
                next(actions)

        async def on_telegram(person: TelegramPerson) -> None:
            spot = ("telegram", str(person.here.id))
            known = 0
            while time.perf_counter() < until:
                seen = await world.until(spot, _newer(world.boards[spot], known), "a board")
                known, board = len(seen), seen[-1]
                for data in (CHOICE, LATE, TURN) if late.falls_due("telegram") else (CHOICE, TURN):
                    tap = await person.tap_data(board, f"{data}a0")
                    await tap.answered.wait()
                await world.until(spot, _newer(world.boards[spot], known), "the next board")
                next(actions)

        people = [
            DiscordPerson(world.discord, world.discord.account(f"D{at}"), here) for at, here in enumerate(channels)
        ]
        others = []
        for at, chat in enumerate(chats):
            account = world.telegram.account(f"T{at}")
            chat.status[account.id] = "member"
            others.append(TelegramPerson(world.telegram, account, chat))
        ours.send(None)
        used, begun = await asyncio.to_thread(ours.recv), time.perf_counter()
        until = begun + seconds
        calls.clear()
        await asyncio.gather(*map(on_discord, people), *map(on_telegram, others))
        took, done = time.perf_counter() - begun, next(actions)
        ours.send(None)
        used = await asyncio.to_thread(ours.recv) - used
        await asyncio.to_thread(process.join)
        return Floor(done, done / took, used / done * 1000, dict(calls))


def _newer(listed: list[Any], known: int) -> Callable[[], list[Any] | None]:
    return lambda: listed if len(listed) > known else None


def _find_sheet(person: DiscordPerson) -> DiscordMessage | None:
    return next((each for each in person.private if each.pressable), None)


def _button(message: DiscordMessage) -> dict[str, Any]:
    part = message.pressable[0]
    return {"custom_id": part["custom_id"], "component_type": part["type"], "id": part.get("id", 1)}


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=60, help="how many people at once (60)")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long they press (10)")
    parser.add_argument("--rounds", type=int, default=4, help="in how many rounds the crowd plays (4)")
    parser.add_argument("--parts", type=float, default=2.0, help="how long each part is measured around each (2)")
    parser.add_argument("--calls", action="store_true", help="print the calls to the platforms as well")
    arguments = parser.parse_args()
    floors = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(2):
            (folder / f"floor{number}").mkdir()
            floors.append(asyncio.run(measure_floor(folder / f"floor{number}", arguments.games, arguments.seconds)))
            if not number:
                (folder / "crowd").mkdir()
                plan = Plan(arguments.seconds, arguments.rounds, arguments.parts, folder)
                figures = asyncio.run(on_sqlite(folder / "crowd", arguments.games, plan))
    show("SQLite", arguments.games, figures, arguments.calls)
    parts = join_parts(figures.parts)
    each, cost = statistics.mean(floor.each for floor in floors), statistics.mean(floor.cost for floor in floors)
    print("discord.py, python-telegram-bot and aiohttp alone, with the same calls, before and after:")
    print(f"  {'actions':12} {each:7.1f} a second, {cost:6.1f} ms of the processor each")
    if arguments.calls:
        show_calls(floors[0].calls, floors[0].actions)
    pictures = figures.each(PICTURES)
    least = cost + parts["commits"][1] + pictures * parts[MARKED][1]
    print(f"the same calls, a commit and {pictures:.2f} marked pictures: {least:.1f} ms")
    print(f"an action of the crowd: {figures.cost:.1f} ms, {figures.cost / least:.2f} times as much")
    return 0


if __name__ == "__main__":
    sys.exit(main())
