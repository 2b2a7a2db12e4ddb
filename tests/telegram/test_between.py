"""One game between a channel on Discord and a group on Telegram, both real clients at once."""

import random
from collections.abc import AsyncIterator

import pytest

from bot.kernel.presses import read_press
from bot.kernel.table import Table
from bot.platforms.discord.connection import DiscordConnection
from engine import games
from storage import Store
from tests.bot.party import Clock
from tests.discord.harness import Scene as DiscordScene, direct_to
from tests.fakes.discord.server import FakeDiscord
from tests.fakes.telegram.server import FakeTelegram
from tests.support.choosing import choose_capture
from tests.support.comparing import missing_from
from tests.support.present import present
from tests.telegram.harness import Bot, Scene
from tests.telegram.other_chat import InlinePlayers, OtherChat

MAX_ACTS = 200
LATER_ACTS = 5


class Both(Bot):
    """The program, connected to both."""

    discord: FakeDiscord
    other: DiscordConnection

    async def start(self) -> None:
        """Start the program on Telegram, then on Discord."""
        await super().start()
        self.other = DiscordConnection(self.tavoliere, token=self.discord.token)
        await self.other.start()
        await self.discord.until(lambda: self.discord.gateway.connected, "the gateway")

    async def stop(self) -> None:
        """End the program."""
        await self.other.stop()
        await super().stop()

    async def settle(self) -> None:
        """Wait until everything is shown on both."""
        await self.other.dispatcher.wait_until_idle()
        await super().settle()


class OnDiscord(DiscordScene):
    """The channel; what is waited for is shown on both."""

    def __init__(self, discord: FakeDiscord, both: Both) -> None:
        self.both = both
        self.discord = discord
        self.guild = discord.guild("Friends", "games")
        self.channel = self.guild.channels[0]
        self.people = {}

    async def play(self, name: str, command: str, **options: str) -> None:
        """Type a command and wait until all is shown."""
        await self.person(name).command(command, **options)
        await self.both.settle()
        await self.both.wait()


@pytest.fixture
async def both(
    telegram: FakeTelegram, store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Scene, OnDiscord]]:
    """A group on Telegram and a channel on Discord."""
    async with FakeDiscord() as discord:
        direct_to(discord, monkeypatch)
        bot = Both(telegram, store, clock)
        bot.discord = discord
        here, there = Scene(telegram, bot), OnDiscord(discord, bot)
        await bot.start()
        yield here, there
        await bot.stop()
        assert discord.refused == []


async def sit_down(here: Scene, there: OnDiscord, game: str, **options: str) -> str:
    """Have Dario on Discord start a game that Anna joins in an Italian group on Telegram; return its code."""
    anna = here.person("Anna", "it")
    here.group.status[anna.id] = "creator"
    await here.say(anna, "/settings language:it for:channel")
    await there.play("Dario", "play", game=game, **options)
    code = next(read.game for part in there.board.pressable if (read := read_press(_press(part))).game) or ""
    await here.say(anna, f"/play join:{code}")
    return code


def _press(part: dict[str, str]) -> str:
    return part["custom_id"].partition("|")[2]


async def test_a_whole_game_between_discord_and_telegram(both: tuple[Scene, OnDiscord]) -> None:
    here, there = both
    anna, dario = here.person("Anna", "it"), there.person("Dario")
    code = await sit_down(here, there, "annuvin", board="square")
    rng = random.Random("between the platforms")
    for _ in range(MAX_ACTS):
        table: Table = await here.bot.tavoliere.context.table(code)
        if table.row.status == "over":
            break
        assert table.mover is not None
        assert here.board.photo is not None
        assert there.board.picture is not None
        # The one to move is called where they are, and there alone.
        called = (here.board.marked.called, there.board.pings)
        on_telegram = called == ([anna.id], ())
        assert on_telegram or called == ([], (dario.account,))
        assert "tocca a te" in here.board.text or "continua" in here.board.text
        assert "your turn" in there.board.text
        move = choose_capture(table.playing.state, rng).text
        if on_telegram:
            await here.say(anna, move, answering=here.board)
        else:
            await there.play("Dario", "move", move=move)
        after = await here.bot.tavoliere.context.table(code)
        assert after.row.revision > table.row.revision
        shown = await here.bot.store.posts.list_for_game(code)
        assert {post.place.platform for post in shown} == {"telegram", "discord"}
        assert {post.shown_revision for post in shown} == {after.row.revision}
    else:
        pytest.fail("the game has no end")
    assert "Vince " in here.board.text or "patta" in here.board.text.lower()
    assert "wins!" in there.board.text or "draw" in there.board.text.lower()
    await here.say(anna, "/leaderboard")
    await there.play("Dario", "leaderboard")
    for board in (here.board.text, there.board.text):
        assert missing_from(board, "Anna", "Dario") == []


