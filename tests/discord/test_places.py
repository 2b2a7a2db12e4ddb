"""Where the bot is on Discord: permissions, threads, settings, a welcome, and places that it is no member of."""

import pytest

from bot.kernel.preferences import place_of
from bot.table.commands import wait_for_computer
from engine import games
from tests.bot.party import Quick
from tests.discord.harness import Scene
from tests.discord.pages import CHANNELS, MESSAGES, documented
from tests.discord.players import payload_of
from tests.fakes.discord.people import Person, invite_bot
from tests.fakes.discord.world import SUPPRESS_NOTIFICATIONS, THREAD, USUAL, Channel, Permission
from tests.support.comparing import missing_from
from tests.support.present import present


@pytest.mark.parametrize(
    ("lacking", "words"),
    [(Permission.SEND_MESSAGES, "may not write"), (Permission.VIEW_CHANNEL, "cannot see this channel")],
)
async def test_missing_permission_is_reported_and_the_game_kept(
    scene: Scene, anna: Person, lacking: int, words: str
) -> None:
    scene.channel.permissions = USUAL & ~lacking
    with scene.discord.refusing(50001 if lacking == Permission.VIEW_CHANNEL else 50013):
        await scene.command(anna, "play", game="annuvin")
    assert words in anna.newest_private.text
    assert scene.shown == []
    anna.here = scene.guild.channels[1]
    await scene.command(anna, "games")
    assert "Annuvin" in anna.newest_private.text
    scene.channel.permissions = USUAL
    anna.here = scene.channel
    bruno = scene.person("Bruno")
    (code,) = [choice["value"] for choice in await bruno.complete("join", "code", code="")]
    await scene.command(bruno, "join", code=code)
    assert scene.mover in (anna, bruno)
    # Shown once more, the same turn calls nobody again.
    await scene.command(anna, "board")
    assert [len(message.pings) for message in scene.shown[-2:]] == [1, 0]


async def test_a_board_that_may_not_be_written_costs_a_try_for_each_change(
    scene: Scene, mover: Person, other: Person
) -> None:
    """It comes back by whatever event we learn that we may: tests/platforms/test_reopened.py."""
    guild, before = scene.guild, scene.shown
    scene.channel.permissions = USUAL & ~Permission.SEND_MESSAGES
    with scene.discord.refusing(50013, 50013):
        await scene.move(mover)
    assert scene.shown == before
    # The mover learns that the move counts and where to see it; later attempts cost nothing.
    assert missing_from(mover.newest_private.text, "What you did counts", "</games:") == []
    await scene.command(mover, "games")
    assert "To the board" not in mover.newest_private.text
    with scene.discord.refusing():
        await scene.move(other)
    # Something else changes first: what still may not be is tried once (with its picture and without), and waits on.
    with scene.discord.refusing(50013, 50013):
        news = {"guild_id": guild.id, "role": guild.role_json()}
        await scene.discord.gateway.dispatch("GUILD_ROLE_UPDATE", news)
        await scene.discord.until(lambda: len(scene.discord.refused) > 1, "a try")
        await scene.bot.settle()


async def test_without_pictures_boards_come_in_words(scene: Scene) -> None:
    scene.channel.permissions = USUAL & ~Permission.ATTACH_FILES
    with scene.discord.refusing(50013, 50013):
        mover, _ = await scene.started()
        assert scene.board.attachments == []
        assert missing_from(scene.board.text, "pieces", "Attach Files") == []
        await scene.move(mover)
    assert "Attach Files" in mover.newest_private.text
    scene.channel.permissions = USUAL
    await scene.move(scene.mover)
    assert scene.board.picture is not None


async def test_game_of_a_deleted_channel_can_be_shown_elsewhere(scene: Scene, mover: Person, other: Person) -> None:
    scene.channel.deleted = True
    mover.here = other.here = scene.guild.channels[1]
    with scene.discord.refusing(10003):
        await scene.move(mover)
    await scene.command(other, "games")
    assert "Annuvin" in other.newest_private.text
    await scene.press(other, other.newest_private, other.newest_private.labels[0])
    assert "Nobody else can see" in other.newest_private.text
    await scene.command(other, "board")
    (board,) = scene.discord.shown(scene.guild.channels[1])
    assert board.pings == (other.account,)
    await scene.press(other, board, board.labels[0])
    assert other.newest_private.text.startswith("Where")


