"""Games among people where the bot is no member: everything happens through what they press."""

from unittest.mock import AsyncMock

import pytest

from bot.kernel.presses import read_press
from bot.platforms.discord.adapter import ANSWER_TIMEOUT
from bot.platforms.web.room import ChatRoom
from engine import games
from storage import GameRow
from tests.discord.harness import Scene
from tests.discord.pages import ANSWERING, PERMISSIONS, documented
from tests.discord.players import Players, payload_of
from tests.discord.test_at_home import menu
from tests.fakes.discord.messages import ApiError
from tests.fakes.discord.people import Person, invite_bot
from tests.fakes.discord.world import USUAL, Channel, Message, Permission
from tests.support.choosing import choose_capture, choose_cleverly
from tests.support.comparing import missing_from
from tests.support.present import present

FOLLOWUP = "POST /webhooks/{webhook_id}/{webhook_token}"
LONG_ENOUGH = 4
WHOLE = 3000
"""More actions than any game takes; those of Vedova Nera last 500 turns if pieces are only captured greedily."""


@pytest.fixture
def anna(scene: Scene) -> Person:
    """Somebody who has installed the bot for herself."""
    return scene.person("Anna")


@pytest.fixture
def bruno(scene: Scene) -> Person:
    """Somebody who has installed nothing."""
    return stranger(scene, "Bruno")


@pytest.fixture
def chat(scene: Scene, anna: Person, bruno: Person) -> Channel:
    """The private chat of the two."""
    return among(scene, anna, bruno)


def stranger(scene: Scene, name: str) -> Person:
    """Return somebody who has installed nothing."""
    person = scene.person(name)
    person.account.installed = person.account.beside = False
    return person


def among(scene: Scene, *friends: Person) -> Channel:
    """Have friends look at a conversation that the bot is not part of."""
    return looking_at(scene, scene.discord.chat(*(each.account for each in friends)), *friends)


def foreign(scene: Scene, permissions: int, *friends: Person) -> Channel:
    """Have friends look at a channel of a server that the bot is no member of."""
    guild = scene.discord.guild("Elsewhere", has_bot=False)
    guild.channels[0].permissions = permissions
    return looking_at(scene, guild.channels[0], *friends)


def looking_at(scene: Scene, channel: Channel, *friends: Person) -> Channel:
    scene.channel = channel
    for each in friends:
        each.here = channel
    return channel


async def begun(scene: Scene, game: str, first: Person, *others: Person) -> Message:
    """Have people sit down; return the message that was the challenge."""
    await scene.command(first, "play", game=game, seats=1 + len(others))
    lobby = scene.board
    for other in others:
        await scene.press(other, lobby, "Join")
    return lobby


async def row(scene: Scene, message: Message | None = None) -> GameRow:
    """Return the game that a message shows, or the newest that all see."""
    (code,) = {read_press(payload_of(part)).game for part in (message or scene.board).pressable} - {""}
    return await row_of(scene, code)


async def row_of(scene: Scene, code: str) -> GameRow:
    return present(await scene.bot.store.games.get(code))


class Pressing(Players):
    """Plays by buttons alone: who has installed nothing is offered no commands."""

    def by_button(self) -> bool:
        return True


@pytest.mark.parametrize("acts", [LONG_ENOUGH, pytest.param(WHOLE, marks=pytest.mark.full)])
@pytest.mark.parametrize("game", games)
async def test_games_in_private(scene: Scene, chat: Channel, anna: Person, bruno: Person, game: str, acts: int) -> None:
    lobby = await begun(scene, game, anna, bruno)
    assert anna.private == []
    assert lobby.pressable == []
    assert scene.board.picture is not None
    players = Pressing(scene, f"{game} in a private chat", choose_cleverly)
    await players.play(acts)
    assert players.over or players.acts == LONG_ENOUGH
    *before, board = scene.shown
    assert [message for message in before if message.pressable] == []
    assert all(message.picture and message.alt for message in [*before[1:], board])
    assert all(len(message.pings) <= 1 for message in scene.shown)


