"""Who may do what: managers of a server what is for them, members of a channel and of threads, and who has a role."""

import pytest

from bot.kernel.permissions import Right
from bot.kernel.requests import Place, User
from bot.platforms.discord.adapter import DiscordAdapter
from bot.platforms.discord.decode import button_id
from storage import Store
from tests.discord.harness import Scene
from tests.fakes.discord.people import Person
from tests.fakes.discord.world import PRIVATE_THREAD, THREAD, Channel
from tests.support.leavers import check_all_is_shown, check_nothing_is_shown
from tests.support.present import present
from tests.support.rights import is_refused, list_managed_presses, listen_to_replies, make_competitions, managed_lines


async def test_managers_may_do_what_is_for_them_and_others_may_not(
    scene: Scene, anna: Person, bruno: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.guild.managers = {anna.account}
    replies = listen_to_replies(monkeypatch)
    for name, values, right in managed_lines("discord"):
        # A server may show everybody what is hidden from them at first.
        scene.discord.commands[name]["default_member_permissions"] = None
        if "@nobody" in values.values():
            continue  # here people are chosen, not typed
        options = {key: int(value) if value.isdecimal() else value for key, value in values.items()}
        await scene.command(bruno, name, **options)
        assert is_refused(replies.last) or right is Right.DEPENDS, (name, values, replies.last)
        await scene.command(anna, name, **options)
        assert not is_refused(replies.last), (name, values, replies.last)
    place = Place("discord", str(scene.channel.id), None, str(scene.guild.id))
    for press in await list_managed_presses(scene.bot.tavoliere, place):
        await scene.bot.settle()
        message = next(each for each in reversed(scene.shown) if each.pressable)
        part = message.pressable[0] | {"custom_id": button_id(1, press), "type": 2}
        for who, refused in ((bruno, True), (anna, False)):
            await scene.press_part(who, message, part)
            assert is_refused(replies.last) is refused, (press, replies.last)


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
    scene.channel.hidden_from.add(carla.account)
    adapter = await begin_anew(scene, monkeypatch, served=served)
    place = Place("discord", str(scene.channel.id), None, str(scene.guild.id))

    async def roles_of(person: Person) -> frozenset[str] | None:
        found = await adapter.find_membership(place, str(person.account.id))
        return None if found is None else found.roles

    assert await roles_of(bruno) == frozenset({"@everyone"})
    assert await roles_of(carla) is None, "who cannot read the channel is no member of it"
    found = await adapter.find_membership(place, str(scene.discord.owner.id))
    assert present(found).manager
    scene.guild.roles.departed.add(bruno.account)
    with scene.discord.refusing(10007):
        assert await roles_of(bruno) is None


async def test_who_has_left_sees_nothing_by_a_code_from_elsewhere(scene: Scene, store: Store) -> None:
    carla, dora = scene.person("Carla"), scene.person("Dora")
    await scene.started()
    for person in (carla, dora):
        await scene.command(person, "rules", game="annuvin")
    front, other = scene.bot.tavoliere, scene.guild.channels[1]
    users = {
        name: User("discord", str(person.account.id), person.account.name, "en")
        for name, person in scene.people.items()
    }
    here = Place("discord", str(scene.channel.id), None, str(scene.guild.id))
    there = Place("discord", str(other.id), None, str(scene.guild.id))
    (game,) = [each.id for each in await store.games.list_in_place(1)]
    competitions = await make_competitions(front, here, users["Anna"])
    scene.channel.hidden_from.add(carla.account)
    await scene.bot.restart()  # who may see a channel is told when the server is joined
    front = scene.bot.tavoliere
    # From their own chats those who have left try the same on Telegram.
    await check_nothing_is_shown(front, users["Carla"], there, game, competitions)
    await check_all_is_shown(front, users["Dora"], Place("discord", "990002", kind="private"), game, competitions)


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
