"""Clocks where the bot is no member: reminders are private messages, so each player must be writable."""

from datetime import timedelta

import pytest

from bot.kernel.operations.clock import HEARTBEAT_NAME
from tests.discord.harness import Scene
from tests.discord.pages import ANSWERING, STATUS, documented
from tests.discord.test_guests import among, foreign, later, row, row_of, stranger
from tests.fakes.discord.messages import ApiError
from tests.fakes.discord.people import Person, invite_bot
from tests.fakes.discord.world import USUAL, Channel, Message, Permission
from tests.support.comparing import missing_from
from tests.support.present import present

SEND = "POST /channels/{channel_id}/messages"


@pytest.fixture
def anna(scene: Scene) -> Person:
    """Somebody who has installed the bot for herself, and is on no server with it."""
    return installed(scene, "Anna")


@pytest.fixture
def bruno(scene: Scene) -> Person:
    return installed(scene, "Bruno")


@pytest.fixture
def chat(scene: Scene, anna: Person, bruno: Person) -> Channel:
    """The private chat of the two."""
    return among(scene, anna, bruno)


def installed(scene: Scene, name: str) -> Person:
    """Return somebody who has installed the bot for themselves, and is on no server with it."""
    person = scene.person(name)
    person.account.beside = False
    return person


def written_to(scene: Scene, person: Person) -> list[Message]:
    """Return what somebody has been written in private."""
    return scene.discord.shown(scene.discord.dm(person.account))


async def wait(scene: Scene, **parts: float) -> None:
    """Let time pass as it does while the program runs, from one alarm to the next."""
    bot, discord = scene.bot, scene.discord
    until = bot.clock.now + timedelta(**parts)
    while bot.clock.now < until:
        due = await bot.store.alarms.list_due(until)
        then = (due[0].alarm_at if due else None) or until
        discord.clock.turn((then - bot.clock.now).total_seconds())
        bot.clock.now = then
        await bot.store.alarms.record_heartbeat(HEARTBEAT_NAME, then)
        await bot.tavoliere.alarms.tick()
        await bot.settle()


async def at_play(scene: Scene, first: Person, second: Person) -> tuple[Message, Person, Person]:
    """Have two people play with an hour for each turn; return the board, who is to move, and who is not."""
    await scene.command(first, "play", game="annuvin", clock="1h")
    lobby = scene.board
    code = (await row(scene)).id
    # By a command of one's own it is known who has installed the bot.
    await scene.command(second, "join", code=code)
    assert scene.board is not lobby
    return scene.board, *two(scene, first, second)


async def turn_ended(scene: Scene, mover: Person, code: str) -> None:
    """Have somebody play any turn, by typing."""
    before = await row_of(scene, code)
    while (now := await row_of(scene, code)).to_move == before.to_move and now.turn == before.turn:
        state = (await scene.bot.tavoliere.context.table(code)).playing.state
        await scene.command(mover, "move", move=state.legal_actions()[0].text, game=code)


def two(scene: Scene, *players: Person) -> tuple[Person, Person]:
    """Return who is to move, and the other one."""
    mover = scene.mover
    return mover, next(each for each in players if each is not mover)


async def test_challenge_explains_its_clock(scene: Scene, chat: Channel, anna: Person) -> None:
    await scene.command(anna, "play", game="annuvin", clock="1d")
    assert "1 day a turn" in scene.board.text
    await scene.press(anna, scene.board, "Details")
    assert missing_from(anna.newest_private.text, "in a private message", "as soon as somebody presses") == []
    await scene.press(anna, scene.board, "Call it off")
    await scene.command(anna, "play", game="annuvin")
    assert "private message" not in scene.board.text
    anna.here = scene.channel = scene.guild.channels[0]
    await scene.command(anna, "play", game="annuvin", clock="1d")
    assert "private message" not in scene.board.text, "there boards call at any time"


async def test_menus_offer_a_clock_to_reachable_people(scene: Scene, chat: Channel, anna: Person) -> None:
    await scene.command(anna, "play")
    await scene.press(anna, anna.newest_private, "Annuvin")
    page = next(label for label in anna.newest_private.labels if "Kind of clock" in label)
    await scene.fill(anna, await scene.press(anna, anna.newest_private, page), pace="days")
    page = next(label for label in anna.newest_private.labels if "Clock" in label)
    await scene.fill(anna, await scene.press(anna, anna.newest_private, page), clock="1d")
    await scene.press(anna, anna.newest_private, "Look for players")
    assert (await row(scene)).terms.clock == 24 * 3600


async def test_a_live_game_is_refused_where_boards_come_only_with_presses(
    scene: Scene, chat: Channel, anna: Person
) -> None:
    await scene.command(anna, "play", game="annuvin", clock="15+10")
    assert "boards may come too late" in anna.newest_private.text
    assert not await scene.bot.tavoliere.context.store.games.count_live("status")


