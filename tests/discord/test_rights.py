"""Who is a member of a channel and of threads, and who has a role."""

import pytest

from bot.kernel.requests import Place
from bot.platforms.discord.adapter import DiscordAdapter
from tests.discord.harness import Scene
from tests.fakes.discord.people import Person
from tests.fakes.discord.world import PRIVATE_THREAD, THREAD, Channel
from tests.support.leavers import REFUSAL_WORDS
from tests.support.present import present


async def begin_anew(scene: Scene, monkeypatch: pytest.MonkeyPatch, *, served: bool) -> DiscordAdapter:
    """Begin anew: who may see a channel is told when the server is joined. Another process may serve it, too."""
    await scene.bot.restart()
    adapter = scene.bot.connection.adapter
    if not served:
        monkeypatch.setattr(adapter._require_client(), "get_guild", lambda _: None)
    return adapter


@pytest.mark.parametrize("served", [True, False], ids=["served here", "served by another process"])
async def test_a_member_is_who_can_read_the_channel_now(
    scene: Scene, bruno: Person, carla: Person, monkeypatch: pytest.MonkeyPatch, *, served: bool
) -> None:
    await scene.started()
    await scene.command(carla, "help")
    scene.channel.hidden_from.add(carla.account)
    adapter = await begin_anew(scene, monkeypatch, served=served)
    place = Place("discord", str(scene.channel.id), None, str(scene.guild.id))

    async def roles_of(person: Person) -> frozenset[str] | None:
        found = await adapter.find_membership(place, str(person.account.id))
        return None if found is None else found.roles

    assert await roles_of(bruno) == frozenset({"@everyone"})
    assert await roles_of(carla) is None, "who cannot read the channel is no member of it"
    # Every command and press with a code is tried on Telegram: tests/telegram/test_rights.py.
    (game,) = await scene.bot.store.games.list_ids()
    carla.here = scene.guild.channels[1]
    await scene.command(carla, "board", game=game)
    assert REFUSAL_WORDS in carla.newest_private.text
    found = await adapter.find_membership(place, str(scene.discord.owner.id))
    assert present(found).manager
    scene.guild.roles.departed.add(bruno.account)
    with scene.discord.refusing(10007):
        assert await roles_of(bruno) is None


@pytest.mark.parametrize("served", [True, False], ids=["served here", "served by another process"])
async def test_a_private_thread_is_for_those_who_are_in_it(
    scene: Scene, anna: Person, bruno: Person, monkeypatch: pytest.MonkeyPatch, *, served: bool
) -> None:
    discord, guild = scene.discord, scene.guild
    secret = discord.add_channel(Channel(discord.ids.new(), PRIVATE_THREAD, "secret", guild, parent=scene.channel))
    secret.members.add(anna.account)
    public = discord.add_channel(Channel(discord.ids.new(), THREAD, "public", guild, parent=scene.channel))
    adapter = await begin_anew(scene, monkeypatch, served=served)

    async def is_in(person: Person, thread: Channel) -> bool:
        place = Place("discord", str(scene.channel.id), str(thread.id), str(guild.id))
        return await adapter.find_membership(place, str(person.account.id)) is not None

    assert await is_in(anna, secret)
    with discord.refusing(10007):
        assert not await is_in(bruno, secret), "who reads the channel, but is not in the thread"
    assert await is_in(bruno, public)
    assert await is_in(scene.owner, secret), "who manages threads sees all of them"
    secret.deleted = True
    await scene.bot.restart()
    adapter = scene.bot.connection.adapter
    with discord.refusing(10003):
        assert not await is_in(anna, secret)


async def counted(scene: Scene) -> None:
    """Let votes be shown, a round be closed, and the computer answer."""
    scene.bot.clock.turn(seconds=6)
    await scene.bot.tavoliere.jobs["teams"].run_until_idle()
    await scene.bot.tavoliere.jobs["computers"].run_until_idle()
    await scene.bot.settle()


async def test_only_those_with_the_role_vote_from_wherever_they_ask(
    scene: Scene, anna: Person, bruno: Person, carla: Person
) -> None:
    roles = scene.guild.roles
    roles.add(scene.discord.ids.new(), "Club", anna.account, bruno.account)
    await scene.bot.restart()  # the roles of a server are told when it is joined
    for who in (bruno, carla):
        await scene.command(who, "help")
    await scene.command(carla, "team", game="annuvin", computer="1", role="club")
    assert "do not have the role" in carla.private[-1].text
    await scene.command(anna, "team", game="annuvin", computer="1", role="@Club")
    await counted(scene)
    (code,) = await scene.bot.store.teams.running_in(1)
    first = (await scene.bot.tavoliere.context.table(code)).playing.state.legal_actions()[0].text
    await scene.command(bruno, "move", move=first, game=code)
    assert "Proposed as **A**" in bruno.private[-1].text
    await counted(scene)
    await scene.press(carla, scene.board, "Vote A")
    assert "Only those with the role" in carla.private[-1].text
    # The same words for a role on another server, and from the private chat with the bot.
    elsewhere = scene.discord.guild("Others", "lounge")
    elsewhere.roles.add(scene.discord.ids.new(), "Club", carla.account)
    await scene.bot.restart()
    abroad = Person(scene.discord, carla.account, elsewhere.channels[0])
    await scene.command(abroad, "move", move=first, game=code)
    assert "Only those with the role" in abroad.private[-1].text
    alone = Person(scene.discord, bruno.account, scene.discord.dm(bruno.account))
    second = (await scene.bot.tavoliere.context.table(code)).playing.state.legal_actions()[1].text
    await scene.command(alone, "move", move=second, game=code)
    assert "Proposed as" in alone.newest_private.text
    # Who was thrown out is no voter any more, whatever was seen of them.
    roles.departed.add(bruno.account)
    third = (await scene.bot.tavoliere.context.table(code)).playing.state.legal_actions()[2].text
    await scene.command(alone, "move", move=third, game=code)
    assert "another channel" in alone.newest_private.text
    (refused,) = scene.discord.refused
    assert "Unknown Member" in str(refused[1])
    scene.discord.refused.clear()
    assert [each.votes for each in await scene.bot.store.teams.proposals(code)] == [0, 1]