async def test_a_game_can_have_a_thread_of_its_own(scene: Scene) -> None:
    await scene.command(scene.owner, "settings", **{"threads": "on", "for": "server", "language": "it"})
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    await scene.command(anna, "play", game="annuvin", opponent=bruno.account)
    (lobby,) = scene.shown
    await scene.press(bruno, lobby, "Accetto")
    assert (scene.shown, lobby.labels) == ([lobby], [])
    assert "thread" in lobby.text
    thread = present(lobby.thread)
    assert thread.name.startswith("Annuvin: ")
    (board,) = scene.discord.shown(thread)
    assert "tocca a te" in board.text
    mover = scene.by(board.pings[0])
    await scene.press(mover, board, board.labels[0])
    await scene.press(mover, mover.newest_private, mover.newest_private.labels[0])
    assert (len(scene.discord.shown(thread)), scene.shown) == (2, [lobby])
    other = scene.by(scene.discord.shown(thread)[-1].pings[0])
    other.here = thread
    thread.archived = True
    await scene.move(other)
    assert not thread.archived
    assert len(scene.discord.shown(thread)) == 3


@pytest.mark.parametrize(
    ("setting", "seats", "threaded"), [(None, 2, False), (None, 3, True), ("off", 3, False), ("on", 2, True)]
)
async def test_three_have_threads_by_default(scene: Scene, setting: str | None, seats: int, threaded: bool) -> None:
    if setting is not None:
        await scene.command(scene.owner, "settings", **{"threads": setting, "for": "channel"})
    people = [scene.person(name) for name in ("Anna", "Bruno", "Carla")[:seats]]
    await scene.command(people[0], "play", game="uomo-nero", seats=seats)
    (lobby,) = scene.shown
    for person in people[1:]:
        await scene.press(person, lobby, "Join")
    assert (lobby.thread is not None) is threaded
    where = lobby.thread or scene.channel
    assert (len(scene.discord.shown(where)[-1].pings), len(scene.shown)) == (1, 2 - threaded)


async def test_a_game_against_the_computer_has_a_thread_too(scene: Scene) -> None:
    scene.bot.tavoliere.context.thinkers = Quick()
    await scene.command(scene.owner, "settings", threads="on")
    await scene.command(scene.person("Anna"), "play", game="annuvin", computer="1")

    def thread() -> Channel | None:
        return scene.shown[0].thread if scene.shown else None

    there = present(await scene.discord.until(thread, "a thread"))
    await wait_for_computer(
        scene.bot.tavoliere.context, (await scene.bot.store.games.list_thinking() or [("", 0)])[0][0], 60
    )
    await scene.discord.until(lambda: scene.discord.shown(there) and scene.discord.shown(there)[-1].pings, "her turn")
    assert len(scene.shown) == 1
    assert "Computer (level 1)" in scene.shown[0].text


async def test_without_the_permission_for_threads_the_game_is_played_in_the_channel(scene: Scene) -> None:
    await scene.command(scene.owner, "settings", threads="on")
    scene.channel.permissions = USUAL & ~Permission.CREATE_PUBLIC_THREADS
    with scene.discord.refusing(50013):
        await scene.started()
    assert len(scene.shown) == 2
    await scene.move(scene.mover)
    assert len(scene.shown) == 3


@documented(page=MESSAGES, says="a thread that is started from a message has the message's id")
async def test_a_thread_that_is_there_already_is_used(scene: Scene) -> None:
    await scene.command(scene.owner, "settings", threads="on")
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    await scene.command(anna, "play", game="annuvin", opponent=bruno.account)
    lobby, adapter = scene.board, scene.bot.connection.adapter
    (opened,) = await scene.bot.store.games.list_in_place(1, status="lobby")
    (post,) = await scene.bot.store.posts.list_for_game(opened.id)
    assert post.message == lobby.id
    assert await adapter.open_thread(place_of(post.place), lobby.id, "Before") == lobby.id
    with scene.discord.refusing(160004):
        await scene.press(bruno, lobby, "Accept")
    assert len(scene.discord.shown(present(lobby.thread))) == 1