@documented(page=ANSWERING, says="a button counts on the installation by which its message came, whoever presses it")
@pytest.mark.parametrize("invited", [False, True])
async def test_unreachable_person_joins_a_clocked_game_after_instructions(
    scene: Scene, anna: Person, *, invited: bool
) -> None:
    bruno = stranger(scene, "Bruno")
    among(scene, anna, bruno)
    called, label = ({"opponent": bruno.account}, "Accept") if invited else ({}, "Join")
    await scene.command(anna, "play", game="annuvin", clock="1d", **called)
    lobby, before = scene.board, await row(scene)
    assert lobby.pings == ((bruno.account,) if invited else ())
    await scene.press(bruno, lobby, label)
    assert bruno.newest_private.private
    link = f"client_id={scene.discord.bot.id}&scope=applications.commands&integration_type=1"
    said = ("cannot write to you in private yet", link, f"/join {before.id}")
    assert missing_from(bruno.newest_private.text, *said) == []
    assert await row_of(scene, before.id) == before
    if invited:
        await scene.command(anna, "play", game="annuvin", **called)
        await scene.press(bruno, scene.board, label)
        assert scene.mover in (anna, bruno), "without a clock anybody plays"
    bruno.account.installed = True
    await scene.press(bruno, lobby, label)
    assert "cannot write to you" in bruno.newest_private.text, "a button counts on the installation of who put it there"
    await scene.bot.restart()
    await scene.command(bruno, "join", code=before.id)
    assert (await row_of(scene, before.id)).status == "playing"
    assert scene.mover in (anna, bruno)


async def test_person_met_in_a_shared_place_can_be_reminded(scene: Scene, anna: Person) -> None:
    bruno, carla = stranger(scene, "Bruno"), stranger(scene, "Carla")
    for each, here in ((bruno, scene.guild.channels[0]), (carla, scene.discord.dm(carla.account))):
        each.account.beside, each.here = True, here
        await scene.command(each, "help")
    among(scene, anna, bruno, carla)
    for each in (bruno, carla):
        await scene.command(anna, "play", game="annuvin", clock="1d")
        code = (await row(scene)).id
        await scene.press(each, scene.board, "Join")
        assert (await row_of(scene, code)).status == "playing"


async def test_reminders_come_in_private_after_restarts_too_and_the_board_shows_the_end_with_the_next_press(
    scene: Scene, chat: Channel, anna: Person, bruno: Person
) -> None:
    board, mover, other = await at_play(scene, anna, bruno)
    seen, game = board.to_json(), await row(scene)
    await wait(scene, minutes=50)
    await scene.bot.restart()
    (reminder,) = written_to(scene, mover)
    assert "A friendly reminder" in reminder.text
    assert written_to(scene, other) == []
    await wait(scene, minutes=6)
    assert "Last call" in written_to(scene, mover)[-1].text
    assert len(written_to(scene, mover)) == 2
    await scene.bot.restart()
    await wait(scene, minutes=5)
    assert (await row_of(scene, game.id)).status == "over"
    for each, number in ((mover, 3), (other, 1)):
        assert len(written_to(scene, each)) == number
        assert missing_from(written_to(scene, each)[-1].text, "has run out of time", "wins") == []
    assert scene.board is board
    assert board.to_json() == seen, "nothing can be written there"
    await scene.press(other, board, "Rules")
    assert scene.board is not board
    assert "wins" in scene.board.text
    assert scene.board.pings == (), "everybody was told"
    assert board.pressable == []


async def test_the_game_goes_on_from_the_reminder(scene: Scene, chat: Channel, anna: Person, bruno: Person) -> None:
    board, mover, other = await at_play(scene, anna, bruno)
    await wait(scene, minutes=46)
    mover.here = scene.discord.dm(mover.account)
    await scene.press(mover, written_to(scene, mover)[-1], "Look again")
    await turn_ended(scene, mover, (await row(scene)).id)
    assert "It is your turn" in written_to(scene, other)[-1].text, "their hour runs, and nothing else would tell"
    await scene.press(other, board, "Rules")
    assert scene.board is not board
    assert scene.board.pings == ()


async def test_a_board_that_can_be_written_reminds(scene: Scene, chat: Channel, anna: Person, bruno: Person) -> None:
    board, mover, other = await at_play(scene, anna, bruno)
    await wait(scene, minutes=40)
    await scene.press(other, board, "Rules")
    await wait(scene, minutes=6)
    assert scene.board is not board
    assert scene.board.pings == (mover.account,)
    assert "A friendly reminder" in scene.board.text
    assert written_to(scene, mover) == []


@documented(page=STATUS, says="50007: cannot send messages to this user; 50278: nor without mutual guilds")
@pytest.mark.parametrize("code", [50007, 50278])
async def test_who_is_not_reminded_is_said(scene: Scene, chat: Channel, anna: Person, bruno: Person, code: int) -> None:
    board, mover, other = await at_play(scene, anna, bruno)
    game = await row(scene)
    if code == 50007:
        scene.discord.closed.add(mover.account)
    else:
        mover.account.installed = False
    with scene.discord.refusing(code):
        await wait(scene, minutes=50)
    refused = scene.discord.count(SEND)
    await scene.bot.restart()
    await wait(scene, minutes=2)
    assert scene.discord.count(SEND) == refused, "it is not tried again"
    await scene.press(other, board, "Rules")
    assert "My reminder did not reach" in scene.board.text
    assert mover.id in scene.board.text.partition("did not reach")[2]
    assert (await row_of(scene, game.id)).progress.unreminded
    await wait(scene, minutes=10)
    assert (await row_of(scene, game.id)).status == "over"
    assert "wins" in scene.board.text
    assert mover.id in scene.board.text.partition("did not reach")[2]


