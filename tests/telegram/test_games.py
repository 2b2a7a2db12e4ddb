"""Every game on Telegram, by taps and typed moves: with a restart and a kill in the middle, at the pace of people."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final

import pytest

from engine import CHANCE, games
from tests.fakes.telegram.people import Person
from tests.fakes.telegram.world import Message
from tests.support.choosing import choose_cleverly
from tests.support.present import present
from tests.telegram.harness import Scene
from tests.telegram.players import Players, payload_of_path

TURN: Final = {"en": "it is your turn", "it": "tocca a te"}
WINS: Final = {"en": "wins!", "it": "Vince "}
DRAWN: Final = {"en": "a draw", "it": "patta"}
LONG_ENOUGH: Final = 20
"""Games are played to their end by the services' own tests."""
NAMES: Final = ("Anna", "Bruno", "Carla", "Dario", "Elena")


async def sit_down(scene: Scene, game: str, language: str, *names: str) -> None:
    """Have people start a game in a group that speaks a language."""
    first, *others = [scene.person(name, language) for name in names]
    scene.group.status[first.id] = "administrator"
    await scene.say(first, f"/settings language:{language} for:channel")
    await scene.say(first, f"/play {game} seats:{len(names)}")
    for other in others:
        await scene.tap(other, scene.board, scene.board.labels[0])
    assert scene.board.photo is not None
    assert TURN[language] in scene.board.text


@pytest.mark.parametrize("game", games)
async def test_every_game_with_a_restart_and_a_kill_in_the_middle(scene: Scene, game: str) -> None:
    language = "it" if list(games).index(game) % 2 else "en"
    seats = games[game].seats
    await sit_down(scene, game, language, *NAMES[: seats[len(seats) // 2]])
    watcher = scene.person("Fabio", language)
    players = Players(scene, f"{game} {language}", choose_cleverly)
    await players.play(8)
    # A new process does not know how much was written in the last minute.
    scene.bot.clock.turn(minutes=1)
    await scene.bot.restart()
    await players.play(6)
    scene.bot.clock.turn(minutes=1)
    await scene.bot.kill()
    await scene.bot.start()
    await players.play(LONG_ENOUGH - 14)
    assert players.over or players.acts == LONG_ENOUGH
    # Chance depends on the code of the game, so it may end without a winner.
    ends = (WINS[language], DRAWN[language].capitalize(), DRAWN[language], "1.")
    assert any(words in scene.board.text for words in ends) is players.over
    assert players.acts < 10 or players.used == {"tap", "typed"}
    assert not any(watcher.id in message.pings for message in scene.shown)


PACE: Final = 3.0
"""Every how many seconds somebody taps."""
TIMEOUT_SECONDS: Final = 2.0
"""How many seconds a tap may have to wait for."""
TAPS: Final = 26
"""More than a minute of play: the window of a minute is full and goes on."""


class Paced(Players):
    """Players who tap once in three seconds; `longest` is how many seconds one of them had to wait."""

    pause_seconds = PACE
    taps = 0
    longest = 0.0

    async def wait_until(self, ready: Callable[[], Awaitable[bool]]) -> None:
        """Wait, and note how long."""
        clock = self.scene.bot.clock
        begun = clock.now
        while not await ready():
            assert clock.now - begun < timedelta(minutes=1), self.scene.board.labels
            await self.scene.bot.wait(0.5)
        self.longest = max(self.longest, (clock.now - begun).total_seconds())

    async def _tap(self, mover: Person, board: Message, path: tuple[str, ...]) -> None:
        async def can_be_tapped() -> bool:
            return payload_of_path(board, path) is not None

        await self.wait_until(can_be_tapped)
        await super()._tap(mover, board, path)
        self.taps += 1

    async def is_shown(self) -> bool:
        """Say whether all boards of the game are as it is."""
        posts = await self.scene.bot.store.posts.list_for_game(self.code)
        return all(each.shown_revision == each.revision for each in posts)


@pytest.mark.parametrize("game", games)
async def test_no_tap_waits_in_any_game(scene: Scene, game: str) -> None:
    seats = games[game].seats
    await sit_down(scene, game, "en", *NAMES[: seats[len(seats) // 2]])
    await scene.bot.wait(60)
    players = Paced(scene, f"{game} at one tap in three seconds")
    while players.taps < TAPS and not players.over:
        state = await players.state()
        if state.to_move in (None, CHANCE):
            break
        await players.tap(state, choose_cleverly(state, players.rng))
        await players.wait_until(players.is_shown)
        assert await players.state() != state
    assert players.taps >= TAPS or players.over
    assert players.longest <= TIMEOUT_SECONDS
    assert scene.telegram.refused == []


async def test_busy_group_is_warned_and_gets_the_newest_board_after_waiting(scene: Scene, mover: Person) -> None:
    # 20 messages a minute in a group: https://core.telegram.org/bots/faq; edits share that limit (tdlib/td issue 2592).
    await scene.bot.wait(60)
    board, before = scene.board, len(scene.shown)
    await scene.to_and_fro(mover, board, 18)
    assert scene.telegram.limits.count(scene.group.id) == 18, "edits alone"
    code = await scene.code()

    async def move() -> str:
        """Have the player to move type a move; return the mover's name."""
        table = await scene.bot.tavoliere.context.table(code)
        who = table.names[present(table.mover)]
        await scene.people[who].say(f"/move {table.playing.state.legal_actions()[0]} game:{code}")
        await scene.bot.settle()
        return who

    def boards() -> list[Message]:
        return scene.shown[before:]

    waited = False
    for turn in range(1, 10):
        await move()
        waited = len(boards()) < turn
        if waited:
            break
        scene.bot.clock.turn(seconds=1.3)
    assert waited, "the group's minute is used up"
    warned = [message for message in boards() if "20 messages a minute" in message.text]
    assert len(warned) == 1, "once, in a board"
    assert boards().index(warned[0]) < len(boards()) - 1, "before one had to wait"
    last = len(boards())
    for _ in range(3):
        await move()
    assert len(boards()) == last
    assert scene.telegram.limits.count(scene.group.id) <= 20
    await scene.bot.wait(60)
    assert len(boards()) == last + 1, "of all that waited the newest alone is shown"
    table = await scene.bot.tavoliere.context.table(code)
    assert scene.mover is scene.people[table.names[present(table.mover)]]
    assert scene.telegram.refused == []