async def in_a_thread(scene: Scene, game: str) -> tuple[Channel, Person, Person]:
    """Have Anna look for somebody to play with in a thread; return that, her, and Bruno."""
    parent = scene.channel
    thread = scene.discord.add_channel(Channel(scene.discord.ids.new(), THREAD, "Games", scene.guild, parent=parent))
    anna, bruno = scene.person("Anna", here=thread), scene.person("Bruno", here=thread)
    await scene.command(anna, "play", game=game)
    return thread, anna, bruno


@documented(page=CHANNELS, says="an archived thread cannot be changed, and sending a message to it unarchives it")
@pytest.mark.parametrize("locked", [False, True])
async def test_an_archived_thread_is_woken_by_a_new_message_unless_it_is_locked(scene: Scene, locked: bool) -> None:
    thread, _, bruno = await in_a_thread(scene, "vedova-nera")
    (lobby,) = scene.discord.shown(thread)
    thread.archived, thread.locked = True, locked
    with scene.discord.refusing(*([50083, 50083] if locked else [50083])):
        await scene.press(bruno, lobby, lobby.labels[0])
    assert len(scene.discord.shown(thread)) == (1 if locked else 2)
    assert ("Bruno" in scene.discord.shown(thread)[-1].text) is not locked


async def test_a_move_in_a_locked_thread_is_answered_by_why_no_board_comes(scene: Scene) -> None:
    thread, _, bruno = await in_a_thread(scene, "annuvin")
    await scene.press(bruno, scene.discord.shown(thread)[0], "Join")
    mover = scene.by(scene.discord.shown(thread)[-1].pings[0])
    thread.archived = thread.locked = True
    with scene.discord.refusing(50083):
        await scene.move(mover)
    assert missing_from(mover.newest_private.text, "This thread is locked", "What you did counts") == []


async def test_in_a_channel_without_sound_boards_are_sent_silently(scene: Scene, anna: Person, mover: Person) -> None:
    assert not scene.board.flags & SUPPRESS_NOTIFICATIONS
    scene.guild.managers.add(anna.account)
    await scene.command(anna, "settings", sound="off")
    assert "rings in your private chat" in anna.newest_private.text
    await scene.move(mover)
    assert scene.board.flags & SUPPRESS_NOTIFICATIONS


@pytest.mark.parametrize(
    ("locale", "community", "first", "words"),
    [
        ("en-US", False, "it", "cerca compagni"),
        ("en-US", False, "de", "would like to play"),
        ("en-US", True, "it", "would like to play"),
        ("it", False, "en-US", "cerca compagni"),
    ],
    ids=["the first there", "the first there speaks neither", "the community", "the server"],
)
async def test_channel_speaks_as_its_server(scene: Scene, locale: str, community: bool, first: str, words: str) -> None:
    guild = scene.discord.guild("Amici", "giochi", locale=locale, has_bot=False)
    guild.community = community
    await invite_bot(scene.discord, guild)
    await scene.discord.until(lambda: scene.discord.shown(guild.channels[0]), "a welcome")
    scene.channel = guild.channels[0]
    names = ("Anna", "Bruno", "Carla")
    people = [scene.person(name, first if name == "Anna" else "fr", scene.channel) for name in names]
    await scene.command(people[0], "play", game="vedova-nera", seats=3)
    assert words in scene.board.text
    for other in people[1:]:
        await scene.press(other, scene.board, scene.board.labels[0])
    (board,) = scene.discord.shown(present(scene.board.thread))
    assert ("tocca a te" in board.text) is ("cerca" in words), "so does its thread"
    await scene.command(scene.owner, "settings", **{"language": "it" if "would" in words else "en", "for": "server"})
    await scene.command(people[1], "play", game="annuvin")
    assert ("cerca compagni" in scene.board.text) is ("would" in words), "what is chosen counts"


