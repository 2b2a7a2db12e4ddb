"""A press passes through few files, so that a reader can follow one through the whole program."""

from bot.kernel.choices import path_to
from bot.kernel.presses import PATH_SEPARATOR
from tests.discord.harness import Scene
from tests.discord.players import Players, payload_of
from tests.support.choosing import choose_capture
from tests.support.entered import noting_calls

MAX_FILES = 70
"""Files of the program that one press of Annuvin enters, from the interaction to the next player's board."""
ADDED_SINCE = {
    *(
        "bot/kernel/features.py",
        "bot/platforms/discord/activity.py",
        "bot/platforms/webhooks/job.py",
        "storage/database.py",
    ),
    *("bot/kernel/permissions.py", "bot/kernel/preferences.py", "bot/kernel/operations/clock.py", "storage/columns.py"),
    "bot/table/game_lookup.py",
    "bot/kernel/post_kinds.py",
    *("bot/outbox/boards.py", "bot/kernel/operations/tasks.py"),
}
"""What kinds of posts, activities, webhooks, hooks of features, the base of all stores, rights (also to see a game),
the clock, the readers of settings and the one way to end tasks have added to every press since then."""


async def test_a_press_enters_few_files(scene: Scene) -> None:
    await scene.command(scene.person("Anna"), "play", game="annuvin", seats=2)
    await scene.press(scene.person("Bruno"), scene.board, "Join")
    players = Players(scene, "files", choose_capture)
    for _ in range(4):
        state = await players.state()
        await players.press(state, players.choose(state, players.rng))
    state = await players.state()
    action = players.choose(state, players.rng)
    path, message, mover = path_to(state, state.legal_actions(), action), scene.board, scene.mover
    for depth in range(1, len(path) + 1):
        known, chosen = set(scene.discord.messages), PATH_SEPARATOR.join(path[:depth])
        (part,) = [each for each in message.pressable if payload_of(each).endswith(f"={chosen}")]
        with noting_calls() as entered:
            await mover.press_part(message, part)
            await scene.bot.connection.dispatcher.wait_until_idle()
            await scene.bot.tavoliere.delivery.run_until_idle()
        message = next((each for each in mover.private if each.id not in known), message)
        files = entered.functions
        print(f"\n{chosen}: {len(files)} files, {sum(map(len, files.values()))} functions\n{entered}")
        assert len(files.keys() - ADDED_SINCE) <= MAX_FILES
    assert await players.state() != state, "the last press has moved"
