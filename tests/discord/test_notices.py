"""Who is called on Discord: exactly those whom a notice is for, once each, and nobody by an edit."""

from __future__ import annotations

from tests.discord.harness import Scene
from tests.fakes.discord.people import Person


async def move(scene: Scene, mover: Person) -> None:
    """Have somebody play any move."""
    found = await mover.complete("move", "move", move="")
    await scene.command(mover, "move", move=found[0]["value"])


async def whole(scene: Scene) -> tuple[Person, Person]:
    """Have a game with an offer, a reminder and an end; return the player who ends it, and the other."""
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    await scene.command(anna, "play", game="annuvin", opponent=bruno.account, clock="1h")
    await scene.press(bruno, scene.board, "Accept")
    mover, other = (anna, bruno) if scene.mover is anna else (bruno, anna)
    await move(scene, mover)
    await scene.command(mover, "draw")
    assert scene.board.labels == ["Agree: draw", "No draw"]
    await scene.press(other, scene.board, "No draw")
    for _ in range(29):
        # In steps: longer without a beat, and it would have been down.
        scene.bot.clock.turn(seconds=110)
        await scene.bot.tavoliere.alarms.tick()
    await scene.bot.settle()
    await scene.command(mover, "resign")
    await scene.press(mover, mover.newest_private, "Yes, resign")
    return mover, other


async def test_a_game_calls_each_once_for_each_subject(scene: Scene) -> None:
    mover, other = await whole(scene)
    called = [message.pings for message in scene.shown if message.pings]
    bruno = scene.people["Bruno"].account
    # The challenge, two turns, the offer, the reminder, and the end.
    assert called == [(bruno,), *((each.account,) for each in (mover, other, other, other, other))]


async def test_in_private_in_the_channel_or_not_at_all(scene: Scene) -> None:
    anna, bruno = scene.person("Anna"), scene.person("Bruno")
    await scene.command(bruno, "settings", notices="private")
    await scene.command(anna, "settings", notices="none")
    await scene.command(anna, "play", game="annuvin", opponent=bruno.account)
    assert [message.pings for message in scene.shown] == [()]
    (challenge,) = scene.discord.shown(scene.discord.dm(bruno.account))
    assert "challenges" in challenge.text
    # People who accept no private messages are notified where the game is.
    scene.discord.closed.add(bruno.account)
    with scene.discord.refusing(50007):
        await scene.command(anna, "play", game="real-queen", opponent=bruno.account)
    assert [message.pings for message in scene.shown][-1] == (bruno.account,)