async def test_games_and_channels_can_be_allowed_and_forbidden(scene: Scene) -> None:
    anna, boss = scene.person("Anna"), scene.owner
    await scene.command(boss, "settings", **{"playing": "off", "for": "server"})
    await scene.command(anna, "play", game="annuvin")
    assert "New games are switched off" in anna.newest_private.text
    await scene.command(boss, "settings", **{"playing": "on", "for": "channel"})
    opened = await scene.command(boss, "settings", **{"for": "channel"})
    await scene.fill(boss, opened)
    page = next(label for label in boss.newest_private.labels if "Games that can be started" in label)
    opened = await scene.press(boss, boss.newest_private, page)
    await scene.fill(boss, opened, games=[game for game in games if game != "annuvin"])
    await scene.command(anna, "play", game="annuvin")
    assert "not played here" in anna.newest_private.text
    await scene.command(anna, "play", game="fagocitare")
    assert len(scene.shown) == 1
    anna.here = scene.guild.channels[1]
    await scene.command(anna, "play", game="fagocitare")
    assert "New games are switched off" in anna.newest_private.text


async def test_public_answer_is_private_without_write_permission(scene: Scene, anna: Person) -> None:
    scene.channel.permissions = USUAL & ~Permission.SEND_MESSAGES
    with scene.discord.refusing(50013):
        await scene.command(anna, "leaderboard")
    assert missing_from(anna.newest_private.text, "Leaderboard", "may not write") == []


async def test_a_welcome_where_the_bot_is_added(scene: Scene) -> None:
    guild = scene.discord.guild("Amici", "regole", "giochi", locale="it", has_bot=False)
    for channel in guild.channels:
        channel.permissions = USUAL & ~Permission.SEND_MESSAGES if channel is guild.channels[0] else USUAL
    await invite_bot(scene.discord, guild)
    (hello,) = await scene.discord.until(lambda: scene.discord.shown(guild.channels[1]), "a welcome")
    assert "Ciao" in hello.text
    assert hello.pings == ()
    anna = scene.person("Anna", "it", guild.channels[1])
    await scene.press(anna, hello, hello.labels[0])
    assert anna.newest_private.private
    await scene.press(anna, anna.newest_private, "Annuvin")
    assert scene.discord.shown(guild.channels[0]) == []


async def test_no_welcome_is_sent_without_write_permission_or_where_the_bot_has_long_been(scene: Scene) -> None:
    guild = scene.discord.guild("Closed", "one", has_bot=False)
    guild.channels[0].permissions = USUAL & ~Permission.SEND_MESSAGES
    await invite_bot(scene.discord, guild)
    anna = scene.person("Anna", here=guild.channels[0])
    await scene.command(anna, "help")
    assert "may not write" in anna.newest_private.text
    await scene.bot.restart()
    assert [*scene.discord.shown(guild.channels[0]), *scene.shown] == []


async def test_server_without_the_bot_offers_single_player_actions(scene: Scene) -> None:
    anna = scene.person("Anna", "it", scene.discord.guild("Elsewhere", has_bot=False).channels[0])
    await scene.command(anna, "rules", game="annuvin")
    assert "Annuvin" in anna.newest_private.text
    await scene.command(anna, "play", game="annuvin")
    assert "può giocare solo il computer" in anna.newest_private.text
    assert "sfidare" not in anna.newest_private.text
    await scene.command(anna, "rules", game="annuvin")
    assert {payload_of(part).partition(":")[0] for part in anna.newest_private.pressable} == {
        "new=annuvin",
        "learn",
        "example=annuvin.0",
    }
    (example,) = [part for part in anna.newest_private.pressable if payload_of(part).startswith("example")]
    await scene.press(anna, anna.newest_private, example["label"])
    assert anna.newest_private.picture is not None
    await scene.command(anna, "help")
    helped = anna.newest_private
    await scene.press(anna, helped, "Regole")
    assert set(anna.newest_private.labels) >= {"Annuvin", "Fagocitare"}
    await scene.press(anna, anna.newest_private, "Fagocitare")
    assert "Fagocitare" in anna.newest_private.text
    with pytest.raises(AssertionError, match="not for user installs"):
        await anna.command("leaderboard", game="annuvin")
    await scene.press_part(
        anna, helped, {"custom_id": "0|leaders", "type": 2}, with_button(helped.to_json(), "0|leaders")
    )
    assert "non faccio parte" in anna.newest_private.text


def with_button(message: dict[str, object], custom_id: str) -> dict[str, object]:
    button = {"type": 2, "style": 1, "label": "x", "custom_id": custom_id, "id": 99}
    return message | {"components": [{"type": 1, "id": 98, "components": [button]}]}
