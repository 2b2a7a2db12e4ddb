"""Every game on Discord, by buttons, menus, completion and typed moves, with a restart in the middle.

A press passes through few files, so that a reader can follow one through the whole program.
"""

from typing import Final

import pytest

from bot.kernel.choices import path_to
from bot.kernel.presses import PATH_SEPARATOR
from engine import games
from tests.discord.harness import Scene
from tests.discord.players import Players, payload_of
from tests.support.choosing import choose_capture, choose_cleverly
from tests.support.entered import noting_calls

LONG_ENOUGH: Final = 16
"""Games are played to their end by the services' own tests, one of them on Discord in test_pictures.py."""
NAMES: Final = ("Anna", "Bruno", "Carla", "Dario", "Elena")
LOCALES: Final = ("en-US", "it")
TURN: Final = {"en-US": "it is your turn", "it": "tocca a te"}
WINS: Final = {"en-US": "wins!", "it": "Vince "}
DRAWN: Final = {"en-US": "a draw", "it": "patta"}


async def sit_down(scene: Scene, game: str, locale: str, *names: str) -> None:
    """Have people start a game in a channel that speaks a language."""
    owner = scene.owner
    await scene.command(owner, "settings", **{"language": "it" if locale == "it" else "en", "for": "channel"})
    first, *others = [scene.person(name, locale) for name in names]
    await scene.command(first, "play", game=game, seats=len(names))
    for other in others:
        await scene.press(other, scene.board, scene.board.labels[0])
    if len(names) > 2:
        # What is said goes on in the thread that a game of so many has.
        lobby = scene.board
        assert lobby.thread is not None
        scene.channel = lobby.thread
        for person in scene.people.values():
            person.here = lobby.thread
    assert scene.board.picture is not None
    assert TURN[locale] in scene.board.text


def check_quiet(scene: Scene) -> None:
    """Check that only turns, and the end, have called anybody, and that old boards have pictures and no buttons."""
    parent = scene.channel.parent
    before = scene.discord.shown(parent) if parent is not None else []
    lobby, *boards = [*before, *scene.shown]
    assert (lobby.thread is not None) is (parent is not None)
    assert all(len(message.pings) <= 1 for message in boards[:-1])
    assert [message for message in (lobby, *boards[:-1]) if message.labels] == []
    assert all(message.picture and message.alt for message in boards)


@pytest.mark.parametrize("game", games)
async def test_every_game_with_a_restart_in_the_middle(scene: Scene, game: str) -> None:
    locale, seats = LOCALES[list(games).index(game) % 2], games[game].seats
    await sit_down(scene, game, locale, *NAMES[: seats[len(seats) // 2]])
    watcher = scene.person("Fabio", locale)
    players = Players(scene, f"{game} {locale}", choose_cleverly)
    await players.play(8)
    await scene.bot.restart()
    await players.play(LONG_ENOUGH - 8)
    assert players.over or players.acts == LONG_ENOUGH
    # Chance depends on the code of the game, so it may end without a winner.
    ends = (WINS[locale], DRAWN[locale].capitalize(), DRAWN[locale], "1.")
    assert any(words in scene.board.text for words in ends) is players.over
    assert players.acts < 10 or (players.used & {"button", "menu"} and "typed" in players.used)
    check_quiet(scene)
    assert not any(watcher.account in message.pings for message in scene.shown)


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