async def test_three_in_a_group_chat(scene: Scene, anna: Person, bruno: Person) -> None:
    carla = stranger(scene, "Carla")
    among(scene, anna, bruno, carla)
    await scene.command(anna, "play", game="vedova-nera", seats=3)
    lobby = scene.board
    await scene.press(bruno, lobby, "Join")
    assert scene.board is lobby
    assert "Bruno" in lobby.text
    await scene.press(carla, lobby, "Join")
    movers = set()
    players = Pressing(scene, "three in a group chat", choose_capture)
    for _ in range(LONG_ENOUGH):
        movers.add(scene.mover)
        await players.play(1)
    assert movers == {anna, bruno, carla}


async def test_two_who_press_join_at_once(scene: Scene, anna: Person, bruno: Person) -> None:
    carla = stranger(scene, "Carla")
    among(scene, anna, bruno, carla)
    await scene.command(anna, "play", game="annuvin")
    lobby = scene.board
    part = next(part for part in lobby.pressable if part["label"] == "Join")
    async with scene.discord.holding("POST /interactions/{interaction_id}/{interaction_token}/callback") as gate:
        for each in (bruno, carla):
            await each.send_press(lobby, part)
        await scene.discord.until(lambda: gate.waiting == 2, "both")
    await scene.discord.until(lambda: bool(bruno.private or carla.private), "an answer to the slower one")
    await scene.bot.settle()
    assert (await row(scene)).status == "playing"
    (late,) = [each for each in (bruno, carla) if each.private]
    assert "has started" in late.newest_private.text or "already" in late.newest_private.text
    assert len([message for message in scene.shown if message.pressable]) == 1


@documented(page=ANSWERING, says="a token is valid for fifteen minutes")
async def test_a_token_that_expires_within_a_turn(scene: Scene, chat: Channel, anna: Person, bruno: Person) -> None:
    await begun(scene, "real-queen", anna, bruno)
    board, mover = scene.board, scene.mover
    first = next(part for part in board.pressable if payload_of(part).startswith("c:"))
    await scene.press_part(mover, board, first)
    assert mover.private, "asked where to"
    asked = mover.newest_private
    later(scene)
    await scene.press_part(mover, asked, next(part for part in asked.pressable if payload_of(part).startswith("p:")))
    # The press was not on the board, and what was is forgotten: the board keeps its buttons.
    assert scene.board is not board
    assert board.pressable
    assert scene.mover is not mover
    with scene.discord.refusing(50027):
        # What was answered with a token that has expired stays.
        await scene.press_part(mover, board, first)
    assert "moved on" in mover.newest_private.text
    usable = await scene.bot.store.passes.list_usable("discord", chat.id, None, scene.bot.clock.now)
    assert len(usable) == 2, "what has expired is forgotten"


def later(scene: Scene, seconds: float = 16 * 60) -> None:
    """Let the tokens expire."""
    scene.discord.clock.turn(seconds)
    scene.bot.clock.turn(seconds=seconds)


async def test_a_clock_that_is_fast_makes_no_token_expire(scene: Scene, chat: Channel, anna: Person) -> None:
    scene.bot.clock.turn(hours=1)
    await scene.command(anna, "play", game="annuvin")
    assert "Join" in scene.board.labels
    assert anna.private == []


async def test_updates_appear_with_the_next_press(scene: Scene, chat: Channel, anna: Person, bruno: Person) -> None:
    await begun(scene, "annuvin", anna, bruno)
    board, mover = scene.board, scene.mover
    later(scene)
    other = anna if mover is bruno else bruno
    await played_elsewhere(scene, mover)
    assert scene.board is board, "nothing can be written there now"
    await scene.press(other, board, "Rules")
    assert scene.board is not board
    assert scene.mover is other
    assert board.pressable == [], "the press was on it"
    assert board.picture is not None


