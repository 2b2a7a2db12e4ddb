"""Who manages a server may do everything there that is for its managers, and nobody else may."""

import pytest

from bot.kernel.permissions import Right
from bot.kernel.requests import Place, User
from bot.platforms.discord.decode import button_id
from storage import Store
from tests.discord.harness import Scene
from tests.fakes.discord.people import Person
from tests.fakes.discord.world import PRIVATE_THREAD, THREAD, Channel
from tests.support.leavers import check_all_is_shown, check_nothing_is_shown, make_competitions
from tests.support.rights import is_refused, list_managed_presses, listen_to_replies, managed_lines


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


@pytest.mark.parametrize("served", [True, False], ids=["served here", "served by another process"])
async def test_a_member_is_who_can_read_the_channel_now(
    scene: Scene, bruno: Person, monkeypatch: pytest.MonkeyPatch, *, served: bool
) -> None:
    carla = scene.person("Carla")
    scene.channel.hidden_from.add(carla.account)
    await scene.bot.restart()  # who may see a channel is told when the server is joined
    adapter = scene.bot.connection.adapter
    if not served:
        monkeypatch.setattr(adapter._require_client(), "get_guild", lambda _: None)
    place = Place("discord", str(scene.channel.id), None, str(scene.guild.id))

    async def roles_of(person: Person) -> frozenset[str] | None:
        found = await adapter.find_membership(place, str(person.account.id))
        return None if found is None else found.roles

    assert await roles_of(bruno) == frozenset({"@everyone"})
    assert await roles_of(carla) is None, "who cannot read the channel is no member of it"
    found = await adapter.find_membership(place, str(scene.discord.owner.id))
    assert found is not None
    assert found.manager
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
    for place in (there, Place("discord", "990001", kind="private")):
        await check_nothing_is_shown(front, users["Carla"], place, game, competitions)
    await check_all_is_shown(front, users["Dora"], Place("discord", "990002", kind="private"), game, competitions)


@pytest.mark.parametrize("served", [True, False], ids=["served here", "served by another process"])
async def test_a_private_thread_is_for_those_who_are_in_it(
    scene: Scene, anna: Person, bruno: Person, monkeypatch: pytest.MonkeyPatch, *, served: bool
) -> None:
    discord, guild = scene.discord, scene.guild
    secret = discord.add_channel(Channel(discord.ids.new(), PRIVATE_THREAD, "secret", guild, parent=scene.channel))
    secret.members.add(anna.account)
    public = discord.add_channel(Channel(discord.ids.new(), THREAD, "public", guild, parent=scene.channel))
    await scene.bot.restart()
    adapter = scene.bot.connection.adapter
    if not served:
        monkeypatch.setattr(adapter._require_client(), "get_guild", lambda _: None)

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
