"""The day's puzzle on Discord: for those who manage the server, in one message that calls nobody."""

import pytest

from tests.discord.harness import Scene
from tests.fakes.discord.people import Person
from tests.fakes.discord.rest import NONCE_LIFE
from tests.fakes.discord.world import Permission


@pytest.mark.parametrize("readable", [True, False])
async def test_killed_between_posting_and_noting_it_is_there_once_however_long_that_lasts(
    scene: Scene, anna: Person, monkeypatch: pytest.MonkeyPatch, readable: bool
) -> None:
    async def die(*_: object, **__: object) -> None:
        raise RuntimeError("the program dies here")

    scene.guild.managers.add(anna.account)
    if not readable:
        scene.channel.permissions &= ~Permission.READ_MESSAGE_HISTORY
    with monkeypatch.context() as patch:
        patch.setattr("storage.posts.Posts.record_shown", die)
        await scene.command(anna, "puzzle", daily="on")
    (message,) = scene.shown
    assert (message.pings, message.labels) == ((), ["Try it"])
    await scene.bot.stop()
    # Others have gone on talking, and Discord has forgotten the nonce: without the history it cannot be known.
    for _ in range(3):
        scene.discord.ids.new()
    seconds_offline = NONCE_LIFE + 60
    scene.discord.clock.turn(seconds_offline)
    scene.bot.clock.turn(seconds=seconds_offline)
    await scene.discord.until(lambda: not scene.discord.gateway.connected, "the bot's leaving")
    await scene.bot.start()
    # As long before the next attempt as when the program died.
    await scene.wait(minutes=1)
    assert len(scene.shown) == (1 if readable else 2)
    assert scene.shown[0] is message
    # It is kept up to date, and solved in the end.
    await scene.wait(days=1)
    await scene.wait(seconds=10)
    assert ("Solution" in message.text) is readable
    assert [picture for picture, _ in message.pictures], "the picture is still there"