async def test_refused_message_marks_the_unreachable(scene: Scene, chat: Channel, anna: Person, bruno: Person) -> None:
    _, mover, other = await at_play(scene, anna, bruno)
    scene.discord.closed.add(mover.account)
    with scene.discord.refusing(*[50007] * 3):
        await wait(scene, minutes=61)
    assert len(written_to(scene, other)) == 1, "the other one was told of the end"
    await scene.press(other, scene.board, "Rules")
    await scene.press(other, scene.board, "Play again")
    again = scene.board
    code = (await row(scene)).id
    await scene.press(mover, again, "Accept")
    assert missing_from(mover.newest_private.text, "My last private message to you was refused", "/help") == []
    await scene.command(mover, "play", game="annuvin", clock="1d")
    assert "was refused" in mover.newest_private.text
    assert (await row_of(scene, code)).status == "lobby"
    scene.discord.closed.clear()
    mover.here = scene.discord.dm(mover.account)
    await scene.command(mover, "help")
    mover.here = chat
    await scene.press(mover, again, "Accept")
    assert (await row_of(scene, code)).status == "playing"
    mover, _ = two(scene, anna, bruno)
    before = len(written_to(scene, mover))
    await wait(scene, minutes=46)
    assert len(written_to(scene, mover)) == before + 1


async def test_a_reminder_received_ends_the_note(scene: Scene, chat: Channel, anna: Person, bruno: Person) -> None:
    board, mover, other = await at_play(scene, anna, bruno)
    scene.discord.fail(SEND, ApiError(403, 50007, "Cannot send messages to this user"))
    with scene.discord.refusing(50007):
        await wait(scene, minutes=50)
    assert (await row(scene)).progress.unreminded
    await wait(scene, minutes=6)
    assert (await row(scene)).progress.unreminded == frozenset()
    await scene.press(other, board, "Rules")
    assert "did not reach" not in scene.board.text
    assert "Last call" in written_to(scene, mover)[-1].text


async def test_a_game_alone_has_its_reminders_in_private(scene: Scene, chat: Channel, anna: Person) -> None:
    await anna.complete("play", "game", game="ann")
    assert await scene.bot.store.passes.list_usable("discord", chat.id, None, scene.bot.clock.now) == []
    await scene.command(anna, "play", game="annuvin", computer="1", clock="1h")
    assert anna.newest_private.picture is not None
    (found,) = await scene.bot.store.games.list_for_person(1)
    assert present(await scene.bot.store.places.get(found.place)).kind == "private"
    await wait(scene, minutes=46)
    assert scene.shown == []
    (reminder,) = written_to(scene, anna)
    assert "A friendly reminder" in reminder.text
    await wait(scene, minutes=15)
    assert (await row_of(scene, found.id)).status == "over"
    assert "wins" in written_to(scene, anna)[-1].text


async def test_who_joins_from_here_is_reminded_in_private_of_a_game_that_is_shown_elsewhere_too(
    scene: Scene, chat: Channel, anna: Person, bruno: Person
) -> None:
    carla = scene.person("Carla", here=scene.guild.channels[0])
    dario = stranger(scene, "Dario")
    among(scene, bruno, dario)
    await scene.command(carla, "play", game="annuvin", clock="1h")
    code = (await scene.bot.store.games.list_ids())[0]
    dario.account.installed = True
    await scene.command(dario, "join", code=code)
    board = scene.discord.shown(scene.guild.channels[0])[-1]
    later(scene)
    played = (await row_of(scene, code)).to_move == 1
    if played:
        await turn_ended(scene, carla, code)
        assert "It is your turn" in written_to(scene, dario)[-1].text
    await wait(scene, minutes=46 if played else 30)
    assert "A friendly reminder" in written_to(scene, dario)[-1].text
    assert written_to(scene, carla) == []
    assert board is not None


async def test_when_the_bot_joins_the_clock_goes_on_as_usual(scene: Scene, anna: Person, bruno: Person) -> None:
    channel = foreign(scene, USUAL | Permission.USE_EXTERNAL_APPS, anna, bruno)
    _, mover, _ = await at_play(scene, anna, bruno)
    later(scene)
    await invite_bot(scene.discord, present(channel.guild))
    await scene.discord.until(lambda: any("Hello" in each.text for each in scene.shown), "the welcome")
    await wait(scene, minutes=30)
    reminded = next(message for message in reversed(scene.shown) if message.pings)
    assert reminded.pings == (mover.account,)
    assert "A friendly reminder" in reminded.text
    assert written_to(scene, mover) == []
