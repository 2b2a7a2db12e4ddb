"""How boards look is remembered, of the newest, and only while nobody else may change them."""

from contextlib import AsyncExitStack

import pytest

from bot.kernel.cards import Card
from bot.kernel.requests import Place
from bot.kernel.texts import Span
from storage import Store
from tests.discord.harness import Bot, Scene, wait_for_shards
from tests.discord.test_pictures import board, look
from tests.fakes.discord.server import FakeDiscord


async def test_a_process_retires_the_board_of_another(discord: FakeDiscord, two_stores: tuple[Store, Store]) -> None:
    discord.gateway.shards = 2
    bots = [Bot(discord, store) for store in two_stores]
    scene = Scene(discord, bots[0])
    async with AsyncExitStack() as stack:
        for bot in bots:
            bot.connecting["shards"] = 2
            await stack.enter_async_context(bot)
        await wait_for_shards(discord, bots)
        where = Place("discord", scene.channel.id)
        first, second = (bot.connection.adapter for bot in bots)
        await first.send(where, board("one"), "key")
        await second.edit(where, scene.board.id, board("two"))
        await first.edit(where, scene.board.id, board("three"))
        await second.edit(where, scene.board.id, Card((Span("four"),), rows=board("").rows))
        await first.retire(where, scene.board.id, remove=False)
        assert (look(scene.board), scene.board.labels) == (("four", None, None), [])


@pytest.mark.parametrize("most", [1, 2])
async def test_looks_of_newest_boards_are_remembered(scene: Scene, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr("bot.platforms.discord.adapter.MESSAGE_CACHE_SIZE", most)
    await scene.bot.restart()
    adapter, where = scene.bot.connection.adapter, Place("discord", scene.channel.id)
    sent = [await adapter.send(where, board(words), words) for words in ("one", "two")]
    for message in sent:
        await adapter.retire(where, message, remove=False)
    assert [message.labels for message in scene.shown[-2:]] == [[], []]
    assert [look(message)[0] for message in scene.shown[-2:]] == ["one", "two"]
    assert scene.discord.count("GET /channels/{channel_id}/messages/{message_id}") == 2 - most