async def played_elsewhere(scene: Scene, mover: Person) -> None:
    """Have somebody move in their own chat with the bot."""
    found = await row(scene)
    state = (await scene.bot.tavoliere.context.table(found.id)).playing.state
    here, mover.here = mover.here, scene.discord.dm(mover.account)
    await scene.command(mover, "move", move=state.legal_actions()[0].text, game=found.id)
    mover.here = here
    assert (await row(scene)).revision > found.revision


@pytest.mark.parametrize("pressed", [False, True])
async def test_a_kill_between_the_press_and_its_answer(
    scene: Scene, chat: Channel, anna: Person, bruno: Person, pressed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if pressed:
        await scene.command(anna, "play", game="annuvin")

    with monkeypatch.context() as dying:
        for last in (
            "discord.dispatcher.DiscordDispatcher._show_command_reply",
            "discord.dispatcher.DiscordDispatcher._show_press_reply",
        ):
            dying.setattr(f"bot.platforms.{last}", AsyncMock())
        dying.setattr("bot.platforms.app.Tavoliere.press_answered", AsyncMock())
        if pressed:
            await scene.press(bruno, scene.board, "Join")
        else:
            await scene.command(anna, "play", game="annuvin")
            assert anna.newest_private.loading
            assert scene.shown == []
        await scene.bot.restart()
    later(scene, ANSWER_TIMEOUT.total_seconds())
    await scene.bot.settle()
    assert anna.private == []
    if pressed:
        assert scene.mover in (anna, bruno)
    else:
        assert "Join" in scene.board.labels
        assert not scene.board.private


@documented(page=PERMISSIONS, says="without Permission.USE_EXTERNAL_APPS user-installed apps answer in private")
async def test_where_apps_may_only_answer_privately_that_is_said(scene: Scene, anna: Person, bruno: Person) -> None:
    channel = foreign(scene, USUAL, anna, bruno)
    await scene.command(anna, "play", game="annuvin", opponent=bruno.account)
    assert missing_from(anna.newest_private.text, "nobody else would see", "oauth2/authorize") == []
    await scene.command(anna, "play", game="annuvin")
    assert missing_from(anna.newest_private.text, "Opponent: **2 – easy**", "oauth2/authorize") == []
    assert scene.discord.shown(channel) == []


async def test_a_server_that_keeps_answers_private_without_saying_so(scene: Scene, anna: Person, bruno: Person) -> None:
    channel = foreign(scene, USUAL | Permission.USE_EXTERNAL_APPS, anna, bruno)
    channel.silently_muted = True
    await scene.command(anna, "play", game="annuvin")
    assert missing_from(anna.newest_private.text, "nobody else would see", "oauth2/authorize") == []
    assert scene.discord.shown(channel) == []


async def test_where_apps_may_not_attach_files_boards_come_in_words(scene: Scene, anna: Person, bruno: Person) -> None:
    foreign(scene, (USUAL | Permission.USE_EXTERNAL_APPS) & ~(1 << 15), anna, bruno)
    with scene.discord.refusing(50013):
        await begun(scene, "real-queen", anna, bruno)
    assert scene.board.picture is None
    assert missing_from(scene.board.text, "oauth2/authorize", "20 in reserve") == []
    mover = scene.mover
    await scene.press_part(mover, scene.board, next(p for p in scene.board.pressable if payload_of(p).startswith("c:")))
    assert mover.newest_private.pressable


async def test_once_the_bot_has_joined_games_go_on_as_ordinary_ones(scene: Scene, anna: Person, bruno: Person) -> None:
    channel = foreign(scene, USUAL | Permission.USE_EXTERNAL_APPS, anna, bruno)
    await begun(scene, "annuvin", anna, bruno)
    later(scene)
    before, guild, old = scene.mover, channel.guild, scene.board
    assert guild is not None
    rules, seen = next(part for part in old.pressable if part["label"] == "Rules"), old.to_json()
    await played_elsewhere(scene, before)
    await invite_bot(scene.discord, guild)
    await scene.discord.until(lambda: any("Hello" in each.text for each in scene.shown), "the welcome")
    await scene.bot.settle()
    assert await scene.bot.store.passes.list_usable("discord", channel.id, None, scene.bot.clock.now) == []
    board = next(message for message in reversed(scene.shown) if message.pings)
    mover = scene.by(board.pings[0])
    assert mover is not before, "what could not be shown is shown without a press"
    await scene.press_part(mover, board, next(part for part in board.pressable if payload_of(part).startswith("c:")))
    # Old buttons count on the installation by which they came; the bot is there all the same.
    await scene.press_part(before, old, rules, seen)
    assert not present(await scene.bot.store.places.get((await row(scene)).place)).guest
    await scene.command(anna, "leaderboard")
    assert scene.board.author.bot


async def test_share_gives_links_and_seats_friends(scene: Scene, chat: Channel, anna: Person, bruno: Person) -> None:
    scene.bot.tavoliere.add(ChatRoom(scene.bot.store, scene.bot.clock, "https://games.example.org"))
    await scene.command(anna, "play", game="annuvin")
    code = (await row(scene)).id
    await scene.press(bruno, scene.board, "Share")
    link = f"client_id={scene.discord.bot.id}&scope=applications.commands&integration_type=1"
    said = (link, f"/join {code}", f"https://games.example.org/#join={code}")
    assert missing_from(bruno.newest_private.text, *said) == []
    carla = scene.person("Carla")
    for _ in ("sits down", "looks at the board"):
        among(scene, carla, stranger(scene, "Dario"))
        await scene.command(carla, "join", code=code)
        assert (await row_of(scene, code)).status == "playing"


async def test_finished_game_is_shared_replayed_and_followed_by_another(
    scene: Scene, chat: Channel, anna: Person, bruno: Person
) -> None:
    await begun(scene, "annuvin", anna, bruno)
    await Pressing(scene, "shared", choose_capture).play(2)
    game = await row(scene)
    await scene.command(anna, "resign")
    await scene.press(anna, anna.newest_private, "Yes, resign")
    over = scene.board
    assert "wins" in over.text
    assert "fairness" not in over.text
    # Nothing pretends to be a channel: there is no leaderboard.
    assert over.labels == ["Play again", "New game", "Analyse", "Share", "Rules", "Fair chance"]
    await scene.press(bruno, over, "Share")
    assert missing_from(bruno.newest_private.text, "the finished board", f"/join {game.id}") == []
    await scene.press(bruno, over, "Play again")
    assert scene.board.pings == (anna.account,)
    await scene.press(anna, scene.board, "Accept")
    assert scene.mover in (anna, bruno)
    assert all(call.operation != "POST /channels/{channel_id}/messages" for call in scene.discord.calls)
    carla = scene.person("Carla")
    among(scene, carla, stranger(scene, "Dario"))
    await scene.command(carla, "join", code=game.id)
    assert carla.newest_private.private
    assert carla.newest_private.picture is not None
    assert "has resigned." in carla.newest_private.text
    await scene.press(carla, carla.newest_private, "◀")
    assert game.id in carla.newest_private.text


async def test_an_extra_follow_up_waits_for_a_press(scene: Scene, chat: Channel, anna: Person, bruno: Person) -> None:
    await scene.command(anna, "play", game="annuvin")
    lobby = scene.board
    scene.discord.fail(FOLLOWUP, *[ApiError(400, 40094, "no more")] * 2)
    with scene.discord.refusing(40094, 40094):
        await scene.press(bruno, lobby, "Join")
    assert scene.board is lobby
    await scene.press(bruno, lobby, "Rules")
    assert scene.mover in (anna, bruno)


async def test_menus_challenge_and_show_a_board(scene: Scene, chat: Channel, anna: Person, bruno: Person) -> None:
    await menu(scene, anna, "Challenge to a game", bruno.account)
    await scene.press(anna, anna.newest_private, "Annuvin")
    assert scene.board.pings == (bruno.account,)
    await scene.press(bruno, scene.board, "Accept")
    await menu(scene, anna, "Show the board", scene.board)
    assert anna.newest_private.private
    assert anna.newest_private.picture is not None
