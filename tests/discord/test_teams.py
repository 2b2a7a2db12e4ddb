"""A channel on Discord plays as one: who has a role, or has left, and from where they ask."""

from tests.discord.harness import Scene
from tests.fakes.discord.people import Person


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
