"""An app whose live stream is not there, or dies without a word, in a real browser: it says so and follows its game."""

from playwright.async_api import expect

from bot.kernel.operations.listening import HEARTBEAT_SECONDS
from bot.platforms.apps.streams import MAX_STREAMS_PER_PERSON
from tests.apps.player import Player
from tests.apps.table import Table, banner

LATE = "Changes show a few seconds late"
LOST = "connection is lost"
TOO_MANY = "open in very many places"
MAX_SILENCE_SECONDS = 35
"""How long `live.js` hears nothing before it takes a stream for dead."""


async def is_late_until_there_is_a_stream(table: Table, player: Player, words: str) -> None:
    """See that an app without a stream says so, follows the game nevertheless, and says it no more afterwards."""
    await player.page.clock.fast_forward(4000)
    await expect(banner(player)).to_contain_text(words)
    for _ in range(2):
        revision = await table.turn_in_the_chat()
        await player.page.clock.fast_forward(4000)
        await player.shows(revision)
    await player.page.clock.fast_forward(60_000)
    await expect(banner(player)).to_contain_text(words)
    table.proxy.mode = "open"
    await player.page.clock.fast_forward(MAX_SILENCE_SECONDS * 1000)
    await expect(player.root).to_have_attribute("data-live", "true")
    await expect(banner(player)).to_be_hidden()
    await player.shows(await table.turn_in_the_chat())


async def test_address_of_the_stream_that_is_not_there(table: Table) -> None:
    table.proxy.mode = "missing"
    player = await table.opens("Anna")
    await is_late_until_there_is_a_stream(table, player, LATE)


async def test_stream_that_is_one_too_many(table: Table) -> None:
    anna = await table.world.apps.opens("Anna")
    streams = [await anna.listens() for _ in range(MAX_STREAMS_PER_PERSON)]
    player = await table.opens("Anna")
    await player.page.clock.fast_forward(4000)
    await expect(banner(player)).to_contain_text(TOO_MANY)
    revision = await table.turn_in_the_chat()
    await player.page.clock.fast_forward(4000)
    await player.shows(revision)
    for each in streams:
        await each.close()
    await player.page.clock.fast_forward(10_000)
    await expect(player.root).to_have_attribute("data-live", "true")
    await expect(banner(player)).to_be_hidden()


async def test_stream_that_dies_without_a_word(table: Table) -> None:
    player = await table.opens("Anna")
    await player.is_ready()
    table.proxy.mode = "silent"
    await table.turn_in_the_chat()
    assert 2 * HEARTBEAT_SECONDS < MAX_SILENCE_SECONDS
    await player.page.clock.fast_forward(MAX_SILENCE_SECONDS * 1000)
    await expect(player.root).to_have_attribute("data-live", "false")
    await is_late_until_there_is_a_stream(table, player, LATE)


async def test_without_a_network_the_banner_stands_as_long_as_that_and_coming_back_has_a_fresh_look(
    table: Table,
) -> None:
    player = await table.opens("Anna")
    await player.is_ready()
    await player.page.context.set_offline(True)
    for _ in range(4):
        await player.page.clock.fast_forward(8000)
        await expect(banner(player)).to_contain_text(LOST)
    await player.page.context.set_offline(False)
    await expect(player.root).to_have_attribute("data-live", "true")
    await expect(banner(player)).to_be_hidden()
    for target, event in (("document", "visibilitychange"), ("window", "pageshow"), ("window", "online")):
        table.proxy.mode = "silent"
        revision = await table.turn_in_the_chat()
        # What was open stays silent, a new stream is none.
        await player.page.clock.fast_forward(2000)
        await expect(player.root).to_have_attribute("data-live", "true")
        table.proxy.mode = "open"
        await player.page.evaluate(f"{target}.dispatchEvent(new Event('{event}'))")
        await player.shows(revision)
