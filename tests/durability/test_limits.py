"""With the platforms' limits on, and many playing at once, no request is ever refused for being too early."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import pytest

from bot.kernel.cards import Card
from bot.kernel.requests import Place
from bot.kernel.texts import Span
from bot.platforms.discord import connection
from engine import games
from storage import Store
from tests.bot.party import Clock
from tests.discord.harness import Bot as DiscordBot, direct_to
from tests.fakes.discord.people import Person as DiscordPerson
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.discord.world import Channel
from tests.fakes.telegram.people import Person as TelegramPerson
from tests.fakes.telegram.server import FakeTelegram
from tests.support.present import present
from tests.telegram.harness import Bot as TelegramBot

TABLES: Final = 4
ROUNDS: Final = 5
WRITING: Final = (
    "POST /channels/{channel_id}/messages",
    "PATCH /channels/{channel_id}/messages/{message_id}",
    "GET /channels/{channel_id}/messages/{message_id}",
    "DELETE /channels/{channel_id}/messages/{message_id}",
)


@pytest.fixture
async def discord(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeDiscord]:
    async with FakeDiscord() as running:
        direct_to(running, monkeypatch)
        running.limits.runs = True
        # How soon the program answers on a busy machine is not what is tested here.
        running.answering.timeout_seconds = 60.0
        for operation in WRITING:
            running.limits.set(operation, 5, 5.0)
        yield running


async def test_discord_limits_hold_for_boards_and_for_all_messages(
    discord: FakeDiscord, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, guild = DiscordBot(discord, store), discord.guild("Friends", "talk")
    await bot.start()
    tables: list[tuple[Channel, list[DiscordPerson]]] = []
    for number in range(TABLES):
        channel = discord.text_channel(guild, f"table{number}")
        names = [f"{name}{number}" for name in ("Anna", "Bruno")]
        tables.append((channel, [DiscordPerson(discord, discord.account(name), channel) for name in names]))
    await asyncio.gather(*(people[0].command("play", game="annuvin") for _, people in tables))
    await bot.settle()
    await asyncio.gather(*(people[1].press(discord.shown(channel)[-1], "Join") for channel, people in tables))
    await bot.settle()
    for _ in range(ROUNDS):
        for _, people in tables:
            move = await _legal_move(store, people[0].account.name)
            # The one whose turn it is moves; both of them want to see the board once more.
            for person in people:
                await person.send_command("move", move=move)
                await person.send_command("board")
        await bot.settle()
    assert discord.count(WRITING[0]) > TABLES * ROUNDS
    # In many channels it is the limit for all requests together that counts.
    monkeypatch.setattr(connection, "RATE_LIMIT_REQUESTS", 18)
    monkeypatch.setattr(connection, "RATE_LIMIT_WINDOW_SECONDS", 0.2)
    discord.limits.rules.clear()
    discord.limits.overall = (20, 0.2)
    channels = [discord.text_channel(guild, f"talk{number}") for number in range(20)]

    async def talk(channel: Channel) -> None:
        for number in range(5):
            place = Place("discord", channel.id)
            await bot.connection.adapter.send(place, Card((Span(f"Number {number}"),)), f"{channel.id} {number}")

    await asyncio.gather(*(talk(channel) for channel in channels))
    assert all(len(discord.shown(channel)) == 5 for channel in channels)
    await bot.stop()
    assert (discord.limits.refused, discord.refused) == (0, [])


async def _legal_move(store: Store, name: str) -> str:
    """Return a move that is allowed in the only game of somebody."""
    (known,) = await store.people.find(name)
    (brief,) = await store.games.list_for_person(known.id)
    row = present(await store.games.get(brief.id))
    return games[row.game].load(row.position or {}).legal_actions()[0].text


async def test_telegram_limits_hold_for_all_messages(store: Store) -> None:
    clock = Clock()
    async with FakeTelegram(clock) as telegram, TelegramBot(telegram, store, clock) as bot:
        groups = []
        for number in range(40):
            anna = telegram.account(f"Anna{number}")
            groups.append(telegram.group(f"Table {number}", anna))
            await TelegramPerson(telegram, anna, groups[-1]).say("/play annuvin")
        await bot.settle()
        assert 0 < sum(map(bool, [len(telegram.shown(group)) for group in groups])) < len(groups)
        for _ in range(6):
            await bot.wait(1)
        assert all(any("Join" in each.labels for each in telegram.shown(group)) for group in groups)
    assert telegram.refused == []