async def test_game_in_a_chat_without_the_bot_is_played_from_discord(both: tuple[Scene, OnDiscord]) -> None:
    here, there = both
    other_chat = OtherChat(here.telegram, here.bot)
    anna = other_chat.person("Anna")
    other_chat.alone(anna)
    await other_chat.put(anna, next(iter(games)))
    code = (await other_chat.row()).id
    await there.play("Dario", "play", join=code)
    players, sides = InlinePlayers(other_chat, "between"), set()
    for _ in range(LATER_ACTS):
        table: Table = await here.bot.tavoliere.context.table(code)
        action = choose_capture(table.playing.state, players.rng)
        seated = table.person_at(table.mover or 0)
        known = await here.bot.store.people.identities(seated or 0)
        sides.add(known[0].platform)
        if known[0].platform == "telegram":
            await players.tap(await players.state(), action)
        else:
            await there.play("Dario", "move", move=action.text)
        shown = await here.bot.store.posts.list_for_game(code)
        assert {post.place.platform for post in shown} == {"telegram", "discord"}
        assert {post.shown_revision for post in shown} == {(await other_chat.row()).revision}
    assert sides == {"telegram", "discord"}
    assert other_chat.board.photo is not None
    # An edit notifies nobody: people with the private chat are notified there.
    assert any("turn" in message.text for message in other_chat.private(anna))


async def test_a_group_plays_a_channel_and_neither_sees_the_others_proposals(both: tuple[Scene, OnDiscord]) -> None:
    here, there = both
    anna, bruno = here.person("Anna"), here.person("Bruno")
    dario, elsa = there.person("Dario"), there.person("Elsa")
    await here.say(bruno, "/help")
    await there.play("Elsa", "help")
    await here.say(anna, "/team annuvin against:channel time:1h quorum:2")
    (code,) = await here.bot.store.games.list_ids()
    assert f"/team join:{code}" in here.board.text
    await there.play("Dario", "team", join=code)
    sides = set[str]()
    for _ in range(4):
        table: Table = await here.bot.tavoliere.context.table(code)
        team = present(table.voting_team)
        turn = table.playing.state.legal_actions()[0].text
        mine, theirs = (there, here) if team.name.startswith("#") else (here, there)
        sides.add(team.name)
        await _shown(here.bot, mine, "Propose a turn")
        if mine is here:
            assert "Proposed as A" in (await here.say_alone(bruno, f"/move {turn} game:{code}")).text
        else:
            await there.play("Elsa", "move", move=turn, game=code)
            assert "Proposed as **A**" in elsa.private[-1].text
        await here.bot.wait(6)
        await _shown(here.bot, mine, "Vote A")
        assert missing_from(mine.board.text, "1 vote", turn) == []
        assert turn not in theirs.board.text
        assert not [label for label in theirs.board.labels if label.startswith(("Vote ", "Propose"))]
        if mine is here:
            await here.tap(anna, here.board, "Vote A")
        else:
            await dario.press(there.board, "Vote A")
            await here.bot.settle()
        await here.bot.wait(6)
        assert present(await here.bot.store.games.get(code)).revision > table.row.revision, "two agree"
    assert sides == {"Friends", "#games"}
    assert len(await here.bot.store.teams.votes(code)) == 8


async def _shown(bot: Bot, scene: Scene | OnDiscord, label: str) -> None:
    """Let time pass until a board has a button."""
    await bot.until(lambda: label in scene.board.labels, label)
