"""People who play on the fake Telegram by taps and by typed moves."""

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from bot.kernel.choices import column_name, path_to
from bot.kernel.question_cards import PRIVATE_CHOICE, PUBLIC_CHOICE, row_name, way_name
from bot.platforms.telegram.markup import CELL_PRESS, read_button
from engine import Action, State
from tests.fakes.telegram.people import Person
from tests.fakes.telegram.world import Message
from tests.support.choosing import Choose, choose_capture
from tests.telegram.harness import Scene

MAX_ACTS: Final = 400
"""More actions than any game that is played to its end here lasts."""
A_MINUTE: Final = timedelta(seconds=60)


def payload_of_path(
    board: Message, path: tuple[str, ...], *, rows: bool = True, of: tuple[str, int] | None = None
) -> str | None:
    """Return what the button carries that settles the last answer of a path, None if there is none.

    What an answer before it gives its meaning is one, too, and with `rows` that of a cell's row; `of` is the game and
    the revision that it has to be about.
    """
    named: dict[str, str] = {}
    for button in board.buttons:
        read = read_button(button.get("callback_data"))
        if read is None or (of is not None and (read.game, read.revision) != of):
            continue
        if read.deed in (PUBLIC_CHOICE, PRIVATE_CHOICE) and read.path == path:
            return str(read)
        if read.deed == CELL_PRESS:
            named[read.path[-1]] = str(read)
    return named.get(path[-1]) or named.get(way_name(path[-1])) or (named.get(row_name(path[-1])) if rows else None)


def is_skipped(board: Message, path: tuple[str, ...], depth: int) -> bool:
    """Say whether the last of so many answers of a path is a column that need not be tapped, its cells being there."""
    inner = path[depth : depth + 1]
    column = bool(inner) and column_name(inner[0]) == path[depth - 1]
    return column and payload_of_path(board, path[: depth + 1], rows=False) is not None


class Players:
    """Plays for everybody at the table that the newest board shows."""

    pause_seconds = 4.0
    """How many seconds pass after each tap."""

    def __init__(self, scene: Scene, seed: str, choose: Choose = choose_capture) -> None:
        self.scene = scene
        self.rng = random.Random(seed)
        self.choose = choose
        self.used: set[str] = set()
        self.acts = 0
        self.code = ""

    @property
    def over(self) -> bool:
        """Whether the newest board shows a game that has ended."""
        datas = [button.get("callback_data", "") for button in self.scene.board.buttons]
        return any(data.startswith("rematch:") for data in datas)

    @property
    def old(self) -> list[Message]:
        """The boards but the newest that still have buttons."""
        boards = [message for message in self.scene.shown if message.photo is not None]
        return [message for message in boards[:-1] if message.labels]

    async def play(self, most: int = MAX_ACTS) -> None:
        """Play to the end, or so many actions."""
        for _ in range(most):
            if self.over:
                return
            state, known = await self.state(), {message.id for message in self.scene.shown}
            action = self.choose(state, self.rng)
            await (self.tap(state, action) if self.rng.random() < 0.6 else self.type(action))
            self.acts += 1
            after = await self.state()
            assert after != state
            await self.check()
            same = (after.turn, after.to_move) == (state.turn, state.to_move)
            self.check_quiet([message for message in self.scene.shown if message.id not in known], same=same)

    async def state(self) -> State:
        """Return the position of the game that the newest board shows."""
        for button in self.scene.board.buttons:
            read = read_button(button.get("callback_data"))
            self.code = (read.game if read is not None else None) or self.code
        return (await self.scene.bot.tavoliere.context.table(self.code)).playing.state

    async def tap(self, state: State, action: Action) -> None:
        """Tap the way to an action on the board."""
        path = path_to(state, state.legal_actions(), action)
        mover, board = self.scene.mover, self.scene.board
        self.used.add("tap")
        for depth in range(1, len(path) + 1):
            if is_skipped(board, path, depth):
                continue
            await self._tap(mover, board, path[:depth])
            await self.scene.bot.wait(self.pause_seconds)

    async def _tap(self, mover: Person, board: Message, path: tuple[str, ...]) -> None:
        # It comes later where the group has been written to a lot in the last minute.
        data = await self.scene.bot.until(lambda: payload_of_path(board, path), f"a button for {path}")
        tap = await mover.tap_data(board, data or "")
        await tap.answered.wait()
        assert not tap.alert
        await self.scene.bot.settle()

    async def type(self, action: Action) -> None:
        """Answer the board with an action."""
        self.used.add("typed")
        await self.scene.mover.say(action.text, answering=self.scene.board)
        await self.scene.bot.settle()
        await self.scene.bot.wait(8)

    def check_quiet(self, news: Sequence[Message], *, same: bool) -> None:
        """Check that a turn brings one message at most, which notifies only the player to move."""
        # A message that a person calls for from elsewhere is theirs.
        sent = [message for message in news if message.inline is None]
        assert len(sent) <= (0 if same else 1)
        assert self.over or all(message.pings == (self.scene.mover.id,) for message in sent)

    async def check(self) -> None:
        """Check that the newest board alone can be pressed (within a minute), calls one person, nothing was refused."""
        begun = self.scene.bot.clock.now
        await self.scene.bot.until(lambda: not self.old, "the old boards' losing their buttons")
        assert self.scene.bot.clock.now - begun <= A_MINUTE
        called = self.scene.board.marked.called
        assert len(set(called)) == len(called)
        assert self.over or len(called) <= 1
        assert self.scene.telegram.refused == []
